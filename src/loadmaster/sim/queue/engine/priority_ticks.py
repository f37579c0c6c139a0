"""Multifactor priorities as the compiled engine takes them: what it tells them, and the function that it calls.

The engine is compiled once for all orders, so that it receives this one through a pointer; what is behind it is
compiled where somebody uses it, and is idle otherwise.
"""

from functools import cache

import numpy as np

from loadmaster.model import Cluster, Workload
from loadmaster.order import AnyOrder, Multifactor
from loadmaster.order.multifactor.ranking import Priorities
from loadmaster.sim.queue.capabilities import tracks_events_of
from loadmaster.sim.queue.engine.priority_ticks_kernel import DIGIT, Book, Ticked
from loadmaster.sim.queue.engine.state import FAN, PendingEvents


def book_of(order: AnyOrder, workload: Workload, cluster: Cluster) -> Book:
    """The order as a log begins; one of no jobs, if the engine tells it nothing."""
    return (
        _book(order, workload, cluster)
        if isinstance(order, Multifactor) and tracks_events_of(order)
        else _unread_book()
    )


@cache
def _unread_book() -> Book:
    """A book that nobody looks into."""
    nobody = Workload(("cores",), np.zeros(0), np.zeros(0), np.zeros((0, 1)))
    return _book(Multifactor(), nobody, Cluster.uniform(1, cores=1))


def _book(order: Multifactor, workload: Workload, cluster: Cluster) -> Book:
    ranking = order.begin(workload, cluster)
    assert isinstance(ranking, Priorities)
    jobs, period_s = workload.jobs, float(ranking.period_s)
    # A job becomes a member when it comes, which it does once.
    ticked = Ticked(
        member=np.zeros(jobs, np.int32),
        key=np.zeros((2, jobs), np.int64),
        job=np.zeros((2, jobs), np.int32),
        begins=np.zeros(2**DIGIT, np.int64),
        number=np.zeros(2, np.int64),
        time_s=np.array([0.0, period_s]),
    )
    return Book(ranking.state, ticked)


def happened_of(order: AnyOrder, jobs: int) -> PendingEvents:
    """Nothing has happened yet; of no jobs, if the engine tells the order nothing. A job starts and ends once each."""
    jobs, period_s = (jobs, float(order.calc_period)) if isinstance(order, Multifactor) else (0, np.inf)
    return PendingEvents(np.zeros(2 * jobs, np.int32), np.zeros(2 * jobs), np.zeros(1, np.int64), np.full(1, period_s))


def positions(jobs: int) -> int:
    """So many positions are enough for both runs of a ticked order.

    A job has one position until all are sorted again, also if it has started; both runs are rounded up to blocks.
    """
    return 2 * (jobs + FAN)
