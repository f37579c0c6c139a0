"""Queue metrics of a schedule, in the terms of Feitelson's metrics papers, and Little's law as a check."""

from dataclasses import dataclass

import numpy as np

from loadmaster.model.arrays import Floats
from loadmaster.model.cluster import Cluster
from loadmaster.model.schedule import Schedule
from loadmaster.model.workload import Workload

SHORTEST_S = 1.0
"""Runtimes below this count as this in the slowdown (SPEC 3(a), `sd_floor`)."""
BOUND_S = 10.0
"""The bound of the bounded slowdown (Feitelson, Rudolph et al. 1997)."""


@dataclass(frozen=True)
class Metrics:
    """One row of `compare`. Seconds are simulated seconds; means are over the jobs that started.

    Attributes:
        utilization: for each resource, the part used between the first arrival and the last.
        little_error: |mean queue - rate x mean wait| / mean queue, over the whole drained run.
    """

    jobs: int
    unstarted: int
    mean_wait_s: float
    median_wait_s: float
    p95_wait_s: float
    mean_slowdown: float
    mean_bounded_slowdown: float
    mean_queue_length: float
    max_queue_length: int
    utilization: dict[str, float]
    makespan_s: float
    little_error: float


def metrics(workload: Workload, cluster: Cluster, schedule: Schedule) -> Metrics:
    """Measure a schedule; every column of `Metrics` from starts alone."""
    on = schedule.started
    wait = schedule.start_s[on] - workload.submit_s[on]
    run = workload.runtime_s[on]
    end = schedule.start_s[on] + run
    first = float(workload.submit_s[0]) if workload.jobs else 0.0
    last_end = float(end.max(initial=first))
    none = wait.size == 0
    mean_queue, longest = _queue_length(workload.submit_s[on], schedule.start_s[on], first, last_end)
    rate = wait.size / (last_end - first) if last_end > first else 0.0
    mean_wait = float(wait.mean()) if not none else 0.0
    return Metrics(
        jobs=workload.jobs,
        unstarted=int((~on).sum()),
        mean_wait_s=mean_wait,
        median_wait_s=0.0 if none else float(np.median(wait)),
        p95_wait_s=0.0 if none else float(np.quantile(wait, 0.95)),
        mean_slowdown=0.0 if none else float(np.mean((wait + run) / np.maximum(run, SHORTEST_S))),
        mean_bounded_slowdown=0.0 if none else float(np.mean(np.maximum((wait + run) / np.maximum(run, BOUND_S), 1.0))),
        mean_queue_length=mean_queue,
        max_queue_length=longest,
        utilization=_utilization(workload, cluster, schedule),
        makespan_s=last_end - first,
        little_error=abs(mean_queue - rate * mean_wait) / mean_queue if mean_queue > 1e-12 else 0.0,
    )


def _queue_length(submit_s: Floats, start_s: Floats, first: float, last: float) -> tuple[float, int]:
    """Time-weighted mean and the maximum of the number of waiting jobs, from the steps of the queue itself."""
    if submit_s.size == 0 or last <= first:
        return 0.0, 0
    times = np.concatenate((submit_s, start_s))
    steps = np.concatenate((np.ones(submit_s.size, np.int64), np.full(start_s.size, -1, np.int64)))
    order = np.argsort(times, kind="stable")
    times = times[order]
    length = np.cumsum(steps[order])
    held = np.diff(times)
    mean = float(np.dot(length[:-1], held)) / (last - first)
    return mean, int(length[:-1][held > 0].max(initial=0))


def _utilization(workload: Workload, cluster: Cluster, schedule: Schedule) -> dict[str, float]:
    first = float(workload.submit_s[0]) if workload.jobs else 0.0
    last = float(workload.submit_s[-1]) if workload.jobs else 0.0
    on = schedule.started
    begin = np.minimum(schedule.start_s[on], last)
    end = np.minimum(schedule.start_s[on] + workload.runtime_s[on], last)
    busy = ((end - begin) * workload.task_count[on]) @ workload.demand[on]
    given = cluster.total * (last - first)
    return {name: float(busy[r] / given[r]) if given[r] > 0 else 0.0 for r, name in enumerate(workload.resources)}
