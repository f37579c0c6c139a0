"""The order of moves: no host ever holds more than it can, not even while tasks are on their way."""

from dataclasses import dataclass
from heapq import heappop, heappush

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
    turn = sorted(np.flatnonzero(mapping != at).tolist(), key=lambda t: (at[t] < 0, -hard[t].max(initial=0.0)))
    waiting, moves = dict.fromkeys(turn), list[Move]()
    coming: dict[int, list[int]] = {}  # host -> turns of the tasks that are to run there
    for k, task in enumerate(turn):
        coming.setdefault(int(mapping[task]), []).append(k)
    ask = list(range(len(turn)))  # a heap of turns that may have room: the others' targets have given up nothing since

    def go(task: int, to: int, temporary: bool = False) -> None:
        source = int(at[task])
        moves.append(Move(task, source, to, temporary))
        free[to] -= hard[task]
        at[task] = to
        if source >= 0:
            free[source] += hard[task]
            for k in coming.get(source, ()):
                heappush(ask, k)

    parked: set[int] = set()
    by_size = sorted(turn, key=lambda t: hard[t].max(initial=0.0))
    while True:
        while ask:
            task = turn[heappop(ask)]
            if task in waiting and (hard[task] <= free[mapping[task]]).all():
                del waiting[task]
                go(task, int(mapping[task]))
        by_size = [t for t in by_size if t in waiting and t not in parked and at[t] >= 0]
        place = _temporary(by_size, at, free, hard)
        if place is None:
            return Plan(tuple(moves), tuple(waiting))
        parked.add(place[0])
        go(*place, temporary=True)


def _temporary(by_size: list[int], at: Ints, free: Floats, hard: Floats) -> tuple[int, int] | None:
    """(task, host): the first of `by_size` that fits somewhere else, and the emptiest such host; None if none does."""
    for task in by_size:
        able = np.flatnonzero((free >= hard[task]).all(axis=1))
        able = able[able != at[task]]
        if able.size:
            return task, int(able[int(np.argmax(free[able].min(axis=1)))])
    return None
