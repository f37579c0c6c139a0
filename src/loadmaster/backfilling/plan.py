"""Plans of the time to come: who will hold what from when to when, host by host or by counting hosts."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from loadmaster.backfilling.outlook import Outlook, end_of
from loadmaster.backfilling.pace import at_its_pace
from loadmaster.backfilling.releases import ExpectedEnd
from loadmaster.model.arrays import Bools
from loadmaster.model.snapshot import Promise, Snapshot
from loadmaster.place.room import Room

NEVER = Promise(float("inf"), ())


class Plan(Protocol):
    """What promises are made on; `row` is a job's place in the queue."""

    def place(self, row: int, start_s: float, usable: Bools | None = None) -> tuple[int, ...] | None:
        """Hosts for the job from `start_s` on, held for its expected runtime beside all that is held; None if not.

        The room stays as it is: `begin` takes from it.
        """
        ...

    def earliest(self, row: int) -> Promise:
        """The first moment at which the job fits, held from then on; `NEVER` holds nothing."""
        ...

    def hold(self, row: int, promise: Promise) -> bool:
        """Hold exactly what the job was promised before, from now on at the earliest; False if it no longer fits."""
        ...

    def release(self, row: int, promise: Promise) -> None:
        """Hold it no longer."""
        ...

    def begin(self, row: int, hosts: tuple[int, ...]) -> tuple[int, ...]:
        """Take from the room, for a start now, what `place` or `hold` holds; the host of every task."""
        ...


class HostPlan:
    """A plan that says for each host what it will have free; the policy sees the least of the time in question."""

    def __init__(self, snapshot: Snapshot, room: Room, releases: Sequence[ExpectedEnd]) -> None:
        assert snapshot.cluster.speed is not None
        self._snapshot, self._room, self._speed = snapshot, room, snapshot.cluster.speed
        self._outlook = Outlook(snapshot.now_s, room.free, releases)

    def place(self, row: int, start_s: float, usable: Bools | None = None) -> tuple[int, ...] | None:
        """As `Plan` says; a job on hosts of several speeds is held for as long as the slowest takes."""
        room, queue = self._room, self._snapshot.queue
        actual, last_host = room.free, room.last_host
        expected_s = float(queue.expected_s[row])

        def place(speed: float, left: Bools) -> tuple[int, ...] | None:
            end_s = end_of(start_s, expected_s / speed)
            room.free, room.last_host = self._outlook.least(start_s, end_s), last_host
            open_then = self._open(row, start_s, end_s) & left
            return room.place(row, usable=open_then if usable is None else open_then & usable)

        found = at_its_pace(self._speed, room.hosts_of(row), place)
        room.free, room.last_host = actual, last_host
        if found is None:
            return None
        hosts, speed = found
        end_s = end_of(start_s, expected_s / speed)
        for host in hosts:
            self._outlook.hold(host, start_s, end_s, queue.demand[row])
        return hosts

    def earliest(self, row: int) -> Promise:
        """As `Plan` says."""
        for start_s in self._outlook.moments(self._snapshot.closures):
            hosts = self.place(row, start_s)
            if hosts is not None:
                return Promise(start_s, hosts)
        return NEVER

    def hold(self, row: int, promise: Promise) -> bool:
        """As `Plan` says."""
        demand = self._snapshot.queue.demand[row]
        end_s = self._end(row, promise)
        usable = self._open(row, promise.start_s, end_s) & self._room.hosts_of(row)
        least = self._outlook.least(promise.start_s, end_s)
        if len(promise.hosts) != self._snapshot.queue.tasks[row] or max(promise.hosts) >= len(least):
            return False
        for host in promise.hosts:
            if not usable[host] or (least[host] < demand).any():
                return False
            least[host] -= demand
        for host in promise.hosts:
            self._outlook.hold(host, promise.start_s, end_s, demand)
        return True

    def release(self, row: int, promise: Promise) -> None:
        """As `Plan` says."""
        for host in promise.hosts:
            self._outlook.hold(host, promise.start_s, self._end(row, promise), -self._snapshot.queue.demand[row])

    def begin(self, row: int, hosts: tuple[int, ...]) -> tuple[int, ...]:
        """As `Plan` says."""
        self._room.take(row, hosts)
        return hosts

    def _end(self, row: int, promise: Promise) -> float:
        speed = float(self._speed[list(promise.hosts)].min(initial=np.inf))
        return end_of(promise.start_s, float(self._snapshot.queue.expected_s[row]) / speed)

    def _open(self, row: int, start_s: float, end_s: float) -> Bools:
        usable, job = np.ones(len(self._room.free), dtype=bool), int(self._snapshot.queue.job[row])
        for closure in self._snapshot.closures:
            if closure.from_s < end_s and start_s < closure.to_s and closure.shuts_out(job):
                usable &= ~closure.hosts
        return usable


class PoolPlan:
    """A plan that counts hosts: exact where every task takes a host of its own and any host serves (rule Q11)."""

    def __init__(self, snapshot: Snapshot, room: Room, releases: Sequence[ExpectedEnd]) -> None:
        assert snapshot.cluster.speed is not None
        self._queue, self._room, self._speed = snapshot.queue, room, float(snapshot.cluster.speed[0])
        self._one = np.ones(1)
        ending = [ExpectedEnd(release.end_s, 0, self._one) for release in releases]
        free = self._one * (len(room.free) - len(releases))
        self._outlook = Outlook(snapshot.now_s, free[None, :], ending)

    def place(self, row: int, start_s: float, usable: Bools | None = None) -> tuple[int, ...] | None:
        """As `Plan` says; what is held is a count of hosts, so the hosts are ()."""
        return () if self.hold(row, Promise(start_s, ())) else None

    def earliest(self, row: int) -> Promise:
        """As `Plan` says."""
        for start_s in self._outlook.moments():
            if self.hold(row, Promise(start_s, ())):
                return Promise(start_s, ())
        return NEVER

    def hold(self, row: int, promise: Promise) -> bool:
        """As `Plan` says."""
        end_s, asked = self._end(row, promise), self._one * self._queue.tasks[row]
        if self._outlook.least(promise.start_s, end_s)[0, 0] < asked[0]:
            return False
        self._outlook.hold(0, promise.start_s, end_s, asked)
        return True

    def release(self, row: int, promise: Promise) -> None:
        """As `Plan` says."""
        if promise != NEVER:
            self._outlook.hold(0, promise.start_s, self._end(row, promise), -self._one * self._queue.tasks[row])

    def begin(self, row: int, hosts: tuple[int, ...]) -> tuple[int, ...]:
        """As `Plan` says; the policy picks among the hosts that are free now."""
        found = self._room.place(row)
        assert found is not None  # as many hosts are free as were counted
        return found

    def _end(self, row: int, promise: Promise) -> float:
        return end_of(promise.start_s, float(self._queue.expected_s[row]) / self._speed)
