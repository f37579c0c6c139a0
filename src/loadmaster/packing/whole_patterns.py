"""Whole numbers of patterns: a dive that rounds the relaxed program step by step, and HiGHS on a set of patterns."""

import heapq
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import scipy

from loadmaster.model.arrays import Floats, Longs
from loadmaster.packing.certificates import Certificate
from loadmaster.packing.column_generation import CheapestHosts, Columns, OutOfTime, relax
from loadmaster.packing.cover_kernel import CoverSearch, PatternSet, cover
from loadmaster.packing.deadline import Deadline
from loadmaster.packing.pattern_problem import Pattern, PatternProblem
from loadmaster.packing.pricing import HostPricing, steps_within
from loadmaster.packing.stoppable_milp import INFEASIBLE, Milp, solve

NEARLY_WHOLE = 0.999
"""A pattern that is used this often or more, beyond a whole number, is used once more."""

DIVE_WORK = 20_000
"""Kinds of tasks x kinds of hosts x rounds of column generation between two steps of a dive."""
FIRST_STEPS = 1_000_000
MOST_STEPS = 20_000_000
"""Patterns looked at before a search begins anew, twice as many each time."""


class ChosenPatterns(NamedTuple):
    """Patterns for all tasks, and whether the search among its patterns was complete; None if there are no such.

    Attributes:
        patterns: one for each host in use.
        complete: no cheaper choice of the given patterns exists.
    """

    patterns: list[Pattern] | None
    complete: bool


