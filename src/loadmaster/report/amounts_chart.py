"""What belongs to the whole cluster over time: licences, burst buffers, and the power that the hosts draw."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from loadmaster.measure.energy import power_over_time
from loadmaster.measure.task_intervals import task_intervals
from loadmaster.measure.timeline import running_sum, thinned
from loadmaster.model import Cluster, Schedule, Workload
from loadmaster.model.arrays import Floats
from loadmaster.model.energy import Steps
from loadmaster.report.theme import INK, USED, rows, themed, tooltip
from loadmaster.report.time_charts import named_rows, time_axis, unit_of
from loadmaster.scheduling.licences import LicenceUses

_POINTS = 1_000
"""At most so many moments of each amount."""


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
        at_s, held = thinned(each.at_s, each.held, _POINTS)
        pairs = zip(((at_s - first_s) / size).tolist(), held.tolist(), strict=True)
        values += [{"amount": each.name, "t": t, "held": value} for t, value in pairs]
        there = list(_from(each.there, first_s, last_s)) if each.there else []
        values += [{"amount": each.name, "t": (t - first_s) / size, "there": value} for t, value in there]
    base = alt.Chart(width=860, height=60).encode(x=time_axis(unit))
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
    row = named_rows([each.name for each in amounts], "amount")
    chart = alt.layer(held, there, data=rows(values)).facet(row=row, spacing=10).resolve_scale(y="independent")
    caption = "The area is what jobs hold, or what the hosts draw. The dashed line is what there is, or the cap."
    return themed(chart), caption


def _from(steps: Steps, first_s: float, last_s: float) -> Iterator[tuple[float, float]]:
    """The steps between two moments, with the value at either."""
    at_s, values = np.array(steps).T
    inside = (at_s > first_s) & (at_s < last_s)
    first, last = values[np.maximum(np.searchsorted(at_s, [first_s, last_s], side="right") - 1, 0)]
    return zip((first_s, *at_s[inside], last_s), (first, *values[inside], last), strict=True)


def _licences(workload: Workload, cluster: Cluster, schedule: Schedule) -> list[_Amount]:
    """What running jobs hold of each licence and burst buffer that some job requests."""
    if cluster.rules is None or workload.constraints is None:
        return []
    uses = LicenceUses(workload, cluster.rules, workload.constraints)
    times = task_intervals(workload, schedule)
    found = []
    for number, (name, total) in enumerate(uses.total.items()):
        part = (uses.held[:, number] / workload.task_count)[times.job]
        at_s = np.concatenate((workload.submit_s[:1], times.start_s, times.end_s))
        found.append(_Amount(name, *running_sum(at_s, np.concatenate(([0.0], part, -part))), ((0.0, total),)))
    return found


def _power(workload: Workload, cluster: Cluster, schedule: Schedule) -> list[_Amount]:
    at_s, watts = power_over_time(workload, cluster, schedule)
    if not len(at_s) or cluster.rules is None:
        return []
    watts[-1] = watts[-2]  # at the end of all the sum is 0, though the hosts still draw
    return [_Amount("power, W", at_s, watts, cluster.rules.power_cap)]
