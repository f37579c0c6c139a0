"""Files that are there whole or not at all: written under another name, then put in place."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_FULL = ("No space left on device", "os error 28", "Disk quota exceeded", "File too large", "os error 27")


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Where to write what takes the place of `path` at the end of the block; nothing is left behind if that fails.

    The name is this process's own, so that two that write the same file do not disturb each other.

    Raises:
        OSError: the writing or the renaming failed; its file name is `path`. Libraries that tell of a full disk in
            errors of their own raise this as well.

    Example:
        >>> with whole_file(Path("rows.json")) as part:  # doctest: +SKIP
        ...     part.write_text("[]")
    """
    part = part_of(path)
    try:
        with naming(path):
            yield part
            part.replace(path)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Around what writes `path`: an error of the system leaves the block as OSError with that file name."""
    try:
        yield
    except OSError as error:
        error.filename = str(path)
        if error.errno is None and any(words in str(error) for words in _FULL):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path)) from error
        raise
    except Exception as error:
        if any(words in str(error) for words in _FULL):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path)) from error
        raise


def part_of(path: Path) -> Path:
    """Where this process writes `path` until it is whole."""
    return path.with_name(f"{path.name}.{os.getpid()}.part")
