"""How much of the cluster a schedule uses: over the whole run, and host by host."""

from dataclasses import dataclass

import numpy as np

from loadmaster.measure.little import horizon
from loadmaster.model.arrays import Floats, Longs, sum_of_products
from loadmaster.model.cluster import Cluster
from loadmaster.model.schedule import Schedule
from loadmaster.model.workload import Workload


def utilization(workload: Workload, cluster: Cluster, schedule: Schedule) -> dict[str, float]:
    """For each resource, the part of what the cluster could give that was used, in the time that `measured` names."""
    first, last = measured(workload, schedule)
    busy_s = _busy_s(workload, schedule, last) * workload.task_count
    used = np.array([sum_of_products(busy_s, workload.demand[:, r]) for r in range(len(workload.resources))])
    given = cluster.total * (last - first)
    return {name: float(used[r] / given[r]) if given[r] > 0 else 0.0 for r, name in enumerate(workload.resources)}


def measured(workload: Workload, schedule: Schedule) -> tuple[float, float]:
    """The time over which use is measured: from the first arrival to the last.

    What comes after the last arrival is left out: there the cluster only runs dry, whatever the policy. Where all jobs
    arrive at once there is no time between, and the whole run counts, until the last job ended.

    Example:
        >>> from loadmaster.model import Cycles
        >>> at_once = Workload.of(submit_s=[0, 0], runtime_s=[10, 5], cores=[1, 1])
        >>> none = np.array([], np.int64)
        >>> measured(at_once, Schedule(np.array([0.0, 0.0]), np.array([0, 0]), Cycles(none * 1.0, none, none, none)))
        (0.0, 10.0)
    """
    if workload.jobs == 0:
        return 0.0, 0.0
    first, last = float(workload.submit_s[0]), float(workload.submit_s[-1])
    return first, last if last > first else horizon(workload, schedule)


@dataclass(frozen=True, eq=False)
class HostUse:
    """What every host did.

    Attributes:
        tasks: int64[H], tasks that ran on it.
        busy: float64[H, R], the part of each resource used in the time that `measured` names; 0 where it has none.
    """

    tasks: Longs
    busy: Floats


def host_use(workload: Workload, cluster: Cluster, schedule: Schedule) -> HostUse:
    """Tasks and use of every host."""
    first, last = measured(workload, schedule)
    job = task_jobs(workload)
    placed = schedule.host >= 0
    host, job = schedule.host[placed], job[placed]
    tasks = np.bincount(host, minlength=cluster.hosts)
    busy_s = _busy_s(workload, schedule, last)[job]
    busy = np.empty(cluster.capacity.shape)
    for r in range(len(cluster.resources)):
        busy[:, r] = np.bincount(host, weights=busy_s * workload.demand[job, r], minlength=cluster.hosts)
    given = cluster.capacity * (last - first)
    return HostUse(tasks.astype(np.int64), np.divide(busy, given, out=np.zeros_like(busy), where=given > 0))


def task_jobs(workload: Workload) -> Longs:
    """int64[T]: the job to which every task belongs."""
    jobs = np.arange(workload.jobs, dtype=np.int64)
    return jobs if workload.tasks is None else np.repeat(jobs, workload.tasks)


def _busy_s(workload: Workload, schedule: Schedule, until_s: float) -> Floats:
    """float64[J]: seconds that every job ran before `until_s`; 0 where it never started."""
    begin = np.fmin(schedule.start_s, until_s)  # fmin: a missing start becomes `until_s`, so it adds nothing
    end = np.fmin(schedule.start_s + workload.runtime_s, until_s)
    return np.asarray(end - begin)
