"""Constraints and costs of your own: functions of a task's and a host's name, beside capacities and sums (rule B13)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from loadmaster.model.arrays import Ints, Longs
from loadmaster.model.errors import InputError
from loadmaster.packing.cheapest_hosts import all_rigid
from loadmaster.packing.constrained.annealing import anneal_placement
from loadmaster.packing.constrained.constraints import AllowedHosts, PlacementConstraint
from loadmaster.packing.constrained.costs import TaskHostCost
from loadmaster.packing.constrained.evaluate import evaluate
from loadmaster.packing.constrained.groups import TaskGroup
from loadmaster.packing.constrained.instance_problem import instance_problem
from loadmaster.packing.constrained.lower_bound import infeasible_because
from loadmaster.packing.constrained.placement import CountedPlacement
from loadmaster.packing.constrained.problem import ConstrainedProblem
from loadmaster.packing.constrained.weighted_sum import UNIT, WeightedSum
from loadmaster.packing.instance import Instance
from loadmaster.packing.objective import Objective

MayRun = Callable[[str, str], bool]
"""Whether the task of the first name may run on the host of the second."""
PlaceCost = Callable[[str, str], float]
"""What it costs that the task of the first name runs on the host of the second, zero or more."""


@dataclass(frozen=True, eq=False)
class OwnPlacement:
    """A placement that keeps your constraints.

    Attributes:
        problem: hosts, tasks, constraints and costs.
        host: int64[T], the host of each task; empty where no placement was found.
        costs: each of your costs and the sum of `minimise`, by name.
        bound: no placement of all tasks costs less in all.
        reason: why there is no placement, as far as capacities tell.
    """

    problem: ConstrainedProblem
    host: Longs
    costs: Mapping[str, float]
    bound: float
    reason: str = ""

    @property
    def proven(self) -> bool:
        """No placement of all tasks costs less."""
        return bool(self.host.size) and sum(self.costs.values()) <= self.bound * (1 + 1e-9) + 1e-9

    def why_not(self, task: str, host: str) -> tuple[str, ...]:
        """Why the task may not move to the host, one sentence each; empty if it may."""
        at = self.problem.now if not self.host.size else self.host
        names = self.problem.task_names.index(task), self.problem.host_names.index(host)
        return CountedPlacement(self.problem, at).why_not(*names)


def place_under(
    instance: Instance,
    constraints: Mapping[str, MayRun],
    costs: Mapping[str, PlaceCost],
    minimise: str | None = None,
    time_limit_s: float = 10.0,
    now: Ints | None = None,
    more: tuple[PlacementConstraint, ...] = (),
) -> OwnPlacement:
    """The cheapest placement found that keeps capacities and your constraints; each demand is met in full.

    Args:
        instance: tasks and hosts.
        constraints: your functions, by the sentence that a task needs.
        costs: your functions, by name; each is called once for each task and host.
        minimise: a sum as in `pack --minimise`, added to your costs.
        time_limit_s: of the search.
        now: int32[T], where each task runs; -1 for none.
        more: constraints on groups, such as `Apart` or `MaxSkew`.

    Raises:
        InputError: a cost is below zero or no number, or the sum cannot be read.

    Example:
        >>> two = Instance.of(hosts=2, cpu=[0.3, 0.3], memory=[0.1, 0.1])
        >>> made = place_under(two, {"host 1": lambda task, host: task != "0" or host == "1"},
        ...                    {"distance": lambda task, host: 2.0 if host == "0" else 0.5}, time_limit_s=0.1)
        >>> made.host.tolist(), made.costs, made.proven, made.why_not("0", "0")
        ([1, 1], {'distance': 1.0}, True, ('0 needs host 1, which 0 does not match',))
    """
    rigid = all_rigid(instance)
    made = instance_problem(rigid, np.full(instance.tasks, -1, np.int32) if now is None else now)
    bare = made.problem
    rules = [rule for name, may in constraints.items() for rule in allowed_where(may, name, bare)]
    own = tuple(cost_where(cost, name, bare) for name, cost in costs.items())
    problem = replace(bare, constraints=(*bare.constraints, *more, *rules))
    total = None if minimise is None else WeightedSum(Objective.parse(minimise), problem, made.full, instance.price)
    problem = replace(problem, costs=(*own, *(() if total is None else total.costs())))
    bound = sum(float(cost.amount.min(axis=1).sum()) for cost in own) / UNIT + (0.0 if total is None else total.bound)
    reason = infeasible_because(problem)
    found = None if reason else anneal_placement(problem, time_limit_s, goal=int(bound * UNIT))
    if found is None or not found.placed:
        return OwnPlacement(problem, np.zeros(0, np.int64), {}, bound, reason)
    if broken := evaluate(problem, found.host).broken:
        raise AssertionError(f"the search broke a constraint: {broken[0]}")
    amounts = {cost.name: float(cost.amount[np.arange(problem.tasks), found.host].sum()) / UNIT for cost in own}
    if total is not None:
        amounts[total.objective.text] = total.value(found.host)
    return OwnPlacement(problem, found.host, amounts, bound)


def allowed_where(may: MayRun, rule: str, problem: ConstrainedProblem) -> list[AllowedHosts]:
    """The hosts where `may` lets each task run; tasks with equal hosts share one constraint.

    Args:
        may: your function, of a task's and a host's name.
        rule: what a task needs, for messages.
        problem: hosts and tasks.
    """
    table = np.array([[bool(may(task, host)) for host in problem.host_names] for task in problem.task_names], bool)
    rows, row_of = np.unique(table.reshape(problem.tasks, problem.hosts), axis=0, return_inverse=True)
    groups = [np.flatnonzero(row_of.reshape(-1) == row).astype(np.int32) for row in range(len(rows))]
    return [
        AllowedHosts(TaskGroup(rule, tasks), hosts, rule)
        for tasks, hosts in zip(groups, rows, strict=True)
        if not hosts.all()
    ]


def cost_where(cost: PlaceCost, name: str, problem: ConstrainedProblem) -> TaskHostCost:
    """What each task costs on each host, in units of 10^-9.

    Args:
        cost: your function, of a task's and a host's name.
        name: of the cost.
        problem: hosts and tasks.

    Raises:
        InputError: a cost is below zero or no number.
    """
    table = np.array([[float(cost(task, host)) for host in problem.host_names] for task in problem.task_names])
    table = table.reshape(problem.tasks, problem.hosts)
    if not (np.isfinite(table) & (table >= 0)).all():
        worst = table[~(np.isfinite(table) & (table >= 0))][0]
        raise InputError(f"{worst:g}", f"the cost {name!r} must be zero or more", fix="add a constant to it")
    return TaskHostCost(name, np.round(table * UNIT).astype(np.int64))
