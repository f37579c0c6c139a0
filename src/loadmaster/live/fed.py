"""The simulator's plain engine, fed with what really happened: it decides by itself, and only that."""

import math
from bisect import insort
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from loadmaster.live.claims import News, Run
from loadmaster.live.ledger import Ledger
from loadmaster.live.listing import workload_in
from loadmaster.live.memory import Memory, alike
from loadmaster.live.record import Pass
from loadmaster.model.actions import Start
from loadmaster.model.arrays import Floats, Longs
from loadmaster.model.constraints import STATUSES
from loadmaster.model.snapshot import Closure, Decision, Need, Snapshot
from loadmaster.order.order import Unmoved
from loadmaster.schedule import Discipline, Scheduler
from loadmaster.sim.queue import occupancy
from loadmaster.sim.queue.reference import Replay

_CHANGED = "hosts have come, gone or changed: simulated with those of the beginning"


class Fed(Replay):
    """A replay whose jobs come, end and are stopped when a record says so."""

    def __init__(
        self, rows: Mapping[str, Any], ledger: Ledger, scheduler: Scheduler, interval_s: float, seed: int
    ) -> None:
        assert ledger.cluster is not None
        usual = next(iter(rows.values()))
        self.ids = sorted(rows, key=lambda name: rows[name]["submit_s"])
        self.number = {name: job for job, name in enumerate(self.ids)}
        workload = workload_in(ledger.cluster, [alike(rows[name], usual) for name in self.ids], ledger.listing["names"])
        self.judge = _Judge(scheduler)
        super().__init__(workload, ledger.cluster, self.judge, interval_s, seed)
        self.memory = _Memory(scheduler, self.ids)
        self.ranking = self.memory
        self.notes: list[str] = []
        self._away: set[int] = set()
        self._here: set[str] = set()
        self._up = np.ones(self.cluster.hosts, bool)
        self._names = {name: host for host, name in enumerate(self.cluster.names)}

    def adopt(self, ledger: Ledger) -> None:
        """Begin from where a session began: with the jobs that were there, and what they held."""
        self._look(ledger)
        for name in sorted(ledger.rows, key=lambda name: ledger.rows[name]["submit_s"]):
            self._arrive(name)
        for name, run in ledger.runs.items():
            self._found(name, run)
        self.memory.memory = ledger.memory.copied()
        carried = ledger.carried
        self.last_host = self._names.get(carried.last_host, -1)
        self.clock, self.wake_s = carried.clock, carried.wake_s
        self.early_end, self.arrived_now, self.ended_now = ledger.early_end, ledger.arrived, ledger.ended
        self.eligible_before = {self.number[name] for name in ledger.waiting.eligible_ids()}
        self.promises = {self.number[ledger.waiting.ids[job]]: each for job, each in ledger.promises().items()}

    def happened(self, news: News, ledger: Ledger) -> None:
        """What an observation has changed, in the order of a simulated moment (rule Q1)."""
        self.now_s = ledger.now_s
        for name, end_s, how in news.ended:
            if (job := self.number[name]) in self.occupancy.running:
                self.occupancy.end_at(job, end_s, STATUSES.index(how))
        self._end_and_fail()
        for name in (*news.withdrawn, *(name for name, _, _ in news.ended)):
            if (job := self.number[name]) in self.pending.waiting:
                self.pending.waiting.remove(job)
        self.ended_now |= news.hosts
        self.give_up(ledger)
        self._look(ledger)
        for name in news.arrived:
            self._arrive(name)
        for name, run in news.found:
            self._found(name, run)
        for name in news.moved:
            self._moved(self.number[name], ledger.runs[name])

    def give_up(self, ledger: Ledger) -> None:
        """What has lost its hosts since: the engine refused it, or it never ran there."""
        for job in list(self.occupancy.running):
            if self.ids[job] not in ledger.runs:
                self.stop(job, self.now_s, 0, again=True)
        self._away = {self.number[name] for name in ledger.away()}

    def decided(self, rule: Scheduler, recorded: Pass, line: Mapping[str, Any]) -> tuple[Start, ...]:
        """Decide by itself, as often as the record did; who starts where."""
        self.judge.rule, self.judge.taken = rule, line["taken"]
        self.judge.most = len(recorded.starts) if line["cut"] else None
        self.memory.silent = line["by"] == "fallback"
        self.judge.last = Decision()
        self.wake_s = math.inf
        self._pass()
        names = self.cluster.names
        return tuple(
            Start(self.ids[each.job], tuple(names[host] for host in each.hosts)) for each in self.judge.last.place
        )

    def _look(self, ledger: Ledger) -> None:
        self._up, self._here = np.array(ledger.listing["up"], bool), set(ledger.rows)
        self._away = {self.number[name] for name in ledger.away()}
        if ledger.cluster is not self.cluster:
            self.notes.append(_CHANGED)
        assert ledger.cluster is not None
        self.memory.memory.know(ledger.rows, ledger.cluster, ledger.listing["names"])
        self.memory.memory.tick(ledger.now_s)
        self.now_s = ledger.now_s

    def _arrive(self, name: str) -> None:
        job = self.number[name]
        self.ranking.submitted(job, self.now_s)
        self.pending.arrive(job)
        self.arrived_now = True

    def _found(self, name: str, run: Run) -> None:
        job = self.number[name]
        if job not in self.pending.waiting and job not in self.occupancy.running:  # others run what we never would
            insort(self.pending.waiting, job)
        if job in self.pending.waiting:
            hosts = tuple(self._names[host] for host in run.hosts)
            partition = self._partition(job, run.partition)
            slowest = self._slowest(hosts)
            held = occupancy.Run(run.start_s, run.expected_end_s, math.inf, 0, partition, run.start_s, slowest)
            self.occupancy.start(job, hosts, held)
            self.pending.start(job, run.start_s)
            self.ranking.started(job, self.now_s)
            self.ended_now = True
            if self.allowance is not None:
                self.allowance.start(job, partition, run.start_s)

    def _moved(self, job: int, run: Run) -> None:
        if job in self.occupancy.running:
            self.occupancy.free_hosts(job)
            first = self.occupancy.first_task
            self.occupancy.host[first[job] : first[job + 1]] = [self._names[host] for host in run.hosts]
            self.occupancy.free_hosts(job, -1.0)
            self.ended_now = True

    def _partition(self, job: int, partition: int) -> int:
        if self.binding is None:
            return max(partition, 0)
        entries = self.binding.entries
        known = entries.partition[int(entries.first[job]) : int(entries.first[job + 1])].tolist()
        return partition if partition in known else int(known[0])

    def _eligible(self) -> list[int]:
        return [job for job in super()._eligible() if job not in self._away and self.ids[job] in self._here]

    def _start(self, place) -> None:  # type: ignore[no-untyped-def]
        super()._start(place)
        run = self.occupancy.running[place.job]
        self.occupancy.end_at(place.job, math.inf, run.status)  # it ends when the record says so

    def _snapshot(self, eligible: list[int]) -> Snapshot:
        snapshot = super()._snapshot(eligible)
        down = () if self._up.all() else (Closure(~self._up, -np.inf, np.inf),)
        free = np.maximum(snapshot.free, 0.0)  # others may have put more on a host than was free
        return replace(snapshot, free=free, closures=(*snapshot.closures, *down))


