# mypy: disable-error-code="no-untyped-def"
"""Tasks one after another, each to the lowest rated host that fits, compiled; by_score_plain.py is the reference.

Between two tasks only the host taken changes. So a task that asks for the same as the one before it rates that host
anew and no other; any other task rates all hosts that it fits in one call.
"""

from typing import NamedTuple

import numpy as np

from loadmaster.jit.kernels import inner
from loadmaster.model.arrays import Floats, Longs

NOT_FINITE = -1
"""Returned where a score was no finite number."""


class ScoreProblem(NamedTuple):
    """T tasks and H hosts, R resources: the fluid ones, then the rigid ones.

    Attributes:
        demand: float64[T, R], as the policy sees it; what is taken from a host.
        binding: float64[T, R], what must be free; 0 does not bind.
        capacity: float64[H, R].
        order: int64[T], tasks in the order in which they are placed.
        tolerance: what may be overdrawn.
    """

    demand: Floats
    binding: Floats
    capacity: Floats
    order: Longs
    tolerance: float


@inner
def place_by_score(problem, rate, varies, seed, free, seen, able, score, host):
    """Place the tasks; returns how many of the order found a host, or `NOT_FINITE`.

    Args:
        problem: see `ScoreProblem`.
        rate: a rater of whatever hosts it is given.
        varies: the score of an untouched host may differ from task to task.
        seed: for policies that draw.
        free: float64[H, R], the capacity; changed in place.
        seen: float64[H, R], the same: what the policy is shown as free, never below 0; changed in place.
        able: int32[H], scratch: each host once at most.
        score: float64[H], scratch.
        host: int32[T], written.
    """
    hosts, resources = free.shape
    last = -1
    for placed in range(problem.order.shape[0]):
        task = problem.order[placed]
        demand, binding = problem.demand[task], problem.binding[task]
        again = not varies and placed > 0 and _same(problem, task, problem.order[placed - 1])
        count = 0
        for h in range(last if again else 0, last + 1 if again else hosts):
            if _fits(free, h, binding, problem.tolerance):
                able[count] = h
                count += 1
            else:
                score[h] = np.inf
        if count > 0 and rate(demand, seen, problem.capacity, able, count, last, task, seed, score, 0) > 0:
            return NOT_FINITE
        last = _lowest(score)
        if last < 0:
            return placed
        host[task] = last
        for r in range(resources):
            free[last, r] -= demand[r]
            seen[last, r] = max(free[last, r], 0.0)
    return problem.order.shape[0]


@inner
def _same(problem, task, other):
    for r in range(problem.demand.shape[1]):
        if problem.demand[task, r] != problem.demand[other, r] or problem.binding[task, r] != problem.binding[other, r]:
            return False
    return True


@inner
def _fits(free, host, binding, tolerance):
    for r in range(free.shape[1]):  # noqa: SIM110, a kernel
        if binding[r] > 0.0 and free[host, r] + tolerance < binding[r]:
            return False
    return True


@inner
def _lowest(score):
    """The first of the lowest scores; -1 if all are infinite."""
    best, least = -1, np.inf
    for h in range(score.shape[0]):
        if score[h] < least:
            best, least = h, score[h]
    return best
