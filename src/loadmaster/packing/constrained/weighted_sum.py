"""A weighted sum of amounts on a constrained problem: its costs for the search, its value and its bound (rule B10)."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from loadmaster.model.arrays import Floats, Longs
from loadmaster.packing.constrained.costs import (
    MILLION,
    HostPrice,
    ImbalanceCost,
    PlacementCost,
    StrandedCost,
    TaskMoveCost,
)
from loadmaster.packing.constrained.evaluate import imbalance_of_hosts, stranded_on_hosts
from loadmaster.packing.constrained.lower_bound import least_price
from loadmaster.packing.constrained.problem import ConstrainedProblem
from loadmaster.packing.objective import Objective

UNIT = 1_000 * MILLION
"""The search counts one of the sum as so many whole units."""


@dataclass(frozen=True, eq=False)
class WeightedSum:
    """The amounts that an objective names, on one problem.

    Attributes:
        objective: names and weights.
        problem: hosts, tasks and constraints; without costs.
        full: int64[H, R], amounts at which a host counts as full.
        price: float64[H], of each host in use; None where no prices are known.
    """

    objective: Objective
    problem: ConstrainedProblem
    full: Longs
    price: Floats | None = None

    def costs(self) -> Iterator[PlacementCost]:
        """The same sum in whole units for the search."""
        for name, weight in self.objective.weights.items():
            whole, of_million = round(weight * UNIT), round(weight * UNIT / MILLION)
            if name in ("hosts", "cost"):
                yield HostPrice(name, np.round(weight * UNIT * self._price(name)).astype(np.int64))
            elif name == "moves":
                yield TaskMoveCost(name, np.ones(self.problem.tasks, np.int64), whole)
            elif name == "imbalance":
                yield ImbalanceCost(name, self.full, of_million)
            else:
                yield StrandedCost(name, self.full, of_million)

    def amounts(self, host: Longs) -> dict[str, float]:
        """Each amount of the placement `host`, int64[T] with -1 for none, without its weight."""
        return {name: self._amount(name, host) for name in self.objective.weights}

    def value(self, host: Longs) -> float:
        """The sum."""
        return sum(self.objective.weights[name] * amount for name, amount in self.amounts(host).items())

    def bounds(self) -> dict[str, float]:
        """For each amount a number that it is below in no placement of all tasks; 0 where none is known."""
        return {name: self._bound(name) for name in self.objective.weights}

    @property
    def bound(self) -> float:
        """No placement of all tasks has a lower sum; 0 where nothing is known."""
        return sum(self.objective.weights[name] * bound for name, bound in self.bounds().items())

    def reached(self, cost: int) -> float:
        """The sum that stands for `cost` units of the search."""
        return cost / UNIT

    @property
    def enough(self) -> int:
        """Units of the search at which it may end: the bound, and what rounding adds on each host."""
        rounded = sum(name in ("imbalance", "stranded") for name in self.objective.weights)
        most = max(self.objective.weights.values()) * UNIT / MILLION
        return int(self.bound * UNIT * (1 + 1e-12)) + int(rounded * most * self.problem.hosts / 2)

    def _price(self, name: str) -> Floats:
        return np.ones(self.problem.hosts) if name == "hosts" or self.price is None else self.price

    def _amount(self, name: str, host: Longs) -> float:
        there = host >= 0
        if name in ("hosts", "cost"):
            return float(self._price(name)[np.unique(host[there])].sum())
        if name == "moves":
            return float((there & (self.problem.now >= 0) & (host != self.problem.now)).sum())
        of_hosts = imbalance_of_hosts if name == "imbalance" else stranded_on_hosts
        return float(sum(of_hosts(self.problem, self.full, host)))

    def _bound(self, name: str) -> float:
        problem = self.problem
        if name in ("hosts", "cost"):
            return least_price_of_hosts(problem, self._price(name))
        if name == "moves":
            return float(fewest_moves(problem))
        bounds = (least_imbalance if name == "imbalance" else least_stranded)(problem.demand, self.full)
        return float(bounds)


def least_price_of_hosts(problem: ConstrainedProblem, price: Floats) -> float:
    """The least price of hosts that have what all tasks request; a whole multiple of the prices' common unit."""
    if not problem.tasks:
        return 0.0
    whole = np.round(price * MILLION).astype(np.int64)
    unit = int(np.gcd.reduce(whole)) if np.allclose(whole / MILLION, price, rtol=0, atol=1e-12) else 0
    least = least_price(problem, whole)
    if unit:
        least = max(-(-least // unit) * unit, int(whole.min()))
    return least / MILLION


def fewest_moves(problem: ConstrainedProblem) -> int:
    """So many tasks leave hosts that are too full now: for each host and resource the largest ones first."""
    use, there = np.zeros_like(problem.capacity), problem.now >= 0
    np.add.at(use, problem.now[there], problem.demand[there])
    moves = 0
    for host in np.flatnonzero((use > problem.capacity).any(axis=1)).tolist():
        demand, over = problem.demand[problem.now == host], use[host] - problem.capacity[host]
        freed = np.cumsum(-np.sort(-demand, axis=0), axis=0)
        moves += int(max(np.searchsorted(freed[:, r], over[r]) + 1 for r in np.flatnonzero(over > 0)))
    return moves


def least_imbalance(demand: Longs, full: Longs) -> float:
    """No placement has a smaller imbalance.

    A task that alone loads its host beyond the mean adds at least its own excess squared. On equal hosts the others
    are as much below the mean in all, and two more bounds hold. Of H hosts and T < H tasks, H - T hosts stay empty.
    And if all demands are whole multiples of a unit, so are all loads, of which none may be the mean.

    Args:
        demand: int64[T, R].
        full: int64[H, R].

    Example:
        >>> float(least_imbalance(np.array([[1], [1], [1]]), np.array([[2], [2]])))
        0.125
    """
    bound, (hosts, kinds), tasks = 0.0, full.shape, len(demand)
    for r in range(kinds):
        room, total = full[:, r], int(full[:, r].sum())
        if not total or not demand[:, r].any():
            continue
        mean = demand[:, r].sum() / total
        excess = np.maximum(demand[:, r] / room.max() - mean, 0.0)
        best = float((excess**2).sum())
        if (room == room[0]).all():
            best += float(excess.sum()) ** 2 / max(hosts - 1, 1)
            empty = hosts - tasks
            if empty > 0:
                best = max(best, empty * mean**2 + tasks * (mean * empty / tasks) ** 2)
            unit = int(np.gcd.reduce(demand[:, r]))
            higher = int(demand[:, r].sum()) // unit % hosts
            best = max(best, higher * (hosts - higher) / hosts * (unit / int(room[0])) ** 2)
        bound += best
    return bound


def least_stranded(demand: Longs, full: Longs) -> float:
    """No placement strands less: the resource that all tasks together request most of runs out while others are left.

    On each host the load of its fullest resource is at least that of any one resource s. So what is stranded of r is
    at least the sum over tasks of the load in s, times the least ratio of capacities of r and s, less the load in r.

    Args:
        demand: int64[T, R].
        full: int64[H, R].

    Example:
        >>> float(least_stranded(np.array([[2, 1], [1, 1]]), np.array([[4, 4], [4, 4]])))
        0.25
    """
    mean, asked, bound = full.mean(axis=0), demand.sum(axis=0), 0.0
    kinds = [r for r in range(full.shape[1]) if full[:, r].min() > 0]
    for r in kinds:
        others = [asked[s] * float((full[:, r] / full[:, s]).min()) for s in kinds]
        bound += max(0.0, max(others) - float(asked[r])) / float(mean[r])
    return bound
