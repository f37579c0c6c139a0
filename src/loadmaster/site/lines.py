"""The lines of a `slurm.conf`: comments gone, continued lines joined, included files in place (rule L1)."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from loadmaster.model import InputError
from loadmaster.traces.files import checked_text, opened
from loadmaster.traces.unsupported_files import refuse_document

LARGEST = 16 << 20
"""Bytes of one file."""
_COMMENT = re.compile(r"(?<!\\)#.*")
_INCLUDE = re.compile(r"include\s+(\S.*)", re.IGNORECASE)
_CLUSTER = re.compile(r"^[ \t]*ClusterName[ \t]*=[ \t]*(\w+)", re.IGNORECASE | re.MULTILINE)
_KEY = re.compile(r"\s*([A-Za-z_][\w.]*)\s*=(\s*)")
_VALUE = re.compile(r'"([^"]*)"(?=\s|$)|([^\s"]\S*)')
_NEXT = re.compile(r"[A-Za-z_][\w.]*\s*=")


@dataclass(frozen=True)
class Pair:
    """A key with its value, and where they stand: `key` as it is written, `where` as file:line."""

    key: str
    value: str
    where: str


@dataclass(frozen=True)
class ConfigLine:
    """A line of the file with all its pairs, by their keys in lower case; the last of equal keys counts."""

    pairs: Mapping[str, Pair]
    where: str

    @property
    def kind(self) -> str:
        """The first key in lower case: `nodename`, `partitionname`, ..., or that of a plain setting."""
        return next(iter(self.pairs))


@dataclass(frozen=True)
class Lines:
    """All lines of a configuration; `digest` is the SHA-256 of the text of all its files."""

    lines: tuple[ConfigLine, ...]
    digest: str


def read_lines(path: Path) -> Lines:
    """The lines of `path` and of the files that it includes.

    Raises:
        InputError: a file that cannot be read, is no text or too large; an inclusion of a file that is not in the same
            folder, or of one that includes this one; text that is not `KEY=VALUE`.
    """
    digest = hashlib.sha256()
    lines = tuple(_lines(path, digest, ()))
    return Lines(lines, digest.hexdigest())


def _lines(path: Path, digest: "hashlib._Hash", above: tuple[Path, ...]) -> Iterator[ConfigLine]:
    """The lines of `path`, which the files `above` include."""
    above = (*above, path.resolve())
    text = text_within(path)
    digest.update(text.encode() + b"\0")
    cluster = _CLUSTER.search(text)
    for number, joined in _logical_lines(text):
        where = f"{path}:{number}"
        if include := _INCLUDE.fullmatch(joined):
            name = include[1].strip() if cluster is None else include[1].strip().replace("%c", cluster[1])
            yield from _lines(_included(path, name, where, above), digest, above)
        else:
            yield pairs_of(joined, where)


def text_within(path: Path) -> str:
    """The text of `path`, in UTF-8.

    Raises:
        InputError: it cannot be read, is no text, a document of another language, or larger than `LARGEST`.
    """
    with opened(path) as (file, _):
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise InputError(path.name, f"more than {LARGEST >> 20} MB: this is not a configuration", where=str(path))
    refuse_document(path, data[:64])
    try:
        return checked_text(path, data).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(path.name, "binary data or another encoding, not text in UTF-8", where=str(path)) from None


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines that say something, with the number of the first. A backslash at the end puts the next behind as it stands,
    in the middle of a value, too.
    """
    parts: list[str] = []
    first = 0
    for number, raw in enumerate(text.split("\n"), start=1):
        line = _COMMENT.sub("", raw.rstrip("\r")).replace("\\#", "#").rstrip()
        first = first or number
        goes_on = line.endswith("\\")
        parts.append(line[:-1] if goes_on else line)
        if not goes_on:
            if joined := "".join(parts).strip():
                yield first, joined
            parts, first = [], 0
    if joined := "".join(parts).strip():
        yield first, joined


def _included(path: Path, name: str, where: str, above: tuple[Path, ...]) -> Path:
    """The file that a line includes: of the folder of `path` alone, whatever folder the line names."""
    target = path.parent / Path(name.strip('"')).name
    if not target.is_file() and Path(name.strip('"')).parent != Path("."):
        fix = f"put a copy of it beside {path.name}"
        raise InputError(name, f"no file {target.name} in the folder of {path.name}", fix=fix, where=where)
    if target.resolve() in above:
        raise InputError(name, "this file includes itself", fix="leave the line out", where=where)
    return target


def pairs_of(text: str, where: str) -> ConfigLine:
    """The pairs of one line, `KEY=VALUE KEY=VALUE ...`.

    Raises:
        InputError: text that is not so.
    """
    pairs: dict[str, Pair] = {}
    at = 0
    while at < len(text):
        key = _KEY.match(text, at)
        if key is None:
            raise InputError(text[at:].strip(), "not KEY=VALUE", fix="write it so, or put # before it", where=where)
        at = key.end()
        value = "" if key[2] and _NEXT.match(text, at) else None
        if value is None:
            match = _VALUE.match(text, at)
            if match is None and at < len(text):
                raise InputError(text[at:], "a quotation that is not closed", fix="close it", where=where)
            value = "" if match is None else match[1] if match[1] is not None else match[2]
            at = at if match is None else match.end()
        pairs[key[1].lower()] = Pair(key[1], value, where)
        while at < len(text) and text[at].isspace():
            at += 1
    return ConfigLine(pairs, where)
