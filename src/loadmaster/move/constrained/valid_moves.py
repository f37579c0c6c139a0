"""A placement that changes by valid moves alone: each move keeps every constraint while all other tasks stay."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np

from loadmaster.model.arrays import Bools, Floats, Ints, Longs
from loadmaster.model.units import CORES, MEMORY
from loadmaster.packing.constrained.placement import CountedPlacement
from loadmaster.packing.constrained.problem import ConstrainedProblem
from loadmaster.packing.deadline import NO_DEADLINE, Deadline

MOST_HOSTS = 30
"""Hosts on which room is made for a task; those that lack least come first."""
MOST_RESIDENTS = 20
"""Tasks of such a host that are tried, each for itself."""
MOST_DISPLACED = 6
"""Tasks that leave one host for another task."""


class ValidMove(NamedTuple):
    """A task goes from one host to another; from -1 for a task that starts."""

    task: int
    source: int
    target: int


class ValidMoves:
    """Where the tasks are, and the moves that led there.

    Args:
        problem: hosts, tasks and constraints.
        cost: float64[T], what a move of each task costs; a start costs nothing.
        full: int64[H, R], amounts at which a host counts as full.
        deadline: at which a search for moves ends.
        host: int64[T], where each task is; where it runs now if it is left out.

    Attributes:
        placement: the tasks on their hosts.
        moves: so far, in order.
        spent: what they cost.
        closed: bool[H], hosts that take no task; may change.
        size: float64[T], the largest part that each task requests of a mean host.
        deadline: of the search.
    """

    def __init__(
        self,
        problem: ConstrainedProblem,
        cost: Floats,
        full: Longs,
        deadline: Deadline = NO_DEADLINE,
        host: Longs | None = None,
    ) -> None:
        self.problem = problem
        self.deadline = deadline
        self.placement = CountedPlacement(problem, host)
        self.moves: list[ValidMove] = []
        self.spent = 0.0
        self._nodes_left = list[Bools | None]()
        self.closed = np.zeros(problem.hosts, bool)
        self._cost = cost
        self._scale = np.maximum(full, 1).astype(float)
        self.size: Floats = (problem.demand / self._scale.mean(axis=0)).max(axis=1, initial=0.0)
        self._counted = load_resources(problem)

    @property
    def host(self) -> Longs:
        """int64[T], where each task is; -1 for none."""
        return self.placement.host

    def go(self, task: int, host: int) -> None:
        """Move or start a task."""
        source = int(self.host[task])
        self._nodes_left.append(self.placement.move(task, host))
        self.moves.append(ValidMove(task, source, host))
        self.spent += float(self._cost[task]) if source >= 0 else 0.0

    def undo(self, moves: int) -> None:
        """Take back all moves but the first so many."""
        while len(self.moves) > moves:
            task, source, _ = self.moves.pop()
            self.placement.move(task, source, self._nodes_left.pop())
            self.spent -= float(self._cost[task]) if source >= 0 else 0.0

    def may_move(self, task: int) -> bool:
        """Whether a running task is free to leave its host, and has one; a task that has just started stays."""
        hosts = self.placement.own_hosts(task)
        return self.problem.now[task] >= 0 and bool(hosts.sum() > hosts[self.host[task]])

    def load(self) -> Floats:
        """float64[H], the largest part of processors or memory that is requested of each host."""
        parts: Floats = (self.placement.use / self._scale)[:, self._counted].max(axis=1, initial=0.0)
        return parts

    def load_without(self, task: int) -> float:
        """The load of the task's host once it is away."""
        return self._load_after(int(self.host[task]), -self.problem.demand[task])

    def load_with(self, task: int, host: int) -> float:
        """The load of `host` once the task is there."""
        return self._load_after(host, self.problem.demand[task])

    def _load_after(self, host: int, change: Longs) -> float:
        parts = (self.placement.use[host] + change) / self._scale[host]
        return float(parts[self._counted].max(initial=0.0))

    def cost_of(self, task: int) -> float:
        """What a move of the task costs."""
        return float(self._cost[task])

    def targets(self, task: int, hosts: Bools | None = None, *, emptiest: bool = False) -> Iterator[int]:
        """The hosts where the task may go now, the fullest first, or the emptiest.

        Args:
            task: its number.
            hosts: bool[H], only these; None for all.
            emptiest: the least loaded first.
        """
        able = self.placement.own_hosts(task) & ~self.closed & self.placement.has_room(task)
        able &= np.ones(len(able), bool) if hosts is None else hosts
        if self.host[task] >= 0:
            able[self.host[task]] = False
        at = np.flatnonzero(able)
        load = self.load()[at]
        for host in at[np.argsort(load if emptiest else -load, kind="stable")].tolist():
            if self.placement.keeps_the_rest(task, host):
                yield host

    def relocate(self, task: int, hosts: Bools | None = None) -> bool:
        """Move the task to a host that has room, else to one where room can be made; False if there is none."""
        if self.host[task] >= 0 and not self.may_move(task):
            return False
        target = next(self.targets(task, hosts), None)
        if target is not None:
            self.go(task, target)
            return True
        return self._make_room(task, hosts)

    def _make_room(self, task: int, hosts: Bools | None) -> bool:
        """Move as little as possible off one host so that the task fits there."""
        start, before = len(self.moves), self.spent
        best: list[ValidMove] | None = None
        least = np.inf
        for host in self._nearly_fitting(task, hosts):
            for leaving in self._leaving(task, host):
                if self._displaced(leaving, host, task) and self.spent - before < least:
                    best, least = self.moves[start:], self.spent - before
                self.undo(start)
        for move in best or ():
            self.go(move.task, move.target)
        return best is not None

    def _nearly_fitting(self, task: int, hosts: Bools | None) -> list[int]:
        """The hosts that the task may use and that lack room, those that lack least first."""
        demand = self.problem.demand[task]
        able = self.placement.own_hosts(task) & ~self.closed & (self.problem.capacity >= demand).all(axis=1)
        able &= np.ones(len(able), bool) if hosts is None else hosts
        if self.host[task] >= 0:
            able[self.host[task]] = False
        at = np.flatnonzero(able)
        short = np.maximum(demand - (self.problem.capacity - self.placement.use)[at], 0) / self._scale[at]
        return [int(host) for host in at[np.argsort(short.sum(axis=1), kind="stable")][:MOST_HOSTS]]

    def _leaving(self, task: int, host: int) -> Iterator[tuple[int, ...]]:
        """Sets of tasks without which `task` has room on `host`: single ones, the cheapest first; else a larger set."""
        residents = [int(t) for t in np.flatnonzero(self.host == host) if t != task and self.may_move(int(t))]
        residents.sort(key=lambda t: (self._cost[t], t))
        for short, holds in self.placement.shortages(task, host, residents):
            alone = np.flatnonzero((holds >= short).all(axis=1)).tolist()
            yield from ((residents[k],) for k in islice(alone, MOST_RESIDENTS))
            together = [] if alone else _enough_together(short, holds)
            if together:
                yield tuple(residents[k] for k in together)

    def _displaced(self, leaving: Iterable[int], host: int, task: int) -> bool:
        """Whether the tasks could leave `host`, each for another, and `task` could go there then."""
        others = np.arange(self.problem.hosts) != host
        for each in leaving:
            target = next(self.targets(each, others), None)
            if target is None:
                return False
            self.go(each, target)
        if self.placement.why_not(task, host):
            return False
        self.go(task, host)
        return True


