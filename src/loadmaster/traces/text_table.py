"""Text tables in batches of rows: any separator, any number of lines, bounded memory, line numbers kept."""

import csv
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from loadmaster.model import InputError
from loadmaster.model.arrays import Bools, Longs
from loadmaster.traces.files import Progress, blocks, checked_text
from loadmaster.traces.rejects import Line, Locate

BATCH = 1 << 25
MOST_COLUMNS = 1000
_OVERFLOW = "\\overflow"


class TextRows(NamedTuple):
    """Rows of a table, every cell as text, null where empty.

    Attributes:
        frame: the rows; blank lines and comments are left out.
        line: int64[N], the line of every row, from 1.
        ragged: bool[N], rows with more cells than the header has.
        locate: the line of a row with its text.
        mended: bool[N], rows with more separators than the header has, all of them inside cells.
    """

    frame: pl.DataFrame
    line: Longs
    ragged: Bools
    locate: Locate
    mended: Bools | None = None


Mend = Callable[[pl.Series, Sequence[str]], pl.DataFrame]
"""Given lines with too many separators and the names of the columns, their cells; null in all of a row that stays so.
"""


def batches(
    path: Path,
    header: Callable[[list[str]], tuple[list[str], bool]],
    separator: str = ",",
    quote: str | None = '"',
    progress: Progress | None = None,
    mend: Mend | None = None,
) -> Iterator[TextRows]:
    """Read the table in `path`.

    Args:
        path: the file; lines that start with `#` are comments.
        header: given the cells of the first line, the names of the columns and whether that line is a header.
        separator: between cells.
        quote: around a cell that holds a separator; None for a table that knows no quotes.
        progress: told the part of the file that has been read.
        mend: of a table that knows no quotes, how cells that hold separators are recognised.
    """
    names: list[str] | None = None
    ends_bare = True
    before = 0
    for text in _blocks_of_whole_rows(path, quote, progress):
        body = checked_text(path, text) if before == 0 else text
        skipped = 0
        if names is None:
            start, skipped = _first_row(body, path)
            first = body[start : body.index(b"\n", start)].decode("utf-8", "replace").rstrip("\r")
            names, is_header = header(_cells(path, first, separator, quote))
            ends_bare = not first.endswith(separator)
            body = body[start:]
            if is_header:
                body = body[body.index(b"\n") + 1 :]
                skipped += 1
        batch = _batch(path, body, names, before + skipped, separator, quote, ends_bare=ends_bare, mend=mend)
        if batch is not None:
            yield batch
        before += text.count(b"\n")


def _cells(path: Path, line: str, separator: str, quote: str | None) -> list[str]:
    """The cells of the first line, which may be any line of any file."""
    count = line.count(separator) + 1
    if count > MOST_COLUMNS:
        raise InputError(f"{count:,} columns", "no table of jobs, tasks or hosts is so wide", where=str(path))
    try:
        return next(csv.reader([line], delimiter=separator)) if quote else line.split(separator)
    except csv.Error:
        rule = "the first line has a cell of more than 131,072 characters"
        raise InputError(line, rule, fix="a table begins with the names of its columns", where=str(path)) from None


def comments_of(head: bytes) -> dict[str, str]:
    """The comments `# label: value` at the top of a table."""
    about = {}
    for line in head.decode("utf-8", "replace").splitlines():
        if not line.startswith("#"):
            break
        label, _, value = line[1:].partition(":")
        about[label.strip()] = value.strip()
    return about


def _blocks_of_whole_rows(path: Path, quote: str | None, progress: Progress | None) -> Iterator[bytes]:
    """Blocks that end where a row ends: a line feed inside quotes ends none."""
    held: list[bytes] = []
    inside = False
    for block in blocks(path, BATCH, progress):
        held.append(block)
        if quote is not None:
            inside ^= block.count(quote.encode()) % 2 == 1
        if not inside:
            yield b"".join(held)
            held.clear()
    if held:
        raise InputError(path.name, "a quote that is opened is never closed", where=str(path))


