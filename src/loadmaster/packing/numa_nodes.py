"""NUMA nodes: each host's capacity in equal parts, and tasks that take one of them or several equal ones (rule K24)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from loadmaster.model.arrays import Bools, Floats, Ints, Longs, frozen_floats, frozen_longs
from loadmaster.model.errors import InputError
from loadmaster.model.units import MEMORY, show_bytes
from loadmaster.packing.instance import TOLERANCE, Instance


@dataclass(frozen=True, eq=False)
class NumaNodes:
    """Hosts of N equal nodes, and how many of them each task takes, an equal part of its demand on each.

    It is a constraint of the same kind as those of `packing.constrained`: it says why a task may not be on a host.

    Attributes:
        resources: their names.
        nodes: N, of each host.
        parts: int64[T], nodes that each task takes.
        demand: float64[T, R], of each task on each of its nodes.
        capacity: float64[H, R], of each node of each host.
        task_names, host_names: shown to the user.

    Raises:
        InputError: a task takes no node, or more than a host has.
    """

    resources: tuple[str, ...]
    nodes: int
    parts: Longs
    demand: Floats
    capacity: Floats
    task_names: tuple[str, ...]
    host_names: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", frozen_longs(self.parts))
        for name in ("demand", "capacity"):
            object.__setattr__(self, name, frozen_floats(getattr(self, name)))
        bad = (self.parts < 1) | (self.parts > self.nodes)
        if bad.any():
            task = int(np.argmax(bad))
            rule = f"task {self.task_names[task]} takes 1 to {self.nodes} NUMA nodes, as many as a host has"
            raise InputError(f"{self.parts[task]} numa_nodes", rule, fix="change the column, or --numa-nodes")

    @classmethod
    def of(cls, instance: Instance, parts: Ints | Longs, nodes: int) -> "NumaNodes":
        """The nodes of the hosts of `instance`; each demand is met in full.

        Args:
            instance: tasks and hosts.
            parts: int[T], nodes that each task takes.
            nodes: of each host.
        """
        resources = (*instance.fluid_names, *instance.rigid_names)
        parts = np.asarray(parts, np.int64)
        return cls(
            resources,
            nodes,
            parts,
            np.hstack((instance.fluid, instance.rigid)) / np.maximum(parts, 1)[:, None],
            np.hstack((instance.fluid_capacity, instance.rigid_capacity)) / nodes,
            tuple(instance.task_name(t) for t in range(instance.tasks)),
            tuple(instance.host_name(h) for h in range(instance.hosts)),
        )

    @property
    def hosts(self) -> int:
        """Number of hosts, H."""
        return len(self.capacity)

    def amount(self, resource: int, value: float) -> str:
        """An amount of a resource in words."""
        in_bytes = self.resources[resource] == MEMORY and self.capacity[:, resource].max(initial=0) > 1
        return show_bytes(value) if in_bytes else f"{value:,.6g}"

    @cached_property
    def slack(self) -> Floats:
        """float64[R], by which rounding may overfill a node."""
        most: Floats = TOLERANCE * self.capacity.max(axis=0, initial=0.0)
        return most

    @cached_property
    def mean_node(self) -> Floats:
        """float64[R], the mean capacity of a node; 1 where no host has the resource."""
        mean = self.capacity.mean(axis=0)
        return np.where(mean > 0, mean, 1.0)

    def all_free(self) -> Floats:
        """float64[H, N, R]: what empty hosts have free on each node."""
        return np.repeat(self.capacity[:, None, :], self.nodes, axis=1)

    def room(self, free: Floats, task: int) -> Bools:
        """bool[H, N], the nodes with room for a part of the task; `free` is float64[H, N, R]."""
        able: Bools = (free + self.slack >= self.demand[task]).all(axis=2)
        return able

    def may_take(self, free: Floats, task: int) -> Bools:
        """bool[H], the hosts with as many such nodes as the task takes."""
        able: Bools = self.room(free, task).sum(axis=1) >= self.parts[task]
        return able

    def fullest(self, free: Floats, able: Bools, task: int) -> Longs:
        """int64[P], the nodes of one host that the task takes: those with room and the least left; equals by number.

        Args:
            free: float64[N, R], what each node of the host has free.
            able: bool[N], the nodes with room for a part of the task; the others come last.
            task: its number.
        """
        order = np.lexsort(((free / self.mean_node).sum(axis=1), ~able))
        return order[: self.parts[task]].astype(np.int64)

    def fewest_hosts(self, tasks: Bools | None = None) -> float:
        """No placement of the tasks, bool[T] or all, uses fewer hosts: parts of over half a node do not share one."""
        fewest, counted = 0.0, np.ones(len(self.parts), bool) if tasks is None else tasks
        for r in range(len(self.resources)):
            large = self.demand[:, r] * 2 > (self.capacity[:, r].max(initial=0) + self.slack[r]) * (1 + 1e-9)
            fewest = max(fewest, float(np.ceil(self.parts[large & counted].sum() / self.nodes)))
        return fewest

    def too_full(self, free: Floats, host: int, nodes: Bools) -> Iterator[str]:
        """Which of the nodes, bool[N], of `host` holds more than it has, and of what; `free` is float64[H, N, R]."""
        over = nodes[:, None] & (free[host] < -1.001 * self.slack)
        for node, r in np.argwhere(over).tolist():
            held = self.amount(r, float(self.capacity[host, r] - free[host, node, r]))
            has = self.amount(r, float(self.capacity[host, r]))
            yield f"NUMA node {node} of host {self.host_names[host]} holds {held} of {self.resources[r]} and has {has}"

    def why_not(self, free: Floats, task: int, host: int) -> str | None:
        """Which nodes of `host` have too little for a part of the task, and of what; None if enough have room.

        Args:
            free: float64[H, N, R], what each node has free.
            task: its number.
            host: its number.

        Example:
            >>> two = Instance.of(hosts=1, cpu=[0.6, 0.6], memory=[0.1, 0.1])
            >>> nodes = NumaNodes.of(two, [1, 2], 2)
            >>> nodes.why_not(nodes.all_free(), 0, 0)
            'task 0 requests 0.6 of cpu on one NUMA node; the nodes of host 0 have 0.5, 0.5 free'
            >>> nodes.why_not(nodes.all_free(), 1, 0) is None
            True
        """
        if self.may_take(free[host : host + 1], task).all():
            return None
        name, parts = self.task_names[task], int(self.parts[task])
        short = (free[host] + self.slack < self.demand[task]).sum(axis=0)
        r = int(np.argmax(short))
        asked, left = (
            self.amount(r, float(self.demand[task, r])),
            [self.amount(r, n) for n in free[host, :, r].tolist()],
        )
        each = "one NUMA node" if parts == 1 else f"each of {parts} NUMA nodes"
        where = f"the nodes of host {self.host_names[host]}"
        return f"task {name} requests {asked} of {self.resources[r]} on {each}; {where} have {', '.join(left)} free"


def broken_nodes(numa: NumaNodes, host: Ints, taken: Bools) -> list[str]:
    """What a placement breaks, added up anew from each task's own row; empty if it keeps all nodes.

    Args:
        numa: the nodes, and what tasks request of them.
        host: int[T], -1 for a task without a host.
        taken: bool[T, N], the nodes of its host that each task takes.
    """
    broken, used = list[str](), dict[tuple[int, int], list[float]]()
    for task, at in enumerate(host.tolist()):
        nodes = [n for n, takes in enumerate(taken[task].tolist()) if takes]
        wanted = int(numa.parts[task]) if at >= 0 else 0
        if len(nodes) != wanted:
            broken.append(f"task {numa.task_names[task]} takes {len(nodes)} nodes, not {wanted}")
        for node in nodes:
            before = used.setdefault((at, node), [0.0] * len(numa.resources))
            used[at, node] = [sum(pair) for pair in zip(before, numa.demand[task].tolist(), strict=True)]
    for (at, node), amounts in used.items():
        for r, amount in enumerate(amounts):
            if amount > numa.capacity[at, r] + 1.001 * numa.slack[r]:
                broken.append(f"node {node} of host {numa.host_names[at]} is too full of {numa.resources[r]}")
    return broken


class NodesInUse:
    """The nodes that each task holds, and what each node has free; both change with every move.

    Args:
        numa: the nodes, and what tasks request of them.
        host: int64[T], the host of each task, -1 for none; the caller's own array, which changes with every move.
        held: bool[T, N], the nodes that each task holds. A placed task without a node takes those that it would
            take on arrival, in the order of the tasks.

    Attributes:
        held: bool[T, N]; free: float64[H, N, R].
    """

    def __init__(self, numa: NumaNodes, host: Longs, held: Bools) -> None:
        self.numa, self._host = numa, host
        self.held = held & (host >= 0)[:, None]
        self.free = numa.all_free()
        for at in np.unique(host[host >= 0]).tolist():
            self._count(at)
        for task in np.flatnonzero((host >= 0) & ~self.held.any(axis=1)).tolist():
            self.moved(task, -1, int(host[task]))

    def moved(self, task: int, old: int, new: int, nodes: Bools | None = None) -> Bools:
        """Let `task` hold nodes of host `new` and none of `old`, -1 for none.

        Args:
            task: its number.
            old: its host before.
            new: its host now.
            nodes: bool[N], those that it holds now; None for the fullest with room.

        Returns:
            bool[N], the nodes that it held before.
        """
        before: Bools = self.held[task].copy()
        self.held[task] = False
        if old >= 0:
            self._count(old)
        if new >= 0:
            if nodes is None:
                able = self.numa.room(self.free[new : new + 1], task)[0]
                self.held[task, self.numa.fullest(self.free[new], able, task)] = True
            else:
                self.held[task] = nodes
            self._count(new)
        return before

    def _count(self, host: int) -> None:
        """What the host's nodes have free, added up anew, so that a move taken back leaves no trace of rounding."""
        there = np.flatnonzero(self._host == host)
        use = self.held[there][:, :, None] * self.numa.demand[there][:, None, :]
        self.free[host] = self.numa.capacity[host] - use.sum(axis=0)


