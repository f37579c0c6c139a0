# mypy: disable-error-code="no-untyped-def"
"""Local search from the most loaded host: moves, swaps and ejection chains, compiled."""

from typing import NamedTuple

import numpy as np

from loadmaster.jit.kernels import kept_njit
from loadmaster.model.arrays import Floats, Longs


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


@kept_njit(nogil=True, error_model="numpy")
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


@kept_njit(nogil=True, error_model="numpy")
def has_room(problem, free, h, plus, minus):
    """Host h can take task `plus` if task `minus` leaves (-1: none leaves)."""
    for d in range(problem.hard.shape[1]):
        value = free[h, d] - problem.hard[plus, d]
        if minus >= 0:
            value += problem.hard[minus, d]
        if value < 0.0:
            return False
    return True


@kept_njit(nogil=True, error_model="numpy")
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


@kept_njit(nogil=True, error_model="numpy")
def load_state(problem, state, mapping):
    """Set `state` to `mapping` from scratch."""
    state.load[:] = 0.0
    state.free[:] = problem.hard_room
    state.peak[:] = 0.0
    state.head[:] = -1
    state.host[:] = -1
    for t in range(mapping.shape[0]):
        relocate(problem, state, t, mapping[t])


@kept_njit(nogil=True, error_model="numpy")
def move_or_swap(problem, state, top):
    """Make the best move of a task of host `top`, or swap with a task elsewhere, that leaves both below its peak."""
    limit = state.peak[top] * (1.0 - 1e-12)
    best, best_task, best_other, best_host = limit, -1, -1, -1
    t = state.head[top]
    while t >= 0:
        relief = changed_peak(problem, state.load, top, -1, t)
        for g in range(problem.room.shape[0]):
            if g == top or relief >= best:
                continue
            value = max(relief, changed_peak(problem, state.load, g, t, -1))
            if value < best and has_room(problem, state.free, g, t, -1):
                best, best_task, best_other, best_host = value, t, -1, g
        t = state.next[t]
    if best_task < 0:
        t = state.head[top]
        while t >= 0:
            for u in range(problem.need.shape[0]):
                g = state.host[u]
                if g == top:
                    continue
                value = changed_peak(problem, state.load, top, u, t)
                if value >= best:
                    continue
                value = max(value, changed_peak(problem, state.load, g, t, u))
                if value < best and has_room(problem, state.free, top, u, t) and has_room(problem, state.free, g, t, u):
                    best, best_task, best_other, best_host = value, t, u, g
            t = state.next[t]
    if best_task < 0:
        return False
    relocate(problem, state, best_task, best_host)
    if best_other >= 0:
        relocate(problem, state, best_other, top)
    return True


@kept_njit(nogil=True, error_model="numpy")
def chain(problem, state, top):
    """Make the first ejection chain that helps: a task of `top` pushes another one out of its host to a third."""
    limit = state.peak[top] * (1.0 - 1e-12)
    t = state.head[top]
    while t >= 0:
        if changed_peak(problem, state.load, top, -1, t) < limit:
            for u in range(problem.need.shape[0]):
                g = state.host[u]
                if g == top or changed_peak(problem, state.load, g, t, u) >= limit:
                    continue
                if not has_room(problem, state.free, g, t, u):
                    continue
                for k in range(problem.room.shape[0]):
                    if k in (top, g) or changed_peak(problem, state.load, k, u, -1) >= limit:
                        continue
                    if has_room(problem, state.free, k, u, -1):
                        relocate(problem, state, u, k)
                        relocate(problem, state, t, g)
                        return True
        t = state.next[t]
    return False


@kept_njit(nogil=True, error_model="numpy")
def descend(problem, state, goal, steps):
    """Relieve the most loaded host until nothing helps, its peak meets `goal`, or `steps` changes were made.

    Returns (the largest peak, changes made).
    """
    for step in range(steps):
        top = np.argmax(state.peak)
        if state.peak[top] <= goal or not (move_or_swap(problem, state, top) or chain(problem, state, top)):
            return state.peak[top], step
    return state.peak.max(), steps


@kept_njit(nogil=True, error_model="numpy")
def wander(problem, state, goal, best, draws):
    """Iterated local search: swap tasks by chance, one of them on the most loaded host, descend, go back if worse.

    Args:
        problem: tasks and hosts.
        state: a mapping; holds the best found at the end.
        goal: a peak at which to stop.
        best: int64[T], the best mapping, changed.
        draws: float64[rounds, swaps, 2], uniform in [0, 1). Each times the number of tasks is a task: the product
            rounds to less than their number.

    Returns the largest peak of the best mapping.
    """
    tasks = problem.need.shape[0]
    best[:] = state.host
    least = state.peak.max()
    for r in range(draws.shape[0]):
        if least <= goal:
            break
        for k in range(draws.shape[1]):
            u = int(draws[r, k, 1] * tasks)
            t = int(draws[r, k, 0] * tasks)
            if k == 0:
                t = state.head[np.argmax(state.peak)]
                if t < 0:  # what rounding left on an empty host is the largest load
                    continue
            h, g = state.host[t], state.host[u]
            if h != g and has_room(problem, state.free, h, u, t) and has_room(problem, state.free, g, t, u):
                relocate(problem, state, t, g)
                relocate(problem, state, u, h)
        peak, _ = descend(problem, state, goal, 1000)
        if peak <= least:
            least = peak
            best[:] = state.host
        else:
            load_state(problem, state, best)
    load_state(problem, state, best)
    return least
