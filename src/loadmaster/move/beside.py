"""New tasks beside what runs: those that find room without any move, the first in their order first."""

from dataclasses import replace

import numpy as np

from loadmaster.move.change import State, TaskTransfer
from loadmaster.move.plan import MovePlan
from loadmaster.packing.fewer_tasks import tasks_alone
from loadmaster.packing.instance import TOLERANCE
from loadmaster.packing.level import host_use, level_of


def place_beside(state: State) -> tuple[State, MovePlan]:
    """The new tasks that first fit places beside what runs, where nothing else moves.

    Returns:
        The state without the new tasks that have no room, and the plan for it.
    """
    instance, scaled, host = state.instance, state.instance.scaled, state.host.copy()
    runs = host >= 0
    free = scaled.hard_room + TOLERANCE - host_use(scaled.hard[runs], host[runs], instance.hosts)
    for task in np.flatnonzero(~runs):
        fitting = np.flatnonzero((free >= scaled.hard[task]).all(axis=1))
        if fitting.size:
            host[task] = fitting[0]
            free[fitting[0]] -= scaled.hard[task]
    kept = host >= 0
    fewer = replace(state, instance=tasks_alone(instance, kept), host=state.host[kept])
    moves = tuple(TaskTransfer(t, -1, int(host[kept][t])) for t in np.flatnonzero(fewer.host < 0).tolist())
    level = level_of(fewer.instance, host[kept])
    return fewer, MovePlan("ok", moves, host[kept], level, 0.0, "first-fit", proven=False)
