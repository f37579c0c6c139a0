"""Costs and broken constraints of a whole placement, worked out from nothing: the plain reference of the search.

It reads the definitions alone, keeps no counts, and shares no code with the search.
"""

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import singledispatch

import numpy as np

from loadmaster.model.arrays import Longs
from loadmaster.packing.constrained.constraints import (
    AllowedHosts,
    Apart,
    Capacity,
    MaxSkew,
    PlacementConstraint,
    SpreadOver,
    Stays,
    Together,
)
from loadmaster.packing.constrained.costs import (
    MILLION,
    BalanceCost,
    GroupMoveCost,
    HostMoveCost,
    HostPrice,
    ImbalanceCost,
    LoadCost,
    PlacementCost,
    StrandedCost,
    TaskHostCost,
    TaskMoveCost,
)
from loadmaster.packing.constrained.groups import DomainLevel, TaskGroup
from loadmaster.packing.constrained.problem import ConstrainedProblem


@dataclass(frozen=True)
class Evaluation:
    """What a placement costs and breaks.

    Attributes:
        costs: weight x cost by name; costs of one name are added.
        broken: a sentence for each constraint broken at a place; a task without a host breaks one.
    """

    costs: dict[str, int]
    broken: tuple[str, ...]

    @property
    def total(self) -> int:
        """The sum of the weighted costs."""
        return sum(self.costs.values())


def evaluate(problem: ConstrainedProblem, host: Longs) -> Evaluation:
    """The costs of the placement `host`, int[T] with -1 for none, and what it breaks."""
    costs: Counter[str] = Counter()
    for cost in problem.costs:
        costs[cost.name] += cost.weight * cost_of(cost, problem, host)
    broken = [f"{problem.task_names[task]} has no host" for task in np.flatnonzero(host < 0).tolist()]
    for constraint in problem.constraints:
        broken += broken_by(constraint, problem, host)
    return Evaluation(dict(costs), tuple(broken))


def _use(problem: ConstrainedProblem, host: Longs) -> list[list[int]]:
    """The demands on each host."""
    use = np.zeros_like(problem.capacity)
    np.add.at(use, host[host >= 0], problem.demand[host >= 0])
    rows: list[list[int]] = use.tolist()
    return rows


def _moved(problem: ConstrainedProblem, host: Longs) -> list[int]:
    """The tasks that run somewhere now and are placed elsewhere."""
    pairs = enumerate(zip(problem.now.tolist(), host.tolist(), strict=True))
    return [task for task, (now, h) in pairs if now >= 0 and h >= 0 and now != h]


@singledispatch
def cost_of(cost: PlacementCost, problem: ConstrainedProblem, host: Longs) -> int:
    """The cost of the placement `host`, without its weight."""
    raise TypeError(cost)


@cost_of.register
def _load(cost: LoadCost, problem: ConstrainedProblem, host: Longs) -> int:
    use = _use(problem, host)
    return sum(max(0, use[h][cost.resource] - int(cost.safety[h])) for h in range(problem.hosts))


@cost_of.register
def _balance(cost: BalanceCost, problem: ConstrainedProblem, host: Longs) -> int:
    total = 0
    for use, capacity in zip(_use(problem, host), problem.capacity.tolist(), strict=True):
        first, second = (capacity[r] - use[r] for r in (cost.first, cost.second))
        total += max(0, cost.target * first - second)
    return total


@cost_of.register
def _task_moves(cost: TaskMoveCost, problem: ConstrainedProblem, host: Longs) -> int:
    return sum(int(cost.amount[task]) for task in _moved(problem, host))


@cost_of.register
def _group_moves(cost: GroupMoveCost, problem: ConstrainedProblem, host: Longs) -> int:
    groups = Counter(int(cost.group[task]) for task in _moved(problem, host) if cost.group[task] >= 0)
    return max(groups.values(), default=0)


@cost_of.register
def _host_moves(cost: HostMoveCost, problem: ConstrainedProblem, host: Longs) -> int:
    return sum(int(cost.amount[problem.now[task], host[task]]) for task in _moved(problem, host))


@cost_of.register
def _prices(cost: HostPrice, problem: ConstrainedProblem, host: Longs) -> int:
    return sum(int(cost.price[h]) for h in set(host.tolist()) if h >= 0)


@cost_of.register
def _imbalance(cost: ImbalanceCost, problem: ConstrainedProblem, host: Longs) -> int:
    return sum(math.floor(MILLION * each + 0.5) for each in imbalance_of_hosts(problem, cost.full, host))


@cost_of.register
def _stranded(cost: StrandedCost, problem: ConstrainedProblem, host: Longs) -> int:
    return sum(math.floor(MILLION * each + 0.5) for each in stranded_on_hosts(problem, cost.full, host))


@cost_of.register
def _by_host(cost: TaskHostCost, problem: ConstrainedProblem, host: Longs) -> int:
    return sum(int(cost.amount[task, h]) for task, h in enumerate(host.tolist()) if h >= 0)


