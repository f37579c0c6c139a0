"""Processes that a command leaves behind when it ends. Linux gives such orphans to a process that requests them."""

import contextlib
import ctypes
import os
import subprocess
import time
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:  # it comes with the extra for Dask: without it, one line must be able to say so
    import psutil

_SUBREAPER = 36
"""PR_SET_CHILD_SUBREAPER of prctl(2)."""
_GRACE_S = 0.5
"""So long a process may take to end after its command."""
MARK = "LOADMASTER_ATTEMPT"
"""Environment variable of every command: the folder of its attempt."""

_starting = Lock()
_ours: set[int] = set()
"""Processes for which this program waits."""
_known: set[int] = set()
"""Processes left behind by earlier commands, to be waited for when they end one day."""


def take_in_orphans() -> None:
    """From now on a process whose parent has ended belongs to this one; does nothing where the system cannot."""
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)


@contextlib.contextmanager
def started(*args: Any, **options: Any):  # type: ignore[no-untyped-def]
    """A process that the caller waits for, and that is therefore no orphan."""
    with _starting:
        child = subprocess.Popen(*args, **options)
        _ours.add(child.pid)
    try:
        yield child
    finally:
        with _starting:
            _ours.discard(child.pid)


class EndedCommand(NamedTuple):
    """A command that has ended, by what its processes can be known.

    Attributes:
        folder: what `MARK` says in their environment.
        session: of the shell.
        before: children that this process had before it.
        alone: no other command runs here, so that a process whose environment was emptied is known as well.
    """

    folder: str
    session: int
    before: frozenset[int]
    alone: bool


def children() -> frozenset[int]:
    """The processes that this one would have to wait for."""
    import psutil

    return frozenset(child.pid for child in psutil.Process().children())


def remaining_processes(attempt: EndedCommand) -> list[str]:
    """What still runs of a command that has ended: names and process numbers."""
    end = time.monotonic() + _GRACE_S
    while True:
        processes = [process for process in _orphans(attempt) if _belongs(process, attempt)]
        if not processes or time.monotonic() >= end:
            break
        time.sleep(0.05)
    _known.update(process.pid for process in processes)
    return [f"{_name(process)} (process {process.pid})" for process in processes]


def _orphans(attempt: EndedCommand) -> "list[psutil.Process]":
    """Children that came with `attempt` and that this program did not start; the end of each is noted."""
    import psutil

    with _starting:
        alive = []
        for child in psutil.Process().children():
            if child.pid in _ours:
                continue
            if _has_ended(child):
                _reap(child.pid, attempt.session)
            elif child.pid not in attempt.before:
                alive.append(child)
        return alive


def _reap(process: int, session: int) -> None:
    """Note the end of a process of ours; other code may still wait for other children of this process."""
    with contextlib.suppress(ChildProcessError, ProcessLookupError):
        if process in _known or os.getsid(process) == session:
            os.waitpid(process, os.WNOHANG)
            _known.discard(process)


def _has_ended(process: "psutil.Process") -> bool:
    import psutil

    try:
        return bool(process.status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def _belongs(process: "psutil.Process", attempt: EndedCommand) -> bool:
    import psutil

    try:
        if os.getsid(process.pid) == attempt.session:
            return True
        mark = process.environ().get(MARK)
    except (psutil.NoSuchProcess, ProcessLookupError):
        return False
    except (psutil.Error, PermissionError):
        mark = None
    return mark == attempt.folder or (mark is None and attempt.alone)


def _name(process: "psutil.Process") -> str:
    import psutil

    try:
        return str(process.name())
    except psutil.Error:
        return "a process"
