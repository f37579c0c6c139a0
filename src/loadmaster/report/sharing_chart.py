"""A picture of `share`: how much longer jobs take than alone, method by method."""

from collections.abc import Sequence
from typing import Any

from loadmaster.report.sharing_table import label
from loadmaster.report.theme import USED, names_axis, rows, themed, tooltip
from loadmaster.runs.sharing_row import SharingRow

_LEAST_REACH = 1.1
"""The axis goes so far where no job takes longer than alone."""


def sharing_chart(methods: Sequence[SharingRow]) -> Any:
    """A bar for each method, to its mean stretch, and a mark at its 95th percentile; the least on top."""
    import altair as alt

    ran = sorted((row for row in methods if row.mean_stretch >= 0), key=lambda row: row.mean_stretch)
    values = [
        {"method": label(row.method, row.policy), "mean": row.mean_stretch, "p95": row.p95_stretch} for row in ran
    ]
    base = alt.Chart(rows(values), width=700, height=max(60, 26 * len(values)))
    farthest = max((max(row.mean_stretch, row.p95_stretch) for row in ran), default=1.0)
    scale = alt.Scale(type="log", domain=[1, max(_LEAST_REACH, farthest)], nice=False)
    axis = alt.X("mean:Q", title="stretch: turnaround over runtime, logarithmic", scale=scale)
    bars = base.mark_bar(color=USED, height=14).encode(
        x=axis, x2=alt.X2(datum=1), y=names_axis("method"), tooltip=tooltip("method", mean=".3~g", p95=".3~g")
    )
    marks = base.mark_tick(color="#173a5e", thickness=2, size=18).encode(x="p95:Q", y=names_axis("method"))
    return themed(bars + marks)
