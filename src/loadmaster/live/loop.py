"""The loop of everything that is live: observe, decide, write down, act, write down; what the engine does wrong."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from loadmaster.live.answers import answer_line
from loadmaster.live.conduct import Report
from loadmaster.live.decider import Decider, Line
from loadmaster.live.engine import Clock, Engine, EngineDown, Refusal, Seen
from loadmaster.live.stopping import as_ctrl_c
from loadmaster.model.actions import Action, Start
from loadmaster.model.errors import LoadmasterError, one_line

BACK_OFF_S = (1.0, 30.0)
HAND_BACK_TRIES = 8
OLD_S = 1.0
"""An observation older than that is not begun with."""


class Denied(LoadmasterError):
    """The engine lets us start nothing."""


class RecordSink(Protocol):
    """Where all goes before it is done."""

    def append(self, lines: Iterable[Line]) -> None:
        """Write lines, and wait until they are on disk."""
        ...


@dataclass
class Loop:
    """Drives a decider on an engine until it says that it is over, or somebody stops it.

    Attributes:
        engine: that observes and acts.
        clock: the engine's time.
        decider: the only one who knows what all of this is for.
        record: open.
        report: what is to be said of it all.
    """

    engine: Engine
    clock: Clock
    decider: Decider
    record: RecordSink
    report: Report
    begun: bool = False
    away: bool = False
    anything_done: bool = False

    def run(self) -> Report:
        """Cycle after cycle; at the end no job is left behind that only we could start.

        Raises:
            Denied: the engine refused the first start of all: we have no right to.
        """
        with as_ctrl_c():
            return self._run()

    def _run(self) -> Report:
        self.report.ended = "crashed"
        try:
            self._cycles(self._begun())
            self.report.ended = "done"
        except KeyboardInterrupt:
            self.report.ended = "stopped"
        except Denied:
            self.report.ended = "denied"
            raise
        finally:
            if self.begun:
                self._end()
        return self.report

    def _end(self) -> None:
        """What is held is handed back; that the session is over is written down, also where that fails."""
        try:
            if self.decider.hands_back and self.report.ended != "denied":
                self._hand_back()
        finally:
            self.record.append(self.decider.end(self.report.ended))

    def _begun(self) -> Seen:
        """The session begins; what to decide on first, as getting ready may have taken its time."""
        seen, began_s = self._observed(), self.clock.now_s()
        self.record.append(self.decider.begin(seen))
        self.begun = True  # who is stopped while something is compiled hands back what is held by now
        self.decider.warm_up(seen)
        return seen if self.clock.now_s() - began_s <= OLD_S else self._observed()

    def _cycles(self, seen: Seen) -> None:
        while True:
            self._cycle(seen)
            due_s = self.decider.next_s(self.clock.now_s())
            if due_s == float("inf"):
                return
            self.clock.sleep_until(due_s)
            seen = self._observed()

    def _cycle(self, seen: Seen) -> None:
        """Observe (done), decide, write down, act, write down."""
        began_s = self.clock.now_s()
        away, self.away = self.away, False
        lines, asked = self.decider.decide(seen, away=away)
        if lines:
            self.record.append(lines)
        if asked:
            self.record.append([answer_line(self._act(asked))])
        self.report.cycle_s = self.clock.now_s() - began_s
        self.decider.told()

    def _act(self, asked: Sequence[Action]) -> list[Refusal]:
        refusals = []
        for action in asked:
            refusal = self._asked(action)
            if refusal is not None:
                refusals.append(refusal)
                self.decider.refused(refusal)
                self.report.refusals[refusal.kind] += 1
                if refusal.kind == "denied" and not self.anything_done and isinstance(action, Start):
                    self.record.append([answer_line(refusals)])
                    raise Denied(f"{self.engine.name} lets us start nothing: {refusal.text}")
            self.anything_done |= refusal is None
            self.report.starts += refusal is None and isinstance(action, Start)
            if self.away:
                break  # what was not asked is claimed in vain; the next observation will say so
        return refusals

    def _asked(self, action: Action) -> Refusal | None:
        try:
            return self.engine.act(action)
        except EngineDown as error:
            self.away = True
            return Refusal(action, "unknown", one_line(str(error)))

    def _observed(self) -> Seen:
        """An observation; while the engine is down it is asked again and again, less and less often (rule X3)."""
        pause_s = BACK_OFF_S[0]
        while True:
            try:
                return self.engine.observe()
            except EngineDown as error:
                self.away = True
                self.report.say(f"{self.engine.name} did not answer: {one_line(str(error))}")
                self.clock.sleep_until(self.clock.now_s() + pause_s)
                pause_s = min(2 * pause_s, BACK_OFF_S[1])

    def _hand_back(self) -> None:
        """No job is left that only we could start (rule X10): what the engine refuses is asked again, and named."""
        for attempt in range(HAND_BACK_TRIES):
            self.clock.sleep_until(self.clock.now_s() + (1 + attempt) * BACK_OFF_S[0])
            lines, asked = self.decider.parting(self._observed(), self.report.stranded)
            if lines:
                self.record.append(lines)
            refusals = [refusal for refusal in map(self._asked, asked) if refusal is not None]
            if lines and refusals:
                self.record.append([answer_line(refusals)])
            self.report.stranded = [getattr(each.action, "id", "") for each in refusals if each.kind != "gone"]
            if not asked:
                return
