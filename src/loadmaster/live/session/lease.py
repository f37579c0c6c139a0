"""One loadmaster at a time for one cluster: locks that the system releases when the process ends."""

import os
import socket
import struct
import sys
from pathlib import Path
from typing import IO

from loadmaster.model.errors import InputError
from loadmaster.system.file_lock import lock
from loadmaster.system.state_folder import state_folder


class LeaseHeldElsewhere(InputError):
    """Another loadmaster runs the cluster: `who`, as far as is known."""

    def __init__(self, cluster: str, who: str) -> None:
        fix = "stop it first, or run beside it with --shadow"
        super().__init__(cluster, f"another loadmaster runs this cluster ({who})", fix=fix)


class Lease:
    """Held from now on.

    Args:
        name: of the engine and its cluster, such as `slurm-lm`.
        folder: of the lock; two runs that must exclude each other give the same, None is the user's own state.

    Raises:
        InputError: another process holds it, or the folder cannot be written to.
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
            raise InputError(place, rule, fix="name a folder that you own") from None
        if not lock(self._file):
            self._file.seek(0)
            who = self._file.read().strip() or "another process"
            self.release()
            raise LeaseHeldElsewhere(name, who)
        self._file.truncate(0)
        self._file.write(f"process {os.getpid()}")
        self._file.flush()

    def release(self) -> None:
        """Give it back."""
        if self._file is not None:
            self._file.close()
            self._file = None


class MachineLock:
    """Held from now on by one process of this machine, whatever its state folder and its user.

    It is a name of Linux's own room for sockets, which needs no folder and no right. Elsewhere there is nothing alike,
    and nothing is locked; machines and containers with a network of their own do not see each other.

    Args:
        name: of what is locked, such as `slurm-lm@head:6817`.

    Raises:
        InputError: another process has it.
    """

    def __init__(self, name: str) -> None:
        self._socket: socket.socket | None = None
        if sys.platform != "linux":
            return
        place = _place_of(name)
        self._socket = socket.socket(socket.AF_UNIX)
        try:
            self._socket.bind(place)
        except OSError:
            self.release()
            raise LeaseHeldElsewhere(name, holder(name) or "another process") from None
        self._socket.listen()

    def release(self) -> None:
        """Give it back."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None


def _place_of(name: str) -> bytes:
    return b"\0loadmaster/" + name.encode()[-90:]


def holder(name: str) -> str:
    """The process of this machine that has this `MachineLock`; empty if none has."""
    if sys.platform != "linux":
        return ""
    with socket.socket(socket.AF_UNIX) as asking:
        try:
            asking.connect(_place_of(name))
            process, user, _ = struct.unpack("3i", asking.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        except OSError:
            return ""
        return f"process {process} of user {user}"
