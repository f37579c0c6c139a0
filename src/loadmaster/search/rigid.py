"""A queue as the input of the search: jobs of known runtime that run once, whole, on classes of equal hosts."""

from dataclasses import dataclass, replace

import numpy as np

from loadmaster.model import Cluster, InputError, SiteRules, Workload
from loadmaster.model.arrays import Bools, Floats, Ints, Longs
from loadmaster.scheduling.resolved_constraints import ResolvedConstraints, binds, resolve_constraints


@dataclass(frozen=True, eq=False)
class Rigid:
    """J jobs on H hosts of C classes with R resources (rules D1 to D3).

    Attributes:
        row: int64[J], the row of each in its workload; jobs that can never run are not among them.
        ready_s: float64[J], when it may start at first: its arrival, or its begin time.
        late_s: float64[J], how long it must wait for that.
        lasts_s: float64[J, C], how long it runs on each class; infinite where it may not run or no task of it fits.
        demand: float64[J, R], of one task; tasks: int64[J].
        class_of: int32[H]; capacity: float64[C, R], of one host; hosts: int64[C], how many there are.
    """

    row: Longs
    ready_s: Floats
    late_s: Floats
    lasts_s: Floats
    demand: Floats
    tasks: Longs
    class_of: Ints
    capacity: Floats
    hosts: Longs

    @property
    def jobs(self) -> int:
        """Number of jobs, J."""
        return len(self.row)

    @property
    def classes(self) -> int:
        """Number of classes, C."""
        return len(self.hosts)

    @property
    def of_one_task(self) -> bool:
        """Whether every job has one task."""
        return bool((self.tasks == 1).all())


def rigid_of(workload: Workload, cluster: Cluster) -> Rigid:
    """The queue of `workload` on `cluster`, its hosts as one where that makes no difference (rules D1 to D3).

    Raises:
        InputError: as `host_by_host`.
    """
    return joined(host_by_host(workload, cluster))


def host_by_host(workload: Workload, cluster: Cluster) -> Rigid:
    """The queue of `workload` on `cluster`, as far as it binds every schedule.

    What only forbids (limits, dependencies, reservations, drained hosts) is left out: a schedule that keeps it is one
    of those that are looked at.

    Raises:
        InputError: jobs may be stopped and run again, so that a wait is more than one span; or no job can run.
    """
    workload.check_resources(cluster)
    workload.refuse_starting("the bound and the search begin on empty hosts")
    _refuse_stopping(cluster.rules or SiteRules())
    binding = resolve_constraints(workload, cluster) if binds(workload, cluster) else None
    ready_s = workload.submit_s if binding is None else binding.eligible_s
    row = np.arange(workload.jobs) if binding is None else np.flatnonzero(binding.never == 0)
    if not len(row):
        raise InputError("no job", "none of the jobs can ever run, so no schedule is best")
    sets, set_of = _host_sets(workload.jobs, cluster.hosts, binding)
    first, class_of, hosts = _classes(cluster, sets)
    assert cluster.speed is not None
    lasts_s = workload.runtime_s[row, None] / cluster.speed[first]
    fits = (workload.demand[row, None, :] <= cluster.capacity[first]).all(axis=2)
    may = sets[set_of[row]][:, first] & fits
    if not may.any(axis=1).all():
        job = int(row[np.argmin(may.any(axis=1))])
        raise InputError(f"job {workload.id_of(job)}", "no host that it may use holds a task of it", fix="leave it out")
    return Rigid(
        row,
        ready_s[row],
        (ready_s - workload.submit_s)[row],
        np.where(may, lasts_s, np.inf),
        workload.demand[row],
        workload.task_count[row].astype(np.int64),
        class_of,
        cluster.capacity[first],
        hosts,
    )


def joined(queue: Rigid) -> Rigid:
    """The same queue on one host, with one task a job, where that has the same schedules; else `queue` as it is.

    So it is on a single host; and on equal ones if no two tasks of whatever jobs fit on one, as then hosts are counted.
    """
    hosts, task = len(queue.class_of), queue.demand
    alone = queue.classes == 1 and bool((2.0 * task.min(axis=0) > queue.capacity[0]).any())
    if hosts == 1:
        demand, capacity = task * queue.tasks[:, None], queue.capacity
    elif alone:
        demand, capacity = queue.tasks[:, None].astype(float), np.array([[float(hosts)]])
    else:
        return queue
    if (demand > capacity[0]).any():
        return queue
    one = np.ones_like(queue.tasks)
    return replace(
        queue, demand=demand, tasks=one, class_of=np.zeros(1, np.int32), capacity=capacity, hosts=np.ones(1, np.int64)
    )


def _refuse_stopping(rules: SiteRules) -> None:
    fix = "compare without --bound, or without what stops jobs"
    if rules.preemption.by != "none":
        raise InputError("preemption", "the bound holds for jobs that run once, to their end", fix=fix)
    if any(each.kind == "down" for each in rules.calendar):
        raise InputError("hosts that go down", "the bound holds for jobs that run once, to their end", fix=fix)


def _host_sets(jobs: int, hosts: int, binding: ResolvedConstraints | None) -> tuple[Bools, Ints]:
    """Sets of hosts bool[S, H], and int32[J] the set in which each job may run in one entry or another."""
    if binding is None:
        return np.ones((1, hosts), bool), np.zeros(jobs, np.int32)
    entries = binding.entries
    sets: dict[tuple[int, ...], int] = {}
    set_of = np.zeros(jobs, np.int32)
    for job in range(jobs):
        span = slice(int(entries.first[job]), int(entries.first[job + 1]))
        rows = tuple(sorted(set(entries.hosts[span][~entries.closed[span]].tolist())))
        set_of[job] = sets.setdefault(rows, len(sets))
    return np.array([entries.allowed[list(rows)].any(axis=0) for rows in sets]), set_of


def _classes(cluster: Cluster, sets: Bools) -> tuple[Longs, Ints, Longs]:
    """The first host of each class int64[C], the class of each host int32[H], and how many each has int64[C]."""
    assert cluster.speed is not None
    alike = np.column_stack((cluster.capacity, cluster.speed, sets.T))
    _, first, class_of, hosts = np.unique(alike, axis=0, return_index=True, return_inverse=True, return_counts=True)
    return first, class_of.reshape(-1).astype(np.int32), hosts.astype(np.int64)
