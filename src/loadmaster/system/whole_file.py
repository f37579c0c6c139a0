"""Files that are there whole or not at all: written under another name, then put in place."""

import errno
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""What libraries tell of in errors of their own, whose text holds that of the system."""


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Where to write what takes the place of `path` at the end of the block; nothing is left behind if that fails.

    The name is this thread's own, so that two that write the same file do not disturb each other.

    Raises:
        OSError: `path` is a folder, a device or a pipe, which a file would take the place of, or the writing or the
            renaming failed; its file name is `path`. Libraries that tell of a full disk in errors of their own raise
            this as well.

    Example:
        >>> with whole_file(Path("rows.json")) as part:  # doctest: +SKIP
        ...     part.write_text("[]")
    """
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if (path.exists() and not path.is_file()) or (path.is_symlink() and str(path.readlink()).startswith("/proc/")):
        raise OSError(errno.EEXIST, "a device or a pipe, and this is written as a file", str(path))
    part = part_of(path)
    try:
        with naming(path):
            yield part
            part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def write_whole(path: Path, text: str) -> None:
    """Put `text` into the file `path`, whole or not at all, in UTF-8; half a surrogate pair is written as its number.

    Raises:
        OSError: as `whole_file`.
    """
    with whole_file(path) as part:
        part.write_text(text, encoding="utf-8", errors="backslashreplace")


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Around what writes `path`: an error of the system leaves the block as OSError with that file name."""
    try:
        yield
    except Exception as error:
        full = next((number for number in _FULL if os.strerror(number) in str(error)), None)
        if isinstance(error, OSError) and error.errno is not None:
            error.filename = str(path)
            raise
        if full is None:
            raise
        raise OSError(full, os.strerror(full), str(path)) from error


def part_of(path: Path) -> Path:
    """Where this thread writes `path` until it is whole."""
    return path.with_name(f"{path.name}.{os.getpid()}.{threading.get_ident()}.part")
