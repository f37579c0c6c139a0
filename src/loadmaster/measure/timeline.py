"""Use, stranded amounts and queue length over time, in so few points that a chart can show them.

Stranded, as the word is used for memory that no one can rent because the host's cores are all taken (Li et al.
2023, "Pond", section 2, ASPLOS): what is free of a resource on a host is *stranded* while there is enough of it
for a typical task, but another resource of the same host is too short for one. A typical task requests the median
demand over all tasks of the workload, resource by resource. So free memory is stranded on a host with no core left,
and free cores are stranded on a host whose memory is used up. Where GPUs are cards (rule Q22), too few cards with
enough free are too short as well.

Differs from the paper: it goes one way only, from cores to memory; here every resource can strand every other.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from loadmaster.measure.cards_held import cards_held
from loadmaster.measure.little import horizon, spans_in_queue
from loadmaster.measure.task_intervals import task_intervals
from loadmaster.model.arrays import Floats
from loadmaster.model.cards import cards_wanted
from loadmaster.model.cluster import Cluster
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
    from loadmaster.measure.timeline_kernel import empty_sums, sweep

    first = float(workload.submit_s[0]) if workload.jobs else 0.0
    last = float(np.fmax.reduce(schedule.start_s, initial=first))
    edges = np.linspace(first, last if last > first else first + 1.0, bins + 1)
    events = task_events(workload, cluster, schedule)
    sums = empty_sums(bins, len(cluster.resources))
    sweep(events, edges[0], edges[1] - edges[0], sums)
    total = np.where(cluster.total > 0, cluster.total, 1.0)
    return Timeline(edges, sums.used / total, sums.lowest / total, sums.highest / total, sums.stranded / total)


def task_events(workload: Workload, cluster: Cluster, schedule: Schedule) -> "Events":
    """The columns that the sweep reads: started tasks in the order of their starts and of their ends."""
    from loadmaster.measure.timeline_kernel import Events

    times, typical = task_intervals(workload, schedule), typical_demand(workload)
    start, end = times.start_s, times.end_s
    row, demand, free = np.asarray(times.job, np.int32), workload.demand, cluster.capacity.copy()
    cards = cards_held(workload, cluster, schedule, times.job, np.flatnonzero(schedule.host >= 0))
    wanted, share = 0, 0.0
    if cards is not None:
        demand, free = np.hstack((demand[row], cards.held)), np.hstack((free, cards.empty))
        row, (wanted, share) = np.arange(len(row), dtype=np.int32), cards_wanted(float(typical[cards.column]))
    return Events(
        start,
        end,
        np.argsort(start, kind="stable").astype(np.int32),
        np.argsort(end).astype(np.int32),
        row,
        times.host,
        demand,
        free,
        typical,
        wanted,
        share,
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


QUEUE_POINTS = 2000
"""So many moments of the queue are kept of a run."""


@dataclass(frozen=True, eq=False)
class QueueSeries:
    """How many jobs wait: `length[i]` from `time_s[i]` to the next moment.

    Attributes:
        time_s: float64[P], ascending.
        length: float64[P].
    """

    time_s: Floats
    length: Floats

    def thinned(self, points: int) -> "QueueSeries":
        """The same in at most `points` moments; see `thinned`."""
        return QueueSeries(*thinned(self.time_s, self.length, points))

    def between(self, from_s: float, to_s: float) -> "QueueSeries":
        """The part of it from one moment to another, with what holds at both."""
        inside = (self.time_s > from_s) & (self.time_s < to_s)
        ends = np.array([0.0, *self.length])[np.searchsorted(self.time_s, [from_s, to_s], side="right")]
        time_s = np.concatenate(([from_s], self.time_s[inside], [to_s]))
        return QueueSeries(time_s, np.concatenate((ends[:1], self.length[inside], ends[1:])))


def queue_series(workload: Workload, schedule: Schedule) -> QueueSeries:
    """How many jobs are in the queue after all that happens at each moment, as `spans_in_queue` says.

    Example:
        >>> from loadmaster.model import Cycles
        >>> jobs, none = Workload.of(submit_s=[0, 4], runtime_s=[9, 9], cores=[1, 1]), np.array([], np.int64)
        >>> queue_series(jobs, Schedule(np.array([0.0, 9.0]), np.array([0, 0]), Cycles(none * 1.0, *[none] * 3))).length
        array([0., 1., 0.])
    """
    moments_s = np.concatenate(spans_in_queue(workload, schedule, horizon(workload, schedule)))
    return QueueSeries(*running_sum(moments_s, np.repeat([1.0, -1.0], moments_s.size // 2)))


def running_sum(at_s: Floats, change: Floats) -> tuple[Floats, Floats]:
    """Each moment once, ascending, and the sum of the changes up to it.

    Example:
        >>> moments_s, values = running_sum(np.array([5.0, 0.0, 5.0]), np.array([-1.0, 2.0, 3.0]))
        >>> moments_s.tolist(), values.tolist()
        ([0.0, 5.0], [2.0, 4.0])
    """
    moments_s, at = np.unique(at_s, return_inverse=True)
    return moments_s, np.cumsum(np.bincount(at, change, minlength=moments_s.size))


def thinned(time: Floats, value: Floats, points: int) -> tuple[Floats, Floats]:
    """At most `points` of a series: of each of equal spans of time the lowest, the highest and the last.

    Example:
        >>> thinned(np.arange(6.0), np.array([1.0, 9.0, 2.0, 5.0, 0.0, 4.0]), 6)[0].tolist()
        [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
        >>> thinned(np.arange(6.0), np.array([1.0, 9.0, 2.0, 5.0, 0.0, 4.0]), 3)[0].tolist()
        [1.0, 4.0, 5.0]
    """
    if time.size <= points:
        return time, value
    spans = max(points // 3, 1)
    width = (time[-1] - time[0]) / spans
    span = np.minimum((time - time[0]) / width if width > 0 else np.zeros(time.size), spans - 1).astype(np.int64)
    first = np.flatnonzero(np.diff(span, prepend=-1))
    last = np.append(first[1:], time.size) - 1
    order = np.lexsort((value, span))
    keep = np.unique(np.concatenate((order[first], order[last], last)))
    return time[keep], value[keep]
