# mypy: disable-error-code="no-untyped-def"
"""A mapping that is changed task by task, its loads kept as it changes, compiled."""

from typing import Any, NamedTuple

import numpy as np

from loadmaster.jit.kernels import LEAN, cached_njit, inlined
from loadmaster.model.arrays import Floats, Longs

kernel: Any = cached_njit(**LEAN)


class SearchProblem(NamedTuple):
    """Tasks and hosts: need float64[T, F], room float64[H, F] above 0, hard float64[T, D], hard_room float64[H, D]."""

    need: Floats
    room: Floats
    hard: Floats
    hard_room: Floats


class SearchState(NamedTuple):
    """A mapping with its sums, changed in place.

    Attributes:
        host: int64[T].
        load: float64[H, F]; free: float64[H, D]; peak: float64[H], the largest relative load of each host.
        head: int64[H], the first task of each host, -1 if none; next, before: int64[T], its neighbours in that list.
    """

    host: Longs
    load: Floats
    free: Floats
    peak: Floats
    head: Longs
    next: Longs
    before: Longs


@inlined
def changed_peak(problem, load, h, plus, minus):
    """The peak of host h with task `plus` added and task `minus` taken away; -1 stands for no task."""
    worst = 0.0
    for f in range(problem.room.shape[1]):
        value = load[h, f]
        if plus >= 0:
            value += problem.need[plus, f]
        if minus >= 0:
            value -= problem.need[minus, f]
        worst = max(worst, value / problem.room[h, f])
    return worst


@inlined
def has_room(problem, free, h, plus, minus):
    """Host h can take task `plus` if task `minus` leaves (-1: none leaves)."""
    for d in range(problem.hard.shape[1]):
        value = free[h, d] - problem.hard[plus, d]
        if minus >= 0:
            value += problem.hard[minus, d]
        if value < 0.0:
            return False
    return True


@kernel
def relocate(problem, state, task, to):
    """Take `task` from its host, if it has one, and put it on host `to`, if that is not -1."""
    h = state.host[task]
    if h >= 0:
        if state.before[task] >= 0:
            state.next[state.before[task]] = state.next[task]
        else:
            state.head[h] = state.next[task]
        if state.next[task] >= 0:
            state.before[state.next[task]] = state.before[task]
        for f in range(problem.room.shape[1]):
            state.load[h, f] -= problem.need[task, f]
        for d in range(problem.hard.shape[1]):
            state.free[h, d] += problem.hard[task, d]
        state.peak[h] = changed_peak(problem, state.load, h, -1, -1)
    state.host[task] = to
    if to >= 0:
        state.next[task], state.before[task] = state.head[to], -1
        if state.head[to] >= 0:
            state.before[state.head[to]] = task
        state.head[to] = task
        for f in range(problem.room.shape[1]):
            state.load[to, f] += problem.need[task, f]
        for d in range(problem.hard.shape[1]):
            state.free[to, d] -= problem.hard[task, d]
        state.peak[to] = changed_peak(problem, state.load, to, -1, -1)


@kernel
def load_state(problem, state, mapping):
    """Set `state` to `mapping` from scratch."""
    state.load[:] = 0.0
    for h in range(state.free.shape[0]):
        for d in range(state.free.shape[1]):
            state.free[h, d] = problem.hard_room[h, d]
    state.peak[:] = 0.0
    state.head[:] = -1
    state.host[:] = -1
    for t in range(mapping.shape[0]):
        relocate(problem, state, t, mapping[t])


@kernel
def draw(random, below):
    """A random whole number from 0 to `below` - 1 (splitmix64; Steele, Lea and Flood 2014)."""
    random[0] += np.uint64(0x9E3779B97F4A7C15)
    z = random[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.int64((z ^ (z >> np.uint64(31))) % np.uint64(below))
