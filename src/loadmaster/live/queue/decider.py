"""A scheduler on a real cluster: an observation becomes its snapshot, its decision becomes starts."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from loadmaster.live.queue.allocations import ADOPTED
from loadmaster.live.queue.ledger import Ledger
from loadmaster.live.queue.listing import Listing, applied, change, listing_of
from loadmaster.live.queue.passes import Passes
from loadmaster.live.queue.record import CycleDecision, cycle_line, ledger_after
from loadmaster.live.queue.settings import LiveSettings
from loadmaster.live.queue.warmup import compile_for
from loadmaster.live.session.decider import Decider, Line, Step
from loadmaster.live.session.engine import Clock, Observation, Refusal
from loadmaster.live.session.lines import begin_line, end_line
from loadmaster.live.session.report import Report
from loadmaster.model.actions import Action, Start, Withdraw
from loadmaster.scheduling import Scheduler
from loadmaster.system.counted import counted

LATE_S = 1.0
"""A cycle that observes so long after its moment is dated when it observed."""

Watch = Callable[[float, Ledger, CycleDecision, Report], None]
"""Called after every cycle with its nominal moment."""

Beside = Callable[[Ledger, Sequence[Start]], Sequence[Action]]
"""What a scheduler does not decide, such as moves of what runs."""


@dataclass(frozen=True)
class LiveExtras:
    """What a live run of a queue may have beside its scheduler.

    Attributes:
        about: what else the record says of this session.
        seed: for policies that draw.
        watch: called after every cycle.
        beside: asked in every cycle, with the starts of its decision, for further actions; None requests nothing.
        idle_until: asked after every cycle for the time before which surely nothing happens, infinite at the end; for
            engines that know it, and on which only this run starts jobs.
        ready: compile before the first cycle also what only a long queue needs; for clocks that do not wait.
    """

    about: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    watch: Watch = lambda *_: None
    beside: Beside | None = None
    idle_until: Callable[[], float] | None = None
    ready: bool = False


@dataclass
class QueueDecider(Decider):
    """See `Decider`: starts what waits in the queue of an engine.

    Attributes:
        scheduler: the one that simulations run.
        settings: how to behave.
        clock: the engine's time.
        report: what was done.
        extras: what the run has beside them; its `about` names the `engine`.
        earlier: the lines of the record so far; what was claimed and remembered then still counts.
    """

    scheduler: Scheduler
    settings: LiveSettings
    clock: Clock
    report: Report
    extras: LiveExtras
    earlier: Iterable[Line] = ()
    until_s: float = field(default=math.inf, init=False)

    def __post_init__(self) -> None:
        self.passes = Passes(self.scheduler, self.settings, self.clock, self.report)
        self.decided = CycleDecision()
        self._handed: set[str] = set()
        self._leaves, self._first = False, True
        self.number, self.until_s = 0, self.clock.now_s() + self.settings.for_s

    @property
    def hands_back(self) -> bool:
        """See `Decider`."""
        return self.settings.acts and self.settings.on_exit == "release"

    def begin(self, first: Observation) -> Sequence[Line]:
        """See `Decider`."""
        listing, lines = listing_of(first), list(self.earlier)
        self.origin_s = lines[0]["origin_s"] if lines else self._origin_of(listing)
        reading = ledger_after(lines, self.scheduler.discipline.order, self.origin_s, self.extras.seed)
        self.ledger, self.listing, self._forgetful = reading.ledger, reading.ledger.listing, bool(lines)
        self._starts_at(self.clock.now_s())
        conduct, seed = asdict(self.settings), self.extras.seed
        return (begin_line(listing["at_s"], origin_s=self.origin_s, conduct=conduct, seed=seed, **self.extras.about),)

    def warm_up(self, first: Observation) -> None:
        """See `Decider`."""
        compile_for(self.scheduler, first, long_queues=self.extras.ready, origin_s=self.origin_s, seed=self.extras.seed)
        self._starts_at(self.clock.now_s())

    def decide(self, seen: Observation, *, away: bool) -> Step:
        """See `Decider`."""
        listing = listing_of(seen)
        now_s = self._nominal_s(listing["at_s"])
        self._forgetful |= away
        self.decided = CycleDecision(taken=self.settings.acts)
        if self.listing and listing["at_s"] <= self.listing["at_s"]:
            self.report.say("the engine showed an old listing: nothing was decided on it")
            return Step()
        forgetful, self._forgetful = self._forgetful, False
        changed = change(self.listing, listing)
        if forgetful or "token" in changed:
            self._handed.clear()  # an engine that was restarted may have taken back what it was told
        self.listing = applied(self.listing, changed)
        refused = [] if forgetful else self.ledger.refused_starts(seen.refused)
        changes = self.ledger.see(self.listing, now_s, forgetful=forgetful)
        for refusal in refused:
            self.ledger.refused(refusal)
            self.report.refusals[refusal.kind] += 1
        self.report.cycles += 1
        if not self._first:  # bound at our word, though the engine could not say so, or beside the rule
            self.report.starts += sum(run.by == ADOPTED for _, run in changes.found)
        self._first = False
        self.report.foreign += len(changes.released) + sum(run.by == "foreign" for _, run in changes.found)
        self.report.lost += changes.lost
        actions = self.ledger.overdue() if self.settings.acts else []
        self.decided = self.passes.decide(self.ledger)
        self.report.fallbacks += self.decided.by == "fallback"
        actions += self._wanted()
        decided = self.decided
        quiet = not (actions or refused or decided.passes or decided.skipped or forgetful or changes.stopped)
        if quiet and not changed.keys() - {"at_s"}:
            return Step()
        return Step((cycle_line(now_s, changed, forgetful, decided, actions, refused),), actions)

    def refused(self, refusal: Refusal) -> None:
        """See `Decider`."""
        self.ledger.refused(refusal)

    def after_cycle(self) -> None:
        """See `Decider`."""
        most = self.settings.max_starts
        if most is not None and self._has_started_all():
            those = counted(most, "job was", "jobs were")
            note = f"{those} asked to start, the limit of --max-starts"
            self.report.say(f"{note}: the other jobs wait until this run ends.")
        self.report.left_out = self.ledger.left_out()
        self.extras.watch(self.ledger.now_s, self.ledger, self.decided, self.report)

    def next_s(self, now_s: float) -> float:
        """At whole multiples of the interval (rule X5)."""
        late = self._number_at(now_s)
        self.report.missed += max(0, late - self.number)
        self.number = max(self.number, late) + 1
        idle_s = self._idle_until()
        if idle_s == math.inf:
            return math.inf
        if idle_s > self.origin_s:
            intervals = (min(idle_s, self.until_s) - self.origin_s) / self.settings.interval_s
            self.number = max(self.number, math.ceil(intervals) if idle_s <= self.until_s else math.floor(intervals))
        due_s = self.origin_s + self.number * self.settings.interval_s
        return math.inf if due_s > self.until_s else due_s

    def _idle_until(self) -> float:
        if self.extras.idle_until is None:
            return -math.inf
        return math.inf if self._has_started_all() and not self.ledger.runs else self.extras.idle_until()

    def _has_started_all(self) -> bool:
        """Whether as many jobs were asked to start as may be."""
        most = self.settings.max_starts
        return most is not None and self.passes.started >= most and self.settings.acts

    def parting(self, seen: Observation, stranded: Sequence[str]) -> Step:
        """All that waits goes to the engine's own scheduler (rule X10), with what was left out, perhaps held by us."""
        listing, lines = listing_of(seen), []
        newer = listing["at_s"] > self.ledger.listing.get("at_s", -math.inf)
        if newer:
            changed = change(self.listing, listing)
            self.listing = applied(self.listing, changed)
            now_s = max(self.ledger.now_s, self._number_at(self.clock.now_s()) * self.settings.interval_s)
            self.ledger.see(self.listing, now_s)
        left_out = [name for name, _ in listing.get("left_out", ()) if not self._leaves or name in stranded]
        self._leaves = True
        actions = [Withdraw(name) for name in (*self.ledger.releasable(), *left_out)]
        if newer:
            lines.append({**cycle_line(now_s, changed, False, CycleDecision(), actions), "parting": True})
        return Step(lines, actions)

    def end(self, how: str) -> Sequence[Line]:
        """See `Decider`; jobs that only this run can start are counted."""
        left = len(self.ledger.releasable()) if self.settings.acts and self.settings.on_exit == "hold" else 0
        if left:
            those = counted(left, "job stays", "jobs stay")
            self.report.say(f"{those} held (--on-exit hold). Only loadmaster starts them: run it again.")
        return (end_line(how, self.clock.now_s()),)

    def _wanted(self) -> list[Action]:
        """What to ask so that the decision comes true."""
        starts = [start for each in self.decided.passes for start in each.starts]
        if not self.settings.acts:
            self.report.starts += len(starts)
            return []
        beside = self.extras.beside(self.ledger, starts) if self.extras.beside is not None else ()
        self.ledger.asked_beside(beside)
        return [*map(self.ledger.wanted, starts), *self.ledger.loose(), *self._others(), *beside]

    def _others(self) -> list[Action]:
        """Jobs that the model has no words for, handed to the engine once if that is wanted (rule X7)."""
        if self.settings.others == "keep":
            return []
        fresh = [name for name, _ in self.listing["left_out"] if name not in self._handed]
        self._handed.update(fresh)
        return [Withdraw(name) for name in fresh]

    def _starts_at(self, now_s: float) -> None:
        self.number, self.until_s = self._number_at(now_s), now_s + self.settings.for_s

    def _number_at(self, now_s: float) -> int:
        return math.floor((now_s - self.origin_s) / self.settings.interval_s)

    def _nominal_s(self, at_s: float) -> float:
        """When a cycle counts as being (rule X5): at its multiple, or as it was observed where that was late."""
        due_s, seen_s = self.number * self.settings.interval_s, at_s - self.origin_s
        return due_s if seen_s - due_s <= LATE_S else round(seen_s, 3)

    def _origin_of(self, first: Listing) -> float:
        times = [first["at_s"], *(row["submit_s"] for row in first["jobs"].values())]
        return math.floor(float(min(times)) / self.settings.interval_s) * self.settings.interval_s
