"""The steady state of a run's queue and its means there, or that the queue never settles (rules R13 to R15).

A log begins with empty machines and ends with a queue without arrivals. Both make the mean wait shorter than that of
the same users on the same machines in the long run.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from loadmaster.measure.little import spans_in_queue
from loadmaster.model.arrays import Floats
from loadmaster.model.schedule import Schedule
from loadmaster.model.workload import Workload

POINTS = 1000
PARTS = 5
FEWEST_JOBS = 100
"""Of fewer jobs nothing is said."""


@dataclass(frozen=True)
class Steady:
    """A run without its warm-up and without the drain after the last arrival; seconds from the start of the log.

    Attributes:
        warm_up_s: from the first arrival until the queue has settled, by MSER; None where it never does.
        drain_s: from the last arrival until the last job starts.
        mean_wait_s: the queue's mean over the rate of arrivals, between the warm-up and the last arrival; by Little's
            law what a job waits there. None where the queue never settles.
        mean_queue_length: the mean over the same time.
        overloaded: the queue only grows: the longer the log, the longer the mean wait.
    """

    warm_up_s: float | None
    drain_s: float
    mean_wait_s: float | None
    mean_queue_length: float | None
    overloaded: bool


def steady(workload: Workload, schedule: Schedule) -> Steady:
    """Find the warm-up and measure what lies behind it.

    Example:
        >>> from loadmaster.model import Cycles
        >>> none = np.array([], np.int64)
        >>> submit = np.arange(200.0)
        >>> log = Workload.of(submit_s=submit, runtime_s=np.ones(200), cores=np.ones(200))
        >>> at_once = Schedule(submit + 3.0, np.zeros(200, np.int32), Cycles(none.astype(float), none, none, none))
        >>> found = steady(log, at_once)
        >>> round(found.mean_wait_s, 1), found.overloaded, found.drain_s
        (3.0, False, 3.0)
    """
    if not workload.jobs:
        return Steady(None, 0.0, None, None, False)
    first, last = float(workload.submit_s[0]), float(workload.submit_s[-1])
    drain = float(np.fmax.reduce(schedule.start_s, initial=last)) - last
    if not may_settle(workload):
        return Steady(None, drain, None, None, False)
    edges = np.linspace(first, last, POINTS + 1)
    queue = mean_queue(workload, schedule, edges)
    cut = mser(queue)
    grows = only_grows(queue)
    if cut is None or grows:
        return Steady(None, drain, None, None, grows)
    length = float(queue[cut:].mean())
    arrivals = int((workload.submit_s >= edges[cut]).sum())
    wait = length * (last - float(edges[cut])) / arrivals if arrivals else 0.0
    return Steady(float(edges[cut] - first), drain, wait, length, False)


def may_settle(workload: Workload) -> bool:
    """Whether anything is said of a log: it has jobs enough, and they do not all come at once."""
    return workload.jobs >= FEWEST_JOBS and bool(workload.submit_s[-1] > workload.submit_s[0])


def mean_queue(workload: Workload, schedule: Schedule, edges: Floats) -> Floats:
    """float64[B]: the mean number of waiting jobs in each span between `edges`; one never started waits on."""
    enter, leave = (np.sort(times_s) for times_s in spans_in_queue(workload, schedule, float(edges[-1])))
    return np.diff(_ahead(enter, edges) - _ahead(leave, edges)) / np.diff(edges)


def _ahead(moments: Floats, edges: Floats) -> Floats:
    """float64[B + 1]: the integral up to each edge of how many of the ascending `moments` have passed."""
    passed = np.searchsorted(moments, edges, side="right")
    total = np.concatenate(([0.0], np.cumsum(moments)))
    return np.asarray(passed * edges - total[passed])


def mser(series: Floats) -> int | None:
    """How much to cut off the beginning of `series` (White 1997, marginal standard error rule, batches of five).

    Of all cuts up to the half, the one that leaves the least variance over the number left. None where that is the half
    itself: then nothing has settled. Later ones are not looked at: a few equal batches at the end are always less.

    Example:
        >>> mser(np.concatenate((np.arange(50.0), np.full(450, 50.0))))
        50
    """
    batch = 5
    means = series[: series.size // batch * batch].reshape(-1, batch).mean(axis=1)
    left = np.arange(means.size, 0, -1)
    tail = np.cumsum(means[::-1])[::-1]
    squares = np.cumsum((means**2)[::-1])[::-1]
    error = np.maximum(squares - tail**2 / left, 0.0) / left**2
    half = means.size // 2
    best = int(np.argmin(error[: half + 1]))
    return None if best == half and half else best * batch


def only_grows(queue: Floats) -> bool:
    """Whether in every fifth of the time the least queue is above the mean of the fifth before.

    Example:
        >>> only_grows(np.arange(100.0)), only_grows(np.tile(np.arange(10.0), 10))
        (True, False)
    """
    parts = np.array_split(queue, PARTS)
    return all(float(after.min()) > float(before.mean()) for before, after in pairwise(parts))
