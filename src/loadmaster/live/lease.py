"""One loadmaster at a time for one cluster: a lock on a file that the system gives back when we die."""

import fcntl
import os
from pathlib import Path
from typing import IO

from loadmaster.model.errors import InputError
from loadmaster.state_folder import state_folder


class Lease:
    """Held from now on.

    Args:
        name: of the engine and its cluster, such as `slurm-lm`.
        folder: of the lock; two who are to see each other must give the same, None is the user's own state.

    Raises:
        InputError: somebody else holds it, or the folder cannot be written to.
    """

    def __init__(self, name: str, folder: Path | None = None) -> None:
        place = state_folder() if folder is None else folder
        self.path = place / f"{''.join(sign if sign.isalnum() or sign in '-_.' else '_' for sign in name)}.lease"
        try:
            if not place.is_dir():
                place.mkdir(parents=True, exist_ok=True)
                place.chmod(0o700 if folder is None else 0o755)  # engines may have to look into one that was named
            self._file: IO[str] | None = self.path.open("a+", encoding="utf-8")
        except OSError as error:
            rule = f"no lease can be kept here: {error.strerror}"
            raise InputError(place, rule, fix="name a folder of ours") from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.seek(0)
            who = self._file.read().strip() or "another process"
            self.release()
            fix = "stop it first, or look on with --shadow"
            raise InputError(name, f"another loadmaster runs this cluster ({who})", fix=fix) from None
        self._file.truncate(0)
        self._file.write(f"process {os.getpid()}")
        self._file.flush()

    def release(self) -> None:
        """Give it back."""
        if self._file is not None:
            self._file.close()
            self._file = None
