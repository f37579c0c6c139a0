"""The engine in plain Python, one event after another: slow, obvious, and what every kernel must agree with."""

import heapq
import math
from collections.abc import Callable

import numpy as np

from loadmaster.model.arrays import Floats
from loadmaster.model.cluster import Cluster
from loadmaster.model.schedule import Cycles, Schedule
from loadmaster.model.snapshot import Decide, Queue, Running, Snapshot
from loadmaster.model.workload import Workload


def replay(
    workload: Workload,
    cluster: Cluster,
    decide: Decide,
    *,
    interval_s: float = 30.0,
    seed: int = 0,
    speed: Floats | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Schedule:
    """Replay `workload` on `cluster`; every `interval_s` seconds `decide` looks at the queue.

    Decisions happen at whole multiples of `interval_s`, and only at those before which a job came or ended;
    with 0 they happen at every such event itself. Ended tasks free their hosts first, then arrivals join the
    queue, then `decide` runs.

    Args:
        workload: jobs.
        cluster: the hosts.
        decide: the policy and the discipline.
        interval_s: seconds between decisions.
        seed: for policies that draw.
        speed: float64[H]; a job goes at the speed of its slowest host. None: runtimes hold on every host.
        progress: told of jobs started and jobs in all.

    Returns:
        The schedule. Jobs that `decide` never starts keep NaN and -1.
    """
    first_task = workload.first_task
    start_s = np.full(workload.jobs, np.nan)
    host = np.full(int(first_task[-1]), -1, np.int32)
    free = np.array(cluster.capacity)
    waiting: list[int] = []
    running: dict[int, float] = {}  # job -> start, in the order of starts
    ends: list[tuple[float, int]] = []
    last_host = -1
    arrived = 0
    cycles: list[tuple[float, int, int, int]] = []

    while arrived < workload.jobs or (waiting and ends):
        now = _next_decision(workload, arrived, ends, interval_s)
        while ends and ends[0][0] <= now:
            _, job = heapq.heappop(ends)
            del running[job]
            for task in range(first_task[job], first_task[job + 1]):
                free[host[task]] += workload.demand[job]
        while arrived < workload.jobs and workload.submit_s[arrived] <= now:
            waiting.append(arrived)
            arrived += 1
        if not waiting:
            continue
        decision = decide(_snapshot(workload, cluster, now, free, waiting, running, host, first_task, last_host, seed))
        for place in decision.place:
            job = place.job
            start_s[job] = now
            host[first_task[job] : first_task[job + 1]] = place.hosts
            for chosen in place.hosts:
                free[chosen] -= workload.demand[job]
            running[job] = now
            slowest = 1.0 if speed is None else float(speed[list(place.hosts)].min())
            heapq.heappush(ends, (now + workload.runtime_s[job] / slowest, job))
        last_host = decision.last_host
        cycles.append((now, len(waiting), len(decision.place), decision.winners))
        started = {place.job for place in decision.place}
        waiting = [job for job in waiting if job not in started]
        if progress is not None:
            progress(arrived - len(waiting), workload.jobs)
    return Schedule(start_s, host, _columns(cycles))


def at_or_after(time_s: float, interval_s: float) -> float:
    """The first moment of decision at or after `time_s`.

    Example:
        >>> at_or_after(31.0, 30.0), at_or_after(30.0, 30.0), at_or_after(31.5, 0.0)
        (60.0, 30.0, 31.5)
    """
    if interval_s <= 0:
        return time_s
    cycle = math.floor(time_s / interval_s)
    return (cycle if cycle * interval_s >= time_s else cycle + 1) * interval_s


def _next_decision(workload, arrived, ends, interval_s) -> float:  # type: ignore[no-untyped-def]
    event = ends[0][0] if ends else math.inf
    if arrived < workload.jobs:
        event = min(event, float(workload.submit_s[arrived]))
    return at_or_after(event, interval_s)


def _snapshot(workload, cluster, now, free, waiting, running, host, first_task, last_host, seed) -> Snapshot:  # type: ignore[no-untyped-def]
    jobs = np.array(waiting, dtype=np.int64)
    project = np.zeros(workload.jobs, np.int32) if workload.project is None else workload.project
    queue = Queue(
        jobs, workload.demand[jobs], workload.task_count[jobs], workload.expected_s[jobs], project[jobs],
        first_task[jobs],
    )  # fmt: skip
    tasks = [(job, task) for job in running for task in range(first_task[job], first_task[job + 1])]
    owner = np.array([job for job, _ in tasks], dtype=np.int64)
    ends = np.array([running[job] for job, _ in tasks]) + workload.expected_s[owner]
    busy = Running(
        owner,
        host[[task for _, task in tasks]],
        workload.demand[owner],
        np.asarray(ends, float),
        project[owner],
    )
    return Snapshot(now, cluster, free.copy(), queue, busy, last_host, seed)


def _columns(cycles: list[tuple[float, int, int, int]]) -> Cycles:
    columns = list(zip(*cycles, strict=True)) if cycles else [(), (), (), ()]
    return Cycles(
        np.array(columns[0], dtype=np.float64),
        np.array(columns[1], dtype=np.int64),
        np.array(columns[2], dtype=np.int64),
        np.array(columns[3], dtype=np.int64),
    )
