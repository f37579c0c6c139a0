"""What the compiled engine keeps for a twin: its members, and a second set of arrays in which they are tried."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.sim.queue.engine_state import QueueEngine
from loadmaster.sim.queue.queue_state import QueueRules


class TwinArrays(NamedTuple):
    """A twin of M members.

    Attributes:
        look: where a queue is worked off; its jobs run as long as they are expected to.
        rules: of each member; the first fills what is left over.
        counts: float64[M], how often the mean wait under each member counts.
        every_s: seconds from look to look.
        due_s: float64[1], the next look.
        member: int64[1], the member that is followed, -1 before the first look.
        waits: int32[J], the jobs that wait at a look, by number.
        started: int64[M], how many of them ever start under each member; wait_s: float64[M], their waits in all.
    """

    look: QueueEngine
    rules: tuple[QueueRules, ...]
    counts: NDArray[np.float64]
    every_s: float
    due_s: NDArray[np.float64]
    member: NDArray[np.int64]
    waits: NDArray[np.int32]
    started: NDArray[np.int64]
    wait_s: NDArray[np.float64]
