# mypy: disable-error-code="no-untyped-def"
"""Moves and swaps off the most loaded host within a budget, compiled: hosts stay ranked by their load."""

from typing import Any, NamedTuple

import numpy as np

from loadmaster.jit.kernels import LEAN, cached_njit
from loadmaster.model.arrays import Floats, Longs
from loadmaster.packing.improve_kernel import changed_peak, has_room, relocate

part: Any = cached_njit(forceinline=True, **LEAN)
kernel: Any = cached_njit(**LEAN)


class MoveCosts(NamedTuple):
    """What moves cost.

    Attributes:
        home: int64[T], where each task runs now, -1 for a new one.
        cost: float64[T], what it costs to run it elsewhere.
        ranked: int64[H], hosts by their peak, ascending, ties by index; changed in place.
        place: int64[H], where each host stands in `ranked`.
    """

    home: Longs
    cost: Floats
    ranked: Longs
    place: Longs


@part
def price(moving, task, source, to):
    """What it costs more to have `task` on host `to` than on `source`."""
    home = moving.home[task]
    return (0.0 if home in (to, -1) else moving.cost[task]) - (0.0 if home in (source, -1) else moving.cost[task])


@part
def rank_anew(moving, peak, h):
    """Move host h to where its peak belongs."""
    ranked, place = moving.ranked, moving.place
    at, last = place[h], ranked.shape[0] - 1
    while at > 0 and (peak[ranked[at - 1]] > peak[h] or (peak[ranked[at - 1]] == peak[h] and ranked[at - 1] > h)):
        ranked[at] = ranked[at - 1]
        place[ranked[at]] = at
        at -= 1
    while at < last and (peak[ranked[at + 1]] < peak[h] or (peak[ranked[at + 1]] == peak[h] and ranked[at + 1] < h)):
        ranked[at] = ranked[at + 1]
        place[ranked[at]] = at
        at += 1
    ranked[at], place[h] = h, at


@part
def best_move(problem, state, moving, top, left, limit):
    """(largest peak of both hosts, task, host) of the best move off `top`, task -1 if none stays below `limit`.

    For each task the host that is least loaded afterwards; hosts come by rising peaks, so most are never looked at.
    """
    best, best_task, best_host, looked = limit, -1, -1, 0
    t = state.head[top]
    while t >= 0:
        less = changed_peak(problem, state.load, top, -1, t)
        found, to = np.inf, -1
        for g in moving.ranked:
            looked += 1
            if less > best or state.peak[g] > min(found, best):
                break
            if g == top or price(moving, t, top, g) > left or not has_room(problem, state.free, g, t, -1):
                continue
            after = changed_peak(problem, state.load, g, t, -1)
            if after < found or (after == found and g < to):
                found, to = after, g
        value = max(found, less)
        if to >= 0 and (value < best or (value == best and best_task > t)):
            best, best_task, best_host = value, t, to
        t = state.next[t]
    return best, best_task, best_host, looked


@part
def best_swap(problem, state, moving, top, left, limit):
    """(largest peak of both hosts, task of `top`, other task) of the best swap; -1 if none stays below `limit`.

    With one fluid resource a swap that relieves `top` loads the other host, so hosts above the best are left out.
    """
    best, best_task, best_other, looked = limit, -1, -1, 0
    single = problem.room.shape[1] == 1
    t = state.head[top]
    while t >= 0:
        for g in moving.ranked:
            if single and state.peak[g] * (1.0 - 1e-12) > best:
                break
            u = state.head[g] if g != top else -1
            while u >= 0:
                looked += 1
                value = changed_peak(problem, state.load, top, u, t)
                if value <= best:
                    value = max(value, changed_peak(problem, state.load, g, t, u))
                earlier = value == best and best_task >= 0 and (t < best_task or (t == best_task and u < best_other))
                affordable = (value < best or earlier) and price(moving, t, top, g) + price(moving, u, g, top) <= left
                if affordable and has_room(problem, state.free, top, u, t) and has_room(problem, state.free, g, t, u):
                    best, best_task, best_other = value, t, u
                u = state.next[u]
        t = state.next[t]
    return best, best_task, best_other, looked


@kernel
def relieve_steps(problem, state, moving, left, effort):
    """Move, else swap, until nothing helps or about `effort` pairs were looked at.

    Returns (budget left, 1 if nothing helps any more).
    """
    while effort > 0:
        top = moving.ranked[-1]
        for k in range(moving.ranked.shape[0] - 1, -1, -1):  # the first of equals
            if state.peak[moving.ranked[k]] < state.peak[top]:
                break
            top = moving.ranked[k]
        if state.peak[top] <= 1.0:
            return left, 1
        limit = state.peak[top] * (1.0 - 1e-9)
        _, t, to, looked = best_move(problem, state, moving, top, left + 1e-12, limit)
        u = -1
        effort -= looked
        if t < 0:
            _, t, u, looked = best_swap(problem, state, moving, top, left + 1e-12, limit)
            effort -= looked
            to = state.host[u] if u >= 0 else -1
        if t < 0:
            return left, 1
        left -= price(moving, t, top, to)
        relocate(problem, state, t, to)
        if u >= 0:
            left -= price(moving, u, to, top)
            relocate(problem, state, u, top)
        rank_anew(moving, state.peak, top)
        rank_anew(moving, state.peak, to)
    return left, 0
