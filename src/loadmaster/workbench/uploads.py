"""Logs that are sent from the browser: streamed to disk under a limit, by a plain name, whole or not at all."""

import os
import re
import shutil
from collections.abc import AsyncIterable
from pathlib import Path
from typing import cast

from isal import igzip, isal_zlib

from loadmaster.model.errors import InputError
from loadmaster.model.units import show_bytes
from loadmaster.traces.unsupported_files import refuse_binary
from loadmaster.workbench.refusal import Refused

UNPACKED = 20
"""A gzip file may unpack to so many times the limit of what is sent."""
_NAME = re.compile(r"\w[\w .,+=@()-]{0,119}")
_SPARE = 1 << 28
_GZIP = b"\x1f\x8b"
_XZ_OR_BZIP2 = (b"\xfd7zXZ\x00", b"BZh")
_DAMAGED = cast(type[Exception], isal_zlib.error)


def plain_name(name: str) -> str:
    """`name`, which is that of a plain visible file.

    Raises:
        Refused: it is not: a path, a hidden or endless name, one with signs that a terminal or a browser takes
            otherwise.
    """
    if not _NAME.fullmatch(name) or name.endswith((".part", " ", ".")):
        raise Refused(400, "this is not a plain file name: letters, digits and .,-_+=@() only; rename the file")
    return name


async def receive(name: str, chunks: AsyncIterable[bytes], folder: Path, most: int, announced: int | None) -> Path:
    """Write what comes into a new file of `folder`; nothing is left of what is refused or broken off.

    Args:
        name: of the file; where there is one already, a number is put to it.
        chunks: its bytes.
        folder: is made if need be.
        most: bytes at most.
        announced: how many bytes there will be, if that was said.

    Raises:
        Refused: no plain name, too large, packed too tightly, or not a log.
    """
    plain_name(name)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.resolve() != folder:
        raise Refused(403, "the folder of uploads is a link that leads elsewhere")
    _refuse_size(announced or 0, most, folder)
    path, file = _new(folder, name)
    part = path.with_name(f"{path.name}.part")
    size = 0
    try:
        with open(part, "xb", opener=_ours_alone) as out:
            async for chunk in chunks:
                size += len(chunk)
                _refuse_size(size, most, folder)
                out.write(chunk)
        if not size:
            raise Refused(400, "this file is empty")
        _refuse_contents(part, most * UNPACKED)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        path.unlink(missing_ok=True)
        raise
    finally:
        os.close(file)
    return path


def uploaded(folder: Path) -> list[str]:
    """The names of the whole files there, by name."""
    if not folder.is_dir():
        return []
    files = [path for path in folder.iterdir() if path.is_file() and not path.is_symlink() and path.stat().st_size]
    return sorted(path.name for path in files if _NAME.fullmatch(path.name) and not path.name.endswith(".part"))


def _ours_alone(path: str | Path, flags: int) -> int:
    """Open a file that, if it is made, only its owner may read: a log names people."""
    return os.open(path, flags, 0o600)


def _new(folder: Path, name: str) -> tuple[Path, int]:
    """A name that nothing there has, taken by an empty file, which is open."""
    stem, dot, end = name.partition(".")
    for number in range(1, 1000):
        path = folder / (name if number == 1 else f"{stem}-{number}{dot}{end}")
        try:
            return path, _ours_alone(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        except FileExistsError:
            continue
    raise Refused(409, "there are many files of this name; rename it")


def _refuse_size(size: int, most: int, folder: Path) -> None:
    if size > most:
        raise Refused(413, f"larger than {show_bytes(most)}; start `loadmaster serve` with a larger --max-upload")
    if shutil.disk_usage(folder).free < _SPARE:
        raise Refused(507, f"less than {show_bytes(_SPARE)} are free on this disk")


def _refuse_contents(path: Path, most: int) -> None:
    with path.open("rb") as file:
        start = file.read(64)
    try:
        refuse_binary(path, start)
    except InputError as error:
        raise Refused(415, f"{error.rule}; {error.fix}") from None
    if start.startswith(_XZ_OR_BZIP2):
        raise Refused(415, "packed by xz or bzip2; send it as it is, or packed by gzip")
    if start.startswith(_GZIP):
        _refuse_bomb(path, most)


def _refuse_bomb(path: Path, most: int) -> None:
    size = 0
    try:
        with igzip.open(path, "rb") as unpacked:  # type: ignore[no-untyped-call]
            while block := unpacked.read(1 << 20):
                size += len(block)
                if size > most:
                    raise Refused(413, f"unpacks to more than {show_bytes(most)}")
    except (OSError, EOFError, _DAMAGED):
        raise Refused(415, "this gzip file is damaged or cut short; fetch it again") from None
