"""Pricing for column generation: the pattern of the highest value for one host of a kind."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from loadmaster.model.arrays import Floats, Longs
from loadmaster.packing.deadline import Deadline
from loadmaster.packing.pattern_problem import PatternProblem
from loadmaster.packing.pricing_kernel import Branching, Items, branch_pattern, fill_table, list_patterns, read_table

MOST_CELLS = 30_000_000
"""Cells of a knapsack's table (amounts x groups of tasks) up to which it is filled; beyond, branching."""
LEAST_STEPS, STEPS_A_SECOND = 10_000, 60_000
"""Steps of a branching whatever time is left, and for each second that is left: a step takes less than 1.5 us."""
STEPS = 3_000_000
"""Steps of one branching: some tenths of a second."""
MIX_STEPS = 6
"""Rounds of the search for the mix of resources that serves as the size of a task."""


class Priced(NamedTuple):
    """The best pattern found: int64[N], its value, and an upper bound on the value of every pattern.

    The two are equal where the search was not cut short.
    """

    pattern: Longs
    value: float
    upper: float


def steps_within(deadline: Deadline) -> int:
    """Steps of a branching that take less than a tenth of the time that is left, as far as that can be known."""
    return int(min(STEPS, max(LEAST_STEPS, STEPS_A_SECOND * deadline.left_s())))


class HostPricing:
    """Prices patterns of one kind of host.

    Tasks in whole units of at most two resources that can run short are priced by a table (bounded knapsack, dynamic
    programming); all others by branching.

    Args:
        problem: the tasks and the kinds of hosts.
        kind: of the host.
    """

    def __init__(self, problem: PatternProblem, kind: int) -> None:
        self.most = problem.most_on(kind)
        short = (problem.demand * self.most[:, None]).sum(axis=0) > problem.capacity[kind]
        self._demand = np.ascontiguousarray(problem.demand[:, short])
        self._capacity = np.ascontiguousarray(problem.capacity[kind, short])
        self._whole = bool((self._demand == np.rint(self._demand)).all()) and self._demand.shape[1] <= 2

    def best(self, value: Floats, most: Longs | None = None, steps: int = STEPS) -> Priced:
        """The pattern of the highest sum of `value`, float64[N], zero or more, with at most `most` tasks of each kind.

        Args:
            value: of one task of each kind.
            most: int64[N]; None for as many as there are.
            steps: of the branching at most; after them the pattern may not be the best, and `upper` is still a bound.
        """
        number = self.most if most is None else np.minimum(most, self.most)
        pattern = np.zeros(len(value), np.int64)
        worthy = np.flatnonzero((value > 1e-11) & (number > 0))
        if not self._demand.shape[1]:  # nothing runs short
            pattern[worthy] = number[worthy]
            total = float(pattern @ value)
            return Priced(pattern, total, total)
        if not len(worthy):
            return Priced(pattern, 0.0, 0.0)
        groups = int(np.ceil(np.log2(number[worthy] + 1)).sum())
        shape = [int(amount) + 1 for amount in self._capacity] + [1] * (2 - len(self._capacity))
        if self._whole and shape[0] * shape[1] * groups <= MOST_CELLS:
            pattern[worthy] = self._by_table(value[worthy], number[worthy], worthy, (groups, shape[0], shape[1]))
            total = float(pattern @ value)
            return Priced(pattern, total, total)
        order, items, room = self._items(value, number, worthy)
        search = self._branching(items)
        total, upper, _ = branch_pattern(items, self._capacity, room, 0.0, steps, search)
        pattern[order] = search.chosen
        return Priced(pattern, float(total), float(upper))

    def patterns_above(self, value: Floats, least: float, rows: int) -> Longs | None:
        """int64[P, N]: all patterns with a value of at least `least` to which nothing can be added; None if too many.

        Args:
            value: float64[N], of one task of each kind.
            least: the least value of a pattern.
            rows: the most patterns.
        """
        worthy = np.flatnonzero(self.most > 0)
        if not self._demand.shape[1]:
            return self.most[None, :][: int(self.most @ value >= least)]
        order, items, room = self._items(np.maximum(value, 1e-13), self.most, worthy)
        out = np.empty((rows, len(worthy)), np.int64)
        count = list_patterns(items, self._capacity, room, least, self._branching(items), out)
        if count < 0:
            return None
        listed = np.zeros((count, len(value)), np.int64)
        listed[:, order] = out[:count]
        return listed

    def _by_table(self, value: Floats, most: Longs, worthy: Longs, shape: tuple[int, int, int]) -> Longs:
        size = np.zeros((len(worthy), 2), np.int64)
        size[:, : self._demand.shape[1]] = np.rint(self._demand[worthy])
        taken = np.empty(shape, np.uint8)
        fill_table(size, most, value, np.empty(shape[1:]), taken)
        pattern = np.empty(len(worthy), np.int64)
        read_table(size, most, taken, pattern)
        return pattern

    def _items(self, value: Floats, most: Longs, worthy: Longs) -> tuple[Longs, Items, float]:
        """The tasks in the order of branching; the size is the mix of resources that gives the lowest bound."""
        filled = self._demand[worthy] / np.maximum(self._capacity, 1e-12)
        worth, number = value[worthy], most[worthy]

        def bound(mix: Floats) -> float:
            size = np.maximum(filled @ mix, 1e-12)
            turn = np.argsort(-worth / size)
            return _fractional(worth[turn], size[turn], number[turn])

        size = np.maximum(filled @ _best_mix(bound, filled.shape[1]), 1e-12)
        order = np.argsort(-worth / size, kind="stable")
        items = Items(
            worth[order],
            np.ascontiguousarray(self._demand[worthy[order]]),
            number[order],
            np.ascontiguousarray(size[order]),
        )
        return worthy[order], items, 1.0

    def _branching(self, items: Items) -> Branching:
        kinds, resources = items.demand.shape
        levels = int(items.most.sum())
        with np.errstate(divide="ignore"):
            least = items.demand.min(axis=0)
            levels = int(min(levels, np.where(least > 0, self._capacity / least, np.inf).min(initial=np.inf)))
        number: Longs = np.zeros((2, kinds), np.int64)
        return Branching(
            number[0],
            number[1],
            np.zeros(levels + 1, np.int64),
            np.zeros(levels + 2, np.int64),
            np.zeros((levels + 2, resources)),
            np.zeros(levels + 2),
            np.zeros(levels + 2),
        )


def _best_mix(bound: Callable[[Floats], float], resources: int) -> Floats:
    """float64[R], weights of resources that add up to 1 with about the lowest `bound`, by smaller and smaller steps."""
    best = np.full(resources, 1.0 / resources)
    lowest, step = bound(best), 0.5
    for _ in range(MIX_STEPS if resources > 1 else 0):
        moved = False
        for r in range(resources):
            for sign in (step, -step):
                mix = best.copy()
                mix[r] = max(0.0, mix[r] + sign * mix.max())
                mix /= mix.sum()
                if (value := bound(mix)) < lowest:
                    lowest, best, moved = value, mix, True
        step = step if moved else step / 2
    return best


def _fractional(value: Floats, size: Floats, most: Longs) -> float:
    """The highest value in a room of 1 if tasks could be split: `value / size` descends."""
    filled = np.concatenate(([0.0], np.cumsum(size * most)))
    worth = np.concatenate(([0.0], np.cumsum(value * most)))
    return float(np.interp(1.0, filled, worth))
