"""Plans of the future: which job holds what from when to when, host by host or as a count of hosts."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from itertools import groupby
from operator import attrgetter, lt
from typing import Protocol

from loadmaster.backfilling.availability import Availability, end_of
from loadmaster.backfilling.cluster_wide import ClusterWide
from loadmaster.backfilling.slowest_speed import hosts_of_one_speed
from loadmaster.model.amounts import Amounts, plus
from loadmaster.model.arrays import Bools
from loadmaster.model.snapshot import ExpectedEnd, Promise, Snapshot
from loadmaster.place.room import Room

NEVER = Promise(math.inf, ())
_HOST = attrgetter("host")


class Plan(Protocol):
    """What reservations are made on; `row` is a job's place in the queue."""

    def place(self, row: int, start_s: float, usable: Bools | None = None) -> tuple[int, ...] | None:
        """Hosts for the job from `start_s` on, held for its expected runtime beside all that is held; None if not.

        The room stays as it is: `begin` takes from it.
        """
        ...

    def earliest(self, row: int) -> Promise:
        """The earliest start of the job, held from then on; `NEVER` holds nothing."""
        ...

    def hold(self, row: int, promise: Promise) -> bool:
        """Hold exactly the job's earlier reservation, from now on at the earliest; False if it no longer fits."""
        ...

    def release(self, row: int, promise: Promise) -> None:
        """Hold the reservation no longer."""
        ...

    def begin(self, row: int, hosts: tuple[int, ...]) -> tuple[int, ...]:
        """Take from the room, for a start now, what `place` or `hold` holds; the host of every task."""
        ...


