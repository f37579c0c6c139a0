"""Whether queueing can explain the waits of a log, and the chart that shows it (rules H3, H4 and H7)."""

from dataclasses import dataclass

import numpy as np

from loadmaster.measure.recorded_metrics import (
    MOST_OVER,
    MOST_UNKNOWN,
    MOST_WITH_ROOM,
    Recorded,
    free_over_time,
    recorded_schedule,
)
from loadmaster.measure.usage import measured
from loadmaster.model.arrays import Floats
from loadmaster.model.cluster import Cluster
from loadmaster.model.units import percent
from loadmaster.model.workload import Workload


def why_unexplained(record: Recorded | None) -> str:
    """Why queueing does not explain the recorded waits, or they are not known; empty where it may.

    Example:
        >>> why_unexplained(None)
        'the log does not say when jobs started'
    """
    if record is None:
        return "the log does not say when jobs started"
    if record.unknown > MOST_UNKNOWN * record.jobs:
        return f"of {record.unknown:,} of {record.jobs:,} jobs it is not known when they started"
    if record.mean_wait_s <= 0:
        return "no job waited"
    name = max(record.over, key=lambda each: record.over[each])
    if record.over[name] > MOST_OVER:
        over = f"more {name} than the hosts have were in use for {percent(record.over[name])} of the time"
        times = f"at most {record.peak[name]:.3g} times as many"
        return f"{over} ({times}), so jobs shared machines, or ran on other machines than these"
    if record.with_room > MOST_WITH_ROOM:
        held = f"{percent(record.with_room)} of the waiting passed while there was room for the job"
        sure = "" if record.known else "if these are your machines, "
        return f"{held}, so {sure}it is holds, limits, dependencies or policy, not queueing"
    return ""


@dataclass(frozen=True, eq=False)
class RoomOverTime:
    """Use and waiting in K equal spans of the time that `measured` names.

    Attributes:
        since_s: float64[K], where each span begins.
        highest: float64[K], the most in use at any moment of it, as a part of all there is, of the resource of which
            that part is largest.
        waiting: float64[K], jobs that waited in its middle.
        with_room: float64[K], those of them that would have fitted into what was free.
    """

    since_s: Floats
    highest: Floats
    waiting: Floats
    with_room: Floats


def room_over_time(workload: Workload, cluster: Cluster, spans: int = 300) -> RoomOverTime:
    """Use, waiting jobs, and those of them with room, as the log has it; jobs of unknown start are left out.

    Example:
        >>> jobs = Workload.of(submit_s=[0, 0, 40], runtime_s=[15, 9, 9], cores=[1, 1, 1], recorded_wait_s=[0, 20, 0])
        >>> seen = room_over_time(jobs, Cluster.uniform(1, cores=1), spans=2)
        >>> seen.highest.tolist(), seen.waiting.tolist(), seen.with_room.tolist()
        ([1.0, 1.0], [1.0, 0.0], [0.0, 0.0])
    """
    schedule = recorded_schedule(workload)
    since, free = free_over_time(workload, cluster, schedule)
    first, last = measured(workload, schedule)
    edges = np.linspace(first, last if last > first else first + 1.0, spans + 1)
    middle = (edges[:-1] + edges[1:]) / 2
    on = schedule.started
    submit, start = workload.submit_s[on], schedule.start_s[on]
    needs = (workload.demand * workload.task_count[:, None])[on]
    idle = np.vstack((cluster.total[None, :], free))  # before the first start as after the last end
    at = np.searchsorted(since, middle, side="right")
    waiting, with_room = np.zeros(spans), np.zeros(spans)
    for k in range(spans):
        until = int(np.searchsorted(submit, middle[k], side="right"))
        rows = np.flatnonzero(start[:until] > middle[k])
        waiting[k] = rows.size
        with_room[k] = (needs[rows] <= idle[at[k]]).all(axis=1).sum()
    return RoomOverTime(edges[:-1], _highest(edges, since, idle, cluster), waiting, with_room)


def _highest(edges: Floats, since: Floats, idle: Floats, cluster: Cluster) -> Floats:
    """float64[K]: the most in use in each span, what holds as it begins counted in."""
    has = cluster.total > 0
    part = ((cluster.total - idle)[:, has] / cluster.total[has]).max(axis=1)
    highest = part[np.searchsorted(since, edges[:-1], side="right")]
    span = np.searchsorted(edges, since, side="right") - 1
    inside = (span >= 0) & (span < highest.size)
    np.maximum.at(highest, span[inside], part[1:][inside])
    return np.asarray(highest)
