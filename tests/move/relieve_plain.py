"""Moves and swaps off the most loaded host within a budget, slow and plain: the reference of the kernel."""

import numpy as np

from loadmaster.model.arrays import Floats, Ints
from loadmaster.move.change import State
from loadmaster.packing.instance import TOLERANCE
from loadmaster.packing.level import host_use


def relieve_plainly(state: State, start: Ints, budget: float) -> Ints:
    """int32[T]: as `relieve`, every choice by looking at all hosts and tasks."""
    instance, scaled = state.instance, state.instance.scaled
    if not (scaled.room > 0).all():
        return start
    host = start.astype(np.int32).copy()
    load = host_use(scaled.need, host, instance.hosts)
    free = scaled.hard_room + TOLERANCE - host_use(scaled.hard, host, instance.hosts)
    spent = state.spent(host)
    while step := _best_step(state, host, load, free, budget - spent):
        for task, to in step:
            spent += _price(state, task, to) - _price(state, task, int(host[task]))
            load[host[task]] -= scaled.need[task]
            free[host[task]] += scaled.hard[task]
            load[to] += scaled.need[task]
            free[to] -= scaled.hard[task]
            host[task] = to
    return host


def _price(state: State, task: int, to: int) -> float:
    return 0.0 if state.host[task] in (to, -1) else float(state.cost[task])


def _best_step(state: State, host: Ints, load: Floats, free: Floats, left: float) -> list[tuple[int, int]] | None:
    """The move or swap that leaves the lowest peak on both hosts, below the present one; None if there is none."""
    scaled = state.instance.scaled
    peak = (load / scaled.room).max(axis=1)
    top = int(np.argmax(peak))
    if peak[top] <= 1.0:
        return None
    limit = peak[top] * (1 - 1e-9)
    best, step = limit, None
    cost, home = state.cost, state.host
    price_now = np.where(host == home, 0.0, cost)
    for task in np.flatnonzero(host == top):
        less = ((load[top] - scaled.need[task]) / scaled.room[top]).max()
        if less >= best:
            continue
        after = ((load + scaled.need[task]) / scaled.room).max(axis=1)
        price = np.where(np.arange(len(load)) == home[task], 0.0, cost[task]) - price_now[task]
        allowed = (free >= scaled.hard[task]).all(axis=1) & (price <= left + 1e-12)
        allowed[top] = False
        to = int(np.argmin(np.where(allowed, after, np.inf)))
        if allowed[to] and max(after[to], less) < best:
            best, step = float(max(after[to], less)), [(int(task), to)]
    if step is not None:
        return step
    for task in np.flatnonzero(host == top):
        on_top = ((load[top] - scaled.need[task] + scaled.need) / scaled.room[top]).max(axis=1)
        other = ((load[host] - scaled.need + scaled.need[task]) / scaled.room[host]).max(axis=1)
        after = np.maximum(on_top, other)
        fit = (free[top] + scaled.hard[task] - scaled.hard >= 0).all(axis=1)
        fit &= (free[host] + scaled.hard - scaled.hard[task] >= 0).all(axis=1)
        price = np.where(host == home[task], 0.0, cost[task]) - price_now[task]
        price = price + np.where(home == top, 0.0, cost) - price_now
        value = np.where(fit & (host != top) & (price <= left + 1e-12), after, np.inf)
        u = int(np.argmin(value))
        if value[u] < best:
            best, step = float(value[u]), [(int(task), int(host[u])), (u, top)]
    return step
