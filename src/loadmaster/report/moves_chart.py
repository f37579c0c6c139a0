"""A picture of moves: the demands of the tasks on every host, before and after."""

from typing import Any

import numpy as np

from loadmaster.model.arrays import Ints
from loadmaster.move.change import State
from loadmaster.move.plan import MovePlan
from loadmaster.packing.level import host_use
from loadmaster.report.theme import USED, rows, themed

MOST_NAMED = 40
"""Hosts up to which each bears its name."""


def moves_chart(state: State, plan: MovePlan) -> Any:
    """For every host the first fluid resource that is asked of it over what it has; above 1 it is shared.

    Hosts stand in the order of what is asked before the moves, the fullest first.
    """
    import altair as alt

    instance = state.instance
    capacity = instance.fluid_capacity[:, 0]
    parts = [_part(state, host, capacity) for host in (state.host, plan.host)]
    order = np.argsort(-parts[0], kind="stable")
    values = [
        {"rank": rank, "host": instance.host_name(int(h)), "when": when, "load": round(float(part[h]), 4)}
        for when, part in zip(("before", "after"), parts, strict=True)
        for rank, h in enumerate(order)
    ]
    few, names = instance.hosts <= MOST_NAMED, alt.Axis(labelAngle=0 if instance.hosts <= 12 else -60)
    x: Any = alt.X("host:N", sort=[instance.host_name(int(h)) for h in order], title="host", axis=names)
    chart = alt.Chart(rows(values), width=860, height=260).encode(
        x=x if few else alt.X("rank:Q", title="hosts, the fullest before the moves first"),
        y=alt.Y("load:Q", title=f"{instance.fluid_names[0]} requested / capacity", axis=alt.Axis(format="%")),
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


def _part(state: State, host: Ints, capacity: Any) -> Any:
    there = host >= 0
    used = host_use(state.instance.fluid[there], host[there], state.instance.hosts)[:, 0]
    return np.divide(used, capacity, out=np.zeros(len(capacity)), where=capacity > 0)
