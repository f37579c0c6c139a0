"""Locks on open files that the system releases when their process dies in any way."""

from pathlib import Path
from typing import IO


def lock(file: int | IO[str]) -> bool:
    """Lock an open file for this process alone; False where another has it. It holds until the file is closed."""
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def has_writer(path: Path) -> bool:
    """Whether a process has locked that file to write it; False where there is none, or it cannot be read."""
    import fcntl

    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False
