"""Constraints as columns of a job table, written and read: words for codes, empty cells for unknown values."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from loadmaster.model import Constraints, Dependencies, Named
from loadmaster.model.arrays import Floats
from loadmaster.model.constraints import COLUMNS, EXCLUSIVE, HOLDS, STATUSES
from loadmaster.traces.constraint_columns import DEFAULTS, NAMED, BindingColumns
from loadmaster.traces.rejects import Rule
from loadmaster.traces.slurm_constraints import STATUS
from loadmaster.traces.values import moments, words

CODED = {"hold": HOLDS, "exclusive": EXCLUSIVE, "status": STATUSES}
"""Columns of words."""


def constraint_columns(bound: Constraints | None) -> dict[str, pl.Series]:
    """The columns that are there; null for what says nothing."""
    columns: dict[str, pl.Series] = {}
    for name, column in () if bound is None else bound.columns():
        if isinstance(column, Named):
            columns[name] = pl.Series(column.words(), dtype=pl.String)
        elif isinstance(column, Dependencies):
            texts = [column.text(job) or None for job in range(len(column))]
            columns[name] = pl.Series(texts, dtype=pl.String)
        elif name in CODED:
            columns[name] = pl.Series([CODED[name][code] for code in column.tolist()], dtype=pl.String)
        else:
            values = pl.Series(column)
            nothing = DEFAULTS.get(name, (None, np.nan))[1]
            columns[name] = values if name == "requeue" else values.set(values == nothing, None)
    return columns


def names_of(codes: NDArray[np.int32] | None, names: tuple[str, ...]) -> pl.Series | None:
    """Users or accounts by name where they have names, else by number; null where unknown."""
    if codes is None:
        return None
    if not names:
        return pl.Series(codes).set(pl.Series(codes < 0), None)
    return pl.Series([names[code] if 0 <= code < len(names) else None for code in codes.tolist()], dtype=pl.String)


def read_constraints(
    frame: pl.DataFrame, theirs: Mapping[str, str], bound: BindingColumns
) -> tuple[dict[str, NDArray[Any]], list[tuple[Rule, NDArray[np.bool_]]]]:
    """Columns for `BindingColumns.constraints`, and checks of their cells.

    Args:
        frame: some rows of a table.
        theirs: our name -> its name in the frame, of the columns that are there.
        bound: knows the names so far.
    """
    columns: dict[str, NDArray[Any]] = {}
    checks = []
    for name in (name for name in COLUMNS if name in theirs):
        column = frame[theirs[name]]
        if name in (*NAMED, "depends"):
            columns[name] = bound.codes(name, column.cast(pl.String))
            continue
        values = _coded(column, CODED[name]) if name in CODED else _numbers(column, name)
        wrong = np.isnan(values) & ~words(column).is_null().to_numpy()
        low = -np.inf if name in ("priority", "nice") else -1.0 if DEFAULTS.get(name, (None, 0.0))[1] == -1 else 0.0
        checks.append((Rule(f"{name} is not {COLUMNS[name].words}"), wrong | (values < low)))
        columns[name] = values
    return columns, checks


def _numbers(column: pl.Series, name: str) -> Floats:
    if name == "eligible_s" and column.dtype == pl.String:
        never = column.str.strip_chars().str.to_lowercase() == "inf"
        times = moments(column.zip_with(~never.fill_null(value=False), pl.Series([None], dtype=pl.String))).values
        return np.where(never.fill_null(value=False).to_numpy(), np.inf, times)
    if name == "requeue":
        text = words(column).str.to_lowercase()
        plain = text.replace_strict({"true": 1.0, "1": 1.0, "false": 0.0, "0": 0.0}, default=None)
        return plain.cast(pl.Float64).fill_null(np.nan).to_numpy()
    values = column.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()
    return np.where(np.isinf(values) & (name not in ("eligible_s", "limit_s")), np.nan, values)


def _coded(column: pl.Series, names: tuple[str, ...]) -> Floats:
    codes = {word: float(code) for code, word in enumerate(names)}
    if names == STATUSES:
        codes |= {word.lower(): codes[ours] for word, ours in STATUS.items()}
    numbers = words(column).str.to_lowercase().replace_strict(codes, default=None, return_dtype=pl.Float64)
    return np.asarray(numbers.fill_null(np.nan).to_numpy())
