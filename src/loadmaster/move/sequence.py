"""The order of moves: no host ever holds more than it can, not even while tasks are on their way."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush

import numpy as np

from loadmaster.model.arrays import Floats, Ints
from loadmaster.move.change import State, TaskTransfer, within
from loadmaster.packing.instance import TOLERANCE
from loadmaster.packing.level import host_use

MOST_STOPS = 100
"""So many temporary places, the last ones, are tried whether they can be left out."""


@dataclass(frozen=True, eq=False)
class SafeOrder:
    """Moves one after another.

    Attributes:
        moves: in order; a task that needs a temporary place moves twice.
        stuck: tasks that cannot get to their host without overfilling one, or within the budget.
        host: int32[T], where every task is after the moves.
        spent: what all the moves cost, temporary ones too.
    """

    moves: tuple[TaskTransfer, ...]
    stuck: tuple[int, ...]
    host: Ints
    spent: float


def in_safe_order(state: State, mapping: Ints, budget: float = np.inf) -> SafeOrder:
    """Moves from the present hosts to `mapping`, such that each target has room before its task arrives.

    A task holds its memory on both hosts until its move is done. Where moves wait for each other in a ring, the
    cheapest task that fits elsewhere goes to a temporary place, the emptiest host that has room, if that is still
    within the budget. New tasks start as soon as there is room, after the moves that can be made.
    """
    left = budget - state.spent(mapping)
    order = _safe_order(state, mapping, left)
    if order.stuck:
        return order
    for k in [k for k, move in enumerate(order.moves) if move.temporary][:-MOST_STOPS:-1]:
        shorter = _without_stop(order.moves, k)
        if carried_out(state, shorter) is not None:
            order = replace(order, moves=shorter, spent=spent_by(state, shorter))
    return order


def carried_out(state: State, moves: Sequence[TaskTransfer]) -> Ints | None:
    """int32[T]: where every task is after `moves`; None if one of them overfills its target or begins elsewhere."""
    hard, at = state.instance.scaled.hard, state.host.copy()
    old = at >= 0
    free = state.instance.scaled.hard_room + TOLERANCE - host_use(hard[old], at[old], state.instance.hosts)
    for move in moves:
        if at[move.task] != move.source or not (hard[move.task] <= free[move.target]).all():
            return None
        free[move.target] -= hard[move.task]
        if move.source >= 0:
            free[move.source] += hard[move.task]
        at[move.task] = move.target
    return at


def spent_by(state: State, moves: Sequence[TaskTransfer]) -> float:
    """What the moves cost, all of them."""
    return float(sum(state.cost[[move.task for move in moves if move.source >= 0]]))


def _without_stop(moves: tuple[TaskTransfer, ...], stop: int) -> tuple[TaskTransfer, ...]:
    """The moves without the temporary one at `stop`: its task stays until it moves on."""
    task, source = moves[stop].task, moves[stop].source
    on = next(k for k in range(stop + 1, len(moves)) if moves[k].task == task)
    return (*moves[:stop], *moves[stop + 1 : on], moves[on]._replace(source=source), *moves[on + 1 :])


def _safe_order(state: State, mapping: Ints, left: float) -> SafeOrder:
    hard = state.instance.scaled.hard
    at = state.host.copy()
    free = state.instance.scaled.hard_room + TOLERANCE
    old = at >= 0
    free = free - host_use(hard[old], at[old], state.instance.hosts)
    turn = sorted(np.flatnonzero(mapping != at).tolist(), key=lambda t: (at[t] < 0, -hard[t].max(initial=0.0)))
    waiting, moves = dict.fromkeys(turn), list[TaskTransfer]()
    coming: dict[int, list[int]] = {}  # host -> turns of the tasks that are to run there
    for k, task in enumerate(turn):
        coming.setdefault(int(mapping[task]), []).append(k)
    ask = list(range(len(turn)))  # a heap of turns that may have room: the others' targets have given up nothing since

    def go(task: int, to: int, temporary: bool = False) -> None:
        source = int(at[task])
        moves.append(TaskTransfer(task, source, to, temporary))
        free[to] -= hard[task]
        at[task] = to
        if source >= 0:
            free[source] += hard[task]
            for k in coming.get(source, ()):
                heappush(ask, k)

    cost = state.cost
    parked: set[int] = set()
    by_size = sorted(turn, key=lambda t: (cost[t], hard[t].max(initial=0.0)))
    while True:
        while ask:
            task = turn[heappop(ask)]
            if task in waiting and (hard[task] <= free[mapping[task]]).all():
                del waiting[task]
                go(task, int(mapping[task]))
        by_size = [t for t in by_size if t in waiting and t not in parked and at[t] >= 0]
        place = _temporary([t for t in by_size if within(cost[t], left)], at, free, hard)
        if place is None:
            return SafeOrder(tuple(moves), tuple(waiting), at, spent_by(state, moves))
        parked.add(place[0])
        left -= float(cost[place[0]])
        go(*place, temporary=True)


def _temporary(by_size: list[int], at: Ints, free: Floats, hard: Floats) -> tuple[int, int] | None:
    """(task, host): the first of `by_size` that fits somewhere else, and the emptiest such host; None if none does."""
    for task in by_size:
        able = np.flatnonzero((free >= hard[task]).all(axis=1))
        able = able[able != at[task]]
        if able.size:
            return task, int(able[int(np.argmax(free[able].min(axis=1)))])
    return None
