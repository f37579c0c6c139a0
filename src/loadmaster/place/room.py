"""A decision's own copy of what is free: find a host, take it, reserve it. Plain Python, the specification."""

import math
from collections.abc import Iterable, Iterator, Sequence
from operator import ge
from typing import Protocol

import numpy as np

from loadmaster.model.arrays import Bools, Floats
from loadmaster.model.request import RowRequest
from loadmaster.model.snapshot import Snapshot
from loadmaster.place.first_fit import first_fit
from loadmaster.place.policy import Context, Policy, rated, read_only


class Barrier(Protocol):
    """What keeps tasks from hosts that others are promised, task by task."""

    def lets(self, host: int, demand: Sequence[float]) -> bool:
        """Whether a task of R amounts `demand` may take `host`."""
        ...

    def take(self, host: int, demand: Sequence[float]) -> None:
        """A task takes `host`."""
        ...

    def give_back(self, host: int, demand: Sequence[float]) -> None:
        """It does not after all."""
        ...


class Room:
    """What is left of every host while one decision is made.

    The snapshot is never changed: what is free is copied, as lists of plain numbers. `last_host` follows the tasks
    placed. A request that found no hosts finds none until something is given back: it is remembered, and not tried.

    Attributes:
        amounts: R amounts of each of H hosts, what is left of it.
    """

    def __init__(self, snapshot: Snapshot, policy: Policy) -> None:
        self.policy = policy
        self.capacity = snapshot.cluster.capacity
        self.queue = snapshot.queue
        self._requests = snapshot.queue.requests
        self.allowed = snapshot.allowed
        self.seed = snapshot.seed
        self.amounts: list[list[float]] = snapshot.free.tolist()
        self.last_host = snapshot.last_host
        self.reserved: list[int] = []
        self._open: Sequence[int] = range(len(self.amounts))
        self._full: dict[RowRequest, float] = {}  # the shortest time for which each is known not to fit
        self._takes_first = type(policy) is Policy and policy.score is first_fit

    @property
    def free(self) -> Floats:
        """float64[H, R], what is left of every host; a copy."""
        return np.array(self.amounts)

    @property
    def exhausted(self) -> bool:
        """Every host is reserved."""
        return not self._open

    def hosts_of(self, row: int) -> Bools:
        """bool[H]: the hosts that the queue's job `row` may use by its constraints."""
        may = self.restricted_to(row)
        return np.ones(len(self.amounts), dtype=bool) if may is None else may

    def restricted_to(self, row: int) -> Bools | None:
        """The same, but None where it may use every host."""
        if self.allowed is None or self.queue.hosts is None:
            return None
        return np.asarray(self.allowed[self._requests[row].hosts])

    def is_full(self, row: int, lasts_s: float = -math.inf) -> bool:
        """Whether it is known that the queue's job `row` finds no hosts for so long; by default for any time."""
        return self._full.get(self._requests[row], math.inf) <= lasts_s

    def note_full(self, row: int, lasts_s: float = -math.inf) -> None:
        """What the queue's job `row` asks for found no hosts for `lasts_s`: nor does it for longer, until `forget`."""
        request = self._requests[row]
        self._full[request] = min(lasts_s, self._full.get(request, math.inf))

    def forget(self) -> None:
        """Something is given back: all must be tried again."""
        self._full.clear()

    def place(self, row: int, barriers: Sequence[Barrier] = (), usable: Bools | None = None) -> tuple[int, ...] | None:
        """Take hosts for all tasks of the queue's job `row`, one task after another, or none at all.

        Args:
            row: in the queue.
            barriers: what else must let each task pass; each is told what is taken.
            usable: bool[H], the hosts that may be used beside all that constraints say; None: all.
        """
        if self.is_full(row):
            return None
        hosts = self._pick(row, self.amounts, self._among(row, usable), barriers)
        if hosts is None and usable is None and not barriers:
            self.note_full(row)
        return hosts

    def take(self, row: int, hosts: Sequence[int]) -> None:
        """Take exactly these hosts for the tasks of the queue's job `row`."""
        for host in hosts:
            add(self.amounts[host], self._requests[row].demand, -1.0)
            self.last_host = host

    def foresee(self, row: int, free: list[list[float]], usable: Bools | None) -> tuple[int, ...] | None:
        """Hosts that the policy would pick for the queue's job `row` if so much were free; only `free` is taken from.

        Args:
            row: in the queue.
            free: R amounts of each of H hosts.
            usable: as `place` has it.
        """
        last_host = self.last_host
        hosts = self._pick(row, free, self._among(row, usable), ())
        self.last_host = last_host
        return hosts

    def reopen(self) -> None:
        """Let all hosts be used again that were taken out or reserved."""
        self._open = range(len(self.amounts))
        self.forget()

    def give_back(self, row: int, hosts: Sequence[int], barriers: Sequence[Barrier] = ()) -> None:
        """Undo what `place` took for the queue's job `row`; `last_host` stays."""
        self._undo(self.amounts, self._requests[row].demand, hosts, barriers)
        self.forget()

    def close(self, hosts: Bools) -> None:
        """Take hosts bool[H] out of this decision."""
        self._open = [host for host in self._open if not hosts[host]]

    def reserve(self, row: int) -> None:
        """Keep hosts for the queue's job `row`: most free memory first, until they could hold it when empty.

        Only hosts that it may use and that could hold one of its tasks when empty are taken (rule Q2); with a single
        resource that resource stands in for memory.
        """
        request = self._requests[row]
        able = np.asarray((self.capacity >= np.array(request.demand)).all(axis=1))
        left, kept = self._among(row, able), np.zeros(len(self.amounts))
        memory = min(1, len(request.demand) - 1)
        while left and not request.asked.fit(kept):
            host = max(left, key=lambda host: self.amounts[host][memory])  # of equal ones the first
            left = [other for other in left if other != host]
            self._open = [other for other in self._open if other != host]
            self.reserved.append(host)
            kept[host] = tasks_held(request.demand, self.capacity[host].tolist())

    def _among(self, row: int, usable: Bools | None) -> Sequence[int]:
        """The hosts that the queue's job `row` may use and that are not reserved, of those `usable`, ascending."""
        may = self.restricted_to(row)
        if usable is not None:
            may = usable if may is None else may & usable
        if may is None:
            return self._open
        fine = may.tolist()
        return [host for host in self._open if fine[host]]

    def _pick(
        self, row: int, free: list[list[float]], among: Sequence[int], barriers: Sequence[Barrier]
    ) -> tuple[int, ...] | None:
        """Hosts of those `among` for all tasks of the queue's job `row`, taken from `free`; None, and nothing taken."""
        request, last_host, hosts = self._requests[row], self.last_host, list[int]()
        for k in range(request.asked.tasks):
            now = self._leaving_a_way(request, free, among, barriers, hosts) if request.asked.binds else among
            host = self._find(row, k, free, now, barriers)
            if host < 0:
                self._undo(free, request.demand, hosts, barriers)
                self.last_host = last_host
                return None
            add(free[host], request.demand, -1.0)
            for barrier in barriers:
                barrier.take(host, request.demand)
            self.last_host = host
            hosts.append(host)
        return tuple(hosts)

    def _find(
        self, row: int, k: int, free: list[list[float]], among: Sequence[int], barriers: Sequence[Barrier]
    ) -> int:  # fmt: skip
        """The lowest rated host of those `among` that fits task k of the queue's job `row`; -1 if none.

        The lowest index among equals.
        """
        fitting = _fitting(self._requests[row].demand, free, among, barriers)
        if self._takes_first:
            return next(fitting, -1)
        best, best_score = -1, math.inf
        candidates = list(fitting)
        if not candidates:
            return -1
        demand, rooms, capacity = map(read_only, (self.queue.demand[row], np.array(free), self.capacity))
        task = int(self.queue.first_task[row]) + k
        with np.errstate(all="ignore"):
            for host in candidates:
                context = Context(host, len(free), self.last_host, task, self.seed)
                score = rated(self.policy, demand, rooms[host], capacity[host], context)
                if best < 0 or score < best_score:
                    best, best_score = host, score
        return best

    @staticmethod
    def _undo(
        free: list[list[float]], demand: Sequence[float], hosts: Sequence[int], barriers: Sequence[Barrier]
    ) -> None:  # fmt: skip
        for host in reversed(hosts):
            add(free[host], demand)
            for barrier in barriers:
                barrier.give_back(host, demand)

    @staticmethod
    def _leaving_a_way(
        request: RowRequest, free: list[list[float]], among: Sequence[int], barriers: Sequence[Barrier],
        hosts: Sequence[int],
    ) -> list[int]:  # fmt: skip
        """Of the hosts `among`, those that a task may take so that the others find as many hosts as asked.

        Args:
            request: of the job, which has its first tasks on `hosts`.
            free: R amounts of each of H hosts.
            among: the hosts that it may use.
            barriers: as `place` has them.
            hosts: so far.
        """
        held, used = np.zeros(len(free)), np.zeros(len(free), dtype=bool)
        for host in among:
            if all(barrier.lets(host, request.demand) for barrier in barriers):
                held[host] = max(0.0, tasks_held(request.demand, free[host]))
        used[list(hosts)] = True
        ways = request.asked.ways_on(held, used, len(hosts))
        return [host for host in among if ways[host]]


def tasks_held(demand: Sequence[float], room: Sequence[float]) -> float:
    """How many tasks of `demand` go into `room`; infinite if they ask for nothing."""
    return min((math.floor(have / want) for have, want in zip(room, demand, strict=True) if want > 0), default=math.inf)


def _fitting(
    demand: Sequence[float], free: Sequence[Sequence[float]], among: Iterable[int], barriers: Sequence[Barrier]
) -> Iterator[int]:
    """The hosts of those `among` that have `demand` free, if every barrier lets them be taken."""
    cores = demand[0]
    for host in among:
        room = free[host]
        if room[0] >= cores and all(map(ge, room, demand)) and all(each.lets(host, demand) for each in barriers):
            yield host


def add(room: list[float], demand: Sequence[float], sign: float = 1.0) -> None:
    """Give R amounts `demand` back to `room`, or with sign -1 take them."""
    for resource, amount in enumerate(demand):
        room[resource] += sign * amount
