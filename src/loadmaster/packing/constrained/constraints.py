"""The constraints of a placement: each says whether a task may be on a host now and during its move, and why not."""

from dataclasses import dataclass
from functools import reduce
from typing import Protocol

import numpy as np

from loadmaster.model.arrays import Bools, Ints, Longs
from loadmaster.packing.constrained.groups import DomainLevel, TaskGroup, common_tasks
from loadmaster.packing.numa_nodes import NodesInUse, NumaNodes


class DomainCounts(Protocol):
    """How many tasks of a group are in each domain of a level."""

    def of(self, group: TaskGroup, level: DomainLevel) -> Longs:
        """int64[D], the members in each domain."""


class PlacementView(Protocol):
    """What a constraint may look at to judge a move of one task; see `CountedPlacement`.

    Attributes:
        now: int64[T], where each task runs before all moves; -1 for none.
        host: int64[T], where each task is placed; -1 for none.
        demand: int64[T, R]; capacity: int64[H, R].
        use: int64[H, R], the demands of the tasks placed on each host.
        leaving: int64[H, R], the demands of tasks that run there now and are placed elsewhere.
        nodes: the NUMA nodes that tasks hold; None where hosts are not divided.
        resources, host_names, task_names: shown to the user.
    """

    now: Longs
    host: Longs
    demand: Longs
    capacity: Longs
    use: Longs
    leaving: Longs
    nodes: NodesInUse | None
    resources: tuple[str, ...]
    host_names: tuple[str, ...]
    task_names: tuple[str, ...]

    @property
    def counts(self) -> DomainCounts:
        """Members of groups in domains."""

    def amount(self, resource: int, number: int) -> str:
        """An amount of a resource in words."""


@dataclass(frozen=True, eq=False)
class Capacity:
    """The demands on a host are at most its capacity.

    Attributes:
        transient: bool[R], resources that a task holds on both hosts while it moves.
    """

    transient: Bools

    def why_not(self, placement: PlacementView, task: int, host: int) -> str | None:
        """Which resource is too short on `host`, now or during the move; None if none is."""
        here = int(placement.host[task]) == host
        returns = int(placement.now[task]) == host
        for r, resource in enumerate(placement.resources):
            held = placement.use[host, r] - (placement.demand[task, r] if here else 0)
            free = placement.capacity[host, r] - held
            if self.transient[r]:
                free -= placement.leaving[host, r] - (placement.demand[task, r] if returns and not here else 0)
            if placement.demand[task, r] > free:
                moving = " while other tasks leave it" if self.transient[r] and placement.leaving[host, r] > 0 else ""
                asked, left = (placement.amount(r, int(each)) for each in (placement.demand[task, r], max(free, 0)))
                return (
                    f"{placement.task_names[task]} requests {asked} of {resource}; "
                    f"{placement.host_names[host]} has {left} free{moving}"
                )
        return None


@dataclass(frozen=True, eq=False)
class OnNumaNodes:
    """Each task holds NUMA nodes of its host, and no node is too full (rule B14).

    Attributes:
        numa: the nodes, and what tasks request of them.
        held: bool[T, N], the nodes that each task holds where it runs now.
    """

    numa: NumaNodes
    held: Bools

    def why_not(self, placement: PlacementView, task: int, host: int) -> str | None:
        """Which nodes of `host` have too little for the task, or which of its own nodes is too full; None if none."""
        assert placement.nodes is not None
        if int(placement.host[task]) != host:
            reason = self.numa.why_not(placement.nodes.free, task, host)
            return None if reason is None else reason.removeprefix("task ")
        return next(iter(self.numa.too_full(placement.nodes.free, host, placement.nodes.held[task])), None)


@dataclass(frozen=True, eq=False)
class AllowedHosts:
    """The tasks of a group run only on some hosts: must and must not, by labels, features or taints.

    Attributes:
        tasks: the group.
        hosts: bool[H].
        rule: the expression, shown to the user, such as "disk in (ssd)".
    """

    tasks: TaskGroup
    hosts: Bools
    rule: str

    def why_not(self, placement: PlacementView, task: int, host: int) -> str | None:
        """The expression that `host` does not match; None if it does."""
        if self.hosts[host] or task not in self.tasks:
            return None
        return f"{placement.task_names[task]} needs {self.rule}, which {placement.host_names[host]} does not match"


