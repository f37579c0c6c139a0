"""What stands in the way where not all tasks can be placed: the tasks too large for any host, and how many do fit."""

import numpy as np

from loadmaster.model.arrays import Longs
from loadmaster.packing.instance import TOLERANCE, Instance

MOST_CELLS = 200_000_000
"""Tasks x hosts above which nobody waits for the count: a minute."""


def fits_nowhere(instance: Instance) -> Longs:
    """int64[N]: the tasks that no host can hold even when empty."""
    hard, room = instance.scaled.hard, instance.scaled.hard_room
    kinds = room[:1] if instance.uniform else np.unique(room, axis=0)
    held = np.zeros(instance.tasks, bool)
    for kind in kinds:
        held |= (hard <= kind + TOLERANCE).all(axis=1)
    return np.flatnonzero(~held)


def could_place(instance: Instance) -> int | None:
    """How many tasks best fit places, the smallest first: at least so many can run; None where counting takes long.

    Only what must fit in full counts, rigid demands and guaranteed shares.
    """
    if instance.tasks * instance.hosts > MOST_CELLS:
        return None
    hard = instance.scaled.hard
    free = instance.scaled.hard_room + TOLERANCE
    left = free.sum(axis=1)
    placed = 0
    for task in np.argsort(hard.max(axis=1, initial=0.0), kind="stable"):
        able = (free >= hard[task]).all(axis=1)
        if able.any():
            host = int(np.argmin(np.where(able, left, np.inf)))
            free[host] -= hard[task]
            left[host] -= hard[task].sum()
            placed += 1
    return placed
