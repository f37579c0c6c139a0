"""Queue metrics of a schedule, in the terms of Feitelson's metrics papers."""

from dataclasses import dataclass

import numpy as np

from loadmaster.measure.little import horizon, little
from loadmaster.measure.usage import utilization
from loadmaster.model.arrays import Floats
from loadmaster.model.cluster import Cluster
from loadmaster.model.schedule import Schedule
from loadmaster.model.workload import Workload

SHORTEST_S = 1.0
"""Runtimes below this count as this in the slowdown (rule A8)."""
BOUND_S = 10.0
"""The bound of the bounded slowdown (Feitelson, Rudolph et al. 1997)."""
_CHUNK = 1 << 20


@dataclass(frozen=True)
class Metrics:
    """The results of one run. Seconds are simulated seconds; means are over the jobs that started.

    Attributes:
        jobs: jobs in the workload.
        unstarted: jobs that never got a host.
        mean_wait_s, median_wait_s: from arrival to start.
        p95_wait_s: the wait that one job in twenty exceeds.
        p99_wait_s, longest_wait_s: the wait that one job in a hundred exceeds, and the longest.
        mean_slowdown: of (wait + runtime) / runtime, runtimes below 1 s taken as 1 s.
        mean_bounded_slowdown: the same with 10 s, and at least 1.
        mean_queue_length: time-weighted mean of waiting jobs until the last job ended (`spans_in_queue`).
        max_queue_length: the longest queue that a cycle found.
        utilization: for each resource, the part used between the first arrival and the last; see `utilization`.
        makespan_s: from the first arrival until the last job ended.
        cycles: scheduling cycles in which anything could change.
        little_error: relative difference between it and the queue that the engine counted cycle by cycle.
    """

    jobs: int
    unstarted: int
    mean_wait_s: float
    median_wait_s: float
    p95_wait_s: float
    p99_wait_s: float
    longest_wait_s: float
    mean_slowdown: float
    mean_bounded_slowdown: float
    mean_queue_length: float
    max_queue_length: int
    utilization: dict[str, float]
    makespan_s: float
    cycles: int
    little_error: float


def metrics(workload: Workload, cluster: Cluster, schedule: Schedule) -> Metrics:
    """Measure a schedule.

    Example:
        >>> from loadmaster.model import Cycles
        >>> two = Workload.of(submit_s=[0, 0], runtime_s=[10, 10], cores=[1, 1])
        >>> cycles = Cycles(np.array([0.0, 10.0]), np.array([2, 1]), np.array([1, 1]), np.array([0, 0]))
        >>> one_core = Cluster.uniform(1, cores=1)
        >>> row = metrics(two, one_core, Schedule(np.array([0.0, 10.0]), np.array([0, 0]), cycles))
        >>> row.mean_wait_s, row.mean_slowdown, row.mean_queue_length, row.little_error
        (5.0, 1.5, 0.5, 0.0)
    """
    wait, runtime = waits(workload, schedule), schedule.ran_s(workload)
    on = schedule.started
    if not on.all():
        wait, runtime = wait[on], runtime[on]
    slowdown, bounded = _slowdowns(wait, runtime)
    median, p95, p99, longest = np.quantile(wait, (0.5, 0.95, 0.99, 1.0)) if wait.size else (0.0,) * 4
    check = little(workload, schedule)
    first = float(workload.submit_s[0]) if workload.jobs else 0.0
    return Metrics(
        jobs=workload.jobs,
        unstarted=workload.jobs - wait.size,
        mean_wait_s=float(wait.mean()) if wait.size else 0.0,
        median_wait_s=float(median),
        p95_wait_s=float(p95),
        p99_wait_s=float(p99),
        longest_wait_s=float(longest),
        mean_slowdown=slowdown,
        mean_bounded_slowdown=bounded,
        mean_queue_length=check.expected,
        max_queue_length=int(schedule.cycles.queue_length.max(initial=0)),
        utilization=utilization(workload, cluster, schedule),
        makespan_s=horizon(workload, schedule) - first,
        cycles=int(schedule.cycles.time_s.size),
        little_error=check.error,
    )


def waits(workload: Workload, schedule: Schedule) -> Floats:
    """float64[J]: start minus arrival of every job, with the start-up of its hosts; NaN where it never started.

    Of a job that was stopped and ran again: the time from its arrival to
    its end in which it did no work that counted.
    """
    if schedule.segments is None:
        return np.asarray(schedule.begin_s - workload.submit_s)
    return np.asarray(schedule.ends_s(workload) - schedule.ran_s(workload) - workload.submit_s)


def _slowdowns(wait: Floats, runtime: Floats) -> tuple[float, float]:
    """Mean slowdown and mean bounded slowdown, in pieces, so that no long temporary column is made."""
    plain = bounded = 0.0
    for at in range(0, wait.size, _CHUNK):
        run = runtime[at : at + _CHUNK]
        turnaround = wait[at : at + _CHUNK] + run
        plain += float((turnaround / np.maximum(run, SHORTEST_S)).sum())
        bounded += float(np.maximum(turnaround / np.maximum(run, BOUND_S), 1.0).sum())
    return (plain / wait.size, bounded / wait.size) if wait.size else (0.0, 0.0)
