"""A picture of moves: how full every host is, before and after."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from loadmaster.model.arrays import Floats, Ints
from loadmaster.move.change import State
from loadmaster.move.plan import MovePlan
from loadmaster.packing.level import host_use
from loadmaster.report.theme import USED, rows, themed

MOST_NAMED = 40
"""Hosts up to which each bears its name."""


def moves_chart(state: State, plan: MovePlan) -> Any:
    """For every host what is requested of the first fluid resource over what it has; above 1 it is shared."""
    instance = state.instance
    names = [instance.host_name(h) for h in range(instance.hosts)]
    before, after = (_part(state, host) for host in (state.host, plan.host))
    return before_and_after_chart(names, before, after, f"{instance.fluid_names[0]} requested / capacity")


def before_and_after_chart(host_names: Sequence[str], before: Floats, after: Floats, title: str) -> Any:
    """Two bars for each of a few hosts, or two lines over many: float64[H] before the moves, and after.

    Hosts stand in the order of `before`, the fullest first.
    """
    import altair as alt

    order = np.argsort(-before, kind="stable").tolist()
    values = [
        {"rank": rank, "host": host_names[h], "when": when, "load": round(float(part[h]), 4)}
        for when, part in (("before", before), ("after", after))
        for rank, h in enumerate(order, start=1)
    ]
    few, names = len(order) <= MOST_NAMED, alt.Axis(labelAngle=0 if len(order) <= 12 else -60)
    ranks, many = alt.Axis(format="d", tickMinStep=1), "hosts, the fullest before the moves first"
    x: Any = alt.X("host:N", sort=[host_names[h] for h in order], title="host", axis=names)
    chart = alt.Chart(rows(values), width=860, height=260).encode(
        x=x if few else alt.X("rank:Q", title=many, axis=ranks),
        y=alt.Y("load:Q", title=title, axis=alt.Axis(format="%")),
        color=alt.Color(
            "when:N",
            sort=["before", "after"],
            title="",
            scale=alt.Scale(domain=["before", "after"], range=["#b8c0ca", USED]),
        ),
        tooltip=["host:N", "when:N", alt.Tooltip("load:Q", format=".1%")],
    )
    offset = alt.XOffset("when:N", sort=["before", "after"])
    return themed(chart.mark_bar().encode(xOffset=offset) if few else chart.mark_line(interpolate="step-after"))


def _part(state: State, host: Ints) -> Floats:
    there, capacity = host >= 0, state.instance.fluid_capacity[:, 0]
    used = host_use(state.instance.fluid[there], host[there], state.instance.hosts)[:, 0]
    return np.divide(used, capacity, out=np.zeros(len(capacity)), where=capacity > 0)