def fill_by_value(problem: PatternProblem, value: Floats, deadline: Deadline) -> list[Pattern] | None:
    """Patterns for all tasks, always the one of the highest value for the price of its host; None if hosts run short.

    Args:
        problem: tasks and hosts.
        value: float64[N], of one task of each kind, zero or more; tasks of no value count a little.
        deadline: when to stop.
    """
    value = np.maximum(value, 1e-6 * value.max(initial=1.0))
    pricing = [HostPricing(problem, kind) for kind in range(problem.kinds)]
    left, hosts, fixed = problem.count.copy(), problem.hosts.copy(), list[Pattern]()

    def best(kind: int) -> tuple[float, int, Longs]:
        tasks = pricing[kind].best(value, left, steps_within(deadline)).pattern
        return -float(tasks @ value) / max(float(problem.price[kind]), 1e-12), kind, tasks

    ranked = []
    for kind in range(problem.kinds):
        if deadline.passed():
            return None
        ranked.append(best(kind)[:2])
    while left.any() and ranked and not deadline.passed():
        heapq.heapify(ranked)
        _, kind = heapq.heappop(ranked)
        worth, _, tasks = best(kind)  # what it was worth before others took their tasks
        if worth < 0 and hosts[kind] and (not ranked or worth <= ranked[0][0]):
            used = tasks > 0
            times = int(min(hosts[kind], (left[used] // tasks[used]).min()))
            fixed += [(kind, tasks)] * times
            left -= times * tasks
            hosts[kind] -= times
        if worth < 0 and hosts[kind]:
            ranked.append((worth, kind))
    return None if left.any() else fixed


def dive(
    problem: PatternProblem,
    columns: Columns,
    deadline: Deadline,
    most: float,
    random: np.random.Generator | None = None,
) -> list[Pattern] | None:
    """Patterns for all tasks at a cost of at most `most`, or None: fix the most used pattern, solve anew, and so on.

    Args:
        problem: tasks and hosts.
        columns: patterns known; changed.
        deadline: when to stop.
        most: the highest cost that is of use.
        random: draws the pattern among those that are used at least half as often as the most used; None takes that.
    """
    left, fixed, cost = problem, list[Pattern](), 0.0
    while left.count.any():
        try:
            relaxed = relax(left, columns, CheapestHosts(left), deadline, _after_rounds(left))
        except OutOfTime:
            return None
        if relaxed.solved.missing > 1e-6 or cost + relaxed.bound > most + 1e-6 * max(1.0, most):
            return None
        before = len(fixed)
        for turn, (column, times) in enumerate(_columns_to_fix(relaxed.solved.use, random)):
            kind, tasks = columns.kind[column], columns.patterns[column]
            for _ in range(times):
                useful = np.minimum(tasks, left.count)
                whole = (useful == tasks).all()
                if (whole or (turn == 0 and useful.any())) and left.hosts[kind] > 0:
                    fixed.append((kind, useful))
                    cost += float(problem.price[kind])
                    taken = np.zeros(problem.kinds, np.int64)
                    taken[kind] = 1
                    left = left.without(useful, taken)
        if len(fixed) == before or cost > most + 1e-6 * max(1.0, most):
            return None
    return fixed


def _after_rounds(left: PatternProblem) -> Callable[[float, float], bool]:
    """Ends column generation in a dive after some rounds: the more, the fewer kinds of tasks and of hosts."""
    rounds = iter(range(1 + DIVE_WORK // (len(left.count) * left.kinds)))
    return lambda value, bound: next(rounds, None) is None


def _columns_to_fix(use: Floats, random: np.random.Generator | None) -> list[tuple[int, int]]:
    """Columns to fix, and how often: the whole parts of all; where all are below 1, one in 50 of the most used."""
    whole = np.floor(use + 1 - NEARLY_WHOLE).astype(np.int64)
    columns = np.flatnonzero(whole)
    if len(columns):
        return [(int(c), int(whole[c])) for c in columns]
    number = 1 + int(use.sum() / 50)
    often = np.flatnonzero(use >= use.max() / 2)
    if random is None:
        often = np.argsort(-use, kind="stable")[:number]
    else:
        often = random.choice(often, min(number, len(often)), replace=False, p=use[often] / use[often].sum())
    return [(int(column), 1) for column in often]


def choose(
    problem: PatternProblem, patterns: Sequence[Pattern], least: float, most: float, limit_s: float
) -> ChosenPatterns:
    """The cheapest choice of `patterns` for all tasks by HiGHS, if its cost is at most `most`.

    Args:
        problem: tasks and hosts.
        patterns: to choose from, each as often as wanted.
        least: no choice costs less.
        most: the highest cost that is of use.
        limit_s: seconds.
    """
    if not patterns:
        return ChosenPatterns(None, True)
    sparse = scipy.sparse
    kinds = np.array([kind for kind, _ in patterns], np.int64)
    tasks = sparse.csc_array(np.array([tasks for _, tasks in patterns], np.float64).T)
    on_kind = sparse.csc_array((np.ones(len(kinds)), (kinds, np.arange(len(kinds)))), shape=(problem.kinds, len(kinds)))
    price = problem.price[kinds]
    matrix = sparse.vstack((tasks, on_kind, sparse.csc_array(price[None, :]))).tocsr()
    low = np.concatenate((problem.count.astype(np.float64), np.zeros(problem.kinds), [least - 1e-6]))
    high = np.concatenate((np.full(len(problem.count), np.inf), problem.hosts.astype(np.float64), [most + 1e-6]))
    upper: Floats = np.full(len(kinds), float(problem.count.max(initial=1)))
    found = solve(Milp(price, matrix, low, high, upper * 0, upper, len(kinds)), limit_s)
    if found.x is None:
        return ChosenPatterns(None, found.status == INFEASIBLE)
    times: Longs = np.rint(found.x).astype(np.int64)
    chosen = [patterns[int(c)] for c in np.flatnonzero(times) for _ in range(times[c])]
    return ChosenPatterns(chosen, found.status == 0)


def search_cover(
    problem: PatternProblem,
    patterns: Sequence[Pattern],
    certificates: Sequence[Certificate],
    most: float,
    deadline: Deadline,
    seed: int,
) -> ChosenPatterns:
    """A choice of `patterns` for all tasks at a cost of at most `most`, by a depth-first search that begins anew.

    A pattern that loses more against its limit than all hosts together may, by some certificate, is never chosen.
    Where the search ends by itself without a choice, there is none.

    Args:
        problem: tasks and hosts.
        patterns: to choose from, each as often as wanted; all full ones that a certificate keeps, for a proof.
        certificates: with bounds.
        most: the highest cost that is of use.
        deadline: when to stop.
        seed: of the order in which patterns are tried.
    """
    hosts = int(min(problem.hosts.sum(), np.floor(most / max(problem.price.min(), 1e-12) + 1e-6)))
    if not patterns or not hosts:
        return ChosenPatterns(None, not patterns)
    kinds = np.array([kind for kind, _ in patterns], np.int64)
    rows = [np.flatnonzero(tasks) for _, tasks in patterns]
    task = np.concatenate(rows)
    dual, limit = np.array([each.dual for each in certificates]).T, np.array([each.limit for each in certificates]).T
    given = PatternSet(
        np.concatenate(([0], np.cumsum([len(row) for row in rows]))).astype(np.int64),
        task.astype(np.int64),
        np.concatenate([tasks[row] for (_, tasks), row in zip(patterns, rows, strict=True)]),
        kinds,
        np.ascontiguousarray(dual[task]),
        np.ascontiguousarray(limit[kinds]),
    )
    search = _cover_search(problem, len(patterns), hosts, np.array([most - each.bound for each in certificates]))
    random, steps = np.array([seed], np.uint64), FIRST_STEPS
    while not deadline.passed():
        answer, depth, _ = cover(given, search, steps, random)
        if answer:
            chosen = [patterns[p] for p in search.chosen[:depth]] if answer > 0 else None
            return ChosenPatterns(chosen, answer < 0)
        steps = min(2 * steps, MOST_STEPS)
    return ChosenPatterns(None, complete=False)


def _cover_search(problem: PatternProblem, patterns: int, hosts: int, spare: Floats) -> CoverSearch:
    left, there = np.zeros((hosts + 1, len(problem.count)), np.int64), np.zeros((hosts + 1, problem.kinds), np.int64)
    lost = np.zeros((hosts + 1, len(spare)))
    left[0], there[0], lost[0] = problem.count, problem.hosts, spare
    level = np.zeros((3, hosts + 1), np.int64)
    return CoverSearch(
        left,
        there,
        lost,
        np.zeros((hosts + 1, patterns), np.int64),
        level[0],
        np.zeros((hosts + 1, patterns), np.int64),
        level[1],
        level[2],
        np.zeros(hosts, np.int64),
        np.zeros(len(problem.count), np.int64),
    )
