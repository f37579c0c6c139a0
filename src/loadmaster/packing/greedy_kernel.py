# mypy: disable-error-code="no-untyped-def"
"""Greedy placement with backtracking, compiled: hosts stay sorted by load while tasks come and go."""

from typing import NamedTuple

import numpy as np

from loadmaster.jit.kernels import cached_njit
from loadmaster.model.arrays import Floats, Longs


class GreedyProblem(NamedTuple):
    """Tasks and hosts.

    Attributes:
        need: float64[T, F], fluid demand over the largest host's capacity.
        share: float64[H, F], the largest host's fluid capacity over this host's; infinite where it has none.
        hard: float64[T, D].
        room: float64[H, D].
        order: int64[T], the order in which tasks are placed.
        tolerance: by how much a host may be overfilled.
        fitted_only: a host examined counts as an attempt only if the task fits.
    """

    need: Floats
    share: Floats
    hard: Floats
    room: Floats
    order: Longs
    tolerance: float
    fitted_only: bool


@cached_njit(nogil=True, error_model="numpy")
def shift(ranked, load, position):
    """Move the host at `position` of `ranked` to where its load belongs, ties by index; its new position."""
    host = ranked[position]
    while position + 1 < ranked.shape[0]:
        other = ranked[position + 1]
        if load[other] > load[host] or (load[other] == load[host] and other > host):
            break
        ranked[position] = other
        position += 1
    ranked[position] = host
    return position


@cached_njit(nogil=True, error_model="numpy")
def place_greedily(problem, limit, backtrack, host):
    """Depth-first search over hosts in the order of load; the first complete placement goes to `host`.

    An attempt is a host examined for a task, whether the task fits or not, or fitting only (rule K8).

    Args:
        problem: tasks and hosts.
        limit: the most attempts when backtracking.
        backtrack: go back to the task before when a task fits nowhere; else stop.
        host: int32[T], written.

    Returns (tasks placed at the deepest point, attempts, 1 if done else 0).
    """
    need, share, hard, room, order = problem.need, problem.share, problem.hard, problem.room, problem.order
    tasks, hosts = order.shape[0], room.shape[0]
    fluid, dims = need.shape[1], hard.shape[1]
    ranked = np.arange(hosts)
    load, total = np.zeros(hosts), np.zeros((hosts, fluid))
    free = room + problem.tolerance
    choice, landed = np.full(tasks, -1, np.int64), np.zeros(tasks, np.int64)
    old_load, old_total, old_free = np.zeros(tasks), np.zeros((tasks, fluid)), np.zeros((tasks, dims))
    depth, attempts, deepest = 0, 0, 0
    examined = 0 if problem.fitted_only else 1
    while depth < tasks:
        task = order[depth]
        if choice[depth] >= 0:  # take it back from where it was
            h = ranked[landed[depth]]
            for position in range(landed[depth], choice[depth], -1):
                ranked[position] = ranked[position - 1]
            ranked[choice[depth]] = h
            load[h] = old_load[depth]
            for f in range(fluid):
                total[h, f] = old_total[depth, f]
            for d in range(dims):
                free[h, d] = old_free[depth, d]
        found = -1
        position = choice[depth] + 1
        while position < hosts:
            if backtrack and attempts >= limit:
                return deepest, attempts, 0
            h = ranked[position]
            fit = True
            for d in range(dims):
                if hard[task, d] > free[h, d]:
                    fit = False
                    break
            attempts += 1 if fit else examined
            if fit:
                found = position
                break
            position += 1
        if found < 0:
            choice[depth] = -1
            if not backtrack or depth == 0:
                return deepest, attempts, 0
            depth -= 1
            continue
        choice[depth] = found
        h = ranked[found]
        host[task] = h
        old_load[depth] = load[h]
        worst = 0.0
        for f in range(fluid):
            old_total[depth, f] = total[h, f]
            total[h, f] += need[task, f]
            if total[h, f] > 0.0:
                worst = max(worst, total[h, f] * share[h, f])
        for d in range(dims):
            old_free[depth, d] = free[h, d]
            free[h, d] -= hard[task, d]
        load[h] = worst
        landed[depth] = shift(ranked, load, found)
        depth += 1
        deepest = max(deepest, depth)
    return deepest, attempts, 1
