"""Decides under constraints between jobs: affinity, anti-affinity, even spread (rule C15)."""

from collections.abc import Hashable, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from loadmaster.model.amounts import minus
from loadmaster.model.arrays import Bools
from loadmaster.model.snapshot import Decision, JobRulesNow, Place, Queue, Running, Snapshot
from loadmaster.place import Policy
from loadmaster.place.room import Room
from loadmaster.scheduling.meta_rule import Serve


def serve_under_rules(serve: Serve, snapshot: Snapshot, policy: Policy) -> Decision:
    """The jobs to start now, so that no rule of the snapshot is broken; pure.

    A discipline knows no such rules. So each pass gets the hosts that the rules leave to each job as the pass begins.
    Its starts are then looked at in their order. A job that a start before it keeps from its host goes to the host that
    the policy rates best of those left to it. Passes follow until one starts nothing.

    Args:
        serve: makes the discipline decide.
        snapshot: with `rules`.
        policy: rates hosts.
    """
    assert snapshot.rules is not None
    assert snapshot.queue.cards is None
    now, places = snapshot.rules.beside(snapshot.running), list[Place]()
    while True:
        decision = serve(_snapshot_under_rules(snapshot, now), policy)
        starts = _starts(snapshot, policy, decision, now)
        places += starts
        snapshot = _after(snapshot, starts)
        again = starts != list(decision.place) or any(now.kind(job) for job in snapshot.queue.job.tolist())
        if not starts or not again:
            return replace(decision, place=tuple(places))


def _snapshot_under_rules(snapshot: Snapshot, now: JobRulesNow) -> Snapshot:
    """What a discipline sees: of each job the hosts that the rules leave to it; jobs to which they leave none are out.

    So no host is reserved for a job that waits for another job to start, or to end.
    """
    queue = snapshot.queue
    sets, of_row = [np.ones(snapshot.cluster.hosts, bool)], [0] * len(queue)
    if snapshot.allowed is not None and queue.hosts is not None:
        sets, of_row = list(snapshot.allowed), queue.hosts.tolist()
    number: dict[tuple[Hashable, int], int] = {}
    for row, job in enumerate(queue.job.tolist()):
        if kind := now.kind(job):
            key = kind, of_row[row]
            if key not in number:
                number[key] = len(sets)
                sets.append(sets[of_row[row]] & now.open_hosts(job))
            of_row[row] = number[key]
    queue = replace(queue, hosts=np.array(of_row, np.int32))
    seen = replace(snapshot, queue=queue, allowed=np.array(sets, bool), as_pool=False)
    return _with_rows(seen, np.array([sets[each].any() for each in of_row], bool))


def _starts(snapshot: Snapshot, policy: Policy, decision: Decision, now: JobRulesNow) -> list[Place]:
    """The starts of a decision that stand, in their order, some on another host; they count in `now`."""
    queue, room = snapshot.queue, Room(snapshot, policy)
    reserved = np.zeros(snapshot.cluster.hosts, bool)
    reserved[list(decision.reserved)] = True
    room.close(reserved)
    row_of, starts = _rows(queue), list[Place]()
    for place in decision.place:
        row, usable = row_of[place.job, place.partition], now.open_hosts(place.job)
        hosts: tuple[int, ...] | None = place.hosts
        if usable[list(place.hosts)].all() and _is_left(room, row, place):
            room.take(row, place.hosts)
        else:
            hosts = room.place(row, usable=usable & _not_closed(snapshot, row))
        if hosts is not None:
            starts.append(place._replace(hosts=hosts))
            now.start(place.job, hosts[0])
    return starts


def _rows(queue: Queue) -> dict[tuple[int, int], int]:
    """The rows of the queue by job and partition."""
    parts = [0] * len(queue) if queue.partition is None else queue.partition.tolist()
    return {key: row for row, key in enumerate(zip(queue.job.tolist(), parts, strict=True))}


def _is_left(room: Room, row: int, place: Place) -> bool:
    """Whether the starts before it have left the hosts of a start."""
    left = {host: room.amounts[host] for host in place.hosts}
    for host, amounts in zip(place.hosts, room.held_by(row), strict=True):
        left[host] = minus(left[host], amounts)
    return all(min(amounts) >= 0 for amounts in left.values())


def _not_closed(snapshot: Snapshot, row: int) -> Bools:
    """bool[H], the hosts that no closure takes from a job of the queue while it would run."""
    hosts, job = np.ones(snapshot.cluster.hosts, bool), int(snapshot.queue.job[row])
    end_s = snapshot.now_s + float(snapshot.queue.expected_s[row]) / snapshot.cluster.slowest(range(len(hosts)))
    for each in snapshot.closures:
        if each.from_s < end_s and snapshot.now_s < each.to_s and each.shuts_out(job):
            hosts &= ~each.hosts
    return hosts


def _after(snapshot: Snapshot, starts: Sequence[Place]) -> Snapshot:
    """The snapshot once these jobs have started."""
    if not starts:
        return snapshot
    queue, running, row_of = snapshot.queue, snapshot.running, _rows(snapshot.queue)
    rows = [row_of[each.job, each.partition] for each in starts for _ in each.hosts]
    hosts = [host for each in starts for host in each.hosts]
    speeds = np.array([snapshot.cluster.slowest((host,)) for host in hosts])
    free, left = np.array(snapshot.free), None if snapshot.left is None else np.array(snapshot.left)
    np.subtract.at(free, hosts, queue.demand[rows])
    if left is not None and queue.uses is not None:
        for limit, amount in chain.from_iterable(queue.uses[row] for row in set(rows)):
            left[limit] -= amount
    runs = Running(
        np.append(running.job, queue.job[rows]),
        np.append(running.host, np.array(hosts, np.int32)),
        np.vstack((running.demand, queue.demand[rows])),
        np.append(running.expected_end_s, snapshot.now_s + queue.expected_s[rows] / speeds),
        np.append(running.project, queue.project[rows]),
        None if running.start_s is None else np.append(running.start_s, np.full(len(rows), snapshot.now_s)),
    )
    need = snapshot.need
    if need is not None:
        used = np.array(need.used)
        np.add.at(used, need.group[rows], queue.demand[rows, 0])
        need = need._replace(used=used)
    after = replace(snapshot, free=free, running=runs, last_host=hosts[-1], need=need, left=left)
    return _with_rows(after, ~np.isin(queue.job, queue.job[rows]))


def _with_rows(snapshot: Snapshot, rows: Bools) -> Snapshot:
    """The snapshot with the rows bool[Q] of its queue alone."""
    need = snapshot.need
    need = None if need is None else need._replace(group=need.group[rows])
    return replace(snapshot, queue=snapshot.queue.take(rows), need=need)
