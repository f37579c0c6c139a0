"""The one tuple that kernels of the compiled engine get, and its parts."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.order import JobColumns
from loadmaster.sim.queue.engine.ranked_state import Ranked
from loadmaster.sim.queue.engine.state import (
    CapacityFrontier,
    HeadPromise,
    Jobs,
    Log,
    QueueRules,
    QueueState,
    WaitingRows,
)


class Callbacks(NamedTuple):
    """The user's rules, compiled; the engine is compiled once for all of them and calls them through pointers.

    Attributes:
        scans, rates: each member's policy, as a walk over hosts and as a rating; the first fills unused places.
        rank: how an order ranks; ranks: how those of a twin's members do, None where there is no twin.
        update_priorities: passes events to an order; None in a basic run.
        serve, alone: a general pass, for the queue and for one row of it; None where there is none.
    """

    scans: Any
    rates: Any
    rank: Any
    ranks: Any
    update_priorities: Any
    serve: Any
    alone: Any


class QueueEngine(NamedTuple):
    """All that kernels of the engine get.

    Attributes:
        ranked: None in a basic run (`arrays.is_basic`); head_promise, ends: None there too.
        columns: what an order looks at, where ranks move; book: its state, where it tracks events.
        calls: the user's rules, None until they are compiled.
        The others: see their types.
    """

    jobs: Jobs
    capacity: NDArray[np.float64]
    rules: QueueRules
    state: QueueState
    waiting: WaitingRows
    ranked: Ranked | None
    frontier: CapacityFrontier
    head_promise: HeadPromise | None
    ends: Any
    scores: Any
    log: Log
    columns: JobColumns
    book: Any
    calls: Callbacks | None = None
