"""What was stranded on hosts over time: free, and of no use to a typical task, host by host and span by span."""

import numpy as np

from loadmaster.measure.cards_held import cards_held
from loadmaster.measure.occupancy import averaged, part_of, rows_of, spans_of
from loadmaster.measure.task_intervals import task_intervals
from loadmaster.measure.timeline import typical_demand
from loadmaster.measure.usage import measured
from loadmaster.model.arrays import Floats, Longs
from loadmaster.model.cards import cards_wanted
from loadmaster.model.cluster import Cluster
from loadmaster.model.schedule import Schedule
from loadmaster.model.stranded import stranded_amounts
from loadmaster.model.units import GPUS
from loadmaster.model.workload import Workload


def stranding(
    workload: Workload, cluster: Cluster, schedule: Schedule, typical: Floats, rows: int, spans: int
) -> tuple[Floats, Floats]:
    """The part of each resource that was stranded, hosts in their order put together in rows, as `occupancy` has them.

    Of a resource it is what a host has left of it, while that is enough for a typical task and another resource of the
    same host, or the free part of its cards, is too short for one.

    Args:
        workload: of the run.
        cluster: of it.
        schedule: of it.
        typical: float64[R], what a typical task requests.
        rows: at most so many.
        spans: equal spans of time from the first arrival to the last end.

    Returns:
        float64[spans + 1], the edges in seconds; float64[R, min(rows, H), spans], means from 0 to 1.

    Example:
        >>> from loadmaster.model import Cycles
        >>> one = Workload.of(submit_s=[0], runtime_s=[10], cores=[4], memory_gb=[1])
        >>> none = np.array([], np.int64)
        >>> schedule = Schedule(np.array([0.0]), np.array([0]), Cycles(none * 1.0, none, none, none))
        >>> host = Cluster.uniform(1, cores=4, memory_gb=4)
        >>> stranding(one, host, schedule, np.array([1.0, 1.0]), 1, 2)[1].tolist()
        [[[0.0, 0.0]], [[0.75, 0.75]]]
    """
    edges = spans_of(workload, task_intervals(workload, schedule), spans)
    host, at_s, until_s, lost = _lost_over_time(workload, cluster, schedule, typical, edges)
    many = min(rows, cluster.hosts)
    row_of = rows_of(cluster, many)
    parts = [
        part_of(averaged(row_of[host], at_s, until_s, lost[:, r], many, edges), row_of, cluster.capacity[:, r])
        for r in range(len(cluster.resources))
    ]
    return edges, np.stack(parts)


def stranded_gpus(
    workload: Workload, cluster: Cluster, schedule: Schedule, between: tuple[float, float] | None = None
) -> Floats:
    """float64[H]: the mean of the GPUs that were stranded on each host.

    Args:
        workload: of the run.
        cluster: of it, with GPUs.
        schedule: of it.
        between: in which time; None is the one that `measured` names.

    Example:
        >>> from loadmaster.model import Cycles
        >>> two = Workload.of(submit_s=[0, 8], runtime_s=[4, 1], cores=[2, 2], gpus=[1, 1])
        >>> none = np.array([], np.int64)
        >>> schedule = Schedule(np.array([0.0, 8.0]), np.array([1, 0]), Cycles(none * 1.0, none, none, none))
        >>> stranded_gpus(two, Cluster.uniform(2, cores=2, gpus=4), schedule).tolist()
        [0.0, 1.5]
    """
    first_s, last_s = measured(workload, schedule) if between is None else between
    edges = np.array([first_s, last_s if last_s > first_s else first_s + 1.0])
    host, at_s, until_s, lost = _lost_over_time(workload, cluster, schedule, typical_demand(workload), edges)
    gpus = lost[:, cluster.resources.index(GPUS)]
    return averaged(host, at_s, until_s, gpus, cluster.hosts, edges)[:, 0]


def _lost_over_time(
    workload: Workload, cluster: Cluster, schedule: Schedule, typical: Floats, edges: Floats
) -> tuple[Longs, Floats, Floats, Floats]:
    """Spans of time in which nothing changes on a host: host, begin, end, and float64[N, R] what was stranded."""
    times = task_intervals(workload, schedule)
    demand, capacity, wanted, share = workload.demand[times.job], cluster.capacity, 0, 0.0
    cards = cards_held(workload, cluster, schedule, times.job, np.flatnonzero(schedule.host >= 0))
    if cards is not None:
        demand, capacity = np.hstack((demand, cards.held)), np.hstack((capacity, cards.empty))
        wanted, share = cards_wanted(float(typical[cards.column]))
    host = np.concatenate((np.arange(cluster.hosts), times.host, times.host))
    at_s = np.concatenate((np.full(cluster.hosts, edges[0]), times.start_s, times.end_s))
    taken = np.concatenate((np.zeros(capacity.shape), demand, -demand))
    order = np.lexsort((at_s, host))
    host, at_s = host[order], np.fmin(at_s[order], edges[-1])
    free = capacity[host] - np.cumsum(taken[order], axis=0)  # exact: what a host lent, it has back in the end
    until_s = np.append(np.where(host[1:] == host[:-1], at_s[1:], edges[-1]), edges[-1])
    return host.astype(np.int64), at_s, until_s, stranded_amounts(free, typical, wanted, share)
