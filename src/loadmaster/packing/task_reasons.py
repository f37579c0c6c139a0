"""Why a task of a placement is on its host, why it is on no other, and what would make room for it elsewhere."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from loadmaster.model.arrays import Floats, Longs
from loadmaster.model.units import GPUS
from loadmaster.packing.cheapest_hosts import all_rigid
from loadmaster.packing.constrained.constraints import OnNumaNodes
from loadmaster.packing.constrained.instance_problem import instance_problem
from loadmaster.packing.constrained.placement import CountedPlacement
from loadmaster.packing.constrained.problem import ConstrainedProblem
from loadmaster.packing.instance import TOLERANCE, Instance, lacking
from loadmaster.packing.kubernetes_packing import PodsPlacedAnew
from loadmaster.packing.level import host_use
from loadmaster.packing.numa_nodes import NumaNodes
from loadmaster.packing.packing import Packing


@dataclass(frozen=True, eq=False)
class HostForTask:
    """One host, as one task of a placement finds it beside all other tasks.

    Attributes:
        host: its number.
        room: float64[R], what the other tasks leave of each resource, scalable ones first.
        why_not: what keeps the task from it, one sentence each; empty if nothing does.
        level: the level of the placement (rule K2) with the task there; NaN where it cannot be there, or levels are
            not what was requested.
        without: the smallest task without which it could be there; -1 if there is none, or nothing keeps it away.
    """

    host: int
    room: Floats
    why_not: tuple[str, ...]
    level: float
    without: int = -1


class TaskReasons:
    """The hosts of one task of a placement.

    Args:
        instance: tasks and hosts.
        packing: their placement, complete or not.
        task: its number.
        pods: the state of Kubernetes that the tasks are from, whose rules hold too.

    Attributes:
        own: the task's host; -1 for none.
        closed_nodes: how many nodes of that state are no host of `instance`.
    """

    def __init__(self, instance: Instance, packing: Packing, task: int, pods: PodsPlacedAnew | None = None) -> None:
        self._instance, self._packing, self._task = instance, packing, task
        self._host: Longs = packing.host.astype(np.int64)
        self.own = int(self._host[task])
        if pods is None:
            problem, placed = _problem(instance, packing), self._host
            self._tasks, self._hosts = np.arange(instance.tasks), np.arange(instance.hosts)
        else:
            problem, placed = pods.problem, pods.problem.now.copy()
            placed[pods.pods] = np.where(self._host >= 0, pods.nodes[self._host], -1)
            self._tasks, self._hosts = pods.pods, pods.nodes
        self.closed_nodes = problem.hosts - instance.hosts
        self._placement = CountedPlacement(problem, placed)
        self._demand = np.hstack((instance.fluid, instance.rigid))
        self._capacity = np.hstack((instance.fluid_capacity, instance.rigid_capacity))
        self._largest = np.where(self._capacity.max(axis=0) > 0, self._capacity.max(axis=0), 1.0)

    def hosts(self, most: int) -> list[HostForTask]:
        """The task's own host first, then those that it could be on, the best of them first, then the others.

        Args:
            most: how many at most.
        """
        why, room = self._why, self._room()
        level = np.where([not each for each in why], self._levels(), np.nan)
        short = (np.maximum(self._demand[self._task] - room, 0.0) / self._largest).sum(axis=1)
        order = sorted(
            range(self._instance.hosts),
            key=lambda host: (host != self.own, len(why[host]) > 0, -np.nan_to_num(level[host]), short[host], host),
        )
        return [
            HostForTask(host, room[host], why[host], float(level[host]), self._without(host) if why[host] else -1)
            for host in order[:most]
        ]

    def why_not(self, host: int) -> tuple[str, ...]:
        """What keeps the task from a host, one sentence each; empty if nothing does."""
        return self._why[host]

    def open_hosts(self) -> int:
        """How many hosts, beside its own, the task could be on as the others are placed."""
        return sum(not why for host, why in enumerate(self._why) if host != self.own)

    @cached_property
    def _why(self) -> list[tuple[str, ...]]:
        """What keeps the task from each host."""
        return [self._why_not(host) for host in range(self._instance.hosts)]

    def _why_not(self, host: int, gone: int = -1) -> tuple[str, ...]:
        """What keeps the task from a host; `gone`: a task that is taken to be nowhere."""
        mine, there = int(self._tasks[self._task]), int(self._hosts[host])
        if gone < 0:
            why = self._placement.why_not(mine, there)
        else:
            other = int(self._tasks[gone])
            before = int(self._placement.host[other])
            nodes = self._placement.move(other, -1)
            why = self._placement.why_not(mine, there)
            self._placement.move(other, before, nodes)
        return (*why, *self._lacks(host), *self._lacks_cards(host, gone))

    def _lacks(self, host: int) -> list[str]:
        """Scalable resources that the task requests and the host has none of."""
        one = self._instance
        return [
            f"{one.host_name(host)} has no {one.fluid_names[f]}"
            for f in lacking(one)
            if one.fluid[self._task, f] > 0 and one.fluid_capacity[host, f] <= 0
        ]

    def _lacks_cards(self, host: int, gone: int) -> list[str]:
        cards, taken = self._instance.cards, self._packing.cards
        if cards is None or not cards.wanted[self._task]:
            return []
        free = cards.free()[host]
        if taken is not None:
            for other in np.flatnonzero(self._host == host).tolist():
                if other not in (self._task, gone):
                    free = free - cards.share[other] * taken[other][: len(free)]
        fine = cards.accepted[cards.accepts[self._task]][cards.kind[host]] & (cards.kind[host] >= 0)
        enough = int((fine & (free >= cards.share[self._task] - TOLERANCE)).sum())
        if enough >= cards.wanted[self._task]:
            return []
        asked, kind = cards.share[self._task], cards.requests[cards.accepts[self._task]]
        many = int(cards.wanted[self._task])
        what = f"{many} whole GPU{'s' * (many > 1)}" if asked >= 1 else f"{asked:g} of one GPU"
        kinds = f" of kind {kind}" if kind else ""
        name = self._instance.host_name(host)
        task = self._instance.task_name(self._task)
        return [f"{task} requests {what}{kinds}; {name} has {enough} with that much free"]

    def _room(self) -> Floats:
        """float64[H, R], what the other tasks leave."""
        there = self._host >= 0
        there[self._task] = False
        return np.asarray(self._capacity - host_use(self._demand[there], self._host[there], self._instance.hosts))

    def _levels(self) -> Floats:
        """float64[H], the level of the placement with the task on each host; NaN where no level was requested."""
        one, scaled = self._instance, self._instance.scaled
        if one.guaranteed or not self._packing.placed or self._packing.minimise != "level" or not scaled.need.shape[1]:
            return np.full(one.hosts, np.nan)
        there = self._host >= 0
        there[self._task] = False
        load = host_use(scaled.need[there], self._host[there], one.hosts)
        with np.errstate(divide="ignore", invalid="ignore"):
            alone = np.where(load > 0, scaled.room / load, np.inf).min(axis=1)
            more = load + scaled.need[self._task]
            beside = np.where(more > 0, scaled.room / more, np.inf).min(axis=1)
        least = np.argsort(alone)[:2]
        elsewhere = np.full(one.hosts, alone[least[0]])
        elsewhere[least[0]] = alone[least[1]] if len(least) > 1 else np.inf
        return np.asarray(np.minimum(1.0, np.minimum(beside, elsewhere)))

    def _without(self, host: int) -> int:
        """The smallest task of a host without which the task could be there; -1 if there is none."""
        size = (self._demand / self._largest).max(axis=1, initial=0.0)
        others = sorted(np.flatnonzero(self._host == host).tolist(), key=lambda other: (size[other], other))
        return next((other for other in others if other != self._task and not self._why_not(host, other)), -1)


def _problem(instance: Instance, packing: Packing) -> ConstrainedProblem:
    """The placement as a problem of what tasks get in full; on NUMA nodes all of their demands, and nodes too."""
    if packing.numa is None or packing.numa_parts is None:
        return instance_problem(_in_full(instance), np.full(instance.tasks, -1, np.int32)).problem
    problem = instance_problem(all_rigid(instance), packing.host).problem
    numa = NumaNodes.of(instance, packing.numa_parts, packing.numa.shape[1])
    return replace(problem, constraints=(*problem.constraints, OnNumaNodes(numa, packing.numa)))


def _in_full(instance: Instance) -> Instance:
    """The same with what each task must get in full alone: rigid demands, and guaranteed parts of scalable ones.

    Single GPUs are left out: which of them are free says more than their sum.
    """
    kept = [r for r, name in enumerate(instance.rigid_names) if name != GPUS or instance.cards is None]
    rigid, room = instance.rigid[:, kept], instance.rigid_capacity[:, kept]
    names = tuple(instance.rigid_names[r] for r in kept)
    if instance.guaranteed:
        rigid = np.hstack((rigid, instance.fluid * instance.task_guarantee[:, None]))
        room, names = (
            np.hstack((room, instance.fluid_capacity)),
            (*names, *(f"guaranteed {name}" for name in instance.fluid_names)),
        )
    nothing, nowhere = np.zeros((instance.tasks, 0)), np.zeros((instance.hosts, 0))
    return replace(
        instance, fluid=nothing, fluid_capacity=nowhere, fluid_names=(), rigid=rigid, rigid_capacity=room,
        rigid_names=names, guarantee=None, weight=None, cards=None,
    )  # fmt: skip
