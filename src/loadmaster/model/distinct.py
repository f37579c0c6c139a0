"""The distinct rows of a table: what kernels number, so that equal demands are looked at once."""

import numpy as np

from loadmaster.model.arrays import Floats, Ints

FEW = 500
"""Rows for which sorting takes less than calling a library of tables."""


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
    import polars as pl  # here, so that naming rules does not load it

    names = [str(r) for r in range(table.shape[1])]
    frame = pl.DataFrame({name: table[:, r] for r, name in enumerate(names)})
    rows = frame.unique(maintain_order=True)
    numbered = rows.with_row_index("kind")
    kind = frame.join(numbered, on=names, how="left", maintain_order="left")["kind"]
    return np.array(rows.to_numpy(), order="C"), kind.to_numpy().astype(np.int32)
