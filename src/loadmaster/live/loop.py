"""The loop of a live scheduler: observe, understand, decide, write down, act; what happens when something fails."""

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any

from loadmaster.live.conduct import Conduct, Report
from loadmaster.live.engine import Clock, Engine, EngineDown, Refusal
from loadmaster.live.ledger import Ledger
from loadmaster.live.listing import Listing, applied, change, listing_of
from loadmaster.live.record import Decided, LiveRecord, Pass, ledger_after
from loadmaster.model.actions import Action, Start, Withdraw
from loadmaster.model.errors import InputError, LoadmasterError, one_line
from loadmaster.model.snapshot import Decision, Snapshot
from loadmaster.place import POLICIES
from loadmaster.schedule import Scheduler, discipline_named

BACK_OFF_S = (1.0, 30.0)
HAND_BACK_TRIES = 8
FAILURES = 3
"""So many failures of the rule in a row, and the fallback decides (rule X9)."""

Watch = Callable[[float, Ledger, Decided, Report], None]
"""Called after every cycle with its nominal moment."""


class Denied(LoadmasterError):
    """The engine lets us start nothing."""


def run_live(
    engine: Engine, clock: Clock, scheduler: Scheduler, conduct: Conduct, record: LiveRecord, *,
    about: dict[str, Any] | None = None, seed: int = 0, watch: Watch | None = None,
    done: Callable[[], bool] | None = None,
) -> Report:  # fmt: skip
    """Drive `scheduler` on `engine` until its time is over or somebody stops it.

    A record that was begun before is gone on with: what was claimed and remembered then still counts.

    Args:
        engine: that observes and acts.
        clock: the engine's time.
        scheduler: the one that simulations run.
        conduct: how to behave.
        record: open; all goes there before it is done.
        about: what else the record is to say of this session.
        seed: for policies that draw.
        watch: told of every cycle.
        done: asked after every cycle whether that was all; for engines that know.

    Raises:
        Denied: the engine refused the first start of all: we have no right to.
    """
    return _Loop(
        engine,
        clock,
        scheduler,
        conduct,
        record,
        about or {},
        seed,
        watch or (lambda *_: None),
        done or (lambda: False),
    ).run()


