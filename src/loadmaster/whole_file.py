"""Files that are there whole or not at all: written under another name, then put in place."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Where to write what takes the place of `path` at the end of the block; nothing is left behind if that fails.

    The name is this process's own, so that two that write the same file do not disturb each other.

    Raises:
        OSError: as the writing or the renaming does.

    Example:
        >>> with whole_file(Path("rows.json")) as part:  # doctest: +SKIP
        ...     part.write_text("[]")
    """
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
