"""No move without a gain: what of a better mapping is needed for its level, and whether it is better at all."""

from dataclasses import replace

import numpy as np

from loadmaster.model.arrays import Ints
from loadmaster.move.change import GAIN, Change, State
from loadmaster.packing.instance import TOLERANCE
from loadmaster.packing.level import host_use

PASSES = 3
"""Every task that goes back makes room for others to go back."""


def worthwhile(state: State, change: Change) -> Change:
    """`change` without the moves that its level does not need; no moves at all if it is no better than what runs."""
    now = state.level
    if np.isnan(change.level):
        return change
    if not np.isnan(now) and change.level <= now + GAIN:
        return replace(change, host=state.host, level=now, spent=0.0)
    host = needed(state, change.host, change.level)
    return replace(change, host=host, spent=state.spent(host))


def needed(state: State, mapping: Ints, level: float) -> Ints:
    """int32[T]: `mapping` with every task left where it runs for which no host need give less than `level`.

    The dearest goes back first.
    """
    instance, scaled = state.instance, state.instance.scaled
    turn = instance.task_guarantee / instance.task_weight
    asked = np.hstack((scaled.need * np.maximum(turn, level)[:, None], scaled.hard))
    room = np.hstack((scaled.room * (1 + 1e-12), scaled.hard_room + TOLERANCE))
    host = mapping.astype(np.int32).copy()
    free = room - host_use(asked, host, instance.hosts)
    dearest = np.argsort(-state.cost, kind="stable")
    for _ in range(PASSES):
        back = [t for t in dearest.tolist() if state.host[t] not in (-1, host[t])]
        before = host.copy()
        for task in back:
            home = state.host[task]
            if (asked[task] <= free[home]).all():
                free[home] -= asked[task]
                free[host[task]] += asked[task]
                host[task] = home
        if np.array_equal(before, host):
            break
    return host