def shown_nodes(held: Bools) -> str:
    """The nodes of a host that a task holds, bool[N], in words.

    Example:
        >>> shown_nodes(np.array([True, False, True]))
        'NUMA nodes 0 and 2'
    """
    nodes = [str(node) for node in np.flatnonzero(held)]
    return f"NUMA node{'s' * (len(nodes) > 1)} {' and '.join(nodes)}"


def held_nodes(numa: NumaNodes, host: Ints, given: Sequence[tuple[int, ...] | None]) -> tuple[Bools, int]:
    """bool[T, N], the nodes that each task holds, and for how many tasks they were assumed.

    A task without nodes in the table takes the fullest nodes of its host with room, in the order of the table.

    Args:
        numa: the nodes, and what tasks request of them.
        host: int[T], where each task runs; -1 for none.
        given: for each task its nodes, from 0; None where the table does not name them.

    Raises:
        InputError: a host has no such node, a task holds another number of nodes than it takes or waits for a host,
            or the nodes that are left have no room for a task without nodes.
    """
    held = np.zeros((len(host), numa.nodes), bool)
    for task, nodes in enumerate(given):
        if nodes is None:
            continue
        value, name = " ".join(map(str, nodes)), f"task {numa.task_names[task]}"
        if host[task] < 0:
            raise InputError(value, f"{name} has no host, so it holds no NUMA node", fix="leave on_numa_nodes empty")
        if max(nodes) >= numa.nodes:
            rule = f"{name}: the NUMA nodes of a host are 0 to {numa.nodes - 1}"
            raise InputError(value, rule, fix="change on_numa_nodes, or --numa-nodes")
        held[task, list(nodes)] = True
        if len(nodes) != numa.parts[task] or held[task].sum() != len(nodes):
            rule = f"{name} takes {numa.parts[task]} NUMA nodes, each once"
            raise InputError(value, rule, fix="change on_numa_nodes, or numa_nodes")
    at = np.where(held.any(axis=1), host, -1).astype(np.int64)
    nodes_in_use = NodesInUse(numa, at, held)
    assumed = np.flatnonzero((host >= 0) & ~held.any(axis=1)).tolist()
    for task in assumed:
        reason = numa.why_not(nodes_in_use.free, task, int(host[task]))
        if reason is not None:
            fix = "name the nodes of running tasks in a column on_numa_nodes"
            raise InputError("on_numa_nodes", f"no room for a task without it: {reason}", fix=fix)
        at[task] = host[task]
        nodes_in_use.moved(task, -1, int(host[task]))
    return nodes_in_use.held, len(assumed)
