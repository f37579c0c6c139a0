"""One pass over the queue, as a backfilling sees it: who waits, who may start, what others are promised."""

from collections.abc import Iterator

import numpy as np

from loadmaster.backfilling.moment import Moment
from loadmaster.backfilling.plan import HostPlan, Plan, PoolPlan
from loadmaster.backfilling.releases import Release, releases
from loadmaster.model.arrays import Floats
from loadmaster.model.snapshot import Decision, Place, Promise, Snapshot
from loadmaster.place import Policy
from loadmaster.place.room import Room


class Board:
    """All that a backfilling can see and do in one pass.

    `row` is a job's place in the snapshot's queue. A backfilling walks `rows()` and calls `start`, `promise` or
    `reserve` for each, in any way it likes. The snapshot is never changed.
    """

    def __init__(self, snapshot: Snapshot, policy: Policy) -> None:
        self.snapshot = snapshot
        self.now_s = snapshot.now_s
        self.room = Room(snapshot, policy)
        self.promised: dict[int, Promise] = {}
        """By row, what was promised in this pass."""
        self.kept: dict[int, Promise] = {}
        """By job number, what later passes are to keep: for backfillings that do not promise anew."""
        self.wake_s = np.inf
        """Decide again no later than this, also if nothing happens."""
        self._started: list[Place] = []
        self._left = None if snapshot.left is None else snapshot.left.copy()
        self._used = None if snapshot.need is None else snapshot.need.used.copy()
        self._moments: list[Moment] = []
        self._plan: Plan | None = None
        if snapshot.closures:
            self.plan()
        self._arrays_passed: set[int] = set()
        self._jobs_started: set[int] = set()
        self._stopped: set[int] = set()

    def rows(self) -> Iterator[int]:
        """The waiting jobs in their order; who is beyond a limit as its turn comes is passed over.

        Of an array, tasks behind one that did not start are passed over, and of a job all rows once it has started.
        """
        for row in self._by_rank() if self.snapshot.need is None else self._by_need():
            array = -1 if self.snapshot.queue.array is None else int(self.snapshot.queue.array[row])
            if array in self._arrays_passed or self.job(row) in self._jobs_started or self._is_limited(row):
                continue
            before = len(self._started)
            yield row
            if array >= 0 and len(self._started) == before:
                self._arrays_passed.add(array)

    def start(self, row: int) -> bool:
        """Start the job now if it fits beside all that is promised and reserved; whether it did."""
        hosts = self._place(row)
        if hosts is None:
            return False
        queue = self.snapshot.queue
        self._started.append(Place(self.job(row), hosts, self.partition(row)))
        self._jobs_started.add(self.job(row))
        if self._left is not None and queue.uses is not None:
            for limit, amount in queue.uses[row]:
                self._left[limit] -= amount
        if self._used is not None and self.snapshot.need is not None:
            self._used[self.snapshot.need.group[row]] += queue.demand[row, 0] * queue.tasks[row]
        return True

    def promise(self, row: int, *, moment: bool = False) -> float:
        """Promise the job the first moment at which it fits beside all other promises; infinite if there is none.

        Args:
            row: in the queue.
            moment: promise the moment alone, and no hosts, where that is exact.
        """
        if moment and self._may_promise_moments():
            found = Moment(
                self.snapshot.queue.demand[row], int(self.snapshot.queue.tasks[row]), self.room.hosts_of(row),
                self.now_s, self.room.free, self.releases(),
            )  # fmt: skip
            self._moments.append(found)
            self.promised[row] = Promise(found.shadow_s, ())
        else:
            self.promised[row] = self.plan().earliest(row)
        return self.promised[row].start_s

    def reserve(self, row: int) -> None:
        """Keep hosts from all later jobs of this pass, those with most free memory, until they could hold this job."""
        self.room.reserve(row)

    @property
    def exhausted(self) -> bool:
        """Every host is reserved."""
        return self.room.exhausted

    def expected_s(self, row: int, hosts: tuple[int, ...] = ()) -> float:
        """The runtime to count on: on `hosts` it goes at the speed of the slowest, without any at speed 1."""
        expected = float(self.snapshot.queue.expected_s[row])
        return expected / float(self.speed[list(hosts)].min()) if hosts else expected

    def shortest_s(self, row: int) -> float:
        """The runtime to count on where it goes fastest."""
        return float(self.snapshot.queue.expected_s[row]) / float(self.speed[self.room.hosts_of(row)].max(initial=1.0))

    def partition(self, row: int) -> int:
        """The partition in which the job waits."""
        column = self.snapshot.queue.partition
        return 0 if column is None else int(column[row])

    def within_limits(self, row: int) -> bool:
        """Whether no limit is passed if the job starts now."""
        if self._left is None or self.snapshot.queue.uses is None:
            return True
        return all(self._left[limit] >= amount for limit, amount in self.snapshot.queue.uses[row])

    def plan(self) -> Plan:
        """What promises of a whole runtime are made on; from the first call on starts go through it."""
        if self._plan is None:
            kind = PoolPlan if self.snapshot.as_pool else HostPlan
            self._plan = kind(self.snapshot, self.room, self.releases())
        return self._plan

    def releases(self) -> list[Release]:
        """When all that runs, and what has started in this pass, is expected to give back what it holds."""
        return releases(self.snapshot, self._started)

    @property
    def speed(self) -> Floats:
        """float64[H]."""
        assert self.snapshot.cluster.speed is not None
        return self.snapshot.cluster.speed

    def job(self, row: int) -> int:
        """The job's number in its workload."""
        return int(self.snapshot.queue.job[row])

    def decision(self) -> Decision:
        """What this pass came to; hosts that promises bind are named as reserved."""
        bound = [host for promise in self.promised.values() for host in promise.hosts]
        reserved = tuple(dict.fromkeys((*self.room.reserved, *bound)))
        return Decision(tuple(self._started), reserved, self.room.last_host, promises=self.kept, wake_s=self.wake_s)

    def _place(self, row: int) -> tuple[int, ...] | None:
        if self._plan is not None:
            return self._plan.place(row, self.now_s)
        expected_s, last_host = self.shortest_s(row), self.room.last_host
        while True:
            outlasted = [moment for moment in self._moments if self.now_s + expected_s > moment.shadow_s]
            hosts = self.room.place(row, outlasted)
            if hosts is None or self.expected_s(row, hosts) <= expected_s:
                return hosts
            self.room.give_back(row, hosts, outlasted)
            self.room.last_host = last_host
            expected_s = self.expected_s(row, hosts)

    def _is_limited(self, row: int) -> bool:
        if self.partition(row) in self._stopped:
            return True
        limited = not self.within_limits(row)
        if limited and self.snapshot.limits_stop:
            self._stopped.add(self.partition(row))
        return limited

    def _may_promise_moments(self) -> bool:
        return self._plan is None and not self.snapshot.closures

    def _by_rank(self) -> list[int]:
        queue = self.snapshot.queue
        keys = [column for column in (queue.job, queue.rank, queue.tier) if column is not None]
        return [int(row) for row in np.lexsort(keys)]

    def _by_need(self) -> Iterator[int]:
        # `used` changes while this generator is consumed: every step looks at it anew.
        need, used = self.snapshot.need, self._used
        assert need is not None
        assert used is not None
        waiting: dict[int, list[int]] = {}
        for row in reversed(self._by_rank()):
            waiting.setdefault(int(need.group[row]), []).append(row)
        while waiting:
            neediest = min(waiting, key=lambda group: (used[group] / need.share[group], group))
            yield waiting[neediest].pop()
            if not waiting[neediest]:
                del waiting[neediest]
