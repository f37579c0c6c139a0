"""What no plan towards a goal can do better than: hosts in use, cost of the moves, highest load (rule B12)."""

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from loadmaster.model.arrays import Bools
from loadmaster.move.constrained.valid_moves import load_resources
from loadmaster.packing.constrained.constraints import OnNumaNodes
from loadmaster.packing.constrained.problem import ConstrainedProblem
from loadmaster.packing.constrained.weighted_sum import fewest_moves, least_price_of_hosts

if TYPE_CHECKING:
    from loadmaster.move.constrained.goal_plan import GoalQuestion


class GoalBound(NamedTuple):
    """No plan that reaches the goal, whatever its budget, has a smaller value.

    Attributes:
        figure: `spent`, of the budget; `moves`; or a figure after the moves: `hosts_in_use`, `highest_load`.
        value: the bound.
    """

    figure: str
    value: float


def goal_bound(question: "GoalQuestion") -> GoalBound | None:
    """The bound of a goal; None for tasks that wait, and for a sum, which has its own.

    It looks at capacities, NUMA nodes and tasks that may not move, and at no other constraint.
    """
    problem, there = question.problem, question.problem.now >= 0
    if question.goal == "drain":
        leaving = there & question.hosts[np.maximum(problem.now, 0)] & ~question.tied
        return GoalBound("spent", float(question.cost[leaving].sum()))
    if question.goal == "consolidate":
        return GoalBound("hosts_in_use", _fewest_hosts(problem, there & ~question.tied))
    if question.goal == "balance":
        return GoalBound("highest_load", _least_highest_load(question))
    if question.goal == "fix":
        return GoalBound("moves", float(fewest_moves(problem)))
    return None


def _fewest_hosts(problem: ConstrainedProblem, counted: Bools) -> float:
    """Hosts that the counted tasks, bool[T], need beside the others, which stay."""
    room, others = problem.capacity.copy(), (problem.now >= 0) & ~counted
    np.subtract.at(room, problem.now[others], problem.demand[others])
    names = tuple(np.array(problem.task_names, object)[counted].tolist())
    alone = replace(
        problem,
        demand=problem.demand[counted],
        capacity=np.maximum(room, 0),
        now=problem.now[counted],
        task_names=names,
        constraints=(),
        costs=(),
    )
    divided = [each.numa.fewest_hosts(counted) for each in problem.constraints if isinstance(each, OnNumaNodes)]
    return max([least_price_of_hosts(alone, np.ones(problem.hosts)), *divided])


def _least_highest_load(question: "GoalQuestion") -> float:
    """The mean load of the resource that is requested most, and the load of the largest task on the largest host."""
    problem, running = question.problem, question.problem.now >= 0
    bound = 0.0
    for r in load_resources(problem).tolist():
        full = question.full[:, r]
        if full.any() and running.any():
            demand = problem.demand[running, r]
            bound = max(bound, float(demand.sum()) / float(full.sum()), float(demand.max()) / float(full.max()))
    return bound
