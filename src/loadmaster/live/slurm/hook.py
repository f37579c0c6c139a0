"""The submission hook that holds jobs for loadmaster, and the heartbeat that it checks."""

import time
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path

from loadmaster.live.slurm.mark import owner_of
from loadmaster.model.errors import InputError
from loadmaster.system.state_folder import state_folder
from loadmaster.system.whole_file import whole_file

FAIL_OPEN_S = 600.0
"""Without a sign of life for so long, jobs are not held any more, and those that are held are released."""


def hook_text(heartbeat: Path, patience_s: float, operator: int, partitions: Iterable[str], default: str = "") -> str:
    """The Lua for `JobSubmitPlugins=lua`, to be put beside `slurm.conf` as `job_submit.lua`.

    Args:
        heartbeat: the file of `Heartbeat`, which Slurm's controller must be able to read.
        patience_s: how old the sign of life may be.
        operator: the number of the user that runs loadmaster.
        partitions: those whose jobs are held; none for all.
        default: the partition of jobs that name none.

    Raises:
        InputError: a name that cannot stand in the file.
    """
    names = list(partitions)
    for name in (str(heartbeat), *names):
        if not name.isprintable() or any(sign in name for sign in '"\\'):
            raise InputError(name, "this name cannot stand in the hook", fix="use letters, digits, - and _")
    scope = [f'["{name}"] = true' for name in names] + (['["*"] = true'] if default in names else [])
    text = files("loadmaster.live.slurm").joinpath("job_submit.lua").read_text(encoding="utf-8")
    for word, value in (
        ("HEARTBEAT", str(heartbeat)),
        ("SIZES", str(sizes_path(heartbeat))),
        ("PATIENCE_S", f"{patience_s:.0f}"),
        ("OPERATOR", str(operator)),
        ("PARTITIONS", ", ".join(scope)),
    ):
        text = text.replace(f"@{word}@", value)
    return text


def heartbeat_path(cluster: str, folder: Path | None = None) -> Path:
    """Where the sign of life for a cluster is; `folder` None is the user's own state."""
    return (state_folder() if folder is None else folder) / f"slurm-{cluster}.heartbeat"


def sizes_path(heartbeat: Path) -> Path:
    """Where the hook reads what hosts there are, beside the sign of life."""
    return heartbeat.with_suffix(".hosts")


class Heartbeat:
    """A file with the moment of our last sign of life, in seconds since the epoch, and our user."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def beat(self) -> None:
        """We are alive.

        Raises:
            InputError: the file cannot be written.
        """
        line = f"{time.time():.0f} {owner_of(self.path.parent)}\n".encode()
        try:
            if self.path.exists() and self.path.stat().st_size == len(line):
                with self.path.open("r+b", buffering=0) as file:
                    file.write(line)  # in its place: a disk that is full has room for that
                return
            with whole_file(self.path) as part:
                part.write_bytes(line)
                part.chmod(0o644)  # Slurm's controller reads it, under any user
        except OSError as error:
            raise InputError(self.path, f"no heartbeat can be written here: {error.strerror}") from None

    def age_s(self) -> float:
        """Seconds since the last one; infinite if there was none."""
        try:
            return max(0.0, time.time() - float(self.path.read_text(encoding="utf-8").split()[0]))
        except (OSError, ValueError, IndexError):
            return float("inf")

    def stop(self) -> None:
        """We end, and say so: nothing is held any more from now on."""
        self.path.unlink(missing_ok=True)