@dataclass(frozen=True, eq=False)
class Stays:
    """The tasks of a group stay where they run now.

    Attributes:
        tasks: the group.
        reason: why, shown to the user.
    """

    tasks: TaskGroup
    reason: str

    def why_not(self, placement: PlacementView, task: int, host: int) -> str | None:
        """Why the task may not move to `host`; None if it runs there now, or nowhere."""
        if placement.now[task] in (-1, host) or task not in self.tasks:
            return None
        return f"{placement.task_names[task]} may not move: {self.reason}"


@dataclass(frozen=True, eq=False)
class Apart:
    """No task of `subjects` shares a domain with another task of `others`; the two groups may be one.

    One group at the level of hosts is a conflict: at most one process of a service a machine.

    Attributes:
        subjects, others: the groups.
        level: of the domains.
    """

    subjects: TaskGroup
    others: TaskGroup
    level: DomainLevel

    def why_not(self, placement: PlacementView, task: int, host: int) -> str | None:
        """Which group has a task in the domain of `host` already; None if the task may be there."""
        domain = self.level.domain[host]
        if domain < 0:
            return None
        for mine, theirs in ((self.subjects, self.others), (self.others, self.subjects)):
            own = task in theirs and _domain_of(placement, self.level, task) == domain
            if task in mine and placement.counts.of(theirs, self.level)[domain] > own:
                return (
                    f"{placement.task_names[task]} must be apart from {theirs.name}, which has a task in the same "
                    f"{self.level.name} as {placement.host_names[host]}"
                )
        return None

    def open_hosts(self, placement: PlacementView, task: int) -> Bools:
        """bool[H], the hosts to which `why_not` lets a task that is placed nowhere go."""
        taken = np.zeros(self.level.domains, bool)
        for mine, theirs in ((self.subjects, self.others), (self.others, self.subjects)):
            if task in mine:
                taken |= placement.counts.of(theirs, self.level) > 0
        return _in_domains(self.level, ~taken, elsewhere=True)

    def words(self, task: int) -> str:
        """What the constraint asks of a task."""
        return f"must be apart from {(self.others if task in self.subjects else self.subjects).name}"


@dataclass(frozen=True, eq=False)
class Together:
    """Each task of `subjects` has another task of `others` in its domain: affinity, or a dependency of services.

    A task that is itself the only one of `others` is exempt.

    Attributes:
        subjects, others: the groups.
        level: of the domains; a host in no domain is closed to `subjects`.
    """

    subjects: TaskGroup
    others: TaskGroup
    level: DomainLevel

    def why_not(self, placement: PlacementView, task: int, host: int) -> str | None:
        """Which group the task would miss at `host`, or which task would miss this one; None if none."""
        old, new = _domain_of(placement, self.level, task), int(self.level.domain[host])
        beside = placement.counts.of(self.others, self.level).copy()
        if task in self.others and old >= 0:
            beside[old] -= 1
        if task in self.subjects:
            placed = self.others.tasks[placement.host[self.others.tasks] >= 0]
            alone = task in self.others and not (placed != task).any()
            if new < 0 or (not alone and beside[new] == 0):
                return (
                    f"{placement.task_names[task]} needs a task of {self.others.name} in the {self.level.name} of "
                    f"{placement.host_names[host]}"
                )
        if task in self.others and old not in (-1, new):
            itself, both = task in self.subjects, common_tasks(self.subjects, self.others)
            left = placement.counts.of(self.subjects, self.level)[old] - itself
            members = placement.counts.of(both, self.level)[old] - itself
            if left > 0 and (beside[old] == 0 or (beside[old] == 1 and members > 0)):
                name = placement.task_names[task]
                return f"{self.subjects.name} needs {name} in the {self.level.name} that it leaves"
        return None

    def open_hosts(self, placement: PlacementView, task: int) -> Bools:
        """bool[H], the hosts to which `why_not` lets a task that is placed nowhere go."""
        if task not in self.subjects:
            return np.ones(len(self.level.domain), bool)
        alone = task in self.others and not (placement.host[self.others.tasks] >= 0).any()
        return _in_domains(self.level, (placement.counts.of(self.others, self.level) > 0) | alone, elsewhere=False)

    def words(self, task: int) -> str:
        """What the constraint asks of a task of `subjects`."""
        return f"must be in the {self.level.name} of one of {self.others.name}"


