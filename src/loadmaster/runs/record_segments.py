"""Runs that were cut short, as a table of a record."""

import numpy as np
import polars as pl

from loadmaster.model.schedule import Segments


def segments_table(cut: Segments) -> pl.DataFrame:
    """A row for each task of each segment."""
    row = np.repeat(np.arange(len(cut)), np.diff(cut.first))
    return pl.DataFrame(
        {
            "job": cut.job[row], "segment": row, "start_s": cut.start_s[row], "end_s": cut.end_s[row],
            "lost": cut.lost[row], "host": cut.host,
        }
    )  # fmt: skip


def segments_in(table: pl.DataFrame | None) -> Segments | None:
    """The segments that `segments_table` wrote; None without a table."""
    if table is None:
        return None
    first = np.flatnonzero(np.diff(table["segment"].to_numpy(), prepend=-1))
    job, start_s, end_s, lost = (table[name].to_numpy()[first] for name in ("job", "start_s", "end_s", "lost"))
    return Segments(job, start_s, end_s, lost, np.append(first, len(table)), table["host"].to_numpy())
