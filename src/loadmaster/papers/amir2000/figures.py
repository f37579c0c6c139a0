"""Figures 1 to 4 of Amir et al. 2000: one point an execution, two methods against each other, the diagonal."""
# mypy: disable-error-code="no-untyped-call"

from typing import Any

import numpy as np

from loadmaster.papers.amir2000.published import NAMES
from loadmaster.papers.amir2000.study import MethodSlowdowns, Setup
from loadmaster.report.page import Chart

SHOWN = 1000
"""The paper draws the first thousand executions."""
FIGURES = (
    ("Figure 1", "pvm", "e-pvm"),
    ("Figure 2", "mosix", "e-mosix"),
    ("Figure 3", "mosix", "e-pvm"),
    ("Figure 4", "e-mosix", "e-pvm"),
)
"""(title, x axis, y axis)."""


def charts(setup: Setup, outcome: MethodSlowdowns) -> list[Chart]:
    """The four figures of a study."""
    return [_chart(setup, outcome, *figure) for figure in FIGURES]


def scatter(title: str, x: Any, y: Any, x_name: str, y_name: str) -> Any:
    """One point an execution and the line x = y; axes end where 99 % of the points lie within."""
    import altair as alt

    end = float(np.ceil(np.quantile(np.maximum(x, y), 0.99)))
    rows = [{"x": float(a), "y": float(b)} for a, b in zip(x, y, strict=True) if max(a, b) <= end]
    axis = alt.Scale(domain=[0, end], nice=False)
    points = (
        alt.Chart(alt.Data(values=rows))
        .mark_circle(size=14, opacity=0.45, color="#2b6cb0")
        .encode(
            x=alt.X("x:Q", scale=axis, title=f"average slowdown, {x_name}"),
            y=alt.Y("y:Q", scale=axis, title=f"average slowdown, {y_name}"),
            tooltip=[alt.Tooltip("x:Q", format=".2f"), alt.Tooltip("y:Q", format=".2f")],
        )
    )
    ends = alt.Data(values=[{"x": 0, "y": 0}, {"x": end, "y": end}])
    diagonal = alt.Chart(ends).mark_line(color="#a0aec0").encode(x=alt.X("x:Q", scale=axis), y=alt.Y("y:Q", scale=axis))
    return (diagonal + points).properties(width=330, height=330, title=title)


def _chart(setup: Setup, outcome: MethodSlowdowns, title: str, x: str, y: str) -> Chart:
    mean = outcome.by_execution[:SHOWN]
    on_x, on_y = (mean[:, setup.methods.index(name)] for name in (x, y))
    below = float((on_y < on_x).mean())
    end = np.ceil(np.quantile(np.maximum(on_x, on_y), 0.99))
    beyond = int((np.maximum(on_x, on_y) > end).sum())
    drawn = scatter(f"{title}: {NAMES[x]} and {NAMES[y]}", on_x, on_y, NAMES[x], NAMES[y])
    return Chart(
        drawn,
        f"{NAMES[y]} is better (below the line) in {below:.0%} of {len(mean)} executions; outside the axes: {beyond}.",
    )
