"""The decision of one cycle: as many passes as it takes, and what follows if the rule fails (rule X9)."""

from collections.abc import Callable
from dataclasses import dataclass

from loadmaster.live.queue.ledger import Ledger
from loadmaster.live.queue.record import CycleDecision, Pass, starts_on
from loadmaster.live.queue.settings import LiveSettings, fallback_scheduler
from loadmaster.live.session.engine import Clock
from loadmaster.live.session.report import Report
from loadmaster.model.errors import InputError, one_line
from loadmaster.model.snapshot import Decision, Snapshot
from loadmaster.scheduling import Scheduler

FAILURES = 3
"""So many failures of the rule in a row, and the fallback decides (rule X9)."""
FRESH_S = 2.0
"""A decision that took no longer is taken however short the interval: each start is checked as it is requested."""


@dataclass
class Passes:
    """Asks a scheduler, and another one if that fails.

    Attributes:
        scheduler: the rule.
        settings: how long it may take, how many jobs it may start, and what decides in its place.
        clock: that it is timed by.
        report: what must be said.
        failures: of the rule, in a row.
        started: jobs, in the whole session.
    """

    scheduler: Scheduler
    settings: LiveSettings
    clock: Clock
    report: Report
    failures: int = 0
    started: int = 0

    def decide(self, ledger: Ledger) -> CycleDecision:
        """The passes of this cycle; a rule that fails or is too slow decides nothing (rule X9)."""
        decided = CycleDecision(taken=self.settings.acts)
        if not ledger.due() or self._left() == 0:
            return decided
        began_s = self.clock.now_s()
        try:
            again = True
            while again:
                again = self._pass(self.scheduler.decide, ledger, decided, began_s)
            self.failures = 0
        except Exception as error:  # a user's rule may fail in any way
            self._failed(ledger, decided, one_line(str(error) or type(error).__name__))
        return decided

    def _pass(
        self, decide: Callable[[Snapshot], Decision], ledger: Ledger, decided: CycleDecision, began_s: float
    ) -> bool:
        """Decide once, and claim; whether that lets another job start."""
        snapshot = ledger.snapshot(ranked=decided.by == "rule")
        if snapshot is None:
            return False
        decision = decide(snapshot)
        took_s = self.clock.now_s() - began_s
        if took_s > max(self.settings.interval_s / 2, FRESH_S) and decided.by == "rule":
            raise InputError(f"{took_s:.1f} s", "deciding took more than half of the interval")
        places = decision.place[: self._left()]
        decided.cut |= len(places) < len(decision.place)
        starts = starts_on(places, ledger.waiting.ids, snapshot.cluster)
        partitions = tuple(each.partition for each in places)
        queued = len(set(snapshot.queue.job.tolist()))
        carried = ledger.carry(decision)
        meta = decision.winners, queued, decision.chosen, decision.options
        decided.passes.append(Pass(starts, partitions, carried, *meta))
        self.started += len(starts)
        taken = (starts, partitions) if decided.taken else ((), ())
        return ledger.take(*taken, carried)

    def _failed(self, ledger: Ledger, decided: CycleDecision, why: str) -> None:
        self.failures += 1
        self.report.skipped += 1
        decided.skipped = why
        if decided.passes or self.failures < FAILURES:
            self.report.say(f"no decision in a cycle: {why}")
            return
        self.report.say(f"{self.settings.fallback} decides in the place of the rule, which fails: {why}")
        decided.by = "fallback"
        rule = fallback_scheduler(self.settings.fallback)
        self._pass(rule.decide_plainly, ledger, decided, self.clock.now_s())  # no cycle waits for a compiler

    def _left(self) -> int | None:
        most = self.settings.max_starts
        return None if most is None else max(0, most - self.started)
