"""A whole table of hosts, tasks or a state in memory, from CSV or Parquet, with the line of every row."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from loadmaster.model import InputError
from loadmaster.model.arrays import Longs
from loadmaster.traces.files import checked_text, head_of
from loadmaster.traces.parquet import MAGIC, parquet_table
from loadmaster.traces.spreadsheet import as_named
from loadmaster.traces.text_table import batches
from loadmaster.traces.unsupported_files import refuse_document

_NUMBER = re.compile(r"\s*[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?\s*")


class WholeTable(NamedTuple):
    """A table.

    Attributes:
        frame: its rows; every cell of a CSV table as text, null where empty, without what `spreadsheet.harmless` adds.
        line: int64[N], the line of each row, from 1; in Parquet its number.
    """

    frame: pl.DataFrame
    line: Longs

    def where(self, path: Path, row: int) -> str:
        """The place of row number `row`, from 0, for messages."""
        return f"{path}:{self.line[row]}"


def whole_table(path: Path) -> WholeTable:
    """The table in `path`: Parquet by its content, else CSV, plain or gzip.

    Raises:
        InputError: it cannot be read, is no table, has no names of columns, or a row has too many cells.
    """
    head = head_of(path, 4096)
    if head.startswith(MAGIC):
        frame, _ = parquet_table(path)
        return WholeTable(frame, np.arange(1, frame.height + 1))
    refuse_document(path, checked_text(path, head))
    names: list[str] = []

    def header(cells: list[str]) -> tuple[list[str], bool]:
        names.extend(column_names(path, cells))
        return names, True

    frames, lines = [pl.DataFrame()], [np.zeros(0, np.int64)]
    for batch in batches(path, header):
        if batch.ragged.any():
            line = batch.locate(int(np.argmax(batch.ragged)))
            raise InputError(line.text, "more cells than the header has columns", where=f"{path}:{line.number}")
        frames.append(batch.frame)
        lines.append(batch.line)
    frame = pl.concat(frames[1:]) if frames[1:] else pl.DataFrame(schema=dict.fromkeys(names, pl.String))
    return WholeTable(frame.with_columns(as_named(frame[name]) for name in frame.columns), np.concatenate(lines))


def column_names(path: Path, cells: Sequence[str]) -> list[str]:
    """The names in the first line of a table.

    Raises:
        InputError: it holds values instead, or a name twice.
    """
    names = [cell.strip() for cell in cells]
    number = next((name for name in names if _NUMBER.fullmatch(name)), None)
    if number is not None:
        fix = "write their names above, such as name,cores,memory_gb"
        raise InputError(number, "this table has no first line with the names of its columns", fix=fix, where=str(path))
    twice = next((name for k, name in enumerate(names) if name in names[:k]), None)
    if twice is not None:
        raise InputError(twice, "two columns have this name", where=str(path))
    return names
