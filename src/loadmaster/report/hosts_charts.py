"""Charts of hosts over time: how full each was and its GPUs were, and what of it was stranded."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import numpy as np

from loadmaster.measure.occupancy import averaged, occupancy, part_of, spans_of
from loadmaster.measure.stranding import stranding
from loadmaster.measure.task_intervals import task_intervals, task_jobs
from loadmaster.measure.timeline import typical_demand
from loadmaster.model import Cluster, Schedule, Workload
from loadmaster.model.arrays import Floats
from loadmaster.model.cards import host_cards
from loadmaster.report.page import Chart, Text
from loadmaster.report.theme import RULE, STRANDED, USED, rows, themed
from loadmaster.report.time_charts import unit_of

_USE = [RULE, USED, "#173a5e"]
"""Colours from nothing in use to all."""
_HOSTS, _SPANS = 100, 120
"""Rows and columns of the picture of the hosts at most."""


def hosts_chart(workload: Workload, cluster: Cluster, schedule: Schedule) -> tuple[Any, str]:
    """Hosts across time, by the part of the first resource in use, and a caption."""
    edges, part = occupancy(workload, cluster, schedule, 0, _HOSTS, _SPANS)
    name = cluster.resources[0]
    chart = _over_time(_host_names(cluster), edges, part, (f"{name} in use", _USE))
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
    chart = _over_time(_host_names(cluster), edges, part, ("stranded", [RULE, STRANDED, "#7a3d08"]))
    caption = (
        f"The same rows{_together(cluster, part)}; the stronger the colour, the more of a resource, the worst of "
        f"{', '.join(cluster.resources)}, was free and of no use to a typical task, because another was too short."
    )
    return Chart(chart, caption)


def cards_chart(workload: Workload, cluster: Cluster, schedule: Schedule) -> tuple[Any, str] | None:
    """Cards across time, by the part of each in use, and a caption; None where GPUs are no cards (rule Q22)."""
    cards = host_cards(workload, cluster)
    if cards is None or schedule.cards is None:
        return None
    first = np.concatenate(([0], np.cumsum(cards.count)))
    rows_at_most = min(_HOSTS, int(first[-1]))
    row_of = np.arange(first[-1]) * rows_at_most // first[-1]
    task, bit = np.nonzero(schedule.cards[:, None] >> np.arange(cards.most) & 1)
    job, card = task_jobs(workload)[task], first[schedule.host[task]] + bit
    times = task_intervals(workload, schedule)
    edges = spans_of(workload, times, _SPANS)
    start_s, end_s = schedule.start_s[job], schedule.ends_s(workload)[job]
    share = np.minimum(workload.demand[job, cards.column], 1.0)
    used = averaged(row_of[card], start_s, end_s, share, rows_at_most, edges)
    names = [f"{cluster.name(h)}, GPU {c}" for h in range(cluster.hosts) for c in range(cards.count[h])]
    chart = _over_time(names, edges, part_of(used, row_of, np.ones(len(row_of))), ("GPU in use", _USE), "GPUs")
    together = f", {-(-len(names) // rows_at_most):,} or so in each" if len(names) > rows_at_most else ""
    caption = f"A row a GPU{together}, in the order of the hosts; the stronger the colour, the more of it was in use."
    return chart, caption


def _together(cluster: Cluster, part: Floats) -> str:
    hosts = cluster.hosts
    return f", {-(-hosts // len(part)):,} hosts or so in each" if hosts > len(part) else ""


def _over_time(
    names: Sequence[str], edges: Floats, part: Floats, what: tuple[str, list[str]], things: str = "hosts"
) -> Any:
    """Rows of things across spans of time by a part; `what` it is, and the colours from none of it to all."""
    import altair as alt

    unit, size = unit_of(float(edges[-1] - edges[0]))
    at = ((edges - edges[0]) / size).tolist()
    part = part.round(2)
    first = np.searchsorted(np.arange(len(names)) * len(part) // len(names), np.arange(len(part) + 1)).tolist()
    values = [
        {"t": at[k], "to": at[until], "host": h, "part": amount, "name": _named(names, first, h)}
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
                title=f"{things}, the first on top",
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


def _named(names: Sequence[str], first: list[int], row: int) -> str:
    one, last = first[row], first[row + 1] - 1
    return " to ".join(names[each] for each in dict.fromkeys((one, last)))


def _host_names(cluster: Cluster) -> Sequence[str]:
    return cluster.names or [f"host {number}" for number in range(cluster.hosts)]
