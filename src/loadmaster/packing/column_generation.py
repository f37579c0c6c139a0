"""The configuration program of Gilmore and Gomory (1961), relaxed and solved by column generation, with its bound."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import scipy

from loadmaster.model.arrays import Floats, Longs
from loadmaster.packing.deadline import Deadline
from loadmaster.packing.pattern_problem import Pattern, PatternProblem
from loadmaster.packing.pricing import HostPricing, steps_within

SMOOTHING = 0.7
"""How much of the prices of the best bound goes into the prices that patterns are made for (Wentges 1997)."""
AT_ONCE = 8
"""Patterns that one round of pricing makes, of tasks that the ones before have left; at least one for each kind."""
NEAR = 1e-9
"""Less than this is no difference between two values of the linear program."""


class OutOfTime(Exception):
    """The time was up before the linear program had a first solution."""


class Columns:
    """The patterns known so far; none twice.

    Attributes:
        kind: of host, of each pattern.
        patterns: int64[N] each.
    """

    def __init__(self, tasks: int) -> None:
        self.kind: list[int] = []
        self.patterns: list[Longs] = []
        self._tasks = tasks
        self._seen: set[tuple[int, bytes]] = set()
        self._rows: list[Longs] = []

    def add(self, pattern: Pattern) -> bool:
        """Keep `pattern`; False if it is known already."""
        kind, tasks = pattern
        key = (kind, tasks.tobytes())
        if key in self._seen:
            return False
        self._seen.add(key)
        self.kind.append(kind)
        self.patterns.append(tasks)
        self._rows.append(np.flatnonzero(tasks))
        return True

    def cover(self) -> Any:
        """Sparse N x P by columns: how many tasks of each kind each pattern holds."""
        rows = np.concatenate(self._rows) if self._rows else np.empty(0, np.int64)
        data = [tasks[row] for tasks, row in zip(self.patterns, self._rows, strict=True)]
        ends = np.concatenate(([0], np.cumsum([len(row) for row in self._rows])))
        shape = (self._tasks, len(self.patterns))
        return scipy.sparse.csc_array((np.concatenate(data).astype(np.float64), rows, ends), shape=shape)

    def on_kind(self, kinds: int) -> Any:
        """Sparse K x P by columns: 1 at the kind of host of each pattern."""
        count = len(self.kind)
        entries = (np.ones(count), np.array(self.kind, np.int64), np.arange(count + 1))
        return scipy.sparse.csc_array(entries, shape=(kinds, count))


class Solved(NamedTuple):
    """A solution of the linear program over the patterns known.

    Attributes:
        value: of the objective.
        dual: float64[N], what one more task of each kind costs.
        limit: float64[K], a pattern on a host of each kind with a higher sum of `dual` improves the solution.
        use: float64[P], how often each pattern is used.
        missing: how many tasks are in no pattern.
    """

    value: float
    dual: Floats
    limit: Floats
    use: Floats
    missing: float


class Master(Protocol):
    """An objective of the pattern program."""

    def solve(self, columns: Columns, deadline: Deadline) -> Solved:
        """The relaxed program over the patterns known; raises `OutOfTime`."""

    def bound(self, dual: Floats, most: Floats) -> float:
        """A lower bound on the relaxed program over all patterns, for any `dual`, float64[N], of zero or more.

        Args:
            dual: values of tasks.
            most: float64[K], an upper bound on the value of a pattern on each kind of host.
        """


@dataclass(frozen=True, eq=False)
class CheapestHosts:
    """Least sum of the prices of hosts in use; each task is in a pattern, no more hosts than there are.

    A task outside all patterns costs `penalty` hosts.
    """

    problem: PatternProblem
    penalty: float = 100.0

    def solve(self, columns: Columns, deadline: Deadline) -> Solved:
        """The relaxed program over the patterns known; raises `OutOfTime`."""
        problem, sparse = self.problem, scipy.sparse
        tasks, known = len(problem.count), len(columns.kind)
        kinds = np.array(columns.kind, np.int64)
        cost = np.concatenate((problem.price[kinds], np.full(tasks, self.penalty * problem.price.max())))
        matrix = sparse.vstack(
            (
                sparse.hstack((-columns.cover(), -sparse.eye_array(tasks))),
                sparse.hstack((columns.on_kind(problem.kinds), sparse.csc_array((problem.kinds, tasks)))),
            )
        )
        value, duals, x = _linear(cost, matrix, np.concatenate((-problem.count, problem.hosts)), deadline)
        return Solved(value, duals[:tasks], problem.price + duals[tasks:], x[:known], float(x[known:].sum()))

    def bound(self, dual: Floats, most: Floats) -> float:
        """The larger of Farley's bound (1990), the duals scaled until no pattern improves, and Lagrange's."""
        worth = float(self.problem.count @ dual)
        over = np.maximum(most - self.problem.price, 0.0)
        lagrange = worth - float(over @ self.problem.hosts)
        usable = (most > 0) & (self.problem.hosts > 0)
        scale = float((self.problem.price[usable] / most[usable]).min(initial=np.inf))
        return max(lagrange, worth * scale if np.isfinite(scale) else 0.0)


@dataclass(frozen=True, eq=False)
class ShareOfHosts:
    """The least part of the hosts of every kind that suffices; above 1 the tasks do not fit on the hosts."""

    problem: PatternProblem

    def solve(self, columns: Columns, deadline: Deadline) -> Solved:
        """The relaxed program over the patterns known; raises `OutOfTime`."""
        problem, sparse = self.problem, scipy.sparse
        tasks, known = len(problem.count), len(columns.kind)
        penalty = float(problem.hosts.sum())
        cost = np.concatenate((np.zeros(known), np.full(tasks, penalty), [1.0]))
        matrix = sparse.vstack(
            (
                sparse.hstack((-columns.cover(), -sparse.eye_array(tasks), sparse.csc_array((tasks, 1)))),
                sparse.hstack(
                    (
                        columns.on_kind(problem.kinds),
                        sparse.csc_array((problem.kinds, tasks)),
                        sparse.csc_array(-problem.hosts[:, None].astype(np.float64)),
                    )
                ),
            )
        )
        value, duals, x = _linear(cost, matrix, np.concatenate((-problem.count, np.zeros(problem.kinds))), deadline)
        return Solved(value, duals[:tasks], duals[tasks:], x[:known], float(x[known:-1].sum()))

    def bound(self, dual: Floats, most: Floats) -> float:
        """The value of all tasks over the highest value that all hosts hold."""
        held = float(most @ self.problem.hosts)
        return float(self.problem.count @ dual) / held if held > 0 else 0.0


class Relaxed(NamedTuple):
    """What column generation came to: the last solution, the best bound, and the duals that gave it.

    Attributes:
        solved: the relaxed program over the patterns known; its value is an upper bound on that over all patterns.
        bound: a lower bound on the value over all patterns.
        dual: float64[N], the values of tasks that give the bound.
        most: float64[K], no pattern on a host of each kind has a higher value.
        ended: no pattern improves the solution: value and bound are equal but for rounding.
    """

    solved: Solved
    bound: float
    dual: Floats
    most: Floats
    ended: bool


def relax(
    problem: PatternProblem,
    columns: Columns,
    master: Master,
    deadline: Deadline,
    enough: Callable[[float, float], bool] = lambda value, bound: False,
) -> Relaxed:
    """Add patterns to `columns` until none improves the solution, the time is up, or value and bound are `enough`.

    The prices that patterns are made for are smoothed; a round whose patterns improve nothing is made again without.

    Args:
        problem: tasks and hosts.
        columns: patterns known; changed.
        master: the objective.
        deadline: when to stop.
        enough: of the value and the bound.

    Raises:
        OutOfTime: the time was up before the first solution.
    """
    pricing = [HostPricing(problem, kind) for kind in range(problem.kinds)]
    _add_single_tasks(problem, columns, pricing)
    solved = master.solve(columns, deadline)
    center, bound, most = np.zeros_like(solved.dual), 0.0, np.zeros(problem.kinds)
    while not enough(solved.value, bound):
        added = 0
        for smoothing in (SMOOTHING, 0.0):
            dual = smoothing * center + (1 - smoothing) * solved.dual
            uppers = np.zeros(problem.kinds)
            for kind, price in enumerate(pricing):
                if deadline.passed():
                    return Relaxed(solved, bound, center, most, ended=False)
                uppers[kind], more = _priced(price, kind, (dual, problem.count), solved, columns, deadline)
                added += more
            reached = master.bound(dual, uppers)
            if reached > bound:
                center, bound, most = dual, reached, uppers
            if added:
                break
        if not added:
            return Relaxed(solved, bound, center, most, ended=True)
        try:
            solved = master.solve(columns, deadline)
        except OutOfTime:
            break
    return Relaxed(solved, bound, center, most, ended=False)


def _priced(
    pricing: HostPricing, kind: int, tasks: tuple[Floats, Longs], solved: Solved, columns: Columns, deadline: Deadline
) -> tuple[float, int]:
    """An upper bound on the value of a pattern at prices; how many patterns that improve were added.

    Args:
        pricing: of the kind of host.
        kind: of host.
        tasks: float64[N], the price of a task of each kind, and int64[N], how many there are.
        solved: the relaxed program.
        columns: patterns known; changed.
        deadline: only the first pattern is looked for after it.
    """
    dual, count = tasks
    upper, added, left = 0.0, 0, count.copy()
    for step in range(max(1, AT_ONCE // len(solved.limit))):
        if step and deadline.passed():
            break
        priced = pricing.best(dual, left, steps_within(deadline))
        upper = priced.upper if step == 0 else upper
        if float(priced.pattern @ solved.dual) <= solved.limit[kind] + NEAR or not priced.pattern.any():
            break
        added += columns.add((kind, priced.pattern))
        left = left - priced.pattern
    return upper, added


def _add_single_tasks(problem: PatternProblem, columns: Columns, pricing: list[HostPricing]) -> None:
    """As many tasks as fit of one kind alone, so that every task that fits somewhere is in a pattern."""
    for kind, price in enumerate(pricing):
        for n in np.flatnonzero(price.most > 0):
            pattern: Longs = np.zeros(len(problem.count), np.int64)
            pattern[n] = price.most[n]
            columns.add((kind, pattern))


def _linear(cost: Floats, matrix: Any, high: Floats, deadline: Deadline) -> tuple[float, Floats, Floats]:
    """Minimise cost @ x, matrix @ x <= high, x >= 0: the value, the duals (zero or more), and x."""
    linprog: Any = scipy.optimize.linprog
    left_s = deadline.left_s()
    if left_s <= 0:
        raise OutOfTime
    limit = {"time_limit": left_s}
    result = linprog(cost, A_ub=matrix.tocsc(), b_ub=high, method="highs-ds", options=limit)
    if result.status == 1:
        raise OutOfTime
    if result.x is None:
        raise ArithmeticError(f"HiGHS found no solution of a linear program that has one: {result.message}")
    return float(result.fun), np.maximum(-result.ineqlin.marginals, 0.0), np.asarray(result.x)
