"""The one tuple that kernels of the compiled engine are handed, and what it is made of."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.order import JobColumns
from loadmaster.sim.queue.engine.state import (
    CapacityFrontier,
    HeadPromise,
    Jobs,
    Log,
    QueueRules,
    QueueState,
    Ranked,
    WaitingRows,
)


class Callbacks(NamedTuple):
    """The user's rules, compiled, which the engine calls through pointers: it is compiled once for all of them.

    Attributes:
        scans, rates: each member's policy, as a walk over hosts and as a rating; the first fills what is left over.
        rank: how an order ranks; ranks: how those of a twin's members do, None where there is no twin.
        update_priorities: how an order learns what has happened.
        serve, alone: a pass over the compiled scheduling pass, for the queue and for one row of it; None where there is
        none.
    """

    scans: Any
    rates: Any
    rank: Any
    ranks: Any
    update_priorities: Any
    serve: Any
    alone: Any


class QueueEngine(NamedTuple):
    """All that kernels of the engine are handed.

    Attributes:
        columns: what an order looks at, where ranks move; book: what it remembers, where it is told what happens.
        calls: the user's rules, None until they are compiled.
        The others: see their types.
    """

    jobs: Jobs
    capacity: NDArray[np.float64]
    rules: QueueRules
    state: QueueState
    waiting: WaitingRows
    ranked: Ranked
    frontier: CapacityFrontier
    head_promise: HeadPromise
    ends: Any
    scores: Any
    log: Log
    columns: JobColumns
    book: Any
    calls: Callbacks | None = None
