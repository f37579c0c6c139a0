"""A decision's own copy of what is free: find a host, take it, reserve it. Plain Python, the specification."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from loadmaster.model.arrays import Bools, Floats
from loadmaster.model.hosts_asked import HostsAsked
from loadmaster.model.snapshot import Snapshot
from loadmaster.place.policy import Context, Policy, rated, read_only


class Barrier(Protocol):
    """What keeps tasks from hosts that others are promised, task by task."""

    def open_to(self, demand: Floats) -> Bools:
        """bool[H]: hosts that a task of `demand` float64[R] may take."""
        ...

    def take(self, host: int, demand: Floats) -> None:
        """A task takes `host`."""
        ...

    def give_back(self, host: int, demand: Floats) -> None:
        """It does not after all."""
        ...


class Room:
    """What is left of every host while one decision is made.

    The snapshot is never changed: `free` is a copy. `last_host` follows the tasks placed.
    """

    def __init__(self, snapshot: Snapshot, policy: Policy) -> None:
        self.policy = policy
        self.capacity = snapshot.cluster.capacity
        self.queue = snapshot.queue
        self.allowed = snapshot.allowed
        self.seed = snapshot.seed
        self.free = snapshot.free.copy()
        self.last_host = snapshot.last_host
        self.reserved: list[int] = []
        self._open = np.ones(len(self.free), dtype=bool)

    @property
    def exhausted(self) -> bool:
        """Every host is reserved."""
        return not self._open.any()

    def hosts_of(self, row: int) -> Bools:
        """bool[H]: the hosts that the queue's job `row` may use by its constraints."""
        if self.allowed is None or self.queue.hosts is None:
            return np.ones(len(self.free), dtype=bool)
        return np.asarray(self.allowed[self.queue.hosts[row]])

    def place(self, row: int, barriers: Sequence[Barrier] = (), usable: Bools | None = None) -> tuple[int, ...] | None:
        """Take hosts for all tasks of the queue's job `row`, one task after another, or none at all.

        Args:
            row: in the queue.
            barriers: what else must let each task pass; each is told what is taken.
            usable: bool[H], the hosts that may be used beside all that constraints say; None: all.
        """
        demand, asked = self.queue.demand[row], self.queue.asked(row)
        may = self.hosts_of(row) if usable is None else self.hosts_of(row) & usable
        last_host = self.last_host
        hosts: list[int] = []
        for k in range(asked.tasks):
            now = may
            for barrier in barriers:
                now = now & barrier.open_to(demand)
            if asked.binds:
                now = self._leaving_a_way(asked, demand, now, hosts)
            host = self.find(demand, int(self.queue.first_task[row]) + k, now)
            if host < 0:
                self.give_back(row, hosts, barriers)
                self.last_host = last_host
                return None
            self.free[host] -= demand
            for barrier in barriers:
                barrier.take(host, demand)
            self.last_host = host
            hosts.append(host)
        return tuple(hosts)

    def take(self, row: int, hosts: Sequence[int]) -> None:
        """Take exactly these hosts for the tasks of the queue's job `row`."""
        for host in hosts:
            self.free[host] -= self.queue.demand[row]
            self.last_host = host

    def foresee(self, row: int, free: Floats, usable: Bools) -> tuple[int, ...] | None:
        """Hosts that the policy would pick for the queue's job `row` if `free` float64[H, R] were; none is taken."""
        actual, last_host, is_open = self.free, self.last_host, self._open
        self.free, self._open = free.copy(), np.ones(len(free), dtype=bool)
        hosts = self.place(row, usable=usable)
        self.free, self.last_host, self._open = actual, last_host, is_open
        return hosts

    def reopen(self) -> None:
        """Let all hosts be used again that were taken out or reserved."""
        self._open[:] = True

    def give_back(self, row: int, hosts: Sequence[int], barriers: Sequence[Barrier] = ()) -> None:
        """Undo what `place` took for the queue's job `row`; `last_host` stays."""
        demand = self.queue.demand[row]
        for host in reversed(hosts):
            self.free[host] += demand
            for barrier in barriers:
                barrier.give_back(host, demand)

    def close(self, hosts: Bools) -> None:
        """Take hosts bool[H] out of this decision."""
        self._open &= ~hosts

    def find(self, demand: Floats, task: int, allowed: Bools | None = None) -> int:
        """The lowest rated host that fits, is not reserved and is in `allowed` bool[H]; -1 if none.

        The lowest index among equals.
        """
        best, best_score = -1, np.inf
        usable = self._open if allowed is None else self._open & allowed
        demand, free, capacity = read_only(demand), read_only(self.free), read_only(self.capacity)
        with np.errstate(all="ignore"):
            for host in np.flatnonzero(usable & (free >= demand).all(axis=1)):
                context = Context(int(host), len(free), self.last_host, task, self.seed)
                score = rated(self.policy, demand, free[host], capacity[host], context)
                if best < 0 or score < best_score:
                    best, best_score = int(host), score
        return best

    def reserve(self, row: int) -> None:
        """Keep hosts for the queue's job `row`: most free memory first, until they could hold it when empty.

        Only hosts that it may use and that could hold one of its tasks when empty are taken (rule Q2); with a single
        resource that resource stands in for memory.
        """
        demand = self.queue.demand[row]
        may = self.hosts_of(row)
        asked, kept = self.queue.asked(row), np.zeros(len(self.free))
        memory = min(1, demand.shape[0] - 1)
        while not asked.fit(kept):
            able = self._open & may & (self.capacity >= demand).all(axis=1)
            if not able.any():
                return
            host = int(np.argmax(np.where(able, self.free[:, memory], -1.0)))
            self._open[host] = False
            self.reserved.append(host)
            kept[host] = tasks_held(demand, self.capacity[host])

    def _leaving_a_way(self, asked: HostsAsked, demand: Floats, usable: Bools, hosts: Sequence[int]) -> Bools:
        """bool[H]: of the hosts `usable`, those that a task may take so that the others find as many hosts as asked.

        Args:
            asked: by the job, which has its first tasks on `hosts`.
            demand: float64[R], of one task.
            usable: bool[H].
            hosts: so far.
        """
        held = np.zeros(len(self.free))
        for host in np.flatnonzero(usable & self._open):
            held[host] = max(0.0, tasks_held(demand, self.free[host]))
        used = np.zeros(len(held), dtype=bool)
        used[list(hosts)] = True
        return asked.ways_on(held, used, len(hosts))


def tasks_held(demand: Floats, room: Floats) -> float:
    """How many tasks of `demand` go into `room`; infinite if they ask for nothing."""
    asked = demand > 0
    return float(np.min(np.floor(room[asked] / demand[asked]))) if asked.any() else np.inf
