"""How full hosts were over time: the part of a resource in use, host by host and span by span."""

import numpy as np

from loadmaster.measure.task_intervals import TaskIntervals, task_intervals
from loadmaster.model.arrays import Floats, Longs
from loadmaster.model.cluster import Cluster
from loadmaster.model.schedule import Schedule
from loadmaster.model.workload import Workload


def occupancy(
    workload: Workload, cluster: Cluster, schedule: Schedule, resource: int, rows: int, spans: int
) -> tuple[Floats, Floats]:
    """The part of a resource in use, hosts in their order put together in rows of about as many hosts each.

    Args:
        workload: of the run.
        cluster: of it.
        schedule: of it.
        resource: its number.
        rows: at most so many.
        spans: equal spans of time from the first arrival to the last end.

    Returns:
        float64[spans + 1], the edges in seconds; float64[min(rows, H), spans], means from 0 to 1.

    Example:
        >>> import numpy as np
        >>> from loadmaster.model import Cycles
        >>> one = Workload.of(submit_s=[0, 0], runtime_s=[10, 5], cores=[1, 2])
        >>> none = np.array([], np.int64)
        >>> schedule = Schedule(np.array([0.0, 0.0]), np.array([0, 1]), Cycles(none * 1.0, none, none, none))
        >>> occupancy(one, Cluster.uniform(2, cores=2), schedule, 0, 2, 4)[1].tolist()
        [[0.5, 0.5, 0.5, 0.5], [1.0, 1.0, 0.0, 0.0]]
    """
    times = task_intervals(workload, schedule)
    edges = spans_of(workload, times, spans)
    many = min(rows, cluster.hosts)
    row_of = rows_of(cluster, many)
    used = averaged(row_of[times.host], times.start_s, times.end_s, workload.demand[times.job, resource], many, edges)
    return edges, part_of(used, row_of, cluster.capacity[:, resource])


def spans_of(workload: Workload, times: TaskIntervals, spans: int) -> Floats:
    """float64[spans + 1]: the edges of equal spans from the first arrival to the last end."""
    first_s = float(workload.submit_s[0]) if workload.jobs else 0.0
    last_s = float(np.fmax.reduce(times.end_s, initial=first_s))
    return np.linspace(first_s, last_s if last_s > first_s else first_s + 1.0, spans + 1)


def rows_of(cluster: Cluster, rows: int) -> Longs:
    """int64[H]: the row of each host, hosts in their order put together in rows of about as many each."""
    return np.arange(cluster.hosts) * rows // cluster.hosts


def averaged(row: Longs, start_s: Floats, end_s: Floats, amount: Floats, rows: int, edges: Floats) -> Floats:
    """float64[rows, B]: the mean of what is held in each of B equal spans, exactly.

    Args:
        row: int64[N], where each amount counts.
        start_s: float64[N], from when it is held.
        end_s: float64[N], until when.
        amount: float64[N].
        rows: how many there are.
        edges: float64[B + 1].

    Example:
        >>> one = np.array([0]), np.array([0.0]), np.array([5.0]), np.array([4.0])
        >>> averaged(*one, 1, np.array([0.0, 10.0, 20.0])).tolist()
        [[2.0, 0.0]]
    """
    spans = len(edges) - 1
    change = np.zeros(rows * (spans + 2))
    for at_s, sign in ((start_s, 1.0), (end_s, -1.0)):
        place = np.clip((at_s - edges[0]) / (edges[1] - edges[0]), 0.0, spans)
        span = place.astype(np.int64)
        cell = row * (spans + 2) + span
        change += np.bincount(cell, sign * amount * (span + 1 - place), len(change))
        change += np.bincount(cell + 1, sign * amount * (place - span), len(change))
    return np.maximum(np.cumsum(change.reshape(rows, spans + 2), axis=1)[:, :spans], 0.0)


def part_of(amount: Floats, row_of: Longs, capacity: Floats) -> Floats:
    """Amounts as parts of what the hosts of each row have, from 0 to 1; 0 where a row has nothing."""
    there = np.bincount(row_of, weights=capacity, minlength=len(amount)).astype(np.float64)[:, None]
    part = np.divide(amount, there, out=np.zeros_like(amount), where=there > 0)
    return np.clip(part, 0.0, 1.0)
