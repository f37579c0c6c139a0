"""A lower bound on the cost of any placement: what the loads and the balance of all hosts together come to."""

import math
from typing import Any

import numpy as np

from loadmaster.model.arrays import Floats, Longs
from loadmaster.packing.constrained.constraints import Capacity
from loadmaster.packing.constrained.costs import BalanceCost, HostPrice, LoadCost, TaskHostCost
from loadmaster.packing.constrained.problem import ConstrainedProblem


def lower_bound(problem: ConstrainedProblem) -> int:
    """No placement of all tasks costs less (rule B6).

    It looks at the sums of demands and capacities over all hosts, and at none of the other constraints.
    """
    demand, capacity = problem.demand.sum(axis=0), problem.capacity.sum(axis=0)
    bound = 0
    for cost in problem.costs:
        if isinstance(cost, LoadCost):
            bound += cost.weight * max(0, int(demand[cost.resource]) - int(np.sum(cost.safety)))
        elif isinstance(cost, BalanceCost):
            free = capacity - demand
            bound += cost.weight * max(0, cost.target * int(free[cost.first]) - int(free[cost.second]))
        elif isinstance(cost, HostPrice):
            bound += cost.weight * least_price(problem, cost.price)
        elif isinstance(cost, TaskHostCost):
            bound += cost.weight * int(cost.amount.min(axis=1, initial=1 << 60).sum()) if problem.hosts else 0
    return bound


def infeasible_because(problem: ConstrainedProblem) -> str:
    """Why there is no placement of all tasks, as far as capacities tell; empty if they do not."""
    demand, capacity = problem.demand, problem.capacity
    if not any(isinstance(each, Capacity) for each in problem.constraints):
        return ""
    for task, host in enumerate(problem.now.tolist()):
        if host < 0 and not (demand[task] <= capacity).all(axis=1).any():
            asked = ", ".join(
                f"{name} {amount:,}" for name, amount in zip(problem.resources, demand[task], strict=True)
            )
            return f"{problem.task_names[task]} fits on no host: ({asked}) is more than any has"
    for name, asked, there in zip(problem.resources, demand.sum(axis=0), capacity.sum(axis=0), strict=True):
        if asked > there:
            return f"all tasks request {asked:,} of {name}; all hosts have {there:,}"
    return ""


def least_price(problem: ConstrainedProblem, price: Longs) -> int:
    """The least price of hosts that together have what all tasks request, parts of hosts allowed; rounded up.

    Args:
        problem: hosts and tasks.
        price: int64[H].
    """
    return math.ceil(_priced(problem, price)[0] * (1 - 1e-9) - 1e-6)


def _priced(problem: ConstrainedProblem, price: Longs) -> tuple[float, Floats]:
    """The optimum of that linear program, and float64[R], what one more unit of demand adds to it."""
    from scipy.optimize import linprog

    demand = problem.demand.sum(axis=0)
    program: Any = linprog(price, A_ub=-problem.capacity.T, b_ub=-demand, bounds=(0, 1), method="highs")
    if program.fun is None:  # more demand than capacity: there is no placement
        return 0.0, np.zeros(len(demand))
    return float(program.fun), -np.asarray(program.ineqlin.marginals, float)


def resource_worth(problem: ConstrainedProblem, price: Longs) -> Floats:
    """float64[R], what a unit of each resource is worth where hosts have the `price`, int64[H]; empty where none has.

    Four parts of five are the resource's price in the linear program, the fifth is its share of the mean host's price.
    """
    if not price.any():
        return np.zeros(0)
    capacity = np.maximum(problem.capacity.sum(axis=0), 1)
    even = price.sum() / capacity / len(capacity)
    return np.asarray(0.8 * _priced(problem, price)[1] + 0.2 * even)
