"""Job arrays of which only so many tasks run at once (rule C6), by numbers."""

from dataclasses import dataclass

import numpy as np

from loadmaster.model import Constraints
from loadmaster.model.arrays import Longs


@dataclass(frozen=True, eq=False)
class ThrottledArrays:
    """A arrays that run fewer tasks at once than they have; other arrays do not appear here.

    Attributes:
        array: int64[J], the number of its array, -1 of none.
        seat: int64[J], its position in `member`.
        first: int64[A + 1], the tasks of array a are member[first[a]] up to member[first[a + 1]].
        member: int64[M], jobs, those of each array by their index.
        most: int64[A], so many run at once.
    """

    array: Longs
    seat: Longs
    first: Longs
    member: Longs
    most: Longs


def throttled_arrays(jobs: int, bound: Constraints) -> ThrottledArrays:
    """The throttled arrays of a log; if the tasks of an array state several numbers, the smallest counts."""
    nobody = np.full(jobs, -1, np.int64)
    throttle = np.zeros(jobs, np.int64) if bound.throttle is None or bound.array is None else bound.throttle
    member = np.flatnonzero((throttle > 0) & ((nobody if bound.array is None else bound.array) >= 0))
    code = nobody if bound.array is None else bound.array
    index = np.arange(jobs) if bound.array_task is None else bound.array_task
    member = member[np.lexsort((member, index[member], code[member]))]
    _, first, many = np.unique(code[member], return_index=True, return_counts=True)
    most = np.minimum.reduceat(throttle[member], first) if len(first) else first
    binds = many > most
    member, most, many = member[np.repeat(binds, many)], most[binds], many[binds]
    array, seat = nobody.copy(), np.zeros(jobs, np.int64)
    array[member], seat[member] = np.repeat(np.arange(len(most)), many), np.arange(len(member))
    return ThrottledArrays(array, seat, np.concatenate(([0], np.cumsum(many))), member, most)
