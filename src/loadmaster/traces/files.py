"""Files as they come: plain or gzip, whole, missing, cut short or not text at all."""

import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO, cast

from isal import igzip, isal_zlib

from loadmaster.model import InputError
from loadmaster.traces.unsupported_files import refuse_binary, refuse_carriage_returns

Progress = Callable[[float], None]
"""Told the part of a file that has been read, from 0 to 1."""
LONGEST_LINE = 1 << 24
_DAMAGED = (igzip.BadGzipFile, cast(type[Exception], isal_zlib.error), zlib.error)
_GZIP = b"\x1f\x8b"
_MARK = b"\xef\xbb\xbf"


@contextmanager
def opened(path: Path) -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """The text of `path` without a byte-order mark, unpacked if it is gzip by its content, and the file itself.

    Raises:
        InputError: it cannot be opened or unpacked, or is a workbook, a database or packed otherwise.
    """
    try:
        with path.open("rb") as raw:
            start = raw.peek(8)
            if not start:
                raise InputError(path.name, "this file is empty", where=str(path))
            if start.startswith(_GZIP):
                with igzip.IGzipFile(fileobj=raw, mode="rb") as unpacked:  # type: ignore[no-untyped-call]
                    yield _without_mark(path, cast(BufferedReader, unpacked)), raw
            else:
                yield _without_mark(path, raw), raw
    except FileNotFoundError:
        raise InputError(path.name, "no such file", fix="check the path", where=str(path)) from None
    except IsADirectoryError:
        raise InputError(path, "a folder, not a file", fix="name a file in it") from None
    except PermissionError:
        raise InputError(path.name, "may not be read by you", where=str(path)) from None
    except EOFError:
        raise InputError(path.name, "this gzip file is cut short", fix="fetch it again", where=str(path)) from None
    except _DAMAGED:
        raise InputError(path.name, "this gzip file is damaged", fix="fetch it again", where=str(path)) from None
    except OSError as error:
        raise InputError(path.name, error.strerror or "cannot be read", where=str(path)) from None


def _without_mark(path: Path, file: BufferedReader) -> BinaryIO:
    start = file.peek(8)
    refuse_binary(path, start)
    if start.startswith(_MARK):
        file.read(len(_MARK))
    return file


def blocks(path: Path, size: int = 1 << 22, progress: Progress | None = None) -> Iterator[bytes]:
    """The text of `path` in blocks of about `size` bytes that end where a line ends; the last always ends with one."""
    with opened(path) as (file, raw):
        whole = max(path.stat().st_size, 1)
        while block := file.read(size):
            if not block.endswith(b"\n"):
                rest = file.readline(LONGEST_LINE)
                if len(rest) == LONGEST_LINE:
                    raise InputError(path.name, "a line of more than 16 MB: this is not a text log", where=str(path))
                block += rest
            if progress is not None:
                progress(raw.tell() / whole)
            yield block if block.endswith(b"\n") else block + b"\n"


def text_of(path: Path) -> bytes:
    """The whole text of `path`.

    Raises:
        InputError: it cannot be read, or has bytes that no text has.
    """
    with opened(path) as (file, _):
        text = file.read()
    return checked_text(path, text)


def utf8_of(path: Path) -> str:
    """The whole text of `path`, in UTF-8.

    Raises:
        InputError: it cannot be read, or is no such text.
    """
    try:
        return text_of(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(path.name, "binary data or another encoding, not text in UTF-8", where=str(path)) from None


def head_of(path: Path, size: int = 1 << 16) -> bytes:
    """The first bytes of `path`, unpacked."""
    with opened(path) as (file, _):
        head = file.read(size)
    if not head:
        raise InputError(path.name, "this file is empty", where=str(path))
    return head


def checked_text(path: Path, text: bytes) -> bytes:
    """`text`, the beginning of a file or all of it, if it is lines of text."""
    if not text.strip():
        raise InputError(path.name, "this file is empty", where=str(path))
    if b"\0" in text:
        raise InputError(path.name, "binary data, not a text log", fix="check the file's format", where=str(path))
    refuse_carriage_returns(path, text)
    return text
