"""The distinct rows of a table: what kernels number, so that equal demands are looked at once."""

import numpy as np

from loadmaster.model.arrays import Floats, Ints

FEW = 500
"""Rows for which sorting them as they are takes least."""
MANY = 100_000
"""Rows from which on a library of tables, which does not sort, takes less than sorting numbers made of them."""
MIX = np.uint64(0x9E3779B97F4A7C15)
"""Odd, with bits all over."""


def distinct_rows(table: Floats) -> tuple[Floats, Ints]:
    """The distinct rows of `table` float64[N, R] as float64[K, R], and for every row the number of its like, int32[N].

    Example:
        >>> rows, kind = distinct_rows(np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]]))
        >>> kind.tolist()
        [0, 1, 0]
    """
    if len(table) < FEW:
        few, of = np.unique(table, axis=0, return_inverse=True)
        return few, of.reshape(-1).astype(np.int32)
    another = np.ones(len(table), np.bool_)
    another[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in table.T])
    begins = np.flatnonzero(another)
    if len(begins) <= len(table) // 2:  # logs come in runs of equal jobs
        few, number = distinct_rows(table[begins])
        return few, np.repeat(number, np.diff(begins, append=len(table)))
    found = _by_numbers(table) if len(table) < MANY else None
    return found or _by_library(table)


def _by_numbers(table: Floats) -> tuple[Floats, Ints] | None:
    """Sort a number made of each row; None where unlike rows have the same one, which next to never happens."""
    number = np.zeros(len(table), np.uint64)
    for column in table.T:
        number = (number ^ (column + 0.0).view(np.uint64)) * MIX  # what wraps around is as good; -0 counts as 0
        number ^= number >> np.uint64(32)
    order = np.argsort(number)
    begins = np.append(True, number[order][1:] != number[order][:-1])
    first = np.minimum.reduceat(order, np.flatnonzero(begins))
    appearing = np.argsort(first)  # numbered as they appear, as the library does
    place = np.empty(len(first), np.int32)
    place[appearing] = np.arange(len(first), dtype=np.int32)
    of = np.empty(len(table), np.int32)
    of[order] = place[np.cumsum(begins) - 1]
    few = np.array(table[first[appearing]], order="C")
    return (few, of) if (few[of] == table).all() else None


def _by_library(table: Floats) -> tuple[Floats, Ints]:
    import polars as pl  # here, so that naming rules does not load it

    names = [str(r) for r in range(table.shape[1])]
    frame = pl.DataFrame({name: table[:, r] for r, name in enumerate(names)})
    rows = frame.unique(maintain_order=True)
    numbered = rows.with_row_index("kind")
    kind = frame.join(numbered, on=names, how="left", maintain_order="left")["kind"]
    return np.array(rows.to_numpy(), order="C"), kind.to_numpy().astype(np.int32)
