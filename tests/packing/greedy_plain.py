"""The plain reference of greedy placement: hosts ranked anew for every task, and a recursion that goes back."""

import numpy as np

from loadmaster.model.arrays import Ints, Longs
from loadmaster.packing.instance import TOLERANCE, Instance
from loadmaster.packing.level import host_use
from loadmaster.packing.switches import AttemptCounts


class OutOfAttempts(Exception):
    """Backtracking came to its limit."""


def place_plainly(
    instance: Instance, order: Longs, limit: int, backtrack: bool, counts: AttemptCounts
) -> tuple[Ints | None, int]:
    """The first complete mapping, int32[T], and the attempts made; None without one (rules K7 and K8)."""
    scaled = instance.scaled
    host = np.full(instance.tasks, -1, np.int32)
    attempts = 0

    def descend(depth: int) -> bool:
        nonlocal attempts
        if depth == instance.tasks:
            return True
        task, placed = order[depth], host >= 0
        load = host_use(scaled.need[placed], host[placed], instance.hosts) / scaled.room
        used = host_use(scaled.hard[placed], host[placed], instance.hosts)
        for candidate in np.argsort(load.max(axis=1, initial=0.0), kind="stable"):
            fits = bool((used[candidate] + scaled.hard[task] <= scaled.hard_room[candidate] + TOLERANCE).all())
            if backtrack and attempts >= limit:
                raise OutOfAttempts
            attempts += fits or counts == "examined"
            if not fits:
                continue
            host[task] = candidate
            if descend(depth + 1):
                return True
            host[task] = -1
            if not backtrack:
                return False
        return False

    try:
        return (host if descend(0) else None), attempts
    except OutOfAttempts:
        return None, attempts
