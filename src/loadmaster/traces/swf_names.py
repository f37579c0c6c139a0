"""The table of names beside an SWF log, which itself holds numbers for users, groups, queues, partitions and names."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
import polars as pl

from loadmaster.model import InputError, Named
from loadmaster.model.arrays import Ints
from loadmaster.traces.spreadsheet import harmless
from loadmaster.traces.whole_table import whole_table

LABEL = "Names"
"""The header label that names the table: a log without it has none."""
FIELDS = ("user", "group", "queue", "partition", "executable")
"""Fields 12 to 16 in the order of the table."""


class SwfName(NamedTuple):
    """A name: one of `FIELDS`, and the number that stands for it there."""

    field: str
    number: int
    name: str


SwfNames = Mapping[str, Mapping[int, str]]
"""By field, the name behind each number; a field without names is not there."""


def names_beside(path: Path) -> Path:
    """Where the names of the log at `path` are written.

    Example:
        >>> names_beside(Path("logs/pool.swf.gz")).name
        'pool.names.csv'
    """
    return path.parent / (Path(path.name.removesuffix(".gz")).stem + ".names.csv")


def write_names(names: Sequence[SwfName], file: BinaryIO) -> None:
    """Write the table."""
    columns = {"field": pl.String, "number": pl.Int64, "name": pl.String}
    harmless(pl.DataFrame(list(names), schema=columns, orient="row")).write_csv(file)


def read_names(log: Path, about: Mapping[str, str]) -> tuple[SwfNames, tuple[str, ...]]:
    """The names of the log, and what is to be told of them: its header (`about`) says whether there are any.

    Raises:
        InputError: the table cannot be read, or is none.
    """
    if LABEL not in about:
        return {}, ()
    path = log.parent / Path(about[LABEL]).name
    if not path.is_file():
        return {}, (f"{path.name}, which has the names of this log, is not beside it: numbers stand for them.",)
    table = whole_table(path)
    if set(table.frame.columns) != {"field", "number", "name"}:
        fix = "write the log again with convert"
        raise InputError(path.name, "a table of names has the columns field, number, name", fix=fix, where=str(path))
    names: dict[str, dict[int, str]] = {}
    for row, (field, text, name) in enumerate(table.frame.select("field", "number", "name").iter_rows()):
        number = str(text)
        if field not in FIELDS or not (number.isascii() and number.isdecimal()) or len(number) > 10 or not name:
            rule = f"a row names a number from 0 up of {', '.join(FIELDS)}"
            raise InputError(f"{field},{number},{name}", rule, fix="correct it", where=table.where(path, row))
        names.setdefault(field, {})[int(number)] = name
    return names, ()


def named(field: str, values: Ints, names: SwfNames) -> Named:
    """A column of numbers by their names, which `names` has for this field; below 0 is none.

    Raises:
        InputError: a number without a name.
    """
    names_of_field = names[field]
    used = np.unique(values[values >= 0])
    unknown = [number for number in used.tolist() if number not in names_of_field]
    if unknown:
        fix = f"add it, or remove the line ; {LABEL}: from the log"
        raise InputError(f"{field} {unknown[0]}", "the table of names beside the log does not have it", fix=fix)
    code = np.where(values >= 0, np.searchsorted(used, values), -1).astype(np.int32)
    row: dict[str, int] = {}
    rows = [row.setdefault(names_of_field[number], len(row)) for number in used.tolist()]
    return Named(np.array([*rows, -1], np.int32)[code], tuple(row))
