"""A placement that counts what its constraints request as tasks move, and explains why a task may not move."""

from collections.abc import Iterator

import numpy as np

from loadmaster.model.arrays import Bools, Floats, Longs
from loadmaster.packing.constrained.constraints import (
    AllowedHosts,
    Capacity,
    OnNumaNodes,
    PlacementConstraint,
    Stays,
    concerned,
)
from loadmaster.packing.constrained.groups import DomainLevel, TaskGroup
from loadmaster.packing.constrained.problem import ConstrainedProblem
from loadmaster.packing.numa_nodes import NodesInUse


class KeptCounts:
    """Members of groups in domains of levels: counted when first requested, then changed with every move."""

    def __init__(self, host: Longs) -> None:
        self._host = host
        self._counts: dict[tuple[TaskGroup, DomainLevel], Longs] = {}

    def of(self, group: TaskGroup, level: DomainLevel) -> Longs:
        """int64[D], the members in each domain."""
        if (group, level) not in self._counts:
            hosts = self._host[group.tasks]
            domains = level.domain[hosts[hosts >= 0]]
            self._counts[group, level] = np.bincount(domains[domains >= 0], minlength=level.domains).astype(np.int64)
        return self._counts[group, level]

    def moved(self, task: int, old: int, new: int) -> None:
        """Count `task` on host `new` and no longer on `old`; -1 for none."""
        for (group, level), counts in self._counts.items():
            if task in group:
                for host, step in ((old, -1), (new, 1)):
                    if host >= 0 and level.domain[host] >= 0:
                        counts[level.domain[host]] += step


