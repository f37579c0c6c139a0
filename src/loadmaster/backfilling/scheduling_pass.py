"""One scheduling pass over the queue, as a backfilling sees it: waiting jobs, starts and reservations."""

import math
from collections.abc import Iterator
from itertools import chain
from typing import NoReturn

import numpy as np

from loadmaster.backfilling.availability import end_of
from loadmaster.backfilling.cluster_wide import ClusterWide
from loadmaster.backfilling.counting import PromiseOn, counts_hosts
from loadmaster.backfilling.plan import HostPlan, Plan, PoolPlan
from loadmaster.backfilling.promised_shadow_times import PromisedShadowTimes
from loadmaster.backfilling.queue_view import QueueView
from loadmaster.backfilling.releases import INSTANT_S, releases
from loadmaster.backfilling.slowest_speed import hosts_of_one_speed
from loadmaster.model.arrays import Bools, Floats
from loadmaster.model.errors import InputError
from loadmaster.model.snapshot import Decision, ExpectedEnd, Place, Promise, Snapshot
from loadmaster.place import Policy
from loadmaster.place.room import Room


class SchedulingPass:
    """All that a backfilling can see and do in one scheduling pass.

    `row` is a job's place in the snapshot's queue. A backfilling walks `rows()` and calls `start`, `promise` or
    `reserve` for each, in any way it likes. The snapshot is never changed.

    A promise is a reservation: the start of a job, and its hosts where they matter.

    Raises:
        InputError: from every method, for a call that makes no sense: a job is started twice, gets a promise after
            its start, or gets two promises.
    """

    def __init__(self, snapshot: Snapshot, policy: Policy) -> None:
        self.snapshot = snapshot
        self.now_s = snapshot.now_s
        self.room = Room(snapshot, policy)
        self.promised: dict[int, Promise] = {}
        """By row, the reservations of this pass."""
        self.kept: dict[int, Promise] = {}
        """By job number, the reservations that later passes keep."""
        self.promise_on: PromiseOn = "auto"
        """Set it before the first promise."""
        self.wake_s = math.inf
        """Decide again no later than this, also if nothing happens."""
        self.clock = snapshot.clock
        """The next runs of a scheduler's loops, if it has several."""
        self._cluster_wide = ClusterWide(snapshot) if snapshot.cluster_wide else None
        self._line = QueueView(snapshot)
        self._other_rows = self._line.rows_of_same_job
        self._started: dict[int, Place] = {}
        self._noted: set[int] = set()
        self._shadow_times = PromisedShadowTimes(snapshot, self.room, self._cluster_wide)
        self._plan: Plan | None = None
        self._expected_s = snapshot.queue.runtimes_s
        self._rows = len(self._expected_s)
        if snapshot.closures:
            self.wake_s = min([c.to_s for c in snapshot.closures if c.to_s > snapshot.now_s], default=math.inf)
            self.plan()

    def rows(self, *, beyond_limits: bool = False, whole_arrays: bool = False) -> Iterator[int]:
        """The waiting jobs in their order, without jobs that are beyond a limit at their turn.

        Behind a task that did not start, the other tasks of its array in its partition are passed over. A job that has
        started is not offered again in another row.

        Args:
            beyond_limits: also offer jobs beyond a limit.
            whole_arrays: also offer these tasks.
        """
        return self._line.rows(beyond_limits=beyond_limits, whole_arrays=whole_arrays)

    def put_off(self, row: int) -> None:
        """Leave the job for `shortest_first`."""
        self._line.put_off(row)

    def shortest_first(self) -> Iterator[int]:
        """The jobs that were put off, shortest expected runtime first, as `rows` offers them."""
        return self._line.shortest_first()

    def start(self, row: int, on: Bools | None = None) -> bool:
        """Start the job now if it fits beside all promises and reserved hosts; returns whether it did.

        Args:
            row: in the queue.
            on: bool[H], the hosts to choose from; None: all that it may use.
        """
        if row in self._started or not 0 <= row < self._rows:
            self._refuse_started(row, "started twice in one pass")
        if row in self.promised:
            self._refuse(row, "started beside its own promise", "withdraw the promise, or start it with begin")
        if self.room.lacks(row):
            return False
        own = self._promised_elsewhere(row) if self._other_rows else None
        if own is None and self.room.is_full(row, self._expected_s[row]):
            return False
        if own is None and not self._has_cluster_wide(row, self.snapshot.cluster.fastest):
            return False
        hosts = self._place(row, own, on)
        if hosts is None:
            return False
        self._note_start(row, hosts)
        return True

    def promise(self, row: int, *, moment: bool = False) -> float:
        """Promise the job its earliest start beside all other promises, and return it; infinite if there is none.

        A job that waits in several partitions has one promise, the soonest of its rows; of equal ones, the first that
        was found.

        Args:
            row: in the queue.
            moment: promise the moment alone, and no hosts, where that is exact (rule Q6).
        """
        self._refuse_started(row, "promised a start after it has started")
        if row in self.promised:
            self._refuse(row, "promised something twice in one pass", "withdraw the first promise")
        own = self._promised_elsewhere(row)
        if moment and self._may_promise_a_moment(row):
            return self._promise_moment(row, own)
        plan = self.plan()
        if own is None:
            self.promised[row] = plan.earliest(row)
            return self.promised[row].start_s
        before = self.promised[own]
        plan.release(own, before)
        found = plan.earliest(row)
        if found.start_s < before.start_s:
            del self.promised[own]
            self.promised[row] = found
            return found.start_s
        plan.release(row, found)
        plan.hold(own, before)
        return before.start_s

    def renew_promises(self) -> list[int]:
        """Renew the promises that earlier passes kept; returns their rows, in the order of arrival.

        A job that is beyond a limit now loses its promise. A promise may no longer fit, because other jobs have
        outlived their estimates. The job then gets its earliest start. Promises are renewed in the order of their
        starts, so all of them slide behind one another and none goes to the end.
        """
        job = self.snapshot.queue.job
        earlier: dict[int, Promise] = {}
        seen: set[int] = set()
        for row, number in enumerate(job.tolist()):
            promise = self.snapshot.promises.get(number)
            if promise and number not in seen and self._still_allowed(row, promise):
                seen.add(number)
                earlier[row] = promise
        for row in sorted(earlier, key=lambda row: earlier[row].start_s):
            promise = earlier[row]._replace(start_s=max(self.now_s, earlier[row].start_s))
            self.promised[row] = promise if self.plan().hold(row, promise) else self.plan().earliest(row)
        return list(earlier)

    def advance_promise(self, row: int, *, only_now: bool = False) -> None:
        """Move the job's promise to its earliest start beside all others; never to a later one.

        Args:
            row: in the queue.
            only_now: to this very moment, or not at all.
        """
        before = self.promised[row]
        if before.start_s <= self.now_s:
            return
        self.withdraw(row)
        if only_now:
            hosts = self.plan().place(row, self.now_s)
            found = before if hosts is None else Promise(self.now_s, hosts, self.room.cards.get(row, ()))
        else:
            found = self.plan().earliest(row)
            if found.start_s >= before.start_s:
                self.plan().release(row, found)
                found = before
        if found is before:
            self.plan().hold(row, before)
        self.promised[row] = found

    def note(self, row: int, promise: Promise) -> None:
        """Record a promise that a backfilling made in a table of its own: no plan holds it."""
        self.promised[row] = promise
        self._noted.add(row)

    def withdraw(self, row: int) -> None:
        """Withdraw the job's promise."""
        self.plan().release(row, self.promised.pop(row))

    def begin(self, row: int) -> None:
        """Start the job on the hosts that it was promised for this moment."""
        promise = self.promised.pop(row)
        if promise.cards:
            self.room.cards[row] = promise.cards
        self._note_start(row, self.plan().begin(row, promise.hosts))

    def keep_promises(self) -> None:
        """Keep the promises for later passes, and decide again when the first of them begins."""
        for row, promise in sorted(self.promised.items(), key=lambda item: (-item[1].start_s, -item[0])):
            if np.isfinite(promise.start_s):
                self.kept[self.job(row)] = promise  # of a job that waits in several partitions, the soonest
            if promise.start_s > self.now_s + INSTANT_S:
                self.wake_s = min(self.wake_s, promise.start_s)

    def reserve(self, row: int) -> None:
        """Keep hosts from all later jobs of this pass, those with most free memory, until they could hold this job."""
        self.room.reserve(row)

    def close(self, hosts: Bools) -> None:
        """Take hosts bool[H] out of this pass, for all jobs."""
        self.room.close(hosts)

    def reopen(self) -> None:
        """Put back all hosts that were closed."""
        self.room.reopen()
        self._line.offer_arrays_again()

    @property
    def exhausted(self) -> bool:
        """Every host is reserved."""
        return self.room.exhausted

    def expected_s(self, row: int, hosts: tuple[int, ...] = ()) -> float:
        """The runtime to count on: on `hosts` at the speed of the slowest, without hosts at speed 1."""
        return self._expected_s[row] / self.snapshot.cluster.slowest(hosts) if hosts else self._expected_s[row]

    def partition(self, row: int) -> int:
        """The partition in which the job waits."""
        return self._line.partition(row)

    def hosts_of_partition(self, row: int) -> Bools:
        """bool[H]: all hosts of the partition in which the job waits."""
        if self.snapshot.partitions is None:
            return self.room.hosts_of(row)
        return np.asarray(self.snapshot.partitions[self.partition(row)])

    def within_limits(self, row: int) -> bool:
        """Whether the job stays within all limits if it starts now; amounts of the whole cluster are limits too."""
        return self._line.within_limits(row, cluster_wide=True)

    def lacks_cluster_wide_alone(self, row: int) -> bool:
        """Whether the job is beyond no limit, but the cluster lacks amounts of its own, such as licences."""
        return self._line.within_limits(row, cluster_wide=False) and not self.within_limits(row)

    def plan(self) -> Plan:
        """The plan of promises for a whole runtime; from the first call on, starts go through it.

        Shadow times that were promised before are then bound to hosts: a plan counts no host twice.
        """
        if self._plan is None:
            kind = PoolPlan if counts_hosts(self.snapshot, self.promise_on) else HostPlan
            moments = list(self._shadow_times)
            for row in moments:
                self._shadow_times.release(row)
            self._plan = kind(self.snapshot, self.room, self.releases(), self._cluster_wide)
            for row in moments:
                self.promised[row] = self._plan.earliest(row)
            self._shadow_times.clear()
            self.room.forget()
        return self._plan

    def releases(self) -> list[ExpectedEnd]:
        """The expected ends of all running jobs, and of the jobs started in this pass."""
        return releases(self.snapshot, self._started)

    @property
    def speed(self) -> Floats:
        """float64[H]."""
        assert self.snapshot.cluster.speed is not None
        return self.snapshot.cluster.speed

    def has_started(self, row: int) -> bool:
        """Whether the job has been started in this pass."""
        return row in self._started

    @property
    def started(self) -> list[Place]:
        """The jobs started in this pass, in their order."""
        return list(self._started.values())

    def job(self, row: int) -> int:
        """The job's number in its workload."""
        return self._line.job(row)

    def decision(self) -> Decision:
        """The result of this pass; hosts that promises bind are named as reserved."""
        reserved: tuple[int, ...] = ()
        if self.promised or self.room.reserved:
            bound = chain.from_iterable([promise.hosts for promise in self.promised.values()])
            reserved = tuple(dict.fromkeys(chain(self.room.reserved, bound)))
        return Decision(
            tuple(self.started), reserved, self.room.last_host, promises=self.kept, wake_s=self.wake_s, clock=self.clock
        )

    def _promise_moment(self, row: int, own: int | None) -> float:
        found = self._shadow_times.of(row, self.releases())
        if own is not None:
            if self.promised[own].start_s <= found.shadow_s:
                return self.promised[own].start_s
            self._forget(own)
        self._shadow_times.add(row, found)
        self.promised[row] = Promise(found.shadow_s, ())
        return found.shadow_s

    def _may_promise_a_moment(self, row: int) -> bool:
        """Whether no other shadow time counts some of the same hosts."""
        return self._plan is None and self.promise_on != "hosts" and not self._shadow_times.share_hosts_with(row)

    def _has_cluster_wide(self, row: int, speed: float) -> bool:
        """Whether the cluster has what the row asks of it, from now on for its runtime, beside all reservations."""
        wide = self._cluster_wide
        return wide is None or wide.fits(row, self.now_s, self._expected_s[row] / speed)

    def _promised_elsewhere(self, row: int) -> int | None:
        """The row of the same job that has a promise, None if there is none; promises only noted do not count."""
        if row not in self._other_rows:
            return None
        rows = (other for other in self._other_rows[row] if other not in self._noted)
        return next((other for other in rows if other in self.promised), None)

    def _place(self, row: int, own: int | None, on: Bools | None) -> tuple[int, ...] | None:
        if self._plan is not None:
            return self._place_planned(self._plan, row, own, on)
        last_host, runtime_s = self.room.last_host, self._expected_s[row]
        others = self._shadow_times.beside(own)

        def place(speed: float, left: Bools | None) -> tuple[int, ...] | None:
            if not self._has_cluster_wide(row, speed):
                return None
            until_s = self.now_s + runtime_s / speed
            outlasted = [moment for moment in others if until_s > moment.shadow_s]
            usable = on if left is None else left if on is None else left & on
            hosts = self.room.place(row, outlasted, usable)
            if hosts is not None and self.snapshot.cluster.slowest(hosts) < speed:
                self.room.give_back(row, hosts, outlasted)
                self.room.last_host = last_host
            return hosts

        if own is not None:
            self._shadow_times.release(own)
        found = hosts_of_one_speed(self.snapshot.cluster, lambda: self.room.hosts_of(row), place)
        if own is not None:
            self._shadow_times.hold(own)
        if found is not None and self._cluster_wide is not None:
            self._cluster_wide.hold(row, self.now_s, end_of(self.now_s, runtime_s / found[1]))
        if found is None and own is None and on is None and self.snapshot.queue.requests[row].asked.tasks == 1:
            self._note_full(row)
        return None if found is None else found[0]

    def _place_planned(self, plan: Plan, row: int, own: int | None, on: Bools | None) -> tuple[int, ...] | None:
        if own is not None:
            plan.release(own, self.promised[own])
        held = plan.place(row, self.now_s, on)
        if held is None:
            if own is not None:
                plan.hold(own, self.promised[own])
            elif on is None and not self.snapshot.closures:
                self._note_full(row)
            return None
        if own is not None:
            del self.promised[own]
        return plan.begin(row, held)

    def _note_full(self, row: int) -> None:
        """Remember that the job found no hosts; with hosts of different speeds this depends on more than its length."""
        if self.snapshot.cluster.common_speed is not None:
            self.room.note_full(row, self._expected_s[row])

    def _note_start(self, row: int, hosts: tuple[int, ...]) -> None:
        self._started[row] = Place(self.job(row), hosts, self.partition(row), self.room.cards.get(row, ()))
        self._line.note_start(row)
        for other in (row, *self._other_rows.get(row, ())):
            if other in self.promised:
                self._forget(other)

    def _forget(self, row: int) -> None:
        """Drop the promise of a job that has started in another partition."""
        promise = self.promised.pop(row)
        self.room.forget()
        if not self._shadow_times.forget(row) and self._plan is not None and row not in self._noted:
            self._plan.release(row, promise)

    def _still_allowed(self, row: int, promise: Promise) -> bool:
        """Whether the promise belongs to this row of the job."""
        may = self.room.restricted_to(row)
        within = self._line.within_limits(row, cluster_wide=False)
        return (may is None or bool(may[list(promise.hosts)].all())) and within

    def _refuse_started(self, row: int, what: str) -> None:
        if not 0 <= row < self._rows:
            raise InputError(
                row, f"no row of the queue, which has {len(self.snapshot.queue)}", fix="see this_pass.rows()"
            )
        if row in self._started:
            self._refuse(row, what, "a job that this_pass.start has started is done with")

    def _refuse(self, row: int, what: str, fix: str) -> NoReturn:
        raise InputError(f"job number {self.job(row)}", f"a backfilling must not have it {what}", fix=fix)
