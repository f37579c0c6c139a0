"""Plans of the time to come: who will hold what from when to when, host by host or by counting hosts."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from loadmaster.backfilling.outlook import Outlook, end_of
from loadmaster.backfilling.releases import Release
from loadmaster.model.arrays import Bools
from loadmaster.model.snapshot import Promise, Snapshot
from loadmaster.place.room import Room

NEVER = Promise(float("inf"), ())


class Plan(Protocol):
    """What promises are made on; `row` is a job's place in the queue."""

    def place(self, row: int, start_s: float) -> tuple[int, ...] | None:
        """Hosts for the job from `start_s` on, held for its expected runtime beside all that is held; None if not.

        What starts now is taken from the room as well.
        """
        ...

    def earliest(self, row: int) -> Promise:
        """The first moment at which the job fits, held from then on; `NEVER` holds nothing."""
        ...


class HostPlan:
    """A plan that says for each host what it will have free; the policy sees the least of the time in question."""

    def __init__(self, snapshot: Snapshot, room: Room, releases: Sequence[Release]) -> None:
        assert snapshot.cluster.speed is not None
        self._snapshot, self._room, self._speed = snapshot, room, snapshot.cluster.speed
        self._outlook = Outlook(snapshot.now_s, room.free, releases)

    def place(self, row: int, start_s: float) -> tuple[int, ...] | None:
        """As `Plan` says; a job on hosts of several speeds is held for as long as the slowest takes."""
        room, queue = self._room, self._snapshot.queue
        actual, last_host = room.free, room.last_host
        expected_s = float(queue.expected_s[row])
        speed = float(self._speed[room.hosts_of(row)].max(initial=1.0))
        while True:
            end_s = end_of(start_s, expected_s / speed)
            room.free, room.last_host = self._outlook.least(start_s, end_s), last_host
            hosts = room.place(row, usable=self._open(row, start_s, end_s))
            slowest = speed if hosts is None else float(self._speed[list(hosts)].min())
            if hosts is None or slowest >= speed:
                break
            speed = slowest
        room.free = actual
        if hosts is None or start_s > self._snapshot.now_s:
            room.last_host = last_host  # only tasks that start now count as placed
        for host in hosts or ():
            self._outlook.hold(host, start_s, end_s, queue.demand[row])
            if start_s == self._snapshot.now_s:
                actual[host] -= queue.demand[row]
        return hosts

    def earliest(self, row: int) -> Promise:
        """As `Plan` says."""
        for start_s in self._outlook.moments(self._snapshot.closures):
            hosts = self.place(row, start_s)
            if hosts is not None:
                return Promise(start_s, hosts)
        return NEVER

    def _open(self, row: int, start_s: float, end_s: float) -> Bools:
        usable, job = np.ones(len(self._room.free), dtype=bool), int(self._snapshot.queue.job[row])
        for closure in self._snapshot.closures:
            if closure.from_s < end_s and start_s < closure.to_s and closure.shuts_out(job):
                usable &= ~closure.hosts
        return usable


class PoolPlan:
    """A plan that counts hosts: exact where every task takes a host of its own and any host serves (rule Q6)."""

    def __init__(self, snapshot: Snapshot, room: Room, releases: Sequence[Release]) -> None:
        self._snapshot, self._room = snapshot, room
        free = float(len(room.free) - len(releases))
        self._one = np.ones(1)
        ending = [Release(release.end_s, 0, self._one) for release in releases]
        self._outlook = Outlook(snapshot.now_s, np.array([[free]]), ending)

    def place(self, row: int, start_s: float) -> tuple[int, ...] | None:
        """As `Plan` says; a job that starts later is held a count of hosts, so its hosts are ()."""
        queue = self._snapshot.queue
        end_s = end_of(start_s, float(queue.expected_s[row]))
        asked = self._one * queue.tasks[row]
        if self._outlook.least(start_s, end_s)[0, 0] < asked[0]:
            return None
        self._outlook.hold(0, start_s, end_s, asked)
        return self._room.place(row) if start_s == self._snapshot.now_s else ()

    def earliest(self, row: int) -> Promise:
        """As `Plan` says."""
        for start_s in self._outlook.moments():
            if self.place(row, start_s) is not None:
                return Promise(start_s, ())
        return NEVER