def _first_row(body: bytes, path: Path) -> tuple[int, int]:
    """Where the first line starts that is neither blank nor a comment, and how many lines stand above it."""
    start = lines = 0
    while start < len(body):
        end = body.index(b"\n", start)
        line = body[start:end].strip()
        if line and not line.startswith(b"#"):
            return start, lines
        start, lines = end + 1, lines + 1
    raise InputError(path.name, "no row in this table", where=str(path))


def _batch(
    path: Path,
    body: bytes,
    names: Sequence[str],
    before: int,
    separator: str,
    quote: str | None,
    *,
    ends_bare: bool,
    mend: Mend | None,
) -> TextRows | None:
    columns = [*names, _OVERFLOW]
    top = separator.join(f'"{name}"' if quote else name for name in columns).encode() + b"\n"
    try:
        frame = pl.read_csv(
            top + body,
            separator=separator,
            quote_char=quote,
            infer_schema=False,
            truncate_ragged_lines=True,
            encoding="utf8-lossy",
        )
    except pl.exceptions.PolarsError as error:
        raise InputError(path.name, "not a table of text", fix=str(error).splitlines()[0], where=str(path)) from None
    line = np.arange(before + 1, before + 1 + frame.height)
    ragged = frame[_OVERFLOW].is_not_null().to_numpy()
    if quote is None:
        ragged = ragged | _surplus(body, separator, len(names), frame.height, ends_bare=ends_bare)
    blank = frame.select(pl.all_horizontal(pl.all().is_null())).to_series()
    skip = (blank | frame[names[0]].str.starts_with("#").fill_null(value=False)).to_numpy()
    if skip.any():
        frame, line, ragged = frame.filter(~skip), line[~skip], ragged[~skip]
    if frame.height == 0:
        return None
    mended = np.zeros(frame.height, dtype=bool)
    if mend is not None and ragged.any():
        frame, mended = _repaired(frame, ragged, _lines(body, line[ragged] - before - 1), names, mend)

    def locate(row: int) -> Line:
        cells = ["" if cell is None else cell for cell in frame.row(row)]
        return Line(int(line[row]), separator.join(cells).rstrip(separator))

    return TextRows(frame.drop(_OVERFLOW), line, ragged & ~mended, locate, mended)


def _surplus(body: bytes, separator: str, columns: int, rows: int, *, ends_bare: bool) -> Bools:
    """bool[N]: lines of a table without quotes that have too many separators, be all cells behind them empty.

    One at the end is none too many where the first line has none there (`ends_bare`).
    """
    sign = separator.encode()
    if body.count(sign) == rows * (columns - 1):
        return np.zeros(rows, dtype=bool)
    text = np.frombuffer(body, dtype=np.uint8)
    ends = np.flatnonzero(text == ord("\n"))
    if len(ends) != rows:  # a row is no line: what overflows is found by its cells alone
        return np.zeros(rows, dtype=bool)
    count = np.diff(np.searchsorted(np.flatnonzero(text == sign[0]), ends), prepend=0)
    last = ends - 1 - (text[ends - 1] == ord("\r"))
    allowed = columns - 1 + (ends_bare & (text[last] == sign[0]))
    return np.asarray(count > allowed)


def _lines(body: bytes, rows: Longs) -> pl.Series:
    """The lines of a table without quotes by their rows."""
    lines = body.split(b"\n")
    return pl.Series([lines[row].decode("utf-8", "replace").rstrip("\r") for row in rows.tolist()], dtype=pl.String)


def _repaired(
    frame: pl.DataFrame, ragged: Bools, lines: pl.Series, names: Sequence[str], mend: Mend
) -> tuple[pl.DataFrame, Bools]:
    """The rows with the cells that `mend` tells, and which rows it could."""
    cells = mend(lines, names).with_columns(pl.lit(None, pl.String).alias(_OVERFLOW))
    could = ~cells.select(pl.all_horizontal(pl.all().is_null())).to_series().to_numpy()
    mended = np.zeros(frame.height, dtype=bool)
    mended[np.flatnonzero(ragged)[could]] = True
    number = pl.Series("row", np.arange(frame.height))
    others = frame.with_columns(number).filter(~mended)
    whole = cells.filter(could).with_columns(number.filter(mended))
    return pl.concat([others, whole.select(others.columns)]).sort("row").drop("row"), mended
