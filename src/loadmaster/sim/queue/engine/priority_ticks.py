"""Multifactor priorities as the compiled engine takes them: the events that they get, and the function that it calls.

The engine is compiled once for all orders, and calls this function through a pointer. The function is compiled only in
a run that uses it.
"""

from functools import cache

import numpy as np

from loadmaster.model import Cluster, Workload
from loadmaster.order import AnyOrder, Multifactor
from loadmaster.order.multifactor.ranking import Priorities
from loadmaster.sim.queue.capabilities import tracks_events_of
from loadmaster.sim.queue.engine.priority_ticks_kernel import DIGIT, Book, Ticked
from loadmaster.sim.queue.engine.ranked_state import PendingEvents
from loadmaster.sim.queue.engine.state import FAN


def book_of(order: AnyOrder, workload: Workload, cluster: Cluster) -> Book:
    """The state of the order at the beginning of a log; a state without jobs if the order tracks no events."""
    return (
        _ticked_priorities(order, workload, cluster)
        if isinstance(order, Multifactor) and tracks_events_of(order)
        else _unread_book()
    )


@cache
def _unread_book() -> Book:
    """A state that is never read."""
    nobody = Workload(("cores",), np.zeros(0), np.zeros(0), np.zeros((0, 1)))
    return _ticked_priorities(Multifactor(), nobody, Cluster.uniform(1, cores=1))


def _ticked_priorities(order: Multifactor, workload: Workload, cluster: Cluster) -> Book:
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


def empty_events(order: AnyOrder, jobs: int) -> PendingEvents:
    """An empty list of events; without room if the order tracks none. A job starts once and ends once."""
    jobs, period_s = (jobs, float(order.calc_period)) if isinstance(order, Multifactor) else (0, np.inf)
    return PendingEvents(np.zeros(2 * jobs, np.int32), np.zeros(2 * jobs), np.zeros(1, np.int64), np.full(1, period_s))


def positions(jobs: int) -> int:
    """The number of positions that is enough for both runs of a ticked order.

    A job keeps its position until all are sorted again, even after its start; both runs are rounded up to blocks.
    """
    return 2 * (jobs + FAN)
