"""An amount that a cost of no placement exceeds: the search counts costs in 64 bits."""

import numpy as np

from loadmaster.model.arrays import Floats, Longs
from loadmaster.packing.constrained.constraints import Capacity
from loadmaster.packing.constrained.costs import (
    MILLION,
    BalanceCost,
    GroupMoveCost,
    HostMoveCost,
    ImbalanceCost,
    LoadCost,
    PlacementCost,
    StrandedCost,
    TaskHostCost,
    TaskMoveCost,
)
from loadmaster.packing.constrained.problem import ConstrainedProblem


def largest_cost(problem: ConstrainedProblem, cost: PlacementCost) -> float:
    """An amount that the cost of no placement exceeds, its weight multiplied in."""
    if isinstance(cost, LoadCost):
        amount = float(problem.demand[:, cost.resource].sum())
    elif isinstance(cost, BalanceCost):
        amount = float(cost.target) * float(problem.capacity[:, cost.first].sum())
    elif isinstance(cost, GroupMoveCost):
        amount = float(problem.tasks)
    elif isinstance(cost, HostMoveCost):
        amount = float(cost.amount.max(initial=0)) * problem.tasks
    elif isinstance(cost, TaskHostCost):
        amount = float(cost.amount.max(axis=1, initial=0).sum(dtype=float))
    elif isinstance(cost, ImbalanceCost | StrandedCost):
        uneven = _most_imbalance if isinstance(cost, ImbalanceCost) else _most_stranded
        amount = MILLION * uneven(problem, cost.full) + problem.hosts
    else:
        amount = float(np.sum(cost.amount if isinstance(cost, TaskMoveCost) else cost.price, dtype=float))
    return cost.weight * amount


def _most_imbalance(problem: ConstrainedProblem, full: Longs) -> float:
    """No placement has a larger imbalance: the squares of the loads, and of the mean on each host."""
    loads, mean = _sum_of_loads(problem, full), problem.demand.sum(axis=0) / np.maximum(full.sum(axis=0), 1)
    highest = loads
    if any(isinstance(each, Capacity) for each in problem.constraints):
        limit, there = np.zeros_like(problem.capacity), problem.now >= 0
        np.add.at(limit, problem.now[there], problem.demand[there])
        limit = np.maximum(limit, problem.capacity)
        highest = np.minimum(loads, (limit / np.maximum(full, 1) * (full > 0)).max(axis=0, initial=0.0))
    return float((loads * highest + problem.hosts * mean**2).sum())


def _most_stranded(problem: ConstrainedProblem, full: Longs) -> float:
    """No placement strands more: on each host the loads of all its resources, of each resource."""
    share = full.max(axis=0, initial=0) / np.maximum(full.mean(axis=0), 1e-9)
    return float(_sum_of_loads(problem, full).sum() * share.sum())


def _sum_of_loads(problem: ConstrainedProblem, full: Longs) -> Floats:
    """float64[R], the sum of the loads of all hosts is no larger: each task on the smallest host of the resource."""
    least = np.where(full > 0, full, 1 << 60).min(axis=0, initial=1 << 60)
    loads: Floats = problem.demand.sum(axis=0) / least
    return loads
