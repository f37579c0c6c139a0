"""Use, stranded amounts and queue length over time, in so few points that a chart can show them.

Stranded, as the word is used for memory that no one can rent because the host's cores are all taken (Li et al.
2023, "Pond", section 2, ASPLOS): what is free of a resource on a host is *stranded* while there is enough of it
for a typical task, but another resource of the same host is too short for one. A typical task asks the median
demand over all tasks of the workload, resource by resource. So free memory is stranded on a host with no core left,
and free cores are stranded on a host whose memory is used up.

Differs from the paper: it goes one way only, from cores to memory; here every resource can strand every other.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from loadmaster.measure.held import held
from loadmaster.model.arrays import Floats
from loadmaster.model.cluster import Cluster
from loadmaster.model.cycles import Cycles
from loadmaster.model.schedule import Schedule
from loadmaster.model.workload import Workload

if TYPE_CHECKING:  # what shows kept runs loads no Numba
    from loadmaster.measure.timeline_kernel import Events


@dataclass(frozen=True, eq=False)
class Timeline:
    """The cluster's use in B equal spans of time, from the first arrival to the last start.

    Attributes:
        edges_s: float64[B + 1].
        used: float64[B, R], mean part of the whole cluster's capacity in use.
        lowest: float64[B, R], the least at any moment of the span.
        highest: float64[B, R], the most.
        stranded: float64[B, R], mean part of the whole cluster's capacity that was stranded.
    """

    edges_s: Floats
    used: Floats
    lowest: Floats
    highest: Floats
    stranded: Floats

    def mean_stranded(self, until_s: float) -> Floats:
        """float64[R]: the mean of `stranded` over the spans that begin before `until_s`, the first one at least."""
        spans = max(int(np.searchsorted(self.edges_s[:-1], until_s)), 1)
        return np.asarray(self.stranded[:spans].mean(axis=0))


def timeline(workload: Workload, cluster: Cluster, schedule: Schedule, bins: int = 1000) -> Timeline:
    """Sweep over starts and ends in the order of time.

    The number of spans, `bins`, does not change the cost.
    """
    from loadmaster.measure.timeline_kernel import Sums, sweep

    first = float(workload.submit_s[0]) if workload.jobs else 0.0
    last = float(np.fmax.reduce(schedule.start_s, initial=first))
    edges = np.linspace(first, last if last > first else first + 1.0, bins + 1)
    events = task_events(workload, cluster, schedule)
    shape = (bins, len(cluster.resources))
    sums = Sums(np.zeros(shape), np.full(shape, np.inf), np.full(shape, -np.inf), np.zeros(shape))
    sweep(events, edges[0], edges[1] - edges[0], sums)
    total = np.where(cluster.total > 0, cluster.total, 1.0)
    return Timeline(edges, sums.used / total, sums.lowest / total, sums.highest / total, sums.stranded / total)


def task_events(workload: Workload, cluster: Cluster, schedule: Schedule) -> "Events":
    """The columns that the sweep reads: started tasks in the order of their starts and of their ends."""
    from loadmaster.measure.timeline_kernel import Events

    times = held(workload, schedule)
    start, end = times.start_s, times.end_s
    return Events(
        start,
        end,
        np.argsort(start, kind="stable").astype(np.int32),
        np.argsort(end).astype(np.int32),
        np.asarray(times.job, np.int32),
        times.host,
        workload.demand,
        cluster.capacity.copy(),
        typical_demand(workload),
    )


def typical_demand(workload: Workload) -> Floats:
    """float64[R]: the median demand over all tasks, resource by resource.

    Example:
        >>> typical_demand(Workload.of(submit_s=[0, 0], runtime_s=[1, 1], cores=[1, 4], tasks=[3, 1])).tolist()
        [1.0]
    """
    if workload.jobs == 0:
        return np.zeros(len(workload.resources))
    if workload.tasks is None:
        return np.asarray(np.median(workload.demand, axis=0))
    typical = np.empty(len(workload.resources))
    for r in range(typical.size):
        order = np.argsort(workload.demand[:, r], kind="stable")
        weight = np.cumsum(workload.tasks[order], dtype=np.float64)
        typical[r] = workload.demand[order[np.searchsorted(weight, weight[-1] / 2)], r]
    return typical


@dataclass(frozen=True, eq=False)
class QueueSeries:
    """The queue's length over time, thinned so that every peak and every trough is kept.

    Attributes:
        time_s: float64[P].
        length: int64[P].
    """

    time_s: Floats
    length: Floats


def queue_series(cycles: Cycles, points: int = 2000) -> QueueSeries:
    """The queue as each cycle found it, at most `points` of them: the lowest and highest of equal spans of time."""
    time, length = cycles.time_s, cycles.queue_length
    if time.size <= points:
        return QueueSeries(time, length.astype(float))
    keep = lowest_and_highest(time, length.astype(float), points // 2)
    return QueueSeries(time[keep], length[keep].astype(float))


def lowest_and_highest(time: Floats, value: Floats, spans: int) -> np.ndarray:
    """Ascending indices of the lowest and the highest `value` in each of `spans` equal spans of `time`.

    Example:
        >>> lowest_and_highest(np.arange(6.0), np.array([1.0, 9.0, 2.0, 5.0, 0.0, 5.0]), 2).tolist()
        [0, 1, 4, 5]
    """
    width = (time[-1] - time[0]) / spans
    span = np.minimum((time - time[0]) / width if width > 0 else np.zeros(time.size), spans - 1).astype(np.int64)
    first = np.flatnonzero(np.diff(span, prepend=-1))
    order = np.lexsort((value, span))
    last = np.append(first[1:], time.size) - 1
    return np.unique(np.concatenate((order[first], order[last])))
