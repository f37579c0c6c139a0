"""The arrays of waiting jobs whose ranks change: the queue by rank, and the events that their order tracks."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class PendingEvents(NamedTuple):
    """Events that an order has not processed yet; without room under an order that tracks none.

    Attributes:
        job: int32[2 J], in the order of time: a job that has started, or -1 minus one that has ended; time_s:
            float64[2 J], when.
        number: int64[1], how many.
        due_s: float64[1], the next tick.
    """

    job: NDArray[np.int32]
    time_s: NDArray[np.float64]
    number: NDArray[np.int64]
    due_s: NDArray[np.float64]


class Ranked(NamedTuple):
    """The waiting jobs under an order whose ranks change at every pass; empty under any other.

    Under a ticked order `queue` holds the jobs that have arrived since the order was last asked.

    Attributes:
        queue: int32[J], the waiting jobs in no order; where: int32[J], where each stands there.
        cores, memory, whole, expected_s: float64[J] each, what a task requests, cores of all tasks, and how long they
            may run, beside `queue`.
        rank: float64[J], their ranks in this pass, beside `queue`.
        key, job: float64[J], int32[J], heap of the jobs that are looked at next.
        bound: float64[1], all of a lower or equal rank are in the heap, or were looked at, or have no room.
        sample: float64[64], scratch.
        behind: int32[J], beside `key`, heap of those behind the head, shortest first, by where they stand in `job`.
        number: int64[6], see the constants below.
        happened: the events that the order has not processed.
    """

    queue: NDArray[np.int32]
    where: NDArray[np.int32]
    cores: NDArray[np.float64]
    memory: NDArray[np.float64]
    whole: NDArray[np.float64]
    expected_s: NDArray[np.float64]
    rank: NDArray[np.float64]
    key: NDArray[np.float64]
    job: NDArray[np.int32]
    bound: NDArray[np.float64]
    sample: NDArray[np.float64]
    behind: NDArray[np.int32]
    number: NDArray[np.int64]
    happened: PendingEvents


MANY, SIZE, WANTED, MISSES, TIER, BEHIND = range(6)
"""Waiting jobs; size of the heap; jobs that are to come into it next; jobs without room met in it; the tier; jobs that
stand in `job` by falling rank, where the shortest goes first."""
