# mypy: disable-error-code="no-untyped-def"
"""Sets of tasks that fill a host well, and choices of disjoint sets that hold all tasks; compiled."""

from typing import Any, NamedTuple

import numpy as np

from loadmaster.jit.kernels import LEAN, cached_njit, inner
from loadmaster.model.arrays import Floats, Longs

kernel: Any = cached_njit(**LEAN)
ONE = np.uint64(1)


class SetProblem(NamedTuple):
    """T <= 64 tasks and H equal hosts; R resources, the fluid ones at the level of the search.

    Attributes:
        demand: float64[T, R]; capacity: float64[R], what a set may request.
        least: float64[R], what a set must request at least, as the other hosts cannot hold the rest.
        rest: float64[T + 1, R], what the tasks from this one on request together.
    """

    demand: Floats
    capacity: Floats
    least: Floats
    rest: Floats


class SetSearch(NamedTuple):
    """Where the choice of disjoint sets stands; level l has chosen l sets.

    Attributes:
        mask: uint64[S], the tasks of each set, sorted by their first task; spent: float64[S, B], what it takes of each
            budget.
        first: int64[T + 1], where the sets begin whose first task is this one.
        budget: float64[B], what all chosen sets may take.
        covered: uint64[H + 1]; left: float64[H + 1, B]; at: int64[H + 1], the next set to try; chosen: int64[H].
        depth: int64[1], the level.
    """

    mask: Any
    spent: Floats
    first: Longs
    budget: Floats
    covered: Any
    left: Floats
    at: Longs
    chosen: Longs
    depth: Longs


@kernel
def list_sets(problem, member, used, limit, mask, asked):
    """All sets of tasks within capacity and least demand, depth-first in the order of the tasks.

    Args:
        problem: tasks and hosts.
        member: int64[T], scratch.
        used: float64[T + 1, R], scratch.
        limit: steps after which to give up.
        mask: uint64[S], written: bit t stands for task t.
        asked: float64[S, R], written: what each set requests.

    Returns:
        How many sets there are; -1 if more than S or after too many steps.
    """
    tasks, resources = problem.demand.shape
    count, steps, level, t = 0, 0, 0, 0
    used[0, :] = 0.0
    bits = np.uint64(0)
    while True:
        may_go_on = t < tasks
        for r in range(resources):
            may_go_on &= used[level, r] + problem.rest[t, r] >= problem.least[r]
        if may_go_on:
            steps += 1
            if steps > limit:
                return -1
            fits = True
            for r in range(resources):
                used[level + 1, r] = used[level, r] + problem.demand[t, r]
                fits &= used[level + 1, r] <= problem.capacity[r]
            if fits:
                member[level] = t
                bits |= ONE << np.uint64(t)
                level += 1
                full = True
                for r in range(resources):
                    full &= used[level, r] >= problem.least[r]
                if full:
                    if count == mask.shape[0]:
                        return -1
                    mask[count] = bits
                    for r in range(resources):
                        asked[count, r] = used[level, r]
                    count += 1
            t += 1
        else:
            if level == 0:
                return count
            level -= 1
            t = member[level]
            bits ^= ONE << np.uint64(t)
            t += 1


@inner
def next_uncovered(covered, tasks):
    """The first task that no chosen set holds; `tasks` if there is none."""
    t = 0
    while t < tasks and (covered >> np.uint64(t)) & ONE:
        t += 1
    return t


@kernel
def search_sets(search, limit):
    """Choose disjoint sets within the budgets that hold all tasks, depth-first; called again it goes on.

    Returns (1 if they are found, -1 if there are none, 0 after `limit` sets looked at; sets looked at).
    """
    hosts, tasks, budgets = search.chosen.shape[0], search.first.shape[0] - 1, search.budget.shape[0]
    depth, looks = search.depth[0], 0
    while depth >= 0:
        covered = search.covered[depth]
        t = next_uncovered(covered, tasks)
        if t == tasks:
            search.depth[0] = depth
            return 1, looks
        s, end, chosen = search.at[depth], search.first[t + 1], False
        if s < 0:
            s = search.first[t]
        if depth == hosts:
            s = end
        while s < end:
            looks += 1
            if search.mask[s] & covered == np.uint64(0):
                chosen = True
                for b in range(budgets):
                    chosen &= search.spent[s, b] <= search.left[depth, b]
                if chosen:
                    break
            s += 1
        if not chosen:
            depth -= 1
            continue
        search.at[depth] = s + 1
        search.chosen[depth] = s
        search.covered[depth + 1] = covered | search.mask[s]
        for b in range(budgets):
            search.left[depth + 1, b] = search.left[depth, b] - search.spent[s, b]
        search.at[depth + 1] = -1
        depth += 1
        if looks >= limit:
            search.depth[0] = depth
            return 0, looks
    search.depth[0] = depth
    return -1, looks
