"""Moves and swaps off the most loaded host that can be carried out at once: any part of them is a plan of its own."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from loadmaster.model.arrays import Floats, Ints
from loadmaster.move.change import State, TaskTransfer, within
from loadmaster.packing.deadline import NO_DEADLINE, Deadline
from loadmaster.packing.instance import TOLERANCE, Scaled
from loadmaster.packing.level import host_use

MOST_STEPS = 500
"""So many moves are enough of a last resort."""
MOST_LOOKS = 20
"""Of the best swaps of a task so many are looked at for a way to carry them out."""


@dataclass(eq=False)
class _Now:
    """Where every task is, int32[T], the load float64[H, F] and what is free float64[H, D]; changed by `make`."""

    scaled: Scaled
    at: Ints
    load: Floats
    free: Floats

    def make(self, move: TaskTransfer) -> None:
        for amounts, asked, sign in ((self.load, self.scaled.need, 1), (self.free, self.scaled.hard, -1)):
            amounts[move.target] += sign * asked[move.task]
            amounts[move.source] -= sign * asked[move.task]
        self.at[move.task] = move.target


def climb(state: State, start: Ints, budget: float, deadline: Deadline = NO_DEADLINE) -> list[TaskTransfer]:
    """Moves from the mapping `start`, step by step to a lower highest load, at a cost of at most `budget` in all.

    A step moves a task off the most loaded host, or swaps it with another, if need be over a temporary place: the one
    that leaves the lowest peak on both hosts; a move before a swap, of equals the first task. It ends at the deadline.
    """
    scaled, hosts = state.instance.scaled, state.instance.hosts
    free = scaled.hard_room + TOLERANCE - host_use(scaled.hard, start, hosts)
    now = _Now(scaled, start.astype(np.int32).copy(), host_use(scaled.need, start, hosts), free)
    price = np.where(state.host >= 0, state.cost, np.inf)  # a task that has just started stays
    moves, left = list[TaskTransfer](), budget
    while len(moves) < MOST_STEPS and not deadline.passed():
        step = _best_move(now, price, left) or _best_swap(now, price, left)
        if not step:
            break
        for move in step:
            now.make(move)
            left -= float(price[move.task])
        moves += step
    return moves


def _best_move(now: _Now, price: Floats, left: float) -> list[TaskTransfer]:
    need, hard, room = now.scaled.need, now.scaled.hard, now.scaled.room
    top, best = _top(now)
    step = list[TaskTransfer]()
    for task in np.flatnonzero(now.at == top).tolist():
        if not within(float(price[task]), left):
            continue
        able = (now.free >= hard[task]).all(axis=1)
        able[top] = False
        there = np.where(able, _relative(now.load + need[task], room), np.inf)
        to = int(np.argmin(there))
        peak = max(float(there[to]), float(_relative(now.load[top] - need[task], room[top])))
        if peak < best:
            best, step = peak, [TaskTransfer(task, top, to)]
    return step


def _best_swap(now: _Now, price: Floats, left: float) -> list[TaskTransfer]:
    need, hard, room = now.scaled.need, now.scaled.hard, now.scaled.room
    top, best = _top(now)
    step = list[TaskTransfer]()
    for task in np.flatnonzero(now.at == top).tolist():
        here = _relative(now.load[top] - need[task] + need, room[top])
        there = _relative(now.load[now.at] - need + need[task], room[now.at])
        peak = np.where(now.at == top, np.inf, np.maximum(here, there))
        peak[(now.free[top] + hard[task] < hard).any(axis=1)] = np.inf
        peak[(now.free[now.at] + hard < hard[task]).any(axis=1)] = np.inf
        for other in np.argsort(peak, kind="stable")[:MOST_LOOKS].tolist():
            if peak[other] >= best:
                break
            way = next((w for w in _ways(now, task, other) if within(float(sum(price[m.task] for m in w)), left)), None)
            if way is not None:
                best, step = float(peak[other]), way
                break
    return step


def _ways(now: _Now, task: int, other: int) -> Iterator[list[TaskTransfer]]:
    """Orders in which two tasks can change places, those without a temporary place first."""
    for a, b in ((task, other), (other, task)):
        if (now.free[now.at[b]] >= now.scaled.hard[a]).all():
            yield [_move(now, a, int(now.at[b])), _move(now, b, int(now.at[a]))]
    for a, b in ((task, other), (other, task)):
        able = (now.free >= now.scaled.hard[a]).all(axis=1)
        able[[now.at[a], now.at[b]]] = False
        if able.any():
            stop = int(np.argmax(able))
            yield [_move(now, a, stop), _move(now, b, int(now.at[a])), TaskTransfer(a, stop, int(now.at[b]))]


def _move(now: _Now, task: int, to: int) -> TaskTransfer:
    return TaskTransfer(task, int(now.at[task]), to)


def _top(now: _Now) -> tuple[int, float]:
    """The most loaded host, and the peak that is worth a step."""
    peak = _relative(now.load, now.scaled.room)
    top = int(np.argmax(peak))
    return top, float(peak[top]) * (1 - 1e-9)


def _relative(load: Floats, room: Floats) -> Floats:
    """The largest of load / room over the resources, the last axis; 0 where there is neither."""
    with np.errstate(divide="ignore", invalid="ignore"):
        relative: Floats = np.where(load > 1e-12, load / room, 0.0).max(axis=-1, initial=0.0)
    return relative
