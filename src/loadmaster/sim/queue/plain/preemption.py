"""Preemption in the plain engine: before each pass, a job that does not fit may stop other jobs (rule C8)."""

from collections.abc import Container, Sequence
from dataclasses import fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from loadmaster.model.arrays import Floats
from loadmaster.model.constraints import STATUSES, Constraints
from loadmaster.model.site_rules import Mode, Partition, Qos
from loadmaster.model.snapshot import Decision, Queue, Running, Snapshot
from loadmaster.scheduling.host_eligibility import qos_names
from loadmaster.sim.queue.plain.victims import Victim, may_stop, mode_of, victim_rank, victims

if TYPE_CHECKING:
    from loadmaster.sim.queue.reference import Replay

_PREEMPTED = STATUSES.index("preempted")


class PreemptionOfRuns:
    """Finds victims and stops them."""

    def __init__(self, engine: "Replay") -> None:
        assert engine.binding is not None
        self._engine = engine
        self._rules = engine.binding.rules
        bound = engine.workload.constraints or Constraints()
        known = {qos.name: qos for qos in self._rules.qos}
        self._qos = [known.get(name) for name in qos_names(engine.workload, self._rules, bound)]
        self._priority = np.zeros(engine.workload.jobs) if bound.priority is None else bound.priority
        self._told: set[int] = set()  # to end, and in their time of grace

    def once(self, snapshot: Snapshot) -> Decision | None:
        """Stop jobs for the first job in the queue that needs it; return its start, None if no job starts."""
        queue = snapshot.queue
        assert queue.tier is not None
        keys = [queue.tier] if queue.rank is None else [queue.rank, queue.tier]  # rows are in the order of arrival
        leaving: dict[int, int] = {}  # by victim, the job that it is stopped for
        for row in np.lexsort(keys).tolist():
            candidates = self._candidates(snapshot, row, leaving)
            if not candidates or not self._within_limits(snapshot, row) or self._decide(snapshot, row, []).place:
                continue
            chosen = victims(candidates, partial(self._room, snapshot, row), self._rules)
            lingering = [job for job in chosen if self._lingers(job)]
            leaving |= {job: int(queue.job[row]) for job in chosen if job not in lingering}
            if chosen and not lingering:
                decision = self._decide(snapshot, row, list(leaving), after_grace=False)
                if decision.place:
                    self._stop(leaving)
                    return decision
        self._stop(leaving)
        return None

    def forget(self, job: int) -> None:
        """Drop a job that has left its hosts before its time of grace was over."""
        self._told.discard(job)

    def _candidates(self, snapshot: Snapshot, row: int, leaving: Container[int]) -> list[Victim]:
        engine, queue = self._engine, snapshot.queue
        assert queue.partition is not None
        own, found = int(queue.job[row]), []
        partition = self._partition(int(queue.partition[row]))
        for job, run in engine.occupancy.running.items():
            other = self._partition(run.partition)
            tiers = (partition.tier if partition else 1, other.tier if other else 1)
            outranks = bool(self._priority[own] > self._priority[job])
            if run.start_s == snapshot.now_s or job in self._told or job in leaving:
                continue
            if not may_stop(self._rules, self._qos[own], self._qos[job], tiers, outranks):
                continue
            mode = self._mode(job, other)
            if mode == "off" or (mode != "suspend" and snapshot.now_s - run.start_s < self._exempt_s(self._qos[job])):
                continue
            worth = victim_rank(self._rules, self._qos[job], other)
            found.append(Victim(job, worth, frozenset(engine.occupancy.hosts_of(job)), run.start_s))
        return found

    def _lingers(self, job: int) -> bool:
        """Start a victim's time of grace, if its partition or QOS gives one; return whether it does."""
        engine = self._engine
        partition, qos = self._partition(engine.occupancy.running[job].partition), self._qos[job]
        grace_s = partition.grace_s if self._rules.preemption.by == "partition" and partition else 0.0
        grace_s = qos.grace_s if self._rules.preemption.by == "qos" and qos else grace_s
        if self._mode(job, partition) != "cancel" or grace_s <= 0:
            return False
        self._told.add(job)
        engine.early_end |= engine.now_s + grace_s < engine.occupancy.running[job].expected_end_s
        if engine.occupancy.end_sooner(job, engine.now_s + grace_s, _PREEMPTED):
            engine.ended_as[job] = _PREEMPTED
        return True

    def _stop(self, leaving: dict[int, int]) -> None:
        """Take victims off their hosts."""
        engine = self._engine
        for job, preemptor in leaving.items():
            mode = self._mode(job, self._partition(engine.occupancy.running[job].partition))
            if mode == "suspend":
                engine.suspend(job, preemptor)
            else:
                engine.stop(job, engine.now_s, _PREEMPTED, again=mode == "requeue")

    def _room(self, snapshot: Snapshot, row: int, jobs: Sequence[int]) -> tuple[int, ...] | None:
        place = self._decide(snapshot, row, jobs).place
        return place[0].hosts if place else None

    def _decide(self, snapshot: Snapshot, row: int, without: Sequence[int], *, after_grace: bool = True) -> Decision:
        """What the scheduler does with that job alone, once the jobs `without` are off their hosts.

        `after_grace`: those are off theirs too that are in their time of grace.
        """
        free, engine = snapshot.free.copy(), self._engine
        for job in (*without, *(self._told & engine.occupancy.running.keys() if after_grace else ())):
            self._give_back(free, job)
        keep = ~np.isin(snapshot.running.job, list(without))
        columns = (getattr(snapshot.running, each.name) for each in fields(Running))
        running = Running(*(None if column is None else column[keep] for column in columns))  # type: ignore[arg-type]
        alone = replace(snapshot, queue=_only(snapshot.queue, row), running=running, free=free, need=None, promises={})
        return engine.scheduler.decide(alone)

    def _give_back(self, free: Floats, job: int) -> None:
        demand = self._engine.workload.demand[job].copy()
        if self._mode(job, self._partition(self._engine.occupancy.running[job].partition)) == "suspend":
            demand[1:] = 0.0
        for host in self._engine.occupancy.hosts_of(job):
            free[host] += demand

    def _mode(self, job: int, partition: Partition | None) -> Mode:
        assert self._engine.binding is not None
        return mode_of(self._rules, self._qos[job], partition, requeue=bool(self._engine.binding.requeue[job]))

    def _exempt_s(self, qos: Qos | None) -> float:
        usual = self._rules.preemption.exempt_s
        return usual if qos is None or qos.exempt_s is None else qos.exempt_s

    def _partition(self, number: int) -> Partition | None:
        return self._rules.partitions[number] if self._rules.partitions else None

    @staticmethod
    def _within_limits(snapshot: Snapshot, row: int) -> bool:
        uses, left = snapshot.queue.uses, snapshot.left
        return uses is None or left is None or all(left[limit] >= amount for limit, amount in uses[row])


def _only(queue: Queue, row: int) -> Queue:
    """One row of a queue."""
    columns: dict[str, Any] = {each.name: getattr(queue, each.name) for each in fields(Queue)}
    one: dict[str, Any] = {name: None if all_ is None else all_[row : row + 1] for name, all_ in columns.items()}
    return Queue(**one)
