"""How much of the cluster a schedule uses: over the whole run, and host by host."""

from dataclasses import dataclass

import numpy as np

from loadmaster.measure.little import horizon
from loadmaster.measure.task_intervals import task_intervals
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
        tasks: int64[H], tasks that ran on it, each time that they did.
        busy: float64[H, R], the part of each resource used in the time that `measured` names; 0 where it has none.
    """

    tasks: Longs
    busy: Floats


def host_use(workload: Workload, cluster: Cluster, schedule: Schedule) -> HostUse:
    """Tasks and use of every host."""
    first, last = measured(workload, schedule)
    times = task_intervals(workload, schedule)
    tasks = np.bincount(times.host, minlength=cluster.hosts)
    busy_s = np.fmin(times.end_s, last) - np.fmin(times.start_s, last)
    busy = np.empty(cluster.capacity.shape)
    for r in range(len(cluster.resources)):
        weights = busy_s * workload.demand[times.job, r]
        busy[:, r] = np.bincount(times.host, weights=weights, minlength=cluster.hosts)
    given = cluster.capacity * (last - first)
    return HostUse(tasks.astype(np.int64), np.divide(busy, given, out=np.zeros_like(busy), where=given > 0))


def _busy_s(workload: Workload, schedule: Schedule, until_s: float) -> Floats:
    """float64[J]: seconds that every job ran before `until_s`; 0 where it never started."""
    begin = np.fmin(schedule.start_s, until_s)  # fmin: a missing start becomes `until_s`, so it adds nothing
    end = np.fmin(schedule.ends_s(workload), until_s)
    busy_s = np.asarray(end - begin)
    cut = schedule.segments
    if cut is not None:
        earlier = np.fmin(cut.end_s, until_s) - np.fmin(cut.start_s, until_s)
        busy_s = busy_s + np.bincount(cut.job, earlier, minlength=workload.jobs)
    return busy_s
