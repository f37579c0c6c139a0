"""Charts of hosts over time: how full each was, and what of it was stranded."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

import numpy as np

from loadmaster.measure.occupancy import occupancy
from loadmaster.measure.stranding import stranding
from loadmaster.measure.timeline import typical_demand
from loadmaster.model import Cluster, Schedule, Workload
from loadmaster.model.arrays import Floats
from loadmaster.report.page import Chart, Text
from loadmaster.report.theme import RULE, STRANDED, USED, rows, themed
from loadmaster.report.time_charts import unit_of

_HOSTS, _SPANS = 100, 120
"""Rows and columns of the picture of the hosts at most."""


def hosts_chart(workload: Workload, cluster: Cluster, schedule: Schedule) -> tuple[Any, str]:
    """Hosts across time, by the part of the first resource in use, and a caption."""
    edges, part = occupancy(workload, cluster, schedule, 0, _HOSTS, _SPANS)
    name = cluster.resources[0]
    chart = _hosts_over_time(cluster, edges, part, (f"{name} in use", [RULE, USED, "#173a5e"]))
    return (
        chart,
        f"A row a host{_together(cluster, part)}, in their order; the stronger the colour, the more of its {name} "
        "were in use.",
    )


def stranded_block(workload: Workload, cluster: Cluster, schedule: Schedule) -> Chart | Text:
    """Hosts across time, by the largest part of a resource that was stranded; a sentence where none ever was."""
    edges, parts = stranding(workload, cluster, schedule, typical_demand(workload), _HOSTS, _SPANS)
    part = parts.max(axis=0)
    if not part.round(2).any():
        return Text("Nothing to speak of: under 0.5 % of each host at all times.")
    chart = _hosts_over_time(cluster, edges, part, ("stranded", [RULE, STRANDED, "#7a3d08"]))
    caption = (
        f"The same rows{_together(cluster, part)}; the stronger the colour, the more of a resource, the worst of "
        f"{', '.join(cluster.resources)}, was free and of no use to a typical task, because another was too short."
    )
    return Chart(chart, caption)


def _together(cluster: Cluster, part: Floats) -> str:
    hosts = cluster.hosts
    return f", {-(-hosts // len(part)):,} hosts or so in each" if hosts > len(part) else ""


def _hosts_over_time(cluster: Cluster, edges: Floats, part: Floats, what: tuple[str, list[str]]) -> Any:
    """Rows of hosts across spans of time by a part; `what` it is, and the colours from none of it to all."""
    import altair as alt

    unit, size = unit_of(float(edges[-1] - edges[0]))
    at = ((edges - edges[0]) / size).tolist()
    part = part.round(2)
    first = np.searchsorted(np.arange(cluster.hosts) * len(part) // cluster.hosts, np.arange(len(part) + 1)).tolist()
    values = [
        {"t": at[k], "to": at[until], "host": h, "part": amount, "name": _named(cluster, first, h)}
        for h, row in enumerate(part.tolist())
        for k, until, amount in _alike(row)
    ]
    title, palette = what
    chart = (
        alt.Chart(rows(values), width=860, height=max(120, min(4 * len(part), 400)))
        .transform_calculate(below="datum.host + 1")
        .mark_rect()
        .encode(
            x=alt.X("t:Q", title=f"{unit} since the first arrival", scale=alt.Scale(nice=False, domain=[0, at[-1]])),
            x2="to:Q",
            y=alt.Y(
                "host:Q",
                title="hosts, the first on top",
                axis=alt.Axis(labels=False, ticks=False, grid=False),
                scale=alt.Scale(reverse=True, nice=False, domain=[0, len(part)]),
            ),
            y2="below:Q",
            color=alt.Color(
                "part:Q",
                scale=alt.Scale(domain=[0, 1], range=palette, interpolate="rgb"),
                legend=alt.Legend(title=title, format="%"),
            ),
            tooltip=["name:N", alt.Tooltip("t:Q", format=".4~g"), alt.Tooltip("part:Q", format=".0%", title=title)],
        )
    )
    return themed(chart)


def _alike(row: list[float]) -> Iterator[tuple[int, int, float]]:
    """The spans of a row in which something is in use, neighbours that are alike as one: from, to, how much."""
    begin = 0
    for used, same in groupby(row):
        end = begin + sum(1 for _ in same)
        if used:
            yield begin, end, used
        begin = end


def _named(cluster: Cluster, first: list[int], row: int) -> str:
    names = cluster.names
    one, last = first[row], first[row + 1] - 1
    texts = [names[each] if names else f"host {each}" for each in dict.fromkeys((one, last))]
    return " to ".join(texts)