class HostPlan:
    """A plan of the future free capacity of each host; the policy sees the least in the time in question."""

    def __init__(
        self, snapshot: Snapshot, room: Room, releases: Sequence[ExpectedEnd], cluster_wide: ClusterWide | None
    ) -> None:
        self._snapshot, self._room, self._cluster = snapshot, room, snapshot.cluster
        self._cluster_wide = cluster_wide
        self._requests, self._expected_s = snapshot.queue.requests, snapshot.queue.runtimes_s
        self._free, self._releases = list(room.amounts), releases
        several = snapshot.cluster.hosts > 1
        # The total of all hosts: a job that requests more than that fits nowhere. One host is its own total.
        self._together = Availability(snapshot.now_s, room.together if several else room.amounts[0], releases)
        self._on = {} if several else {0: self._together}
        """By host, of those on which something has been held."""
        self._to_hold: list[tuple[Sequence[tuple[int, Amounts]], float, float]] = []
        """What is held on hosts that nobody has looked at since: (host, amounts) of each, from when, until when."""

    def place(self, row: int, start_s: float, usable: Bools | None = None) -> tuple[int, ...] | None:
        """As `Plan` says; a job on hosts of several speeds is held for as long as the slowest takes."""
        foresee = partial(self._foresee, row, start_s, usable)
        found = hosts_of_one_speed(self._cluster, partial(self._room.hosts_of, row), foresee)
        if found is None:
            return None
        hosts, speed = found
        self._hold(row, self._room.held_on(row, hosts), start_s, end_of(start_s, self._expected_s[row] / speed))
        return hosts

    def _foresee(
        self, row: int, start_s: float, usable: Bools | None, speed: float, left: Bools | None
    ) -> tuple[int, ...] | None:
        """Hosts that are `usable` and `left`, and free for the job from `start_s` on at that speed; None if not."""
        lasts_s, usable = self._expected_s[row] / speed, _both(left, usable)
        end_s = end_of(start_s, lasts_s)
        if any(map(lt, self._together.least(start_s, end_s), self._requests[row].total)):
            return None
        if self._cluster_wide is not None and not self._cluster_wide.fits(row, start_s, lasts_s):
            return None
        usable = _both(self._open(row, start_s, end_s), usable)
        if self._to_hold:
            self._hold_on_hosts()
        least = self._free_at(start_s)  # where nothing is held, ever more is free
        for host, availability in self._on.items():
            least[host] = availability.least(start_s, end_s)
        return self._room.foresee(row, least, usable)

    def earliest(self, row: int) -> Promise:
        """As `Plan` says."""
        for start_s in self._chances(row):
            hosts = self.place(row, start_s)
            if hosts is not None:
                return Promise(start_s, hosts, self._room.cards.get(row, ()))
        return NEVER

    def _chances(self, row: int) -> Iterator[float]:
        """The moments at which the job might fit, in their order.

        Usually it fits at the first moment at which all hosts together have enough; only if not, each host is checked.
        """
        total = self._requests[row].total
        first_s = self._together.first_fit(total, self._lasts_s(row))
        if first_s == math.inf:
            return
        yield first_s
        moments = self._together.moments(self._snapshot.closures)
        if self._cluster_wide is not None:
            moments = sorted({*moments, *self._cluster_wide.moments()})
        soonest_s = self._soonest(row)
        yield from (time_s for time_s in moments if time_s > first_s and time_s >= soonest_s)

    def hold(self, row: int, promise: Promise) -> bool:
        """As `Plan` says."""
        request, end_s = self._requests[row], self._end(row, promise)
        if len(promise.hosts) != request.asked.tasks or max(promise.hosts) >= self._cluster.hosts:
            return False
        usable = _both(self._open(row, promise.start_s, end_s), self._room.restricted_to(row))
        held = request.on(promise.hosts, promise.cards)
        for host, amounts in held:
            least = self._of(host).least(promise.start_s, end_s)
            if (usable is not None and not usable[host]) or any(map(lt, least, amounts)):
                return False
        if self._cluster_wide is not None and not self._cluster_wide.fits(
            row, promise.start_s, self._runtime_s(row, promise)
        ):
            return False
        if promise.cards:
            self._room.cards[row] = promise.cards
        self._hold(row, held, promise.start_s, end_s)
        return True

    def release(self, row: int, promise: Promise) -> None:
        """As `Plan` says."""
        end_s, request = self._end(row, promise), self._requests[row]
        for host, amounts in request.on(promise.hosts, promise.cards):
            self._of(host).release(promise.start_s, end_s, amounts)
        if self._cluster.hosts > 1 and promise != NEVER:
            self._together.release(promise.start_s, end_s, request.total)
        if self._cluster_wide is not None and promise != NEVER:
            self._cluster_wide.release(row, promise.start_s, end_s)
        self._room.forget()

    def begin(self, row: int, hosts: tuple[int, ...]) -> tuple[int, ...]:
        """As `Plan` says."""
        self._room.take(row, hosts)
        return hosts

    def _hold(self, row: int, held: Sequence[tuple[int, Amounts]], start_s: float, end_s: float) -> None:
        if self._cluster.hosts > 1:
            self._to_hold.append((held, start_s, end_s))
            self._together.hold(start_s, end_s, self._requests[row].total)
        else:
            self._together.hold(start_s, end_s, held[0][1])
        if self._cluster_wide is not None:
            self._cluster_wide.hold(row, start_s, end_s)

    def _of(self, host: int) -> Availability:
        """What is free of the host over time."""
        if self._to_hold:
            self._hold_on_hosts()
        if host not in self._on:
            self._on[host] = Availability(self._snapshot.now_s, self._free[host], self._releases_of.get(host, ()))
        return self._on[host]

    def _hold_on_hosts(self) -> None:
        to_hold, self._to_hold = self._to_hold, []
        for held, start_s, end_s in to_hold:
            for host, amounts in held:
                self._of(host).hold(start_s, end_s, amounts)

    @cached_property
    def _releases_of(self) -> dict[int, list[ExpectedEnd]]:
        """By host, in the order of time."""
        return {host: list(ends) for host, ends in groupby(sorted(self._releases, key=_HOST), key=_HOST)}

    def _free_at(self, time_s: float) -> list[Amounts]:
        """R amounts of each of H hosts that are free then, if nothing is held."""
        free = list(self._free)
        if time_s == self._snapshot.now_s:
            return free
        for end_s, _, host, amounts in self._releases:
            if end_s > time_s:
                break
            free[host] = plus(free[host], amounts)
        return free

    def _soonest(self, row: int) -> float:
        """A lower bound of the start: before it, too few hosts have room for one of its tasks for so long."""
        request, lasts_s = self._requests[row], self._lasts_s(row)
        moments = sorted(
            (self._of(host).first_fit(request.demand, lasts_s), host) for host in range(self._cluster.hosts)
        )
        held = 0.0
        for hosts, (moment_s, host) in enumerate(moments, 1):
            held += request.held_in(self._of(host).most)
            if held >= request.asked.tasks and hosts >= request.asked.least:
                return moment_s
        return math.inf

    def _lasts_s(self, row: int) -> float:
        """The expected runtime on the fastest hosts."""
        return self._expected_s[row] / self._cluster.fastest

    def _runtime_s(self, row: int, promise: Promise) -> float:
        return self._expected_s[row] / self._cluster.slowest(promise.hosts)

    def _end(self, row: int, promise: Promise) -> float:
        return end_of(promise.start_s, self._runtime_s(row, promise))

    def _open(self, row: int, start_s: float, end_s: float) -> Bools | None:
        """bool[H]: the hosts without a closure for the job in that time; None: all."""
        usable: Bools | None = None
        for closure in self._snapshot.closures:
            job = int(self._snapshot.queue.job[row])
            if closure.from_s < end_s and start_s < closure.to_s and closure.shuts_out(job):
                usable = _both(usable, ~closure.hosts)
        return usable


