"""Replays observed events in the simulator's plain engine, which takes every decision by itself."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from loadmaster.live.queue.allocations import ObservedChanges
from loadmaster.live.queue.ledger import Ledger
from loadmaster.live.queue.record import Pass, starts_on
from loadmaster.live.queue.resume_from_live import ResumedEngine
from loadmaster.model.actions import Start
from loadmaster.model.constraints import STATUSES
from loadmaster.model.snapshot import Decision, Snapshot
from loadmaster.scheduling import Discipline, Scheduler


class ShadowReplay(ResumedEngine):
    """A replay whose jobs come, end and are stopped when a record says so."""

    def __init__(
        self, rows: Mapping[str, Any], ledger: Ledger, scheduler: Scheduler, interval_s: float, seed: int
    ) -> None:
        self.judge = _Judge(scheduler)
        self._later: set[int] = set()
        super().__init__(rows, ledger, self.judge, interval_s, seed)

    def observe(self, changes: ObservedChanges, ledger: Ledger) -> None:
        """What an observation has changed, in the order of a simulated moment (rule Q1)."""
        self.now_s = ledger.now_s
        for name, end_s, how in changes.ended:
            if (job := self.number[name]) in self.occupancy.running:
                self.occupancy.end_at(job, end_s, STATUSES.index(how))
        self._end_and_fail()
        for name in (*changes.withdrawn, *(name for name, _, _ in changes.ended)):
            if (job := self.number[name]) in self.pending.waiting:
                self.pending.waiting.remove(job)
        self.ended_now |= changes.hosts
        self.give_up(ledger)
        self._look(ledger, know=changes.jobs)
        for name in changes.arrived:
            self._arrive(name)
        for name, run in changes.found:
            self._adopt_run(name, run)
        self.ended_now |= bool(changes.moved)
        self._hold(ledger)
        rows = ledger.rows.items()
        later = (name for name, row in rows if row.get("hold") or row.get("eligible_s", 0.0) > ledger.now_s)
        self._later = {self.number[name] for name in later}

    def give_up(self, ledger: Ledger) -> None:
        """What has lost its hosts since: the engine refused it, or it never ran there."""
        for job in list(self.occupancy.running):
            if self.ids[job] not in ledger.runs:
                self.stop(job, self.now_s, 0, again=True)
        held = {name for name, row in ledger.rows.items() if row.get("hold")}
        self._away = {self.number[name] for name in ledger.away() | held}

    def _eligible(self) -> list[int]:
        """Without jobs that may not begin now, as the record has it: one that is sent back may begin later again."""
        return [job for job in super()._eligible() if job not in self._later]

    def decided(self, rule: Scheduler, recorded: Pass, line: Mapping[str, Any]) -> tuple[Start, ...]:
        """Decide by itself, as often as the record did; which jobs start where."""
        self.judge.rule, self.judge.taken = rule, line["taken"]
        self.judge.most = len(recorded.starts) if line["cut"] else None
        self.memory.silent = line["by"] == "fallback"
        self.judge.last = Decision()
        self.wake_s = math.inf
        self._pass()
        return starts_on(self.judge.last.place, self.ids, self.cluster)

    def _start(self, place) -> None:  # type: ignore[no-untyped-def]
        super()._start(place)
        run = self.occupancy.running[place.job]
        self.occupancy.end_at(place.job, math.inf, run.status)  # it ends when the record says so


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
