"""A snapshot laid out for the compiled scheduling pass: see `loadmaster.backfilling.pass_arrays`."""

from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from loadmaster.backfilling.pass_arrays import (
    CHAIN,
    COUNTED,
    END,
    GROUP,
    HOST_SET,
    MOMENT,
    PART,
    PLACE,
    PLAN_FAILURE,
    PROMISED,
    ROOMY,
    ROW,
    STANDING,
    STEP,
    TIME,
    USE,
    AvailabilityArrays,
    CalendarArrays,
    ClusterWideArrays,
    EndArrays,
    Hosts,
    PassArrays,
    PassParameters,
    PromiseArrays,
    Records,
    RowArrays,
    ShadowTimes,
)
from loadmaster.backfilling.start_bounds_kernel import BLOCK, PARTS_A_PASS, StartBounds, empty_bounds
from loadmaster.host_index.scores_kernel import Scores, empty_scores
from loadmaster.model.arrays import Bools, Floats, Ints, Longs
from loadmaster.model.cluster import Cluster
from loadmaster.model.distinct_rows import distinct_rows
from loadmaster.model.snapshot import Queue, Snapshot
from loadmaster.place.room_arrays import FAILURE, LAST_HOST, RoomArrays

MOST_STEPS = 1024
"""The most steps of whole units of the first resource, where hosts without room are passed over."""
MOST_ROOMY = 2**20
"""Demands times hosts, at most, for the lists of hosts with room now."""


