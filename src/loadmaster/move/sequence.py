"""The order of moves: no host ever holds more than it can, not even while tasks are on their way."""

from dataclasses import dataclass

import numpy as np

from loadmaster.model.arrays import Floats, Ints
from loadmaster.move.change import Move, State
from loadmaster.pack.instance import TOLERANCE
from loadmaster.pack.level import host_use


@dataclass(frozen=True)
class Plan:
    """Moves one after another.

    Attributes:
        moves: in order; a task that needs a temporary place moves twice.
        stuck: tasks that cannot get to their host without overfilling one; they must be stopped and started again.
    """

    moves: tuple[Move, ...]
    stuck: tuple[int, ...] = ()


def in_safe_order(state: State, mapping: Ints) -> Plan:
    """Moves from the present hosts to `mapping`, such that each target has room before its task arrives.

    A task holds its memory on both hosts until its move is done. Where moves wait for each other in a ring, the
    smallest task that fits elsewhere goes to a temporary place, the emptiest host that has room. New tasks start
    as soon as there is room, after the moves that can be made.
    """
    hard = state.instance.scaled.hard
    at = state.host.copy()
    free = state.instance.scaled.hard_room + TOLERANCE
    old = at >= 0
    free = free - host_use(hard[old], at[old], state.instance.hosts)
    waiting = sorted(np.flatnonzero(mapping != at).tolist(), key=lambda t: (at[t] < 0, -hard[t].max(initial=0.0)))
    moves: list[Move] = []

    def go(task: int, to: int, temporary: bool = False) -> None:
        moves.append(Move(task, int(at[task]), to, temporary))
        free[to] -= hard[task]
        if at[task] >= 0:
            free[at[task]] += hard[task]
        at[task] = to

    parked: set[int] = set()
    while waiting:
        ready = next((t for t in waiting if (hard[t] <= free[mapping[t]]).all()), None)
        if ready is not None:
            go(ready, int(mapping[ready]))
            waiting.remove(ready)
            continue
        place = _temporary(waiting, at, free, hard, parked)
        if place is None:
            break
        parked.add(place[0])
        go(*place, temporary=True)
    return Plan(tuple(moves), tuple(waiting))


def _temporary(waiting: list[int], at: Ints, free: Floats, hard: Floats, parked: set[int]) -> tuple[int, int] | None:
    """(task, host): the smallest waiting task that is not parked yet and fits somewhere else; None if none does."""
    for task in sorted(waiting, key=lambda t: hard[t].max(initial=0.0)):
        if task in parked or at[task] < 0:
            continue
        able = np.flatnonzero((free >= hard[task]).all(axis=1))
        able = able[able != at[task]]
        if able.size:
            return task, int(able[int(np.argmax(free[able].min(axis=1)))])
    return None
