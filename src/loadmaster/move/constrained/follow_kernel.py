"""Moves made one after another, each only if it finds room and breaks no rule while all other tasks stay, compiled."""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.jit.kernels import cached_njit
from loadmaster.packing.constrained.exchange_kernel import exchange
from loadmaster.packing.constrained.layout import TOTAL
from loadmaster.packing.constrained.state_kernel import fits, put, rules_hold_at, take

WHATEVER_IT_COSTS = np.int64(1) << 60


@cached_njit(nogil=True, error_model="numpy")
def follow(model, state, path, task, goal, cost):
    """Move or start each task[k] on goal[k], int64[N]; int64[N] `cost` gets the total after it, or -1 if it waits.

    Returns:
        How many were made.
    """
    made = 0
    for k in range(task.shape[0]):
        t, h = task[k], goal[k]
        cost[k] = -1
        if state.host[t] < 0:
            if not fits(model, state, h, t, -1):
                continue
            put(model, state, t, h)
            if not rules_hold_at(model, state, t, h):
                take(model, state, t)
                continue
        else:
            path.task[0] = t
            if not exchange(model, state, path, 1, h, WHATEVER_IT_COSTS):
                continue
        cost[k] = state.totals[TOTAL]
        made += 1
    return made