@dataclass
class _Loop:
    engine: Engine
    clock: Clock
    scheduler: Scheduler
    conduct: Conduct
    record: LiveRecord
    about: dict[str, Any]
    seed: int
    watch: Watch
    done: Callable[[], bool]
    report: Report = field(default_factory=Report)
    listing: Listing = field(default_factory=dict)
    forgetful: bool = False
    failures: int = 0

    def run(self) -> Report:
        """Cycle after cycle; at the end no job is left behind that only we could start."""
        started = False
        try:
            first = self._observed()
            self._begin(first)
            started = True
            self._cycles(self._warmed(first))
        except KeyboardInterrupt:
            self.report.ended = "stopped"
        except Denied:
            self.report.ended = "denied"
            raise
        finally:
            if started:
                if self.conduct.acts and self.conduct.on_exit == "release" and self.report.ended != "denied":
                    self._hand_back()
                self.record.end(self.report.ended, self.clock.now_s())
        return self.report

    def _begin(self, first: Listing) -> None:
        lines = list(self.record.lines())
        self.origin_s = lines[0]["origin_s"] if lines else self._origin_of(first)
        reading = ledger_after(lines, self.scheduler.discipline.order, self.origin_s, self.seed)
        self.ledger, self.listing, self.forgetful = reading.ledger, reading.ledger.listing, bool(lines)
        self.record.begin(
            origin_s=self.origin_s, at_s=first["at_s"], engine=self.engine.name, conduct=asdict(self.conduct),
            seed=self.seed, **self.about,
        )  # fmt: skip

    def _warmed(self, first: Listing) -> Listing:
        """Decide once for nothing, so that compiling is not taken for deciding; what to begin with after that."""
        began_s = self.clock.now_s()
        with suppress(Exception):  # a rule that fails is dealt with where it counts
            trial = Ledger(self.scheduler.discipline.order, self.origin_s, self.seed)
            trial.see(first, max(0.0, first["at_s"] - self.origin_s))
            if (snapshot := trial.snapshot()) is not None:
                self.scheduler.decide(snapshot)
        return first if self.clock.now_s() - began_s <= self.conduct.interval_s / 2 else self._observed()

    def _cycles(self, first: Listing | None) -> None:
        interval_s = self.conduct.interval_s
        until_s = self.clock.now_s() + self.conduct.for_s
        number = math.floor((self.clock.now_s() - self.origin_s) / interval_s)
        while True:
            self._cycle(number * interval_s, first if first is not None else self._observed())
            first = None
            late = math.floor((self.clock.now_s() - self.origin_s) / interval_s)
            self.report.missed += max(0, late - number)
            number = max(number, late) + 1
            if self.origin_s + number * interval_s > until_s or self.done():
                return
            self.clock.sleep_until(self.origin_s + number * interval_s)

    def _cycle(self, now_s: float, listing: Listing) -> None:
        """Observe (done), understand, decide, write down, act, write down."""
        if self.listing and listing["at_s"] <= self.listing["at_s"]:
            self.report.say("the engine showed an old listing: nothing was decided on it")
            return
        forgetful, self.forgetful = self.forgetful, False
        changed = change(self.listing, listing)
        self.listing = applied(self.listing, changed)
        news = self.ledger.see(self.listing, now_s, forgetful=forgetful)
        self.report.cycles += 1
        self.report.foreign += len(news.released) + sum(run.by == "foreign" for _, run in news.found)
        self.report.lost += news.lost
        asked = self.ledger.overdue() if self.conduct.acts else []
        decided = self._decided()
        starts = [start for each in decided.passes for start in each.starts]
        self.report.starts += len(starts)
        if self.conduct.acts:
            asked += [*map(self.ledger.wanted, starts), *self.ledger.loose(), *self._others()]
        if asked or decided.passes or decided.skipped or forgetful or news.stopped or changed.keys() - {"at_s"}:
            self.record.cycle(now_s, changed, forgetful, decided, asked)
        if asked:
            self.record.answer(self._act(asked))
        self.report.left_out = self.ledger.left_out()
        self.watch(now_s, self.ledger, decided, self.report)

    def _decided(self) -> Decided:
        """The passes of this cycle; a rule that fails or is too slow decides nothing (rule X9)."""
        decided = Decided(taken=self.conduct.acts)
        if not self.ledger.due() or self._left() == 0:
            return decided
        began_s = self.clock.now_s()
        try:
            again = True
            while again:
                again = self._pass(self.scheduler.decide, decided, began_s)
            self.failures = 0
        except Exception as error:  # a user's rule may fail in any way
            self._failed(decided, one_line(str(error) or type(error).__name__))
        return decided

    def _pass(self, decide: Callable[[Snapshot], Decision], decided: Decided, began_s: float) -> bool:
        """Decide once, and claim; whether that lets another job start."""
        snapshot = self.ledger.snapshot(ranked=decided.by == "rule")
        if snapshot is None:
            return False
        decision = decide(snapshot)
        took_s = self.clock.now_s() - began_s
        if took_s > self.conduct.interval_s / 2 and decided.by == "rule":
            raise InputError(f"{took_s:.1f} s", "deciding took more than half of the interval")
        names, ids = snapshot.cluster.names, self.ledger.waiting.ids
        places = decision.place[: self._left()]
        decided.cut |= len(places) < len(decision.place)
        starts = tuple(Start(ids[each.job], tuple(names[host] for host in each.hosts)) for each in places)
        partitions = tuple(each.partition for each in places)
        queued = len(set(snapshot.queue.job.tolist()))
        carried = self.ledger.carry(decision)
        decided.passes.append(Pass(starts, partitions, carried, decision.winners, queued))
        self._started_so_far += len(starts)
        taken = (starts, partitions) if decided.taken else ((), ())
        return self.ledger.take(*taken, carried)

    def _failed(self, decided: Decided, why: str) -> None:
        self.failures += 1
        self.report.skipped += 1
        decided.skipped = why
        if decided.passes or self.failures < FAILURES:
            self.report.say(f"no decision in a cycle: {why}")
            return
        self.report.say(f"{self.conduct.fallback} decides in the place of the rule, which fails: {why}")
        decided.by = "fallback"
        rule = Scheduler(POLICIES[self.conduct.fallback], discipline_named("netbatch"))
        self._pass(rule.decide, decided, self.clock.now_s())

    def _act(self, asked: list[Action]) -> list[Refusal]:
        refusals = []
        for action in asked:
            try:
                refusal = self.engine.act(action)
            except EngineDown as error:
                refusal, self.forgetful = Refusal(action, "unknown", one_line(str(error))), True
            if refusal is not None:
                refusals.append(refusal)
                self.ledger.refused(refusal)
                self.report.refusals[refusal.kind] += 1
                if refusal.kind == "denied" and not self._anything_done and isinstance(action, Start):
                    self.record.answer(refusals)
                    raise Denied(f"{self.engine.name} lets us start nothing: {refusal.text}")
            self._anything_done |= refusal is None
            if self.forgetful:
                break  # what was not asked is claimed in vain; the next observation will say so
        return refusals

    def _others(self) -> list[Action]:
        """Jobs that the model has no words for, handed to the engine once if that is wanted."""
        if self.conduct.others == "keep":
            return []
        fresh = [name for name, _ in self.listing["left_out"] if name not in self._handed]
        self._handed.update(fresh)
        return [Withdraw(name) for name in fresh]

    def _left(self) -> int | None:
        most = self.conduct.max_starts
        return None if most is None else max(0, most - self._started_so_far)

    def _observed(self) -> Listing:
        """An observation; while the engine is down it is asked again and again, less and less often (rule X3)."""
        pause_s = BACK_OFF_S[0]
        while True:
            try:
                return listing_of(self.engine.observe())
            except EngineDown as error:
                self.forgetful = True
                self.report.say(f"{self.engine.name} did not answer: {one_line(str(error))}")
                self.clock.sleep_until(self.clock.now_s() + pause_s)
                pause_s = min(2 * pause_s, BACK_OFF_S[1])

    def _hand_back(self) -> None:
        """No job is left that only we could start (rule X10): what the engine refuses is asked again, and named."""
        for attempt in range(HAND_BACK_TRIES):
            self.clock.sleep_until(self.clock.now_s() + (1 + attempt) * BACK_OFF_S[0])
            self._look_again()
            refusals = [self._handed_back(name) for name in self.ledger.releasable()]
            self.report.stranded = [name for name, kind in refusals if kind in ("busy", "denied", "unknown")]
            if not refusals:
                return

    def _look_again(self) -> None:
        """See what is there now, without a decision."""
        listing = self._observed()
        if listing["at_s"] > self.ledger.listing["at_s"]:
            self.ledger.see(listing, self.ledger.now_s)

    def _handed_back(self, name: str) -> tuple[str, str]:
        try:
            refusal = self.engine.act(Withdraw(name))
        except EngineDown:
            return name, "unknown"
        return name, "" if refusal is None else refusal.kind

    def _origin_of(self, first: Listing) -> float:
        times = [first["at_s"], *(row["submit_s"] for row in first["jobs"].values())]
        return math.floor(float(min(times)) / self.conduct.interval_s) * self.conduct.interval_s

    _started_so_far: int = 0
    _anything_done: bool = False
    _handed: set[str] = field(default_factory=set)
