"""Checks that a schedule is one: nothing lost, nothing run twice, no host ever given more than it has.

Written against the definitions alone; it shares no code with the engines.
"""

import numpy as np

from loadmaster.measure.check_cards import broken_cards
from loadmaster.measure.check_constraints import broken_constraints
from loadmaster.measure.little import little
from loadmaster.measure.task_intervals import task_intervals, task_jobs
from loadmaster.model.arrays import Floats
from loadmaster.model.cluster import Cluster
from loadmaster.model.constraints import STATUSES
from loadmaster.model.schedule import Schedule
from loadmaster.model.units import percent
from loadmaster.model.workload import Workload
from loadmaster.system.counted import counted

_SLACK = 1e-9
_STOPPED = [STATUSES.index(word) for word in ("timeout", "cancelled", "preempted", "node_fail")]


def violations(workload: Workload, cluster: Cluster, schedule: Schedule) -> tuple[str, ...]:
    """Every rule that the schedule breaks, one sentence each with the first case; empty if it is sound.

    Rules: every job has one start and every task one host, or neither; no start before the arrival; no host ever
    holds more of any resource than its capacity (relative slack 1e-9); the cycles' counts add up to the starts; every
    job ran for its runtime at the speed of its slowest host, unless it was stopped; where jobs request parts of a GPU
    each task has GPUs of its host, and no GPU is given more than once; no constraint is broken; Little's law holds
    within 1 %.
    """
    shape = _shape(workload, schedule)
    if shape:
        return shape
    broken = [*_hosts(workload, cluster, schedule), *_starts(workload, schedule)]
    if not broken:
        broken = [
            *_capacity(workload, cluster, schedule),
            *_counts(workload, schedule),
            *_runtimes(workload, cluster, schedule),
        ]
        broken += broken_cards(workload, cluster, schedule)
        broken += broken_constraints(workload, cluster, schedule)
        check = little(workload, schedule)
        if not check.holds and schedule.segments is None:  # a job that comes back to the queue arrives twice
            broken.append(
                f"Little's law: the cycles counted a mean queue of {check.counted:.6g}, "
                f"the waits give {check.expected:.6g} ({percent(check.error, 2)} apart)"
            )
    return tuple(broken)


def _shape(workload: Workload, schedule: Schedule) -> tuple[str, ...]:
    tasks = int(workload.task_count.sum(dtype=np.int64))
    if schedule.start_s.shape != (workload.jobs,) or schedule.host.shape != (tasks,):
        return (
            f"{workload.jobs} jobs with {tasks} tasks, but {schedule.start_s.shape[0]} starts "
            f"and {schedule.host.shape[0]} hosts",
        )
    return ()


def _hosts(workload: Workload, cluster: Cluster, schedule: Schedule) -> list[str]:
    job = task_jobs(workload)
    started = schedule.started[job]
    broken = []
    for wrong, rule in (
        (schedule.host >= cluster.hosts, f"has a host beyond the {cluster.hosts} of the cluster"),
        (started & (schedule.host < 0), "started without a host for each of its tasks"),
        (~started & (schedule.host >= 0), "has a host but no start"),
    ):
        if wrong.any():
            broken.append(f"job {workload.id_of(int(job[np.argmax(wrong)]))} {rule} ({counted(wrong.sum(), 'task')})")
    return broken


def _starts(workload: Workload, schedule: Schedule) -> list[str]:
    early = schedule.start_s < workload.submit_s
    if not early.any():
        return []
    job = int(np.argmax(early))
    return [
        f"job {workload.id_of(job)} starts at {schedule.start_s[job]:.6g} s, before it arrives at "
        f"{workload.submit_s[job]:.6g} s ({counted(early.sum(), 'job')})"
    ]


def _counts(workload: Workload, schedule: Schedule) -> list[str]:
    before = 0 if workload.starting is None else workload.starting.jobs  # no cycle started them
    begun_anew = 0 if schedule.segments is None else int(schedule.segments.lost.sum())
    counted, starts = int(schedule.cycles.started.sum()), int(schedule.started.sum()) + begun_anew - before
    return [] if counted == starts else [f"the cycles count {counted} starts, the schedule has {starts}"]


def _runtimes(workload: Workload, cluster: Cluster, schedule: Schedule) -> list[str]:
    """A job runs for its runtime over the speed of its slowest host, unless it was stopped for good."""
    assert cluster.speed is not None
    on = schedule.started
    if not on.any():
        return []
    speed = np.full(workload.jobs, np.inf)
    placed = schedule.host >= 0
    np.minimum.at(speed, task_jobs(workload)[placed], cluster.speed[schedule.host[placed]])
    ran_s, lasts_s = schedule.ran_s(workload)[on], (workload.runtime_s / speed)[on]
    slack = _SLACK * np.maximum(1.0, schedule.ends_s(workload)[on])
    stopped = np.zeros(on.sum(), bool) if schedule.status is None else np.isin(schedule.status[on], _STOPPED)
    wrong = (ran_s > lasts_s + slack) | (~stopped & (ran_s < lasts_s - slack))
    if not wrong.any():
        return []
    job = int(np.flatnonzero(on)[np.argmax(wrong)])
    return [
        f"job {workload.id_of(job)} ran {ran_s[wrong][0]:.6g} s of {lasts_s[wrong][0]:.6g} s "
        f"({counted(wrong.sum(), 'job')})"
    ]


def _capacity(workload: Workload, cluster: Cluster, schedule: Schedule) -> list[str]:
    """Sweep each host's starts and ends in the order of time; an end at the moment of a start comes first."""
    times = task_intervals(workload, schedule)
    job = times.job
    host = np.tile(times.host, 2)
    time = np.concatenate((times.end_s, times.start_s))
    is_start = np.repeat(np.array([0, 1], np.int8), job.size)
    order = np.lexsort((is_start, time, host))
    host, time = host[order], time[order]
    first_of_host = np.flatnonzero(np.diff(host, prepend=-1))
    broken = []
    for r, resource in enumerate(cluster.resources):
        amount = workload.demand[job, r]
        load = _amounts_held(np.concatenate((-amount, amount))[order], first_of_host)
        capacity = cluster.capacity[host, r]
        over = load > capacity * (1 + _SLACK)
        if over.any():
            at = int(np.argmax(over))
            broken.append(
                f"host {cluster.name(host[at])} holds {load[at]:.6g} of {capacity[at]:.6g} {resource} "
                f"at {time[at]:.6g} s ({np.unique(host[over]).size} hosts overfilled)"
            )
    return broken


def _amounts_held(change: Floats, first_of_host: np.ndarray) -> Floats:
    """What a host holds after each event: a running sum that begins anew with every host."""
    held = np.cumsum(change)
    before = np.where(first_of_host > 0, held[first_of_host - 1], 0.0)
    lengths = np.diff(np.append(first_of_host, change.size))
    return np.asarray(held - np.repeat(before, lengths))
