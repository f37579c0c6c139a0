"""A snapshot laid out as the compiled board takes it: `loadmaster.backfilling.board_arrays`."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from loadmaster.backfilling.board_arrays import Board, Calendar, Ends, Hosts, Moments, Now, Outlook, Rows, Standing
from loadmaster.model.arrays import Bools, Floats, Ints, Longs
from loadmaster.model.cluster import Cluster
from loadmaster.model.distinct import distinct_rows
from loadmaster.model.snapshot import Queue, Snapshot
from loadmaster.place.room_arrays import LAST_HOST, Room
from loadmaster.scores_kernel import Scores, empty_scores

MOST_STEPS = 1024
"""Whole units of the first resource that are told apart where hosts without room are passed over."""
NO_HOSTS = np.zeros(0, np.bool_)


@dataclass(frozen=True)
class Scene:
    """What does not change while decisions are made on one snapshot, whatever the policy."""

    snapshot: Snapshot
    rows: Rows
    hosts: Hosts
    ends: Ends
    calendar: Calendar
    standing: Standing
    order: Ints
    span: Longs

    @staticmethod
    def of(snapshot: Snapshot) -> "Scene":
        """Lay out `snapshot`."""
        queue, running = snapshot.queue, snapshot.running
        demand, kind = distinct_rows(np.concatenate((queue.demand, running.demand)))
        rows = _rows(snapshot, demand, kind[: len(queue)])
        order, span = _order(snapshot)
        by_end = np.lexsort((running.job, running.expected_end_s))
        ends = Ends(
            np.array(running.expected_end_s[by_end], np.float64), np.array(running.host[by_end], np.int32),
            kind[len(queue) :][by_end].astype(np.int32), np.array([len(by_end)], np.int64),
        )  # fmt: skip
        return Scene(
            snapshot, rows, _hosts(snapshot), ends, _calendar(snapshot), _standing(snapshot, rows), order, span
        )

    def room(self) -> Room:
        """What is free, to be taken."""
        hosts, resources = self.snapshot.free.shape
        kinds, sets, most = len(self.rows.demand), len(self.hosts.allowed), int(self.rows.tasks.max(initial=1))
        steps = 2 + int(min(MOST_STEPS, self.hosts.capacity[:, 0].max(initial=0.0)))
        tally = np.zeros(8, np.int64)
        tally[LAST_HOST] = self.snapshot.last_host
        return Room(
            np.array(self.snapshot.free, np.float64), np.ones(hosts, np.bool_), np.ones(hosts, np.bool_),
            np.zeros(hosts, np.int32), np.zeros(most, np.int32), np.zeros((most, resources)),
            np.zeros((sets, kinds), np.int64), np.zeros((sets, kinds), np.int32), np.zeros(1), np.zeros(steps), tally,
        )  # fmt: skip

    def board(self) -> Board:
        """A pass that has not begun."""
        snapshot, many, tasks = self.snapshot, len(self.snapshot.queue), int(self.rows.first_host[-1])
        groups = len(self.span) - 1
        need = snapshot.need
        return Board(
            order=self.order, span=self.span, cursor=np.zeros(groups, np.int64),
            used=np.zeros(1) if need is None else np.array(need.used, np.float64),
            share=np.ones(1) if need is None else np.array(need.share, np.float64),
            left=np.zeros(0) if snapshot.left is None else np.array(snapshot.left, np.float64),
            job_passed=np.zeros(many, np.int64),
            array_passed=np.zeros(int(self.rows.array.max(initial=-1)) + 1, np.int64),
            stopped=np.zeros(int(self.rows.partition.max(initial=0)) + 1, np.int64),
            promised=np.zeros(many, np.int64), promised_s=np.zeros(many), promised_many=np.zeros(many, np.int32),
            promised_host=np.zeros(tasks, np.int32), started=np.zeros(many, np.int32),
            started_first=np.zeros(many + 1, np.int64), started_host=np.zeros(tasks, np.int32),
            listed=np.zeros(many, np.int32), key_s=np.zeros(many), heap=np.zeros(many, np.int32),
            per_partition=np.zeros(int(self.rows.partition.max(initial=0)) + 1, np.int64),
            everywhere=NO_HOSTS.copy(), chosen=np.zeros(len(snapshot.free), np.bool_), wake_s=np.full(1, np.inf),
            tally=np.zeros(16, np.int64),
        )  # fmt: skip

    def scores(self) -> Scores:
        """A memory of scores for the demands of the queue."""
        often = np.bincount(self.rows.kind, self.rows.tasks, len(self.rows.demand)).astype(np.float64)
        return empty_scores(self.snapshot.cluster.kinds, self.rows.demand, often)

    def moments(self) -> Moments:
        """Promises of a moment: none yet."""
        hosts, resources = self.snapshot.free.shape
        many, queue = int(self.rows.partition.max(initial=0)) + 2, len(self.snapshot.queue)
        return Moments(
            np.zeros((hosts, resources)), np.zeros(hosts, np.int64), np.full(hosts, -1, np.int32),
            np.full(many, -1, np.int32), np.zeros(many), np.zeros(many, np.int64), np.zeros(1, np.int64),
            np.zeros(queue), np.zeros(queue, np.int32),
        )  # fmt: skip

    def outlook(self, steps: int) -> Outlook:
        """An empty plan with room for so many steps."""
        hosts, resources = self.snapshot.free.shape
        return Outlook(
            np.zeros(steps), np.zeros(steps, np.int32), np.zeros((steps, resources)), np.zeros(hosts, np.int32),
            np.zeros(hosts, np.int32), np.zeros((hosts, resources)), np.zeros(hosts), np.zeros(hosts, np.int32),
            np.zeros(1, np.int32), np.zeros(hosts, np.int64), np.zeros(hosts), np.zeros(hosts, np.int32),
            np.zeros(1, np.int64),
        )  # fmt: skip

    def now(self, *, varies: bool, as_pool: bool) -> Now:
        """What holds for the pass."""
        snapshot, speed = self.snapshot, self.hosts.speed
        return Now(
            float(snapshot.now_s), int(snapshot.seed), bool(varies), bool((speed != speed[0]).any()),
            bool(snapshot.limits_stop), bool(as_pool), len(snapshot.closures) > 0,
        )  # fmt: skip


def _rows(snapshot: Snapshot, demand: Floats, kind: Ints) -> Rows:
    queue, many = snapshot.queue, len(snapshot.queue)
    job, next_row = _jobs(queue.job)
    uses = _uses(snapshot)
    return Rows(
        job=job, next_row=next_row, kind=np.array(kind, np.int32), demand=demand,
        tasks=np.array(queue.tasks, np.int32), expected_s=np.array(queue.expected_s, np.float64),
        first_task=np.array(queue.first_task, np.int64),
        first_host=np.concatenate(([0], np.cumsum(queue.tasks, dtype=np.int64))),
        hosts=np.zeros(many, np.int32) if _anywhere(snapshot) else np.array(queue.hosts, np.int32),
        partition=np.zeros(many, np.int32) if queue.partition is None else np.array(queue.partition, np.int32),
        array=_arrays(queue),
        since_s=np.full(many, snapshot.now_s) if queue.eligible_s is None else np.array(queue.eligible_s, np.float64),
        uses=uses.first, use_limit=uses.limit, use_amount=uses.amount,
        group=np.zeros(many, np.int32) if snapshot.need is None else np.array(snapshot.need.group, np.int32),
    )  # fmt: skip


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


class _Uses(NamedTuple):
    first: Longs
    limit: Ints
    amount: Floats


def _uses(snapshot: Snapshot) -> _Uses:
    uses = snapshot.queue.uses
    if snapshot.left is None or uses is None:
        return _Uses(np.zeros(len(snapshot.queue) + 1, np.int64), np.zeros(0, np.int32), np.zeros(0))
    all_uses = [use for row in uses for use in row]
    first = np.concatenate(([0], np.cumsum([len(row) for row in uses], dtype=np.int64)))
    return _Uses(
        first, np.array([limit for limit, _ in all_uses], np.int32), np.array([each for _, each in all_uses], float)
    )


def _order(snapshot: Snapshot) -> tuple[Ints, Longs]:
    """The rows in their order, those of each group together, and where groups begin."""
    queue = snapshot.queue
    ranked = np.lexsort([column for column in (queue.job, queue.rank, queue.tier) if column is not None])
    if snapshot.need is None:
        return ranked.astype(np.int32), np.array([0, len(queue)], np.int64)
    group = np.asarray(snapshot.need.group)
    count = np.bincount(group, minlength=len(snapshot.need.used))
    together = ranked[np.argsort(group[ranked], kind="stable")]
    return together.astype(np.int32), np.concatenate(([0], np.cumsum(count, dtype=np.int64)))


def _hosts(snapshot: Snapshot) -> Hosts:
    cluster: Cluster = snapshot.cluster
    many = len(snapshot.free)
    assert cluster.speed is not None
    speed = np.array(cluster.speed, np.float64)
    allowed = np.ones((1, many), np.bool_) if _anywhere(snapshot) else np.array(snapshot.allowed, np.bool_)
    fastest = np.array([speed[row].max(initial=0.0) or 1.0 for row in allowed])
    partitions = np.zeros((0, many), np.bool_) if snapshot.partitions is None else np.array(snapshot.partitions, bool)
    return Hosts(
        np.array(cluster.capacity, np.float64), speed, allowed, np.array(allowed.all(axis=1)), fastest, partitions
    )


def _calendar(snapshot: Snapshot) -> Calendar:
    job, closures = np.asarray(snapshot.queue.job), snapshot.closures
    hosts: Bools = np.zeros((len(closures), len(snapshot.free)), np.bool_)
    shut: Bools = np.zeros((len(closures), len(job)), np.bool_)
    for number, closure in enumerate(closures):
        hosts[number] = closure.hosts
        some = closure.jobs if closure.against is None else closure.against
        shut[number] = np.isin(job, list(some)) != (closure.against is None)
    times = np.array([(closure.from_s, closure.to_s) for closure in closures], np.float64).reshape(-1, 2)
    return Calendar(hosts, times[:, 0].copy(), times[:, 1].copy(), shut)


def _standing(snapshot: Snapshot, rows: Rows) -> Standing:
    many = len(snapshot.queue)
    start_s, count = np.full(many, np.nan), np.zeros(many, np.int32)
    host = np.zeros(int(rows.first_host[-1]) if snapshot.promises else 0, np.int32)
    promised = []
    if snapshot.promises:
        for row, number in enumerate(snapshot.queue.job.tolist()):
            promise = snapshot.promises.get(number)
            if promise:
                promised.append(row)
                start_s[row], count[row] = promise.start_s, len(promise.hosts)
                first = int(rows.first_host[row])
                host[first : first + len(promise.hosts)] = promise.hosts
    return Standing(np.array(promised, np.int32), start_s, count, host)
