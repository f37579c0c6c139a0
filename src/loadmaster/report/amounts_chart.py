"""What belongs to the whole cluster over time: licences, burst buffers, and the power that the hosts draw."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from loadmaster.measure.energy import power_over_time, summed
from loadmaster.measure.task_intervals import task_intervals
from loadmaster.model import Cluster, Schedule, Workload
from loadmaster.model.arrays import Floats
from loadmaster.model.energy import Steps
from loadmaster.report.theme import INK, USED, rows, themed, tooltip
from loadmaster.report.time_charts import unit_of
from loadmaster.scheduling.licences import LicenceUses

_POINTS = 1_000
"""At most so many moments of each amount: of each span the highest value."""


class _Amount(NamedTuple):
    """An amount over time: float64[N] moments and values, and what there is of it."""

    name: str
    at_s: Floats
    held: Floats
    there: Steps


def amounts_chart(workload: Workload, cluster: Cluster, schedule: Schedule) -> tuple[Any, str] | None:
    """Each amount of the whole cluster over time below what there is of it, and a caption; None without any."""
    import altair as alt

    amounts = [*_licences(workload, cluster, schedule), *_power(workload, cluster, schedule)]
    if not amounts:
        return None
    first_s, last_s = min(each.at_s[0] for each in amounts), max(each.at_s[-1] for each in amounts)
    unit, size = unit_of(last_s - first_s)
    values: list[dict[str, Any]] = []
    for each in amounts:
        at_s, held = _thinned(each.at_s, each.held)
        pairs = zip(((at_s - first_s) / size).tolist(), held.tolist(), strict=True)
        values += [{"amount": each.name, "t": t, "held": value} for t, value in pairs]
        there = list(_from(each.there, first_s, last_s)) if each.there else []
        values += [{"amount": each.name, "t": (t - first_s) / size, "there": value} for t, value in there]
    axis = alt.X("t:Q", title=f"{unit} since the first arrival", scale=alt.Scale(nice=False), axis=alt.Axis(grid=False))
    base = alt.Chart(width=860, height=60).encode(x=axis)
    held = (
        base.transform_filter("isValid(datum.held)")
        .mark_area(interpolate="step-after", line={"strokeWidth": 1}, fillOpacity=0.4, color=USED)
        .encode(y=alt.Y("held:Q", title=None, axis=alt.Axis(tickCount=3, format="~s")), tooltip=tooltip(held=",.4~g"))
    )
    there = (
        base.transform_filter("isValid(datum.there)")
        .mark_line(interpolate="step-after", strokeDash=[4, 3], color=INK)
        .encode(y="there:Q", tooltip=tooltip(there=",.4~g"))
    )
    header = alt.Header(labelAngle=0, labelAlign="left", labelAnchor="start", labelPadding=2, labelOrient="top")
    row = alt.Row("amount:N", sort=[each.name for each in amounts], title=None, header=header)
    chart = alt.layer(held, there, data=rows(values)).facet(row=row, spacing=10).resolve_scale(y="independent")
    return themed(
        chart
    ), "The area is what jobs hold, or what the hosts draw. The dashed line is what there is, or the cap."


def _from(steps: Steps, first_s: float, last_s: float) -> Iterator[tuple[float, float]]:
    """The steps between two moments, with the value at either."""
    value = steps[0][1]
    for moment, next_value in steps:
        if moment > first_s:
            break
        value = next_value
    yield first_s, value
    for moment, next_value in steps:
        if first_s < moment < last_s:
            value = next_value
            yield moment, value
    yield last_s, value


def _licences(workload: Workload, cluster: Cluster, schedule: Schedule) -> list[_Amount]:
    """What running jobs hold of each licence and burst buffer that some job asks for."""
    if cluster.rules is None or workload.constraints is None:
        return []
    uses = LicenceUses(workload, cluster.rules, workload.constraints)
    times = task_intervals(workload, schedule)
    found = []
    for number, (name, total) in enumerate(uses.total.items()):
        part = (uses.held[:, number] / workload.task_count)[times.job]
        at_s = np.concatenate((workload.submit_s[:1], times.start_s, times.end_s))
        found.append(_Amount(name, *summed(at_s, np.concatenate(([0.0], part, -part))), ((0.0, total),)))
    return found


def _power(workload: Workload, cluster: Cluster, schedule: Schedule) -> list[_Amount]:
    at_s, watts = power_over_time(workload, cluster, schedule)
    if not len(at_s) or cluster.rules is None:
        return []
    watts[-1] = watts[-2]  # at the end of all the sum is 0, though the hosts still draw
    return [_Amount("power, W", at_s, watts, cluster.rules.power_cap)]


def _thinned(at_s: Floats, held: Floats) -> tuple[Floats, Floats]:
    """At most about `_POINTS` moments; each stands for those up to the next, by their highest value."""
    fold = -(-len(at_s) // _POINTS)
    first = np.arange(0, len(at_s), fold)
    return at_s[first], np.maximum.reduceat(held, first)
