"""The arrays of the search made from a constrained problem: constraints become counters and rules on them."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from loadmaster.model.arrays import Bools, Ints, Longs
from loadmaster.model.errors import InputError
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
    StrandedCost,
    TaskHostCost,
    TaskMoveCost,
)
from loadmaster.packing.constrained.groups import DomainLevel, TaskGroup, common_tasks
from loadmaster.packing.constrained.largest_cost import largest_cost
from loadmaster.packing.constrained.layout import (
    ACCOMPANIED,
    APART,
    SEPARATE,
    SKEW,
    SPREAD,
    TOGETHER,
    CostArrays,
    HostArrays,
    PlacementState,
    RuleArrays,
    SearchModel,
    ShapeArrays,
    TaskArrays,
)
from loadmaster.packing.constrained.lower_bound import resource_worth
from loadmaster.packing.constrained.problem import ConstrainedProblem

LARGEST_COST = float(1 << 60)
"""The sum of all costs, weights multiplied in, stays below this."""
UNBOUNDED = 1 << 60
"""The capacity of a host that no `Capacity` binds."""


class CountRule(NamedTuple):
    """A rule on the counts of one group, or of two, at one level; see the kinds in `layout`."""

    kind: int
    subject: TaskGroup
    other: TaskGroup
    level: DomainLevel
    limit: int = 0
    eligible: Bools | None = None


def search_model(problem: ConstrainedProblem) -> SearchModel:
    """The arrays of `problem`.

    Raises:
        InputError: more than one cost of the largest group, or costs that no 64 bits hold.
    """
    if sum(largest_cost(problem, cost) for cost in problem.costs) >= LARGEST_COST:
        raise InputError(problem.source or "costs", f"weight x cost of all tasks must stay below {LARGEST_COST:.0e}")
    hosts = _hosts(problem)
    tasks = _tasks(problem, hosts)
    return SearchModel(tasks, hosts.arrays, _costs(problem), _shapes(problem), _rules(problem))


def empty_state(model: SearchModel, seed: int) -> PlacementState:
    """A state in which no task has a host; hosts hold the transient demands of the tasks that run there now."""
    tasks, (hosts, resources) = len(model.tasks.now), model.hosts.capacity.shape
    held = np.zeros((hosts, resources), np.int64)
    runs = model.tasks.now >= 0
    np.add.at(held, model.tasks.now[runs], model.tasks.demand[runs] * model.hosts.transient)
    groups = int(model.tasks.group.max(initial=-1)) + 1
    moved = np.zeros(groups, np.int64)
    groups_with = np.zeros(int(np.bincount(model.tasks.group + 1, minlength=1)[1:].max(initial=0)) + 1, np.int64)
    groups_with[0] = groups
    use, counters = np.zeros_like(held), len(model.rules.level)
    host_cost = _costs_of_none(model)
    totals = np.array([host_cost.sum(), 0, 0, np.iinfo(np.int64).max], np.int64)
    host, following, before, best, changed = np.full((5, tasks), -1, np.int64)
    return PlacementState(
        host,
        use,
        held,
        np.zeros(hosts, np.int64),
        np.zeros(len(model.rules.eligible), np.int64),
        np.zeros(counters, np.int64),
        np.zeros(counters, np.int64),
        moved,
        groups_with,
        host_cost,
        np.full(hosts, -1, np.int64),
        following,
        before,
        best,
        changed,
        np.zeros(tasks, np.int64),
        totals,
        np.array([seed], np.uint64),
    )


def _costs_of_none(model: SearchModel) -> Longs:
    """int64[H]: the balance and imbalance cost of each host without a task; it loads nothing and has no price."""
    shapes, costs, room = model.shapes, model.costs, model.hosts.capacity
    squares = np.zeros(len(room))
    for r, mean in enumerate(shapes.mean_load.tolist()):  # one by one, as the kernel adds them up
        squares += np.where(shapes.full[:, r] > 0, (0.0 - mean) ** 2, 0.0)
    uneven = shapes.imbalance_weight * np.floor(MILLION * squares + 0.5).astype(np.int64)
    short = np.maximum(costs.target * room[:, costs.first] - room[:, costs.second], 0)
    load = (costs.load_weight * np.minimum(costs.safety, 0)).sum(axis=1)
    return np.asarray((costs.balance_weight * short).sum(axis=1) - load + uneven, np.int64)


class _Hosts(NamedTuple):
    """The arrays of the hosts, bool[K, H] with the row of each task, and the row of each task in `place_cost`."""

    arrays: HostArrays
    allowed: tuple[Bools, Longs]
    place_row: Longs


def _hosts(problem: ConstrainedProblem) -> _Hosts:
    bound = any(isinstance(each, Capacity) for each in problem.constraints)
    capacity = problem.capacity if bound else np.full_like(problem.capacity, UNBOUNDED)
    pair_cost, price = np.zeros((0, 0), np.int64), np.zeros(problem.hosts, np.int64)
    for cost in problem.costs:
        if isinstance(cost, HostMoveCost):
            pair_cost = cost.weight * cost.amount + (pair_cost if pair_cost.size else 0)
        elif isinstance(cost, HostPrice):
            price += cost.weight * cost.price
    allowed = _allowed(problem)
    transient = np.array(problem.transient, np.bool_)
    pair_cost, worth = np.ascontiguousarray(pair_cost), resource_worth(problem, price)
    place = _place_cost(problem)
    return _Hosts(
        HostArrays(capacity.copy(), transient, allowed[0], pair_cost, place[0], price, worth), allowed, place[1]
    )


def _place_cost(problem: ConstrainedProblem) -> tuple[Longs, Longs]:
    """int64[K, H] and int64[T], the row of each task: tasks with equal rows share one; no rows without such a cost."""
    costs = [cost for cost in problem.costs if isinstance(cost, TaskHostCost)]
    if not costs:
        return np.zeros((0, 0), np.int64), np.zeros(problem.tasks, np.int64)
    amount = np.zeros((problem.tasks, problem.hosts), np.int64)
    for cost in costs:
        amount += cost.weight * cost.amount
    rows, row_of = np.unique(amount, axis=0, return_inverse=True)
    return np.ascontiguousarray(rows), row_of.reshape(-1).astype(np.int64)


def _allowed(problem: ConstrainedProblem) -> tuple[Bools, Longs]:
    """bool[K, H] and int64[T], the row of each task: tasks with equal rows share one."""
    rows = [np.ones(problem.hosts, np.bool_)]
    row_of: dict[bytes, int] = {rows[0].tobytes(): 0}
    allowed = np.zeros(problem.tasks, np.int64)

    def restrict(task: int, hosts: Bools) -> None:
        row = rows[allowed[task]] & hosts
        key = row.tobytes()
        if key not in row_of:
            row_of[key] = len(rows)
            rows.append(row)
        allowed[task] = row_of[key]

    for group, hosts in _closed(problem):
        for task in group.tasks.tolist():
            restrict(task, hosts)
    for constraint in problem.constraints:
        for task in constraint.tasks.tasks.tolist() if isinstance(constraint, Stays) else ():
            if problem.now[task] >= 0:
                restrict(task, np.arange(problem.hosts) == problem.now[task])
    return np.array(rows), allowed


def _closed(problem: ConstrainedProblem) -> Iterator[tuple[TaskGroup, Bools]]:
    """Groups, and the hosts that are open to them."""
    for constraint in problem.constraints:
        if isinstance(constraint, AllowedHosts):
            yield constraint.tasks, constraint.hosts
        elif isinstance(constraint, Together):
            yield constraint.subjects, constraint.level.domain >= 0
        elif isinstance(constraint, MaxSkew):
            yield constraint.group, constraint.level.domain >= 0


def _tasks(problem: ConstrainedProblem, hosts: _Hosts) -> TaskArrays:
    open_hosts, allowed = hosts.allowed
    move_cost, group = np.zeros(problem.tasks, np.int64), np.full(problem.tasks, -1, np.int64)
    for cost in problem.costs:
        if isinstance(cost, TaskMoveCost):
            move_cost += cost.weight * cost.amount
        elif isinstance(cost, GroupMoveCost):
            if (group >= 0).any():
                raise InputError(cost.name, "the search takes one cost of the group with most moves", fix="keep one")
            group = np.asarray(cost.group, np.int64)
    is_movable = open_hosts.sum(axis=1)[allowed] > 1
    size = (problem.demand / np.maximum(problem.capacity.mean(axis=0), 1.0)).max(axis=1, initial=0.0)
    by_size = np.argsort(-size, kind="stable")
    return TaskArrays(
        problem.demand.copy(),
        problem.now.copy(),
        allowed,
        move_cost,
        group.copy(),
        by_size[is_movable[by_size]].astype(np.int64),
        is_movable,
        size,
        hosts.place_row,
    )


def _costs(problem: ConstrainedProblem) -> CostArrays:
    loads = [cost for cost in problem.costs if isinstance(cost, LoadCost)]
    balances = [cost for cost in problem.costs if isinstance(cost, BalanceCost)]
    safety = np.array([cost.safety for cost in loads], np.int64).reshape(len(loads), problem.hosts)
    return CostArrays(
        _longs(cost.resource for cost in loads),
        np.ascontiguousarray(safety.T),
        _longs(cost.weight for cost in loads),
        _longs(cost.first for cost in balances),
        _longs(cost.second for cost in balances),
        _longs(cost.target for cost in balances),
        _longs(cost.weight for cost in balances),
        sum(cost.weight for cost in problem.costs if isinstance(cost, GroupMoveCost)),
    )


def _shapes(problem: ConstrainedProblem) -> ShapeArrays:
    shapes = [cost for cost in problem.costs if isinstance(cost, ImbalanceCost | StrandedCost)]
    full = np.zeros((problem.hosts, len(problem.resources)), np.int64)
    for cost in shapes:
        if full.any() and (cost.full != full).any():
            raise InputError(cost.name, "the search takes one capacity at which a host counts as full", fix="keep one")
        full = np.asarray(cost.full, np.int64)
    total = full.sum(axis=0).astype(float)
    mean_load = np.divide(problem.demand.sum(axis=0), total, out=np.zeros(len(total)), where=total > 0)
    mean = full.mean(axis=0)
    return ShapeArrays(
        full.astype(float),
        mean_load,
        np.divide(full, mean, out=np.zeros(full.shape), where=mean > 0),
        sum(cost.weight for cost in shapes if isinstance(cost, ImbalanceCost)),
        sum(cost.weight for cost in shapes if isinstance(cost, StrandedCost)),
    )


def count_rules(constraint: PlacementConstraint) -> Iterator[CountRule]:
    """The rules on counts that a constraint comes to; none for capacity, allowed hosts and tasks that stay.

    Two groups that overlap are taken to pieces, so that no rule counts one task twice.
    """
    if isinstance(constraint, Apart):
        subjects, others, level = constraint.subjects, constraint.others, constraint.level
        both = common_tasks(subjects, others)
        yield CountRule(APART, both, both, level, 1)
        yield CountRule(SEPARATE, subjects, _without(others, both), level)
        yield CountRule(SEPARATE, _without(subjects, both), both, level)
    elif isinstance(constraint, Together):
        both = common_tasks(constraint.subjects, constraint.others)
        yield CountRule(TOGETHER, _without(constraint.subjects, both), constraint.others, constraint.level)
        yield CountRule(ACCOMPANIED, both, constraint.others, constraint.level)
    elif isinstance(constraint, SpreadOver):
        yield CountRule(SPREAD, constraint.group, constraint.group, constraint.level, constraint.at_least)
    elif isinstance(constraint, MaxSkew):
        yield CountRule(
            SKEW, constraint.group, constraint.group, constraint.level, constraint.at_most, constraint.eligible
        )


def _binds(rule: CountRule) -> bool:
    """Whether any placement breaks the rule."""
    members = len(rule.subject.tasks)
    if rule.kind == APART:
        return members > rule.limit
    if rule.kind == SPREAD:
        return rule.limit > 1
    return members > 0 and (len(rule.other.tasks) > 0 or rule.kind == TOGETHER)


class _Counters:
    """The counters that rules request, each group and level once."""

    def __init__(self, hosts: int) -> None:
        self.levels: dict[bytes, int] = {}
        self.domain: list[Longs] = []
        self.keys: dict[tuple[bytes, int, bytes], int] = {}
        self.group: list[TaskGroup] = []
        self.level: list[int] = []
        self.eligible: list[Bools] = []
        self._hosts = hosts

    def of(self, group: TaskGroup, level: DomainLevel, eligible: Bools | None) -> int:
        """The number of the counter."""
        at = self.levels.setdefault(level.domain.tobytes(), len(self.levels))
        if at == len(self.domain):
            self.domain.append(level.domain.astype(np.int64))
        flags = np.ones(level.domains, np.bool_) if eligible is None else np.asarray(eligible, np.bool_)
        key = (group.tasks.tobytes(), at, b"" if eligible is None else flags.tobytes())
        if key not in self.keys:
            self.keys[key] = len(self.keys)
            self.group.append(group)
            self.level.append(at)
            self.eligible.append(flags)
        return self.keys[key]

    @property
    def domains(self) -> Longs:
        """int64[L, H]."""
        return np.array(self.domain, np.int64).reshape(len(self.domain), self._hosts)


def _rules(problem: ConstrainedProblem) -> RuleArrays:
    rules = [rule for constraint in problem.constraints for rule in count_rules(constraint) if _binds(rule)]
    counters = _Counters(problem.hosts)
    subject = _longs(counters.of(rule.subject, rule.level, rule.eligible) for rule in rules)
    other = _longs(counters.of(rule.other, rule.level, rule.eligible) for rule in rules)
    sizes = _longs(len(flags) for flags in counters.eligible)
    counters_from, members = _by_task(problem.tasks, [group.tasks for group in counters.group])
    rules_from, bound = _by_task(problem.tasks, [np.union1d(rule.subject.tasks, rule.other.tasks) for rule in rules])
    return RuleArrays(
        counters.domains,
        _longs(counters.level),
        _starts(sizes.tolist())[:-1],
        counters_from,
        members,
        _longs(rule.kind for rule in rules),
        subject,
        other,
        _longs(rule.limit for rule in rules),
        rules_from,
        bound,
        np.concatenate(counters.eligible) if counters.eligible else np.zeros(0, np.bool_),
        sizes,
        _starts(len(group.tasks) for group in counters.group),
        np.concatenate([*(group.tasks for group in counters.group), np.zeros(0)]).astype(np.int64),
    )


def _by_task(tasks: int, sets: Sequence[Ints]) -> tuple[Longs, Longs]:
    """For each task the numbers of the sets that hold it: where each task's begin, int64[T + 1], and the numbers."""
    number = np.repeat(np.arange(len(sets)), [len(each) for each in sets])
    member = np.concatenate([*sets, np.zeros(0, np.int64)]).astype(np.int64)
    order = np.argsort(member, kind="stable")
    start = np.concatenate(([0], np.cumsum(np.bincount(member, minlength=tasks))))
    return start.astype(np.int64), number[order].astype(np.int64)


def _starts(sizes: Iterable[int]) -> Longs:
    """Where each of several sets of these sizes begins, and the end of the last."""
    return _longs((0, *np.cumsum(_longs(sizes)).tolist()))


def _without(group: TaskGroup, taken: TaskGroup) -> TaskGroup:
    return TaskGroup(group.name, np.setdiff1d(group.tasks, taken.tasks)) if len(taken.tasks) else group


def _longs(values: Iterable[int]) -> Longs:
    return np.array(list(values), np.int64)
