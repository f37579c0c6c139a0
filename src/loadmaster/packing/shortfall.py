"""The reasons if not all tasks can be placed: the tasks that are too large for any host."""

import numpy as np

from loadmaster.model.arrays import Longs
from loadmaster.packing.instance import TOLERANCE, Instance


def fits_nowhere(instance: Instance) -> Longs:
    """int64[N]: the tasks that no host can hold even when empty."""
    hard, room = instance.scaled.hard, instance.scaled.hard_room
    kinds = room[:1] if instance.uniform else np.unique(room, axis=0)
    held = np.zeros(instance.tasks, bool)
    for kind in kinds:
        held |= (hard <= kind + TOLERANCE).all(axis=1)
    return np.flatnonzero(~held)