def _both(one: Bools | None, other: Bools | None) -> Bools | None:
    """bool[H]: the hosts in both; None is every host."""
    return other if one is None else one if other is None else one & other


class PoolPlan:
    """A plan that counts hosts: exact where each task takes a whole host and any host serves (rule Q11)."""

    def __init__(
        self, snapshot: Snapshot, room: Room, releases: Sequence[ExpectedEnd], cluster_wide: ClusterWide | None
    ) -> None:
        assert snapshot.cluster.speed is not None
        self._cluster_wide = cluster_wide
        self._queue, self._room, self._speed = snapshot.queue, room, float(snapshot.cluster.speed[0])
        ending = [
            ExpectedEnd(end_s, -1, 0, (float(hosts),))
            for end_s, hosts in Counter(release.end_s for release in releases).items()
        ]
        self._availability = Availability(snapshot.now_s, (float(len(room.amounts) - len(releases)),), ending)

    def place(self, row: int, start_s: float, usable: Bools | None = None) -> tuple[int, ...] | None:
        """As `Plan` says; a count of hosts is held, so the hosts are ()."""
        return () if self.hold(row, Promise(start_s, ())) else None

    def earliest(self, row: int) -> Promise:
        """As `Plan` says."""
        start_s = self._availability.first_fit(self._asked(row), self._runtime_s(row))
        if self._cluster_wide is not None and self._cluster_wide.counts(row):
            moments = sorted({*self._availability.moments(), *self._cluster_wide.moments()})
            both = (time_s for time_s in moments if time_s >= start_s and self._fits(row, time_s))
            start_s = next(both, math.inf)
        if start_s == math.inf:
            return NEVER
        self.hold(row, Promise(start_s, ()))
        return Promise(start_s, ())

    def hold(self, row: int, promise: Promise) -> bool:
        """As `Plan` says."""
        if not self._fits(row, promise.start_s):
            return False
        end_s = self._end(row, promise)
        self._availability.hold(promise.start_s, end_s, self._asked(row))
        if self._cluster_wide is not None:
            self._cluster_wide.hold(row, promise.start_s, end_s)
        return True

    def release(self, row: int, promise: Promise) -> None:
        """As `Plan` says."""
        if promise != NEVER:
            end_s = self._end(row, promise)
            self._availability.release(promise.start_s, end_s, self._asked(row))
            if self._cluster_wide is not None:
                self._cluster_wide.release(row, promise.start_s, end_s)
            self._room.forget()

    def begin(self, row: int, hosts: tuple[int, ...]) -> tuple[int, ...]:
        """As `Plan` says; the policy picks among the hosts that are free now."""
        found = self._room.place(row)
        assert found is not None  # as many hosts are free as were counted
        return found

    def _asked(self, row: int) -> tuple[float]:
        return (float(self._queue.tasks[row]),)

    def _fits(self, row: int, start_s: float) -> bool:
        """Whether enough hosts, and amounts of the whole cluster, are there from then on for the whole runtime."""
        runtime_s = self._runtime_s(row)
        if self._cluster_wide is not None and not self._cluster_wide.fits(row, start_s, runtime_s):
            return False
        return self._availability.least(start_s, end_of(start_s, runtime_s))[0] >= self._asked(row)[0]

    def _runtime_s(self, row: int) -> float:
        return self._queue.runtimes_s[row] / self._speed

    def _end(self, row: int, promise: Promise) -> float:
        return end_of(promise.start_s, self._runtime_s(row))