@dataclass(frozen=True)
class SnapshotArrays:
    """The arrays that do not change while decisions are made on one snapshot, whatever the policy."""

    snapshot: Snapshot
    rows: RowArrays
    hosts: Hosts
    ends: EndArrays
    calendar: CalendarArrays
    standing: PromiseArrays
    order: Ints
    group: Records

    @staticmethod
    def of(snapshot: Snapshot) -> "SnapshotArrays":
        """Lay out `snapshot`."""
        queue, running = snapshot.queue, snapshot.running
        demand, kind = distinct_rows(np.concatenate((queue.demand, running.demand)))
        rows = _rows(snapshot, demand, kind[: len(queue)])
        by_end = np.lexsort((running.job, running.expected_end_s))
        end = table(
            END,
            len(by_end),
            end_s=running.expected_end_s[by_end],
            start_s=np.nan if running.start_s is None else running.start_s[by_end],
            host=running.host[by_end],
            kind=kind[len(queue) :][by_end],
        )
        ends = ends_on(len(snapshot.free), end, len(by_end))
        return SnapshotArrays(
            snapshot,
            rows,
            _hosts(snapshot),
            ends,
            _calendar(snapshot),
            _earlier_promises(snapshot, rows),
            *_order(snapshot),
        )

    @property
    def tasks(self) -> int:
        """The tasks of all rows."""
        return int(self.snapshot.queue.tasks.sum(dtype=np.int64))

    @property
    def parts(self) -> int:
        """The number of partitions with waiting rows."""
        return int(self.rows.of["partition"].max(initial=0)) + 1

    def room(self) -> RoomArrays:
        """The free capacity, from which a pass takes."""
        hosts, resources = self.snapshot.free.shape
        most = int(self.rows.of["tasks"].max(initial=1))
        tally = np.zeros(8, np.int64)
        tally[LAST_HOST] = self.snapshot.last_host
        return RoomArrays(
            np.array(self.snapshot.free, np.float64),
            np.ones(hosts, np.bool_),
            np.ones(hosts, np.bool_),
            np.zeros(hosts, np.int32),
            np.zeros(most, np.int32),
            np.zeros((most, resources)),
            np.zeros(hosts, np.int64),
            np.zeros(hosts, np.bool_),
            np.zeros(most + 1, np.int64),
            _failures(self, FAILURE),
            np.zeros(1),
            np.zeros(self._units),
            tally,
        )

    @property
    def _units(self) -> int:
        """The number of whole units of the first resource that are told apart, and one."""
        return 2 + int(min(MOST_STEPS, self.hosts.capacity[:, 0].max(initial=0.0)))

    def this_pass(self) -> PassArrays:
        """A pass that has not begun."""
        snapshot, many, tasks = self.snapshot, len(self.snapshot.queue), self.tasks
        return PassArrays(
            order=self.order,
            group=self.group.copy(),
            left=np.zeros(0) if snapshot.left is None else np.array(snapshot.left, np.float64),
            job_passed=np.zeros(many, np.int64),
            array_passed=np.zeros((int(self.rows.of["array"].max(initial=-1)) + 1) * self.parts, np.int64),
            part=table(PART, self.parts),
            promised=table(PROMISED, many),
            promised_host=np.zeros(tasks, np.int32),
            place=table(PLACE, many + 1),
            started_host=np.zeros(tasks, np.int32),
            listed=np.zeros(many, np.int32),
            key_s=np.zeros(many),
            heap=np.zeros(many, np.int32),
            everywhere=np.zeros(0, np.bool_),
            wake_s=np.full(1, np.inf),
            tally=np.zeros(16, np.int64),
        )

    def scores(self) -> Scores:
        """A memory of scores for the demands of the queue."""
        rows = self.rows.of
        often = np.bincount(rows["kind"], rows["tasks"], len(self.rows.demand)).astype(np.float64)
        return empty_scores(self.snapshot.cluster.kinds, self.rows.demand, often)

    def shadow_times(self, cards: int = 0) -> ShadowTimes:
        """Room for shadow times, with columns for so many cards of a host: none yet."""
        hosts, columns = len(self.snapshot.free), self.snapshot.free.shape[1] + cards
        many = self.parts + 1
        counted = table(COUNTED, hosts, owner=-1)
        return ShadowTimes(table(MOMENT, many, row=-1), np.zeros(1, np.int64), counted, np.zeros((hosts, columns)))

    def availability(self, steps: int, cards: int = 0) -> AvailabilityArrays:
        """An empty plan with room for that many steps, and columns for so many cards of a host."""
        hosts, columns = len(self.snapshot.free), self.snapshot.free.shape[1] + cards
        turns = hosts + -(-hosts // BLOCK)
        roomy = min(len(self.hosts.allowed) * len(self.rows.demand), MOST_ROOMY // max(hosts, 1))
        return AvailabilityArrays(
            step=table(STEP, steps),
            step_free=np.zeros((steps, columns)),
            size=np.zeros(4, np.int64),
            chain=table(CHAIN, hosts),
            window=np.zeros((hosts, columns)),
            value=np.zeros(hosts),
            able=np.zeros(hosts, np.int32),
            again=np.zeros(1, np.int32),
            turn_s=np.zeros(turns),
            turn_host=np.zeros(turns, np.int32),
            score=np.zeros(hosts),
            rated=np.zeros(hosts, np.int32),
            failed=_failures(self, PLAN_FAILURE),
            most=np.zeros(self._units),
            roomy=table(ROOMY, roomy),
            roomy_host=np.zeros((roomy, hosts), np.int32),
            bounds=self._bounds(hosts),
        )

    def cluster_wide(self, steps: int, running: int) -> ClusterWideArrays | None:
        """Amounts of the whole cluster, with room for that many steps and running jobs; None where there are none.

        The running jobs of the snapshot are in it.
        """
        many, ends = self.snapshot.cluster_wide, self.snapshot.cluster_wide_ends
        if not many:
            return None
        changes = self.snapshot.cluster_wide_changes
        end_s, held = np.zeros(running), np.zeros((running, many))
        for number, end in enumerate(ends):
            end_s[number], held[number] = end.end_s, end.demand
        return ClusterWideArrays(
            step=table(STEP, steps),
            step_free=np.zeros((steps, many)),
            size=np.zeros(4, np.int64),
            chain=table(CHAIN, 1),
            end_s=end_s,
            held=held,
            many=np.full(1, len(ends), np.int64),
            change_s=np.array([change.end_s for change in changes], np.float64),
            change=np.array([change.demand for change in changes], np.float64).reshape(-1, many),
            amount=np.zeros(many),
        )

    def _bounds(self, hosts: int) -> StartBounds:
        """Start bounds that allow every start."""
        rows = self.rows.of
        expected_s = rows["expected_s"] / self.hosts.speed[0]
        return empty_bounds(self.rows.demand, rows["kind"], expected_s, hosts, PARTS_A_PASS)

    def now(self, *, varies: bool, as_pool: bool, first_fit: bool = False) -> PassParameters:
        """The parameters of the pass."""
        snapshot, speed = self.snapshot, self.hosts.speed
        return PassParameters(
            float(snapshot.now_s),
            int(snapshot.seed),
            bool(varies),
            bool((speed != speed[0]).any()),
            bool(snapshot.limits_stop),
            bool(as_pool),
            len(snapshot.closures) > 0,
            0,
            bool(first_fit),
            int(snapshot.cluster_wide),
        )


def table(layout: np.dtype[Any], rows: int | tuple[int, ...], /, **columns: Any) -> Records:
    """So many records, with these columns and 0 in all others."""
    records = np.zeros(rows, layout).view(np.recarray)
    for name, column in columns.items():
        records[name] = column
    return records


def ends_on(hosts: int, end: Records, many: int) -> EndArrays:
    """The first `many` of these ends of tasks, of which no plan has been made yet."""
    return EndArrays(end, np.array([many], np.int64), np.zeros(hosts, np.bool_))


def _rows(snapshot: Snapshot, demand: Floats, kind: Ints) -> RowArrays:
    queue, many = snapshot.queue, len(snapshot.queue)
    job, next_row = _jobs(queue.job)
    use, uses = _uses(snapshot)
    of = table(
        ROW,
        many,
        job=job,
        next_row=next_row,
        kind=kind,
        tasks=queue.tasks,
        expected_s=queue.expected_s,
        first_task=queue.first_task,
        first_host=_starts(queue.tasks),
        first_use=_starts(uses),
        uses=uses,
        hosts=0 if _anywhere(snapshot) else queue.hosts,
        partition=0 if queue.partition is None else queue.partition,
        array=_arrays(queue),
        since_s=snapshot.now_s if queue.eligible_s is None else queue.eligible_s,
        group=0 if snapshot.need is None else snapshot.need.group,
        least=0 if queue.min_hosts is None else queue.min_hosts,
        most=0 if queue.max_hosts is None else queue.max_hosts,
    )
    return RowArrays(of, use, demand)


def _failures(scene: SnapshotArrays, layout: np.dtype[Any]) -> Records:
    """A record for every demand on every set of hosts."""
    shape = len(scene.hosts.allowed), len(scene.rows.demand)
    return np.recarray(shape, layout, buf=bytearray(shape[0] * shape[1] * layout.itemsize))


def _starts(many: Ints) -> Longs:
    """The first position of each of several spans that stand side by side."""
    return np.cumsum(many, dtype=np.int64) - many


def _anywhere(snapshot: Snapshot) -> bool:
    return snapshot.allowed is None or snapshot.queue.hosts is None


def _jobs(job: Longs) -> tuple[Ints, Ints]:
    """int32[Q] each: the number of every row's job, and the next row of the same job."""
    found, first, number = np.unique(job, return_index=True, return_inverse=True)
    rows = np.arange(len(job), dtype=np.int32)
    if len(found) == len(job):
        return number.astype(np.int32), rows
    together = np.argsort(number, kind="stable")
    last = np.append(number[together][1:] != number[together][:-1], True)
    following = np.append(together[1:], -1)
    following[last] = first[number[together][last]]
    next_row = np.empty_like(rows)
    next_row[together] = following
    return number.astype(np.int32), next_row


def _arrays(queue: Queue) -> Ints:
    many = len(queue)
    if queue.array is None or not (queue.array >= 0).any():
        return np.full(many, -1, np.int32)
    known = np.unique(queue.array[queue.array >= 0])
    return np.where(queue.array >= 0, np.searchsorted(known, queue.array), -1).astype(np.int32)


def _uses(snapshot: Snapshot) -> tuple[Records, Ints]:
    """All uses of limits, row by row, and how many each row has."""
    uses = snapshot.queue.uses
    if snapshot.left is None or uses is None:
        return table(USE, 0), np.zeros(len(snapshot.queue), np.int32)
    limit = [limit for row in uses for limit, _ in row]
    amount = [amount for row in uses for _, amount in row]
    return table(USE, len(limit), limit=limit, amount=amount), np.array([len(row) for row in uses], np.int32)


def _order(snapshot: Snapshot) -> tuple[Ints, Records]:
    """The rows in their order, those of each group together, and the groups."""
    queue, need = snapshot.queue, snapshot.need
    ranked = np.lexsort([column for column in (queue.job, queue.rank, queue.tier) if column is not None])
    if need is None:
        return ranked.astype(np.int32), table(GROUP, 1, end=len(queue), share=1.0)
    count = np.bincount(need.group, minlength=len(need.used))
    first = np.cumsum(count) - count
    together = ranked[np.argsort(np.asarray(need.group)[ranked], kind="stable")]
    return together.astype(np.int32), table(
        GROUP, len(count), first=first, end=first + count, used=need.used, share=need.share
    )


def _hosts(snapshot: Snapshot) -> Hosts:
    cluster: Cluster = snapshot.cluster
    many = len(snapshot.free)
    assert cluster.speed is not None
    speed = np.array(cluster.speed, np.float64)
    allowed = np.ones((1, many), np.bool_) if _anywhere(snapshot) else np.array(snapshot.allowed, np.bool_)
    fastest = np.array([speed[row].max(initial=0.0) or 1.0 for row in allowed])
    sets = table(HOST_SET, len(allowed), fastest=fastest, whole=allowed.all(axis=1))
    return Hosts(np.array(cluster.capacity, np.float64), speed, allowed, sets)


def _calendar(snapshot: Snapshot) -> CalendarArrays:
    job, closures = np.asarray(snapshot.queue.job), snapshot.closures
    hosts: Bools = np.zeros((len(closures), len(snapshot.free)), np.bool_)
    shut: Bools = np.zeros((len(closures), len(job)), np.bool_)
    for number, closure in enumerate(closures):
        hosts[number] = closure.hosts
        some = closure.jobs if closure.against is None else closure.against
        shut[number] = np.isin(job, list(some)) != (closure.against is None)
    times = np.array([(closure.from_s, closure.to_s) for closure in closures], np.float64).reshape(-1, 2)
    return CalendarArrays(hosts, table(TIME, len(closures), from_s=times[:, 0], to_s=times[:, 1]), shut)


def _earlier_promises(snapshot: Snapshot, rows: RowArrays) -> PromiseArrays:
    queue, promises = snapshot.queue, snapshot.promises
    promised = table(STANDING, len(queue) if promises else 0)
    host = np.zeros(int(queue.tasks.sum(dtype=np.int64)) if promises else 0, np.int32)
    found = [promises.get(number) for number in queue.job.tolist()] if promises else []
    row = np.array([row for row, promise in enumerate(found) if promise], np.int32)
    kept = [promise for promise in found if promise]
    hosts = [promise.hosts for promise in kept]
    promised["start_s"][row] = [promise.start_s for promise in kept]
    promised["many"][row] = many = np.fromiter(map(len, hosts), np.int64, len(hosts))
    host[spans(rows.of["first_host"][row], many)] = list(chain.from_iterable(hosts))
    return PromiseArrays(row, promised, host)


def spans(first: Longs, many: Longs) -> Longs:
    """The numbers from each `first` on, so many of each, one span behind the other.

    Example:
        >>> spans(np.array([5, 0]), np.array([2, 1]))
        array([5, 6, 0])
    """
    return np.repeat(first - np.cumsum(many) + many, many) + np.arange(many.sum())
