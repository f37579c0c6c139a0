"""Two results side by side: their tables joined by the columns that name a row, and the differences."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from loadmaster.measure.metric import METRICS, built_in
from loadmaster.model.units import signed
from loadmaster.report.columns import metric_text
from loadmaster.workbench.json_lines import object_in
from loadmaster.workbench.refusal import Refused
from loadmaster.workbench.results import FoundResult
from loadmaster.workbench.served_folders import ServedFolders

NAMING = ("method", "policy", "discipline")
"""Columns that say which row it is, as far as both tables have them; the load too, where it takes that to tell rows."""
MOST_ROWS = 500
_MOST_BYTES = 1 << 26


@dataclass(frozen=True)
class FigurePair:
    """One figure of one row, in both results.

    Attributes:
        row: which row, in words.
        first, second: as shown.
        difference: of the second to the first, as shown; empty where there is none to tell.
        change: likewise, in percent of the first.
        tone: `good` where the second is better by more than a hundredth, `bad` where it is worse, else empty.
    """

    row: str
    first: str
    second: str
    difference: str
    change: str
    tone: str


@dataclass(frozen=True)
class Figure:
    """One column of both tables."""

    title: str
    pairs: Sequence[FigurePair]


@dataclass(frozen=True)
class JoinedTables:
    """Two tables joined.

    Attributes:
        figures: those that both have, the most telling first.
        alone: rows that only one of them has, in words, for each of both.
    """

    figures: Sequence[Figure]
    alone: tuple[Sequence[str], Sequence[str]]


@dataclass(frozen=True)
class _Column:
    title: str
    show: Callable[[float], str]
    less_is_better: bool = True
    where_any: bool = False


def _number(value: float) -> str:
    return f"{value:,.4g}" if abs(value) < 1e6 else f"{value:,.0f}"


_BESIDE = {
    "mean_stretch": _Column("mean stretch", _number),
    "max_stretch": _Column("largest stretch", _number),
    "load": _Column("offered load", _number, False),
    "jobs": _Column("jobs", _number, False),
    "rejected": _Column("jobs that fit no host", _number),
}
"""What is compared after the metrics."""


def side_by_side(first: FoundResult, second: FoundResult, places: ServedFolders) -> JoinedTables:
    """Both tables joined.

    Raises:
        Refused: one has no table, or they have nothing in common.
    """
    tables = [_table(each, places) for each in (first, second)]
    naming = _naming(tables)
    rows = [{_row_name(row, naming): row for row in table} for table in tables]
    both = [name for name in rows[0] if name in rows[1]]
    names = dict.fromkeys((*METRICS, *(name for table in tables for row in table for name in row), *_BESIDE))
    columns = {name: column for name in names if (column := _column(name)) is not None}
    figures = [_figure(name, column, rows, both) for name, column in columns.items()]
    paired = [figure for figure in figures if figure.pairs]
    if not paired:
        raise Refused(422, "these two results have no row and no figure in common")
    alone = [[name for name in rows[i] if name not in rows[1 - i]] for i in (0, 1)]
    return JoinedTables(paired, (alone[0], alone[1]))


def _naming(tables: Sequence[Sequence[Mapping[str, Any]]]) -> list[str]:
    """The columns that tell rows in both tables, as few as do."""
    if all(len(table) == 1 for table in tables):
        return []  # they are compared whatever their rules are called
    naming = [name for name in NAMING if all(all(name in row for row in table) for table in tables)]
    is_enough = all(len({_row_name(row, naming) for row in table}) == len(table) for table in tables)
    return naming if is_enough else [*naming, "load"]


def _column(name: str) -> _Column | None:
    """How a column of a table is compared; None where it is not."""
    metric = built_in(name)
    if metric is None:
        return _BESIDE.get(name)
    show = partial(metric_text, name)
    return _Column(metric.heading, show, metric.better == "lower", where_any=metric.shown == "any")


def _figure(name: str, column: _Column, rows: Sequence[Mapping[str, dict[str, Any]]], both: Sequence[str]) -> Figure:
    pairs = []
    for row in both:
        values = [_finite(table[row].get(name)) for table in rows]
        if values[0] is not None and values[1] is not None and (any(values) or not column.where_any):
            pairs.append(_pair(row, column, values[0], values[1]))
    return Figure(column.title, pairs)


def _pair(row: str, column: _Column, first: float, second: float) -> FigurePair:
    differs = second - first
    change = signed(differs / first) if first and differs else ""
    tone = ""
    if column.less_is_better and abs(differs) > 0.01 * abs(first):
        tone = "bad" if differs > 0 else "good"
    sign = "+" if differs > 0 else ""
    difference = f"{sign}{column.show(differs)}" if differs else "the same"
    return FigurePair(row, column.show(first), column.show(second), difference, change, tone)


def _table(result: FoundResult, places: ServedFolders) -> list[dict[str, Any]]:
    import polars as pl

    names = {path.name for path in result.folder.iterdir()}
    try:
        if "summary.parquet" in names:
            rows = _of_parquet(places.file(result.folder, "summary.parquet"))
        elif "run.json" in names:
            rows = [_flat(object_in(places.file(result.folder, "run.json"))["result"])]
        elif "sharing.json" in names:
            rows = [_flat(row) for row in object_in(places.file(result.folder, "sharing.json"))["rows"]]
        else:
            rows = []
    except (OSError, KeyError, TypeError, AttributeError, ValueError, pl.exceptions.PolarsError):
        raise Refused(422, f"the table of {result.shown} is damaged") from None
    if not rows:
        raise Refused(422, f"{result.shown} has no table yet")
    return [row for row in rows if row.get("kind") != "recorded"][:MOST_ROWS]


def _of_parquet(path: Path) -> list[dict[str, Any]]:
    import polars as pl

    if path.stat().st_size > _MOST_BYTES:
        raise ValueError("larger than a table of results is")
    table = pl.scan_parquet(path)
    there = [name for name in table.collect_schema().names() if name in (*NAMING, "kind") or _column(name)]
    return table.select(there).head(MOST_ROWS).collect().to_dicts()


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of JSON as the tables have it: each of its `metrics` is a column."""
    return {**row.get("metrics", {}), **row}


def _row_name(row: Mapping[str, Any], naming: Sequence[str]) -> str:
    parts = [
        f"load {row[n]:.3g}" if isinstance(row[n], float) else str(row[n])
        for n in naming
        if row.get(n) not in ("", None)
    ]
    return ", ".join(parts) or "the run"


def _finite(value: Any) -> float | None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if number and abs(value) < float("inf") else None