def _enough_together(short: Floats, holds: Floats) -> list[int]:
    """Up to `MOST_DISPLACED` residents that hold what lacks, float64[K], each the one that helps most; else none.

    Args:
        short: what lacks.
        holds: float64[M, K], what each resident holds of it.
    """
    lacks, together = np.maximum(short, 0.0), list[int]()
    while lacks.any() and len(together) < MOST_DISPLACED:
        help_of = (np.minimum(holds, lacks) / np.maximum(lacks, 1)).sum(axis=1)
        help_of[together] = 0.0
        if help_of.max(initial=0.0) <= 0:
            return []
        together.append(int(np.argmax(help_of)))
        lacks = np.maximum(lacks - holds[together[-1]], 0.0)
    return [] if lacks.any() else together


def arrival_nodes(problem: ConstrainedProblem, moves: Iterable[ValidMove]) -> tuple[tuple[int, ...], ...]:
    """For each move, in order, the NUMA nodes that its task takes on arrival; () where hosts are not divided."""
    placement, nodes = CountedPlacement(problem), list[tuple[int, ...]]()
    if placement.nodes is None:
        return ()
    for task, _, target in moves:
        placement.move(task, target)
        nodes.append(tuple(np.flatnonzero(placement.nodes.held[task]).tolist()))
    return tuple(nodes)


def load_resources(problem: ConstrainedProblem) -> Ints:
    """int32[N], the resources that tell how full a host is: processors and memory, or all where there are neither."""
    named = [r for r, name in enumerate(problem.resources) if name in (CORES, MEMORY)]
    return np.array(named or range(len(problem.resources)), np.int32)
