"""Replays a recorded run in the plain engine up to a moment, for jobs that constraints bind."""

from collections import defaultdict

import numpy as np

from loadmaster.model import Decision, InputError, Place, Snapshot
from loadmaster.runs.record import Record
from loadmaster.runs.setting import discipline_of
from loadmaster.sim.queue.reference import Replay

ROUNDING = 1e-9
"""Of a host's capacity: so much may seem to be missing because amounts were added up in another order."""


def replayed_until(record: Record, now_s: float) -> Snapshot:
    """What the scheduler saw in the first pass at `now_s`, all starts before it being those of the record.

    Raises:
        InputError: the record has no pass then.
    """
    actor = _Actor(record, now_s)
    setting = record.setting
    engine = Replay(
        record.workload, record.case.cluster, actor, setting.interval_s, setting.seed, record.estimate_model
    )
    while actor.seen is None and engine.step():
        pass
    if actor.seen is None:
        raise InputError(f"{now_s:g} s", "this record has no pass of the queue then", fix="make the run again")
    return actor.seen


class _Actor:
    """Stands in for a scheduler: starts what the record says, and keeps the snapshot of one moment."""

    def __init__(self, record: Record, now_s: float) -> None:
        self.discipline = discipline_of(record.setting, record.sources)
        self.seen: Snapshot | None = None
        self._now_s = now_s
        self._starts = _starts(record)
        self._cards = _cards(record)

    def decide(self, snapshot: Snapshot) -> Decision:
        """The decision of the record, as far as there is room: a job that must stop others is tried without them."""
        if snapshot.now_s == self._now_s:
            self.seen = self.seen or snapshot
        queue, free, places = snapshot.queue, snapshot.free.copy(), []
        for job, hosts in self._starts[snapshot.now_s]:
            for row in _rows(snapshot, job, hosts):
                left = free.copy()
                np.subtract.at(left, list(hosts), queue.demand[row])
                if (left >= -ROUNDING * snapshot.cluster.capacity).all():
                    free = left
                    partition = 0 if queue.partition is None else int(queue.partition[row])
                    places.append(Place(job, hosts, partition, self._cards.get(job, ())))
        return Decision(tuple(places), last_host=places[-1].hosts[-1] if places else snapshot.last_host)


def _rows(snapshot: Snapshot, job: int, hosts: tuple[int, ...]) -> list[int]:
    """The first row of the job in the queue that allows these hosts; none if it does not wait."""
    queue, allowed = snapshot.queue, snapshot.allowed
    rows = np.flatnonzero(queue.job == job).tolist()
    if queue.hosts is None or allowed is None:
        return rows[:1]
    return [row for row in rows if allowed[queue.hosts[row], list(hosts)].all()][:1]


def _cards(record: Record) -> dict[int, tuple[int, ...]]:
    """By job the cards, as bits, that its tasks took; empty where GPUs are no cards."""
    taken, first = record.schedule.cards, record.workload.first_task
    if taken is None:
        return {}
    started = np.flatnonzero(record.schedule.started).tolist()
    return {job: tuple(taken[first[job] : first[job + 1]].tolist()) for job in started}


def _starts(record: Record) -> dict[float, list[tuple[int, tuple[int, ...]]]]:
    """Jobs and hosts by the moment at which they started, earlier runs as well."""
    starts: dict[float, list[tuple[int, tuple[int, ...]]]] = defaultdict(list)
    first, schedule = record.workload.first_task, record.schedule
    for job in np.flatnonzero(schedule.started).tolist():
        hosts = tuple(schedule.host[first[job] : first[job + 1]].tolist())
        starts[float(schedule.start_s[job])].append((job, hosts))
    cut = schedule.segments
    for row in range(0 if cut is None else len(cut)):
        assert cut is not None
        hosts = tuple(cut.host[int(cut.first[row]) : int(cut.first[row + 1])].tolist())
        starts[float(cut.start_s[row])].append((int(cut.job[row]), hosts))
    return starts
