"""Reads bags of tasks: durations from a text, CSV or Parquet file, or a law such as `normal(150,30)x256`."""

import re
from pathlib import Path

import numpy as np

from loadmaster.model.arrays import Floats
from loadmaster.model.bag import LAWS, Bag, BagLaw, BagSource
from loadmaster.model.errors import InputError
from loadmaster.system.whole_file import whole_file
from loadmaster.traces.files import utf8_of
from loadmaster.traces.unsupported_files import refuse_document

_NAMES = ("duration_s", "seconds", "duration", "runtime_s", "runtime", "wall_s", "wallseconds", "elapsed")
_LAW = re.compile(r"\s*([a-z]+)\(([^)]*)\)\s*[x*]\s*([0-9]+)\s*")


def parse_bag(text: str, column: str | None = None) -> BagSource:
    """A law if `text` is one, else the file of that name.

    Raises:
        InputError: neither, or a bad value in it.

    Example:
        >>> parse_bag("normal(150,30)x256").tasks
        256
    """
    match = _LAW.fullmatch(text)
    if match is None:
        return read_bag(Path(text), column)
    try:
        numbers = tuple(float(part) for part in match[2].split(",") if part.strip())
    except ValueError:
        raise InputError(text, "the parameters of a law are numbers", fix="such as normal(150,30)x256") from None
    return BagLaw(match[1], numbers, int(match[3]))


def read_bag(path: Path, column: str | None = None) -> Bag:
    """A bag from a file: one duration in seconds a line, or a column of a CSV or Parquet table.

    Empty values, `?`, `-` and `nan` are unknown durations. Without `column` the first of the usual names is taken,
    such as `duration_s`, or the only column. Tables may be parted by commas, semicolons, blanks or tabs, and packed.

    Raises:
        InputError: no such file or column, or a value that is no duration, with its line.
    """
    if path.is_dir():
        raise InputError(path, "a folder, not a file", fix="name a file in it")
    if not path.is_file():
        fix = f"or write a law: {', '.join(LAWS)}, such as normal(150,30)x256"
        raise InputError(path, "no such file", fix=fix)
    if path.suffix == ".parquet":
        return Bag(_parquet(path, column), str(path))
    text = utf8_of(path)
    refuse_document(path, text[:4096].encode())
    lines = text.splitlines()
    numbered = [(n, line.strip()) for n, line in enumerate(lines, 1) if not line.lstrip().startswith("#")]
    head = next((line for _, line in numbered if line), "")
    mark = next((mark for mark in (",", ";", "\t", " ") if mark in head), None)
    if mark is None and _is_duration(head):
        return Bag(np.array([_number(text, path, n) for n, text in numbered]), str(path))
    names = [name.strip().strip('"') for name in (head.split(mark) if mark else [head])]
    at = names.index(_chosen(names, column, path))
    body = [(n, line) for n, line in numbered if line][1:]
    cells = [(n, (line.split(mark) if mark else [line])) for n, line in body]
    return Bag(np.array([_number(row[at] if at < len(row) else "", path, n) for n, row in cells]), str(path))


def _parquet(path: Path, column: str | None) -> Floats:
    from loadmaster.traces.parquet import parquet_table
    from loadmaster.traces.values import durations

    table, _ = parquet_table(path)
    name = _chosen(table.columns, column, path)
    cells = table[name]
    seconds = durations(cells.fill_nan(None) if cells.dtype.is_float() else cells)
    if seconds.bad.any():
        row = int(np.argmax(seconds.bad))
        raise InputError(table[name][row], "not a duration in seconds", where=f"{path}:{row + 1}")
    return seconds.values


def _chosen(names: list[str], column: str | None, path: Path) -> str:
    if column is not None:
        if column not in names:
            raise InputError(column, "no such column", fix=f"there are {', '.join(names[:12])}", where=str(path))
        return column
    for name in _NAMES:
        if name in names:
            return name
    if len(names) == 1:
        return names[0]
    raise InputError(
        ", ".join(names[:8]), "which column holds the durations?", fix="name it with --column", where=str(path)
    )


_UNKNOWN = ("", "?", "-", "nan", "NaN", "NA", "null")


def _is_duration(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return text in _UNKNOWN
    return True


def _number(text: str, path: Path, line: int) -> float:
    text = text.strip().strip('"')
    if text in _UNKNOWN:
        return float("nan")
    try:
        value = float(text)
    except ValueError:
        raise InputError(text, "not a duration in seconds", where=f"{path}:{line}") from None
    if not value > 0 or value == float("inf"):
        raise InputError(
            text, "a duration must be more than 0 s", fix="leave it empty if it is unknown", where=f"{path}:{line}"
        )
    return value


def write_bag(duration_s: Floats, path: Path) -> None:
    """Write durations: CSV and Parquet with the column `duration_s`, anything else one a line.

    Raises:
        InputError: the file cannot be written.
    """
    import polars as pl

    table = pl.DataFrame({"duration_s": duration_s})
    try:
        with whole_file(path) as part:
            if path.suffix == ".parquet":
                table.write_parquet(part)
            elif path.suffix == ".csv":
                table.write_csv(part)
            else:
                part.write_text("\n".join(repr(float(value)) for value in duration_s) + "\n")
    except OSError as error:
        raise InputError(path, "cannot be written", fix=error.strerror or str(error)) from error
