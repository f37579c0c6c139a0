"""Single moves off the most loaded host, each to where there is room at once: any part of them can be carried out."""

import numpy as np

from loadmaster.model.arrays import Floats, Ints
from loadmaster.move.change import Move, State, within
from loadmaster.pack.instance import TOLERANCE
from loadmaster.pack.level import host_use

MOST_STEPS = 500
"""So many moves are enough of a last resort."""


def climb(state: State, start: Ints, budget: float) -> list[Move]:
    """Moves from the mapping `start`, each lowering the highest relative load, at a cost of at most `budget` in all.

    Each is the one that leaves the lower peak on both hosts; of equals the first task, the first host.
    """
    instance, scaled = state.instance, state.instance.scaled
    at, moves, spent = start.astype(np.int32).copy(), list[Move](), 0.0
    load = host_use(scaled.need, at, instance.hosts)
    free = scaled.hard_room + TOLERANCE - host_use(scaled.hard, at, instance.hosts)
    price = _price(state)
    while len(moves) < MOST_STEPS:
        mine = np.flatnonzero(at == int(np.argmax(_relative(load, scaled.room))))
        step = _best_step(state, load, free, [t for t in mine.tolist() if within(spent + float(price[t]), budget)])
        if step is None:
            break
        task, to = step
        source = int(at[task])
        moves.append(Move(task, source, to))
        for amounts, asked, sign in ((load, scaled.need, 1), (free, scaled.hard, -1)):
            amounts[to] += sign * asked[task]
            amounts[source] -= sign * asked[task]
        at[task] = to
        spent += float(price[task])
    return moves


def _price(state: State) -> Floats:
    """float64[T]: the cost of a move; a task that has just started stays."""
    return np.where(state.host >= 0, state.cost, np.inf)


def _best_step(state: State, load: Floats, free: Floats, tasks: list[int]) -> tuple[int, int] | None:
    """(task, host): of `tasks`, which are on the most loaded host; None if no move lowers the peak."""
    scaled = state.instance.scaled
    peak = _relative(load, scaled.room)
    top = int(np.argmax(peak))
    best, step = float(peak[top]) * (1 - 1e-9), None
    for task in tasks:
        less = float(_relative(load[top : top + 1] - scaled.need[task], scaled.room[top : top + 1])[0])
        able = (free >= scaled.hard[task]).all(axis=1)
        able[top] = False
        after = np.where(able, _relative(load + scaled.need[task], scaled.room), np.inf)
        to = int(np.argmin(after))
        if able[to] and max(less, float(after[to])) < best:
            best, step = max(less, float(after[to])), (int(task), to)
    return step


def _relative(load: Floats, room: Floats) -> Floats:
    """float64[H]: the largest of load / room over the resources; 0 where there is neither."""
    with np.errstate(divide="ignore", invalid="ignore"):
        relative: Floats = np.where(load > 0, load / room, 0.0).max(axis=1, initial=0.0)
    return relative
