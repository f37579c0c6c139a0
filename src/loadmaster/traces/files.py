"""Input files: plain or packed, one or a folder of them, whole, missing, cut short or not text at all."""

import bz2
import lzma
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BufferedReader, RawIOBase
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
_UNPACK: dict[bytes, type[lzma.LZMAFile] | type[bz2.BZ2File]] = {b"\xfd7zXZ": lzma.LZMAFile, b"BZh": bz2.BZ2File}
PACKED = (".gz", ".xz", ".bz2")
"""How names of packed files end."""
_NAMES = re.compile(rb" *[A-Za-z_()%/.-]+(?:[ \t,|]+[A-Za-z_()%/.-]+)+[ \t,|]*\r?\n?")
"""A line of names of columns: no row of jobs is without a number."""
_DASHES = re.compile(rb"-+(?:[ |]+-+)+[ |]*\r?\n?")
_MARK = b"\xef\xbb\xbf"


@contextmanager
def opened(path: Path) -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """The text of `path` without a byte-order mark, unpacked if it is packed by its content, and the file itself.

    The files of a folder are one text, in the order of their names. Names of columns stand in it once.

    Raises:
        InputError: it cannot be opened or unpacked, is a workbook, a database or packed otherwise, or a folder without
            files or with tables of different columns.
    """
    if path.is_dir():
        joined = _Joined(files_of(path))
        yield cast(BinaryIO, BufferedReader(joined, 1 << 20)), cast(BinaryIO, joined)
        return
    try:
        with path.open("rb") as raw:
            start = raw.peek(8)
            if not start:
                raise InputError(path.name, "this file is empty", where=str(path))
            if start.startswith(_GZIP):
                with igzip.IGzipFile(fileobj=raw, mode="rb") as unpacked:  # type: ignore[no-untyped-call]
                    yield _without_mark(path, cast(BufferedReader, unpacked)), raw
            elif unpack := next((unpack for magic, unpack in _UNPACK.items() if start.startswith(magic)), None):
                with unpack(raw) as text:
                    yield _without_mark(path, BufferedReader(cast(RawIOBase, text))), raw
            else:
                yield _without_mark(path, raw), raw
    except FileNotFoundError:
        raise InputError(path.name, "no such file", fix="check the path", where=str(path)) from None
    except PermissionError:
        raise InputError(path.name, "may not be read by you", where=str(path)) from None
    except EOFError:
        kind = "xz or bzip2" if start.startswith(tuple(_UNPACK)) else "gzip"
        raise InputError(path.name, f"this {kind} file is cut short", fix="fetch it again", where=str(path)) from None
    except lzma.LZMAError:
        raise InputError(path.name, "this xz file is damaged", fix="fetch it again", where=str(path)) from None
    except _DAMAGED:
        raise InputError(path.name, "this gzip file is damaged", fix="fetch it again", where=str(path)) from None
    except OSError as error:
        raise InputError(path.name, error.strerror or "cannot be read", where=str(path)) from None


def files_of(folder: Path) -> tuple[Path, ...]:
    """The files of a folder by name, without hidden ones and those in folders below.

    Raises:
        InputError: there is none.
    """
    files = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    if not files:
        raise InputError(folder, "a folder without files", fix="name a log, or a folder of logs of one kind")
    return tuple(files)


def bytes_of(path: Path) -> int:
    """The size of a file, or of all files of a folder."""
    return sum(each.stat().st_size for each in (files_of(path) if path.is_dir() else (path,)))


def unpacked_name(path: Path) -> str:
    """The name without the ending of a packed file."""
    return path.name.removesuffix(next((end for end in PACKED if path.name.lower().endswith(end)), ""))


class _Joined(RawIOBase):
    """The text of several files, one after the other; `tell` says how many bytes of the files are done."""

    def __init__(self, files: tuple[Path, ...]) -> None:
        self._done = 0
        self._parts = self._texts(files)
        self._rest = b""

    def readable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._done

    def readinto(self, buffer: "memoryview[int]") -> int:  # type: ignore[override]
        while not self._rest:
            part = next(self._parts, None)
            if part is None:
                return 0
            self._rest = part
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size

    def _texts(self, files: tuple[Path, ...]) -> Iterator[bytes]:
        names, first_named = b"", ""
        for path in files:
            if path.stat().st_size == 0:
                continue
            with opened(path) as (file, _):
                first, second = file.readline(LONGEST_LINE), b""
                if _NAMES.fullmatch(first):
                    second = file.readline(LONGEST_LINE)
                    if names and first.rstrip() != names.rstrip():
                        fix = "dump both with the same --format, or take out the file that is no dump"
                        raise InputError(path.name, f"other columns than those of {first_named}", fix=fix)
                    if names:
                        first, second = b"", b"" if _DASHES.fullmatch(second) else second
                    names, first_named = names or first, first_named or path.name
                block = first + second
                while block:
                    yield block
                    last, block = block[-1:], file.read(1 << 22)
                yield b"" if last == b"\n" else b"\n"
            self._done += path.stat().st_size


def _without_mark(path: Path, file: BufferedReader) -> BinaryIO:
    start = file.peek(8)
    refuse_binary(path, start)
    if start.startswith(_MARK):
        file.read(len(_MARK))
    return file


def blocks(path: Path, size: int = 1 << 22, progress: Progress | None = None) -> Iterator[bytes]:
    """The text of `path` in blocks of about `size` bytes that end where a line ends; the last always ends with one."""
    with opened(path) as (file, raw):
        whole = max(bytes_of(path), 1)
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
