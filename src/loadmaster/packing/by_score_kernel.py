# mypy: disable-error-code="no-untyped-def"
"""Tasks one after another, each to the lowest rated host that fits, compiled; by_score_plain.py is the reference.

Between two tasks only the host taken changes. So a task that requests the same as the one before it rates that host
anew and no other; any other task rates all hosts that it fits in one call.
"""

from typing import NamedTuple

import numpy as np

from loadmaster.jit.kernels import inner
from loadmaster.model.arrays import Bools, Floats, Ints, Longs
from loadmaster.packing.cards_kernel import CardRequests, fits_on_cards, same_request, take_cards

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
        requests: what the tasks request of single cards.
    """

    demand: Floats
    binding: Floats
    capacity: Floats
    order: Longs
    tolerance: float
    requests: CardRequests


class ScoreState(NamedTuple):
    """What changes while tasks are placed; all is written in place.

    Attributes:
        free: float64[H, R], the capacity at first.
        seen: float64[H, R], the same: what the policy is shown as free, never below 0.
        able: int32[H], scratch: each host once at most.
        score: float64[H], scratch.
        cards: float64[H, C], what is free of each card.
        host: int32[T], -1 for a task that fits nowhere.
        taken: bool[T, C], the cards of its host that each task takes.
    """

    free: Floats
    seen: Floats
    able: Ints
    score: Floats
    cards: Floats
    host: Ints
    taken: Bools


@inner
def place_by_score(problem, rate, varies, seed, state):
    """Place the tasks, and go on after one that fits nowhere; returns how many found a host, or `NOT_FINITE`.

    Args:
        problem: see `ScoreProblem`.
        rate: a rater of whatever hosts it is given.
        varies: the score of an untouched host may differ from task to task.
        seed: for policies that draw.
        state: `ScoreState`, all hosts empty.
    """
    free, seen, able, score = state.free, state.seen, state.able, state.score
    hosts, resources = free.shape
    last, before, lost, placed = -1, -1, False, 0
    for task in problem.order:
        demand, binding = problem.demand[task], problem.binding[task]
        alike = before >= 0 and _same(problem, task, before)
        before = task
        if alike and lost:
            continue
        again = not varies and alike
        count = 0
        for h in range(last if again else 0, last + 1 if again else hosts):
            if _fits(free, h, binding, problem.tolerance) and fits_on_cards(problem.requests, state.cards, h, task):
                able[count] = h
                count += 1
            else:
                score[h] = np.inf
        if count > 0 and rate(demand, seen, problem.capacity, able, count, last, task, seed, score, 0) > 0:
            return NOT_FINITE
        chosen = _lowest(score)
        lost = chosen < 0
        if lost:
            continue
        last = chosen
        placed += 1
        state.host[task] = chosen
        take_cards(problem.requests, state.cards, chosen, task, state.taken)
        for r in range(resources):
            free[chosen, r] -= demand[r]
            seen[chosen, r] = max(free[chosen, r], 0.0)
    return placed


@inner
def _same(problem, task, other):
    if not same_request(problem.requests, task, other):
        return False
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
