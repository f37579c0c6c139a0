"""A Gantt chart of a schedule: a bar for every time in which a task held a host."""

from typing import Any, NamedTuple

import numpy as np

from loadmaster.measure.task_intervals import task_intervals
from loadmaster.model import Cluster, InputError, Schedule, Workload
from loadmaster.model.arrays import Floats, Ints, Longs
from loadmaster.report.theme import rows, themed
from loadmaster.report.time_charts import unit_of

MOST_BARS = 5_000
"""Bars of a chart: more take a browser seconds, and cannot be told apart."""
MOST_NAMED = 60
"""Hosts up to which each bears its name."""


class Bars(NamedTuple):
    """N bars.

    Attributes:
        job: int64[N].
        host: int32[N].
        lane: int64[N], the place of the bar on its host, from 0: as many as run there at once.
        start_s: float64[N]; end_s: float64[N].
        lanes: int64[H], so many places every host has.
    """

    job: Longs
    host: Ints
    lane: Longs
    start_s: Floats
    end_s: Floats
    lanes: Longs


def bars_of(workload: Workload, hosts: int, schedule: Schedule, first_s: float, last_s: float) -> Bars:
    """The bars between two times, those of one host below each other where they overlap.

    Example:
        >>> from loadmaster.model import Cycles
        >>> three = Workload.of(submit_s=[0, 0, 0], runtime_s=[10, 5, 5], cores=[1, 1, 1])
        >>> none = np.array([], np.int64)
        >>> run = Schedule(np.array([0.0, 0.0, 5.0]), np.array([0, 0, 0]), Cycles(none * 1.0, none, none, none))
        >>> bars_of(three, 1, run, 0.0, 99.0).lane.tolist()
        [0, 1, 1]
    """
    times = task_intervals(workload, schedule)
    shown = np.flatnonzero((times.end_s > first_s) & (times.start_s < last_s))
    order = shown[np.lexsort((times.job[shown], times.start_s[shown], times.host[shown]))]
    lane = np.zeros(len(order), np.int64)
    free: list[list[float]] = [[] for _ in range(hosts)]
    for k, each in enumerate(order.tolist()):
        ends = free[int(times.host[each])]
        lane[k] = take_lane(ends, float(times.start_s[each]), float(times.end_s[each]))
    lanes = np.array([max(len(ends), 1) for ends in free], np.int64)
    return Bars(times.job[order], times.host[order], lane, times.start_s[order], times.end_s[order], lanes)


def take_lane(ends: list[float], start_s: float, end_s: float) -> int:
    """The first lane that is free at `start_s`, a new one if none is; `ends`, until when each is taken, is changed.

    Example:
        >>> ends = [5.0, 3.0]
        >>> take_lane(ends, 4.0, 9.0), ends
        (1, [5.0, 9.0])
    """
    place = next((p for p, end in enumerate(ends) if end <= start_s), len(ends))
    ends[place : place + 1] = [end_s]
    return place


def gantt_chart(
    workload: Workload, cluster: Cluster, schedule: Schedule, first_s: float | None = None, last_s: float | None = None
) -> Any:
    """Every job on its hosts between two times, in seconds since the log began; darker bars waited longer.

    Without `last_s` it ends with the last job; but where some run for long after the last has started, half as long
    again as it took to start them all, since all other bars would be too narrow to see.

    Raises:
        InputError: no job runs then, or more than can be distinguished.
    """
    import altair as alt

    begin = float(workload.submit_s[0]) if first_s is None else first_s
    bars = bars_of(workload, cluster.hosts, schedule, begin, np.inf if last_s is None else last_s)
    _check(bars, begin)
    end = _end_of(bars, begin) if last_s is None else last_s
    unit, size = unit_of(end - begin)
    top = np.concatenate(([0], np.cumsum(bars.lanes)))
    y = top[bars.host] + bars.lane
    domain = [0, (end - begin) / size]
    wait = schedule.start_s[bars.job] - workload.submit_s[bars.job]
    wait_unit, wait_size = ("seconds", 1.0) if wait.max() < 180 else unit_of(float(wait.max()))
    ids = workload.job_id if workload.job_id is not None else np.arange(workload.jobs)
    values = [
        {
            "t": (max(float(bars.start_s[k]), begin) - begin) / size,
            "to": (min(float(bars.end_s[k]), end) - begin) / size,
            "y": int(y[k]),
            "below": float(y[k]) + 0.86,
            "job": str(ids[bars.job[k]]),
            "host": cluster.name(int(bars.host[k])),
            "waited": float(wait[k]) / wait_size,
            "ran": float(bars.end_s[k] - bars.start_s[k]) / size,
        }
        for k in range(len(y))
    ]
    height = int(np.clip(top[-1] * 14, 120, 700))
    middle = {int((top[h] + top[h + 1]) / 2 * 2) / 2: cluster.name(h) for h in range(cluster.hosts)}
    named = cluster.hosts <= MOST_NAMED
    names = " : ".join(f"datum.value == {at} ? {_as_text(name)}" for at, name in middle.items()) + " : ''"
    axis = (
        alt.Axis(values=list(middle), labelExpr=names, grid=False, ticks=False, domain=False, labelLimit=160)
        if named
        else alt.Axis(labels=False, ticks=False, grid=False)
    )
    waited = alt.Color("waited:Q", scale=alt.Scale(range=["#a9c6e3", "#173a5e"]), title=f"waited, {wait_unit}")
    chart = (
        alt.Chart(rows(values), width=860, height=height)
        .mark_rect(stroke="#ffffff", strokeWidth=0.5)
        .encode(
            x=alt.X("t:Q", title=_since(unit, begin) + _beyond(bars, end), scale=alt.Scale(nice=False, domain=domain)),
            x2="to:Q",
            y=alt.Y(
                "y:Q", title="hosts", axis=axis, scale=alt.Scale(reverse=True, nice=False, domain=[0, int(top[-1])])
            ),
            y2="below:Q",
            color=waited,
            tooltip=["job:N", "host:N", *(alt.Tooltip(f"{name}:Q", format=".4~g") for name in ("t", "ran", "waited"))],
        )
    )
    edges = alt.Chart(rows([{"edge": int(at)} for at in top[1:-1]])).mark_rule(color="#b8c0ca", strokeWidth=0.5)
    return themed(chart + edges.encode(y="edge:Q") if named else chart)


def _check(bars: Bars, begin: float) -> None:
    if not len(bars.job):
        raise InputError(f"from {begin:g} s", "no job runs then", fix="give other times")
    if len(bars.job) > MOST_BARS:
        until = float(np.sort(bars.start_s)[MOST_BARS // 2])
        fix = f"give times, such as gantt({begin:g}, {until:g}), or see hosts_over_time()"
        raise InputError(f"{len(bars.job):,} bars", f"no more than {MOST_BARS:,} can be distinguished", fix=fix)


def _since(unit: str, begin: float) -> str:
    return f"{unit} since the log began" if begin == 0 else f"{unit} since {begin:g} s"


def _end_of(bars: Bars, begin: float) -> float:
    """The end of a chart without a given end."""
    last, started = float(bars.end_s.max()), float(bars.start_s.max())
    return min(last, begin + 1.5 * (started - begin)) if started > begin else last


def _beyond(bars: Bars, end: float) -> str:
    going = int((bars.end_s > end).sum())
    return f" ({going:,} bar{'s go' if going > 1 else ' goes'} on beyond the edge)" if going else ""


def _as_text(name: str) -> str:
    """A name as an expression of Vega has it."""
    import json

    return json.dumps(name).replace("<", "\\u003c")
