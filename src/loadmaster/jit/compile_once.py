"""A lock for each kernel that is being compiled: processes that need the same one wait for its machine code.

The lock is one of POSIX: the operating system releases it when its process ends, however that happens, and a forked
process does not inherit it. It only saves work, so whatever goes wrong with it leads to a second compilation.
"""

import fcntl
from contextlib import suppress
from pathlib import Path
from typing import IO


class CompilationLock:
    """Held from a search on disk that found nothing until the machine code is there, or its compilation has failed.

    Of one process, one thread at a time acquires it: Numba's own lock of its compiler is held by then. Threads that
    wait for that one release it too, perhaps at the same moment: each file is taken from the list once.
    """

    def __init__(self) -> None:
        self._files: list[IO[bytes]] = []

    def acquire(self, path: Path) -> None:
        """Wait until no other process has the lock at `path`.

        Processes that wait for each other go on at once: the operating system says so.
        """
        with suppress(OSError):  # not writable, no locks on this file system, or each waits for the other
            path.parent.mkdir(parents=True, exist_ok=True)
            file = path.open("wb")
            self._files.append(file)
            fcntl.lockf(file, fcntl.LOCK_EX)

    def release(self) -> None:
        """Let others go on; the file goes, and a process that waits for it looks on disk first."""
        with suppress(IndexError):  # not held
            file = self._files.pop()
            with suppress(OSError):
                Path(file.name).unlink()
            file.close()
