"""The arrays of the compiled room: free capacity, hosts that may be used, and demands that do not fit."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.model.arrays import Bools, Floats, Ints, Longs

FAILURE = np.dtype([("number", "i8"), ("tasks", "i8"), ("long_number", "i8")], align=True)
"""The pass in which a demand failed, and with how many tasks; the pass in which no host had room for one task of it
that outlasts the promised moment."""


class RoomArrays(NamedTuple):
    """H hosts, C sets of hosts, K demands, U tasks of the largest job.

    Attributes:
        free: float64[H, R].
        open: bool[H], not taken out of this pass; usable: bool[H], scratch: hosts for the task at hand.
        reserved: int32[H], the hosts reserved in this pass, in that order.
        host: int32[U], the hosts of the row at hand; before: float64[U, R], what they had.
        held, taken: int64[H], bool[H], count: int64[U + 1], scratch: how many tasks of the row each host holds, whether
            it has one already, and how many hosts hold so many.
        failed: FAILURE[C, K].
        most: float64[1], the most of the first resource on any open host; memory: float64[S], of the second on any with
            so many whole units of the first: upper bounds.
        tally: int64[8], see below.
    """

    free: Floats
    open: Bools
    usable: Bools
    reserved: Ints
    host: Ints
    before: Floats
    held: Longs
    taken: Bools
    count: Longs  # type: ignore[assignment]  # no code calls `count` of a room
    failed: NDArray[np.void]
    most: Floats
    memory: Floats
    tally: Longs


LAST_HOST, RESERVED, SHUT, ROOM_PASS, CHANGES, FRESH, WRONG, MISSES = range(8)
"""The host of the last task; hosts reserved; hosts not open; the number of the pass, another one after hosts were
opened again; starts so far, and those after which `most` and `memory` were made anew; a score was no finite number;
failures since the bounds were made."""
