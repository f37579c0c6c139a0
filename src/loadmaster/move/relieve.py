"""Moves and swaps from the most loaded host that keep within a migration budget."""

import numpy as np

from loadmaster.model.arrays import Ints
from loadmaster.move.change import State
from loadmaster.move.relieve_kernel import MoveCosts, relieve_steps
from loadmaster.packing.deadline import NO_DEADLINE, Deadline
from loadmaster.packing.improve import search_state
from loadmaster.packing.improve_kernel import load_state

EFFORT = 80_000_000
"""Pairs of tasks and hosts, or of tasks, after which it stops on very large states; a second or two."""
SLICE = 5_000_000
"""Pairs between two looks at the deadline; about a tenth of a second."""


def relieve(state: State, start: Ints, budget: float, deadline: Deadline = NO_DEADLINE) -> Ints:
    """int32[T]: `start` after the best move, else the best swap, again and again while it lowers the highest load.

    The best is what leaves the lower peak on both hosts; a task that moves goes where the load is then least. Going
    back to where a task runs now gives back what its move cost. Hosts without fluid capacity are left alone.
    It ends at the deadline.
    """
    if not (state.instance.scaled.room > 0).all() or state.instance.tasks == 0:
        return start
    problem, now = search_state(state.instance)
    load_state(problem, now, start.astype(np.int64))
    ranked = np.argsort(now.peak, kind="stable")
    moving = MoveCosts(state.host.astype(np.int64), state.cost, ranked, np.argsort(ranked, kind="stable"))
    left, done = budget - state.spent(start), 0
    for _ in range(0, EFFORT, SLICE):
        left, done = relieve_steps(problem, now, moving, left, SLICE)
        if done or deadline.passed():
            break
    return now.host.astype(np.int32)