class _Judge:
    """Decides by a rule, and keeps what it decided."""

    def __init__(self, rule: Scheduler) -> None:
        self.rule, self.last = rule, Decision()
        self.taken, self.most = True, None

    most: int | None

    @property
    def discipline(self) -> Discipline:
        return self.rule.discipline

    def decide(self, snapshot: Snapshot) -> Decision:
        """By the rule; nothing starts where nothing did."""
        decision = self.rule.decide(snapshot)
        self.last = replace(decision, place=decision.place[: self.most])
        return self.last if self.taken else replace(decision, place=())


class _Memory(Unmoved):
    """A memory of jobs by name, as a ranking of jobs by number; its clock is its own."""

    def __init__(self, scheduler: Scheduler, ids: list[str]) -> None:
        self.memory, self._ids, self.silent = Memory(scheduler.discipline.order), ids, False

    def submitted(self, job: int, now_s: float) -> None:
        self.memory.submitted(self._ids[job], now_s)

    def started(self, job: int, now_s: float) -> None:
        self.memory.started(self._ids[job], now_s)

    def ended(self, job: int, now_s: float) -> None:
        self.memory.ended(self._ids[job], now_s)

    def ranks(self, jobs: Longs, now_s: float) -> Floats | None:
        return None if self.silent else self.memory.ranks([self._ids[job] for job in jobs.tolist()], now_s)

    def need(self, jobs: Longs) -> Need | None:
        return None if self.silent else self.memory.need([self._ids[job] for job in jobs.tolist()])