class CountedPlacement:
    """Where each task is placed, with loads and counts; the plain counterpart of the search's state.

    Args:
        problem: hosts, tasks and constraints.
        host: int[T], the placement to start from; where the tasks run now if it is left out.

    Attributes:
        host: int64[T], -1 for none.
        use: int64[H, R], the demands of the tasks placed on each host.
        leaving: int64[H, R], the demands of tasks that run there now and are placed elsewhere.
        counts: members of groups in domains.
        nodes: the NUMA nodes that tasks hold; None where hosts are not divided. A task that starts elsewhere than it
            runs now takes the nodes that it would take on arrival.

    Example:
        >>> from loadmaster.packing.constrained.constraints import Capacity
        >>> full = ConstrainedProblem(("cores",), np.array([[3], [2]]), np.array([[4], [4]]), np.array([0, 1]),
        ...                           (Capacity(np.array([True])),))
        >>> CountedPlacement(full).why_not(0, 1)
        ('p0 requests 3 of cores; m1 has 2 free',)
    """

    def __init__(self, problem: ConstrainedProblem, host: Longs | None = None) -> None:
        self._problem = problem
        self.now, self.demand, self.capacity = problem.now, problem.demand, problem.capacity
        self.resources, self.task_names, self.host_names = problem.resources, problem.task_names, problem.host_names
        self.host = np.array(problem.now if host is None else host, np.int64)
        self.use, self.leaving = np.zeros_like(problem.capacity), np.zeros_like(problem.capacity)
        placed, leaves = self.host >= 0, (self.now >= 0) & (self.now != self.host)
        np.add.at(self.use, self.host[placed], self.demand[placed])
        np.add.at(self.leaving, self.now[leaves], self.demand[leaves])
        self.counts = KeptCounts(self.host)
        divided = next((each for each in problem.constraints if isinstance(each, OnNumaNodes)), None)
        here = (self.host == self.now)[:, None]
        self.nodes = None if divided is None else NodesInUse(divided.numa, self.host, divided.held & here)
        self.amount = problem.amount
        self._of_all, self._of_task = _by_task(problem)
        self._own_hosts: dict[int, Bools] = {}

    def constraints_of(self, task: int) -> list[PlacementConstraint]:
        """The constraints that say something of `task`."""
        return [*self._of_all, *self._of_task.get(task, ())]

    def own_hosts(self, task: int) -> Bools:
        """bool[H], the hosts that the task's own constraints allow, whatever tasks are there."""
        if task not in self._own_hosts:
            hosts = np.ones(len(self.capacity), bool)
            for constraint in self._of_task.get(task, ()):
                if isinstance(constraint, AllowedHosts):
                    hosts &= constraint.hosts
                elif isinstance(constraint, Stays) and self.now[task] >= 0:
                    hosts &= np.arange(len(hosts)) == self.now[task]
            self._own_hosts[task] = hosts
        return self._own_hosts[task]

    def has_room(self, task: int) -> Bools:
        """bool[H], the hosts whose free capacity, and that of their nodes, is enough beside what is there."""
        room: Bools = (self.capacity - self.use >= self.demand[task]).all(axis=1)
        return room if self.nodes is None else room & self.nodes.numa.may_take(self.nodes.free, task)

    def shortages(self, task: int, host: int, residents: list[int]) -> Iterator[tuple[Floats, Floats]]:
        """What `host` lacks for the task, float64[K], and what each resident holds of it, float64[M, K].

        Once for all of the host; where it is divided, for each choice of neighbours among its nodes, those that lack
        least first.
        """
        if self.nodes is None:
            short = self.demand[task] - (self.capacity[host] - self.use[host])
            yield short.astype(float), self.demand[residents].astype(float)
            return
        numa = self.nodes.numa
        lacks = numa.demand[task] - self.nodes.free[host] - numa.slack
        order = np.argsort((np.maximum(lacks, 0) / numa.mean_node).sum(axis=1), kind="stable")
        parts = int(numa.parts[task])
        for first in range(numa.nodes - parts + 1):
            chosen = order[first : first + parts]
            holds = self.nodes.held[residents][:, chosen, None] * numa.demand[residents][:, None, :]
            yield lacks[chosen].ravel(), holds.reshape(len(residents), -1)

    def keeps_the_rest(self, task: int, host: int) -> bool:
        """Whether the constraints beside capacity, nodes and the task's own hosts let it go to `host`."""
        return all(
            constraint.why_not(self, task, host) is None
            for constraint in self.constraints_of(task)
            if not isinstance(constraint, Capacity | OnNumaNodes | AllowedHosts | Stays)
        )

    def why_not(self, task: int, host: int) -> tuple[str, ...]:
        """Why the constraints do not let `task` go to `host`, one sentence each; empty if they do."""
        reasons = (constraint.why_not(self, task, host) for constraint in self.constraints_of(task))
        return tuple(reason for reason in reasons if reason is not None)

    def move(self, task: int, host: int, nodes: Bools | None = None) -> Bools | None:
        """Place `task` on `host`, allowed or not.

        Args:
            task: its number.
            host: its new host; -1 for none.
            nodes: bool[N], the NUMA nodes that it takes there; None for the fullest with room.

        Returns:
            bool[N], the nodes that it held before; None where hosts are not divided.
        """
        old, now = int(self.host[task]), int(self.now[task])
        self._add(task, old, now, -1)
        self._add(task, host, now, 1)
        self.host[task] = host
        self.counts.moved(task, old, host)
        return None if self.nodes is None else self.nodes.moved(task, old, host, nodes)

    def _add(self, task: int, host: int, now: int, step: int) -> None:
        if host >= 0:
            self.use[host] += step * self.demand[task]
        if now not in (-1, host):
            self.leaving[now] += step * self.demand[task]


def _by_task(problem: ConstrainedProblem) -> tuple[list[PlacementConstraint], dict[int, list[PlacementConstraint]]]:
    """The constraints of all tasks, and those of some by task."""
    of_all, of_task = list[PlacementConstraint](), dict[int, list[PlacementConstraint]]()
    for constraint in problem.constraints:
        tasks = concerned(constraint)
        if tasks is None:
            of_all.append(constraint)
        else:
            for task in tasks.tolist():
                of_task.setdefault(task, []).append(constraint)
    return of_all, of_task
