"""Whole numbers of patterns: a dive that rounds the relaxed program step by step, and HiGHS on a set of patterns."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy

from loadmaster.model.arrays import Floats, Longs
from loadmaster.packing.column_generation import CheapestHosts, Columns, OutOfTime, relax
from loadmaster.packing.deadline import Deadline
from loadmaster.packing.pattern_problem import Pattern, PatternProblem
from loadmaster.stoppable_milp import INFEASIBLE, Milp, solve

NEARLY_WHOLE = 0.999
"""A pattern that is used this often or more, beyond a whole number, is used once more."""


class Chosen(NamedTuple):
    """Patterns for all tasks, and whether the search among its patterns was complete; None if there are no such.

    Attributes:
        patterns: one for each host in use.
        complete: no cheaper choice of the given patterns exists.
    """

    patterns: list[Pattern] | None
    complete: bool


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
            relaxed = relax(left, columns, CheapestHosts(left), deadline)
        except OutOfTime:
            return None
        if relaxed.solved.missing > 1e-6 or cost + relaxed.bound > most + 1e-6 * max(1.0, most):
            return None
        for column, times in _rounded(relaxed.solved.use, random):
            kind, tasks = columns.kind[column], columns.patterns[column]
            for _ in range(times):
                useful = np.minimum(tasks, left.count)
                if useful.any() and left.hosts[kind] > 0:
                    fixed.append((kind, useful))
                    cost += float(problem.price[kind])
                    taken = np.zeros(problem.kinds, np.int64)
                    taken[kind] = 1
                    left = left.without(useful, taken)
        if cost > most + 1e-6 * max(1.0, most):
            return None
    return fixed


def _rounded(use: Floats, random: np.random.Generator | None) -> list[tuple[int, int]]:
    """Columns to fix, and how often: the whole parts of all, or one of the most used where all are below 1."""
    whole = np.floor(use + 1 - NEARLY_WHOLE).astype(np.int64)
    columns = np.flatnonzero(whole)
    if len(columns):
        return [(int(c), int(whole[c])) for c in columns]
    if random is None:
        return [(int(np.argmax(use)), 1)]
    often = np.flatnonzero(use >= use.max() / 2)
    return [(int(random.choice(often, p=use[often] / use[often].sum())), 1)]


def choose(problem: PatternProblem, patterns: Sequence[Pattern], least: float, most: float, limit_s: float) -> Chosen:
    """The cheapest choice of `patterns` for all tasks by HiGHS, if its cost is at most `most`.

    Args:
        problem: tasks and hosts.
        patterns: to choose from, each as often as wanted.
        least: no choice costs less.
        most: the highest cost that is of use.
        limit_s: seconds.
    """
    if not patterns:
        return Chosen(None, True)
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
        return Chosen(None, found.status == INFEASIBLE)
    times: Longs = np.rint(found.x).astype(np.int64)
    chosen = [patterns[c] for c in np.flatnonzero(times) for _ in range(times[c])]
    return Chosen(chosen, found.status == 0)