@dataclass(frozen=True, eq=False)
class SpreadOver:
    """A group has tasks in at least so many domains.

    Attributes:
        group: of tasks.
        level: of the domains.
        at_least: number of domains.
    """

    group: TaskGroup
    level: DomainLevel
    at_least: int

    def why_not(self, placement: PlacementView, task: int, host: int) -> str | None:
        """How many domains would be in use; None if these are enough."""
        if task not in self.group:
            return None
        counts = _counts_after(placement, self.group, self.level, task, host)
        used = int((counts > 0).sum())
        if used >= self.at_least:
            return None
        return f"{self.group.name} would be in {used} of at least {self.at_least} domains of {self.level.name}"


@dataclass(frozen=True, eq=False)
class MaxSkew:
    """The largest and the least number of a group's tasks in a domain differ by no more than `at_most`.

    Attributes:
        group: of tasks.
        level: of the domains; a host in no domain is closed to the group.
        at_most: the difference.
        eligible: bool[D], the domains that are counted.
    """

    group: TaskGroup
    level: DomainLevel
    at_most: int
    eligible: Bools

    def why_not(self, placement: PlacementView, task: int, host: int) -> str | None:
        """The difference that would come about; None if it is small enough."""
        if task not in self.group:
            return None
        if self.level.domain[host] < 0:
            return f"{placement.host_names[host]} is in no {self.level.name}, over which {self.group.name} is spread"
        counts = _counts_after(placement, self.group, self.level, task, host)
        fewest, skew = _least_and_skew(counts[self.eligible])
        domain = self.level.domain[host]
        if skew <= self.at_most or not self.eligible[domain]:
            return None
        if placement.host[task] != host and counts[domain] - fewest <= self.at_most:
            _, before = _least_and_skew(placement.counts.of(self.group, self.level)[self.eligible])
            if before > self.at_most and skew <= before:  # it was broken, and the task goes to where it does no harm
                return None
        return f"{self.group.name} would differ by {skew} between domains of {self.level.name}; at most {self.at_most}"

    def open_hosts(self, placement: PlacementView, task: int) -> Bools:
        """bool[H], the hosts to which `why_not` lets a task that is placed nowhere go."""
        if task not in self.group:
            return np.ones(len(self.level.domain), bool)
        counts = placement.counts.of(self.group, self.level)
        fewest, _ = _least_and_skew(counts[self.eligible])
        return _in_domains(self.level, (counts < fewest + self.at_most) | ~self.eligible, elsewhere=False)

    def words(self, task: int) -> str:
        """What the constraint asks of a task of the group."""
        return f"{self.group.name} may differ by {self.at_most} between domains of {self.level.name}"


BetweenTasks = Apart | Together | MaxSkew
"""The constraints that look at where other tasks are, and say where a further task may go."""
PlacementConstraint = Capacity | OnNumaNodes | AllowedHosts | Stays | Apart | Together | SpreadOver | MaxSkew
"""Any of the constraints."""


def groups_of(constraint: PlacementConstraint) -> tuple[TaskGroup, ...]:
    """The groups of a constraint, the one whose tasks it binds first; () for all tasks."""
    if isinstance(constraint, Capacity | OnNumaNodes):
        return ()
    if isinstance(constraint, AllowedHosts | Stays):
        return (constraint.tasks,)
    if isinstance(constraint, Apart | Together):
        return constraint.subjects, constraint.others
    return (constraint.group,)


def concerned(constraint: PlacementConstraint) -> Ints | None:
    """int32[N], the tasks that a constraint says something of; None for all."""
    tasks = [group.tasks for group in groups_of(constraint)]
    return reduce(np.union1d, tasks) if tasks else None


def _in_domains(level: DomainLevel, domains: Bools, *, elsewhere: bool) -> Bools:
    """bool[H], the hosts of the domains `domains` bool[D]; and those in no domain, if `elsewhere`."""
    return np.append(domains, elsewhere)[level.domain]


def _least_and_skew(counts: Longs) -> tuple[int, int]:
    """The least of the counts, and how much the largest is above it."""
    return (int(counts.min()), int(np.ptp(counts))) if counts.size else (0, 0)


def _domain_of(placement: PlacementView, level: DomainLevel, task: int) -> int:
    """The domain where the task is placed; -1 for none."""
    host = int(placement.host[task])
    return int(level.domain[host]) if host >= 0 else -1


def _counts_after(placement: PlacementView, group: TaskGroup, level: DomainLevel, task: int, host: int) -> Longs:
    """int64[D], members in each domain once the task is on `host`."""
    counts = placement.counts.of(group, level).copy()
    old, new = _domain_of(placement, level, task), int(level.domain[host])
    if old >= 0:
        counts[old] -= 1
    if new >= 0:
        counts[new] += 1
    return counts
