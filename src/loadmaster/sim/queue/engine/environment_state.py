"""What an agent sees of the engine at a decision, as arrays that the kernel fills in place."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

DECIDING = 100
"""The engine waits for an action; a status beside those of `state`."""
FIXED_COLUMNS = 3
"""Columns of a waiting job before those of its demand: seconds waited, expected runtime in seconds, tasks."""
NOTHING = -1
"""No job stands in this row."""
NO_METRIC, WAIT, BOUNDED_SLOWDOWN = range(3)
"""What a start pays for."""
SHOWN, STARTABLE, FIRST, PROMISED, IN_MOMENT, REFUSED = range(6)
"""Jobs in the view; those that can start; the row of the first of them; the job with a promise, or -1; 1 while a moment
of the record is not closed; 1 if the last action requested a job that cannot start."""
NOW, REWARD, SHADOW = range(3)
"""The moment in seconds; what the last action paid; when the promise to the head is due, infinite without one."""


class AgentView(NamedTuple):
    """The view of an agent: W rows of waiting jobs, R resources.

    Attributes:
        jobs: float64[W, 3 + R]: seconds waited, expected runtime in seconds, tasks, demand of a task; 0 without a job.
        row: int64[W], the job in each row, -1 without one.
        startable: bool[W + 1], the job can start now; last: no job has to start.
        number: int64[6]; clock: float64[3]; see the constants above.
        promises: the first job that cannot start is promised a start, and no other may delay it.
        metric: what a start pays for; bound_s: shortest runtime in the bounded slowdown.
    """

    jobs: NDArray[np.float64]
    row: NDArray[np.int64]
    startable: NDArray[np.bool_]
    number: NDArray[np.int64]
    clock: NDArray[np.float64]
    promises: bool
    metric: int
    bound_s: float


def empty_view(window: int, resources: int, *, promises: bool, metric: int, bound_s: float) -> AgentView:
    """A view before the first decision: no job waits."""
    number = np.zeros(6, np.int64)
    number[PROMISED] = NOTHING
    return AgentView(
        np.zeros((window, FIXED_COLUMNS + resources)),
        np.full(window, NOTHING, np.int64),
        np.zeros(window + 1, np.bool_),
        number,
        np.array([0.0, 0.0, np.inf]),
        promises,
        metric,
        bound_s,
    )
