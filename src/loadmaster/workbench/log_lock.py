"""Whether a process writes a log of a live run: it holds a lock on it, which the system lists; nobody is disturbed."""

import os
import time
from pathlib import Path

LOCKS = Path("/proc/locks")
FRESH_S = 120.0
"""Where the system lists no locks, a log that was written so lately is taken for one that goes on."""


def is_locked(path: Path, locks: Path = LOCKS) -> bool:
    """Whether a process has locked the file `path` to write it."""
    try:
        about = path.stat()
        listed = locks.read_text(encoding="ascii", errors="replace")
    except FileNotFoundError:
        return path.exists() and time.time() - path.stat().st_mtime < FRESH_S
    except OSError:
        return False
    name = f"{os.major(about.st_dev):02x}:{os.minor(about.st_dev):02x}:{about.st_ino}"
    return any(name in line.split() and "WRITE" in line.split() for line in listed.splitlines())