def imbalance_of_hosts(problem: ConstrainedProblem, full: Longs, host: Longs) -> list[float]:
    """For each host the sum over the resources of (load - mean load) squared."""
    there = full.sum(axis=0)
    mean = [
        float(asked) / float(total) if total else 0.0
        for asked, total in zip(problem.demand.sum(axis=0), there, strict=True)
    ]
    rows = zip(_use(problem, host), full.tolist(), strict=True)
    return [
        sum((used / room - mean[r]) ** 2 for r, (used, room) in enumerate(zip(use, row, strict=True)) if room)
        for use, row in rows
    ]


def stranded_on_hosts(problem: ConstrainedProblem, full: Longs, host: Longs) -> list[float]:
    """For each host what its fullest resource strands of the others, in mean hosts."""
    mean = full.mean(axis=0)
    amounts = []
    for use, row in zip(_use(problem, host), full.tolist(), strict=True):
        load = [used / room if room else 0.0 for used, room in zip(use, row, strict=True)]
        most = max(load, default=0.0)
        amounts.append(
            sum((most - part) * (room / mean[r]) for r, (part, room) in enumerate(zip(load, row, strict=True)) if room)
        )
    return amounts


@singledispatch
def broken_by(constraint: PlacementConstraint, problem: ConstrainedProblem, host: Longs) -> Iterator[str]:
    """Where the placement `host` breaks the constraint, a sentence each."""
    raise TypeError(constraint)


@broken_by.register
def _capacity(constraint: Capacity, problem: ConstrainedProblem, host: Longs) -> Iterator[str]:
    away = np.full(problem.tasks, -1)
    away[_moved(problem, host)] = problem.now[_moved(problem, host)]
    use, leaving = _use(problem, host), _use(problem, away)
    for h, name in enumerate(problem.host_names):
        for r, resource in enumerate(problem.resources):
            held = use[h][r] + (leaving[h][r] if constraint.transient[r] else 0)
            if held > problem.capacity[h, r]:
                yield f"{name} holds {held:,} of {resource}; its capacity is {problem.capacity[h, r]:,}"


@broken_by.register
def _allowed(constraint: AllowedHosts, problem: ConstrainedProblem, host: Longs) -> Iterator[str]:
    for task in constraint.tasks.tasks.tolist():
        if host[task] >= 0 and not constraint.hosts[host[task]]:
            yield f"{problem.task_names[task]} needs {constraint.rule}"


@broken_by.register
def _stays(constraint: Stays, problem: ConstrainedProblem, host: Longs) -> Iterator[str]:
    for task in set(constraint.tasks.tasks.tolist()) & set(_moved(problem, host)):
        yield f"{problem.task_names[task]} may not move: {constraint.reason}"


@broken_by.register
def _broken_apart(constraint: Apart, problem: ConstrainedProblem, host: Longs) -> Iterator[str]:
    others = _by_domain(constraint.others, constraint.level, host)
    for domain, subjects in _by_domain(constraint.subjects, constraint.level, host).items():
        for task in subjects:
            if domain >= 0 and set(others.get(domain, ())) - {task}:
                yield f"{problem.task_names[task]} shares a {constraint.level.name} with {constraint.others.name}"


@broken_by.register
def _together(constraint: Together, problem: ConstrainedProblem, host: Longs) -> Iterator[str]:
    others = _by_domain(constraint.others, constraint.level, host)
    everywhere = {task for tasks in others.values() for task in tasks}
    for domain, subjects in _by_domain(constraint.subjects, constraint.level, host).items():
        for task in subjects:
            if domain < 0 or (everywhere != {task} and not set(others.get(domain, ())) - {task}):
                yield f"{problem.task_names[task]} has no {constraint.others.name} in its {constraint.level.name}"


@broken_by.register
def _spread(constraint: SpreadOver, problem: ConstrainedProblem, host: Longs) -> Iterator[str]:
    used = len(set(_by_domain(constraint.group, constraint.level, host)) - {-1})
    if used < constraint.at_least:
        yield f"{constraint.group.name} is in {used} of at least {constraint.at_least} of {constraint.level.name}"


@broken_by.register
def _skew(constraint: MaxSkew, problem: ConstrainedProblem, host: Longs) -> Iterator[str]:
    tasks = _by_domain(constraint.group, constraint.level, host)
    if -1 in tasks:
        yield f"{constraint.group.name} has tasks in no {constraint.level.name}"
    counts = [len(tasks.get(domain, ())) for domain in np.flatnonzero(constraint.eligible).tolist()]
    if counts and max(counts) - min(counts) > constraint.at_most:
        yield f"{constraint.group.name} differs by {max(counts) - min(counts)} between {constraint.level.name}s"


def _by_domain(group: TaskGroup, level: DomainLevel, host: Longs) -> dict[int, list[int]]:
    """The placed tasks of a group by domain."""
    tasks: dict[int, list[int]] = {}
    for task in group.tasks.tolist():
        if host[task] >= 0:
            tasks.setdefault(int(level.domain[host[task]]), []).append(task)
    return tasks
