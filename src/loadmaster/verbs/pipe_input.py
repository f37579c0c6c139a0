"""Copies a log that comes through a pipe into a file, since a pipe can be read only once.

A format is told by the first bytes, a log is read again where its memory cannot be true, and hosts may be tables or
forms of Slurm's: all of that opens a file more than once.
"""

import atexit
import errno
import os
import re
import stat
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

STANDARD_INPUT = ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")
_ENDINGS = {".parquet": rb"PAR1", ".json": rb"\s*[{\[]", ".yaml": rb"(?:#.*\n)*(?:- )?[a-z_]+:(?:\s|$)"}
"""Endings of names, for what few readers tell by them alone, and how such a file begins."""
QUIET_S = 2.0
"""A message follows if no program opens a pipe for writing within this time."""
_BLOCK = 1 << 20
_poured: dict[Path, str] = {}
_folders: list[Path] = []


def pipe_as_file(given: Any) -> Any:
    """`given`, or each that is in it, as a file that can be read again where it names a pipe; all else as it is.

    Standard input is read once in a process, so two mentions of it mean the same input.

    Raises:
        InputError: it is a terminal or another device, is closed, or nothing comes through it.
    """
    if isinstance(given, Mapping):
        return {name: pipe_as_file(each) for name, each in given.items()}
    if isinstance(given, list | tuple):
        return type(given)(pipe_as_file(each) for each in given)
    if not isinstance(given, str | Path):
        return given
    name = str(given)
    if name in STANDARD_INPUT:
        name = "-"
        before = next((path for path, typed in _poured.items() if typed == name), None)
        return type(given)(before or _filled(name))
    try:
        kind = os.stat(name).st_mode
    except (OSError, ValueError):
        return given
    plain = stat.S_ISREG(kind) or stat.S_ISDIR(kind)
    return given if plain else type(given)(_filled(name))


def is_poured(path: str | Path) -> bool:
    """Whether a file is there only as long as this process."""
    return Path(path) in _poured


def as_named(text: str) -> str:
    """`text`, such as a message, with what the user called the pipes in place of the files that they went into."""
    for path, name in _poured.items():
        text = text.replace(str(path), name)
    return text


def let_go() -> None:
    """Remove the files; code that ends the process in another way than Python does calls it before."""
    import shutil

    while _folders:
        shutil.rmtree(_folders.pop(), ignore_errors=True)


def _filled(name: str) -> Path:
    """The file that all that comes through the pipe `name` is in."""
    import tempfile

    from loadmaster.model.errors import InputError

    with _opened(name) as pipe:
        first = pipe.read(_BLOCK)
        if not first:
            raise InputError(name, "nothing comes through this pipe", fix="see what the command before it says")
        if not _folders:
            atexit.register(let_go)
        _folders.append(Path(tempfile.mkdtemp(prefix="loadmaster-")))
        path = _folders[-1] / (_name(name) + _ending(first))
        _fill(path, first, pipe)
    _poured[path] = name
    return path


def _fill(path: Path, first: bytes, pipe: BinaryIO) -> None:
    from loadmaster.system.whole_file import naming

    with naming(path), path.open("wb") as file:
        file.write(first)
        while block := pipe.read(_BLOCK):
            file.write(block)


def _opened(name: str) -> BinaryIO:
    """The pipe, to be read.

    Raises:
        InputError: it is no pipe, or cannot be opened.
    """
    from loadmaster.model.errors import InputError

    shown = "standard input" if name == "-" else name
    try:
        if name == "-" and sys.stdin is None:  # whatever has its number now is ours
            raise OSError(errno.EBADF, "")
        pipe = os.fdopen(os.dup(0) if name == "-" else _other_end(name), "rb")
    except OSError as error:
        why = "closed" if error.errno == errno.EBADF else error.strerror or "cannot be read"
        raise InputError(shown, why, fix="name a file") from None
    mode = os.fstat(pipe.fileno()).st_mode
    empty = os.path.samestat(os.fstat(pipe.fileno()), os.stat(os.devnull))
    device = (stat.S_ISCHR(mode) or stat.S_ISBLK(mode)) and not empty
    rule = "a terminal, not a pipe" if pipe.isatty() else "a device, not a file" if device else ""
    if rule:
        pipe.close()
        raise InputError(shown, rule, fix="name a file, or send one: zcat log.swf.gz | loadmaster info -")
    return pipe


def _other_end(name: str) -> int:
    """Open the pipe `name`, which lasts until a program writes into it; if that takes long, a message says so."""
    import threading

    waiting = f"Waiting for a program to write into the pipe {name}; Ctrl-C stops."
    timer = threading.Timer(QUIET_S, lambda: print(waiting, file=sys.stderr, flush=True))
    timer.daemon = True
    timer.start()
    try:
        return os.open(name, os.O_RDONLY)
    finally:
        timer.cancel()


def _name(name: str) -> str:
    """What the file is called: as a log or a set of machines it is shown by that."""
    number = re.fullmatch(r"/dev/fd/(\d+)|/proc/self/fd/(\d+)", name)
    if number is not None:
        return f"pipe-{number[1] or number[2]}"
    return "standard-input" if name == "-" else Path(name).name


def _ending(first: bytes) -> str:
    return next((ending for ending, begin in _ENDINGS.items() if re.match(begin, first)), "")
