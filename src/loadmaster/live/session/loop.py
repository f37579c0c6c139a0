"""The loop of all live runs: observe, decide, write down, act, write down; and the handling of engine failures."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from loadmaster.live.session.decider import Decider, Line
from loadmaster.live.session.engine import Clock, Engine, EngineDown, ManualRelease, Observation, Refusal, job_of
from loadmaster.live.session.lines import answer_line
from loadmaster.live.session.report import Report
from loadmaster.live.session.termination import Terminated, as_ctrl_c
from loadmaster.model.actions import Action, Start
from loadmaster.model.errors import LoadmasterError, one_line
from loadmaster.system.counted import counted

BACK_OFF_S = (1.0, 30.0)
HAND_BACK_TRIES = 8
HAND_BACK_S = 40.0
"""So long an engine that does not answer is asked to take back what is held; systemd kills after 60 s."""
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
    """Drives a decider on an engine until it says that it is over, or it is stopped.

    Attributes:
        engine: that observes and acts.
        clock: the engine's time.
        decider: the only part that knows what all of this is for.
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
    seen: Observation | None = None

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
        except KeyboardInterrupt as error:
            self.report.ended, self.report.terminated = "stopped", isinstance(error, Terminated)
        except Denied:
            self.report.ended = "denied"
            raise
        finally:
            if self.begun:
                self._end()
        return self.report

    def _end(self) -> None:
        """What is held is handed back; that the session is over is written down, where there is a disk to write on."""
        try:
            if self.decider.hands_back and self.report.ended != "denied":
                self._hand_back()
        except KeyboardInterrupt:  # a second Ctrl-C
            self.report.stranded = self._left()
        except LoadmasterError:
            self.report.stranded = self._left()
            raise
        finally:
            self._name_stranded()
            self._write_if_possible(self.decider.end(self.report.ended))

    def _write_if_possible(self, lines: Iterable[Line]) -> None:
        """Handing back never depends on a disk (rule X10)."""
        try:
            self.record.append(lines)
        except OSError as error:
            self.report.say(f"the record lacks its end: {one_line(str(error))}")

    def _left(self) -> list[str]:
        """Of what was seen last, all that only we can start."""
        if self.seen is None:
            return []
        actions = self.decider.parting(self.seen, self.report.stranded).actions
        names = [job_of(each) for each in actions]
        return self.engine.held_of(names) if isinstance(self.engine, ManualRelease) else names

    def _name_stranded(self) -> None:
        """What could not be handed back, and how to free it by hand."""
        names = self.report.stranded
        if names and isinstance(self.engine, ManualRelease):
            those = counted(len(names), "job stays", "jobs stay")
            held = f"{those} held, since {self.engine.name} did not accept the release: {', '.join(names)}"
            self.report.alarm("stranded", held)
            self.report.tell(f"release the held jobs by hand: {self.engine.by_hand(names)}")

    def _begun(self) -> Observation | None:
        """The session begins; what to decide on first, as getting ready may have taken its time."""
        seen, began_s = self._observed_in_time(), self.clock.now_s()
        if seen is None:
            return None
        lines = self.decider.begin(seen)
        self.begun = True  # from now on what is held is handed back, also where nothing can be written or compiled
        self.record.append(lines)
        self.decider.warm_up(seen)
        return seen if self.clock.now_s() - began_s <= OLD_S else self._observed_in_time()

    def _cycles(self, seen: Observation | None) -> None:
        while seen is not None:
            self._cycle(seen)
            due_s = self.decider.next_s(self.clock.now_s())
            if due_s == float("inf"):
                return
            self.clock.sleep_until(due_s)
            seen = self._observed_in_time()

    def _cycle(self, seen: Observation) -> None:
        """Observe (done), decide, write down, act, write down."""
        began_s = self.clock.now_s()
        away, self.away = self.away, False
        lines, actions = self.decider.decide(seen, away=away)
        if lines:
            self.record.append(lines)
        if actions:
            self.record.append([answer_line(self._act(actions))])
        self.report.cycle_s = self.clock.now_s() - began_s
        self.decider.after_cycle()

    def _act(self, actions: Sequence[Action]) -> list[Refusal]:
        refusals = []
        for action in actions:
            refusal = self._try_action(action)
            if refusal is not None:
                refusals.append(refusal)
                self.decider.refused(refusal)
                self.report.refusals[refusal.kind] += 1
                if refusal.kind == "denied" and not self.anything_done and isinstance(action, Start):
                    self.record.append([answer_line(refusals)])
                    raise Denied(f"{self.engine.name} refuses every start: {refusal.text}")
            self.anything_done |= refusal is None
            self.report.starts += refusal is None and isinstance(action, Start)
            if self.away:
                break  # what was not asked is claimed in vain; the next observation will say so
        return refusals

    def _try_action(self, action: Action) -> Refusal | None:
        try:
            return self.engine.act(action)
        except EngineDown as error:
            self._is_down(error)
            return Refusal(action, "unknown", one_line(str(error)))

    def _observed_in_time(self) -> Observation | None:
        """An observation; None where the engine is down until the time of the run is over.

        While the engine is down it is asked again and again, less and less often (rule X3).
        """
        pause_s = BACK_OFF_S[0]
        while True:
            try:
                return self._look()
            except EngineDown as error:
                self._is_down(error)
            now_s, end_s = self.clock.now_s(), self.decider.until_s
            if now_s >= end_s:
                return None
            self.clock.sleep_until(min(now_s + pause_s, end_s))
            pause_s = min(2 * pause_s, BACK_OFF_S[1])

    def _look(self) -> Observation:
        """One observation; that the engine answers again is said.

        Raises:
            EngineDown: it does not answer.
        """
        self.seen = self.engine.observe()
        for note in self.seen.notes:
            if note not in self.report.notes:
                self.report.tell(note)
        if not self.report.up:
            self.report.tell(f"{self.engine.name} answers again")
        self.report.up, self.report.observed_s = True, self.seen.at_s
        return self.seen

    def _is_down(self, error: EngineDown) -> None:
        """The engine did not answer; that is said as it begins, each time."""
        self.away = True
        self.report.failed_calls += 1
        if self.report.up:
            why = one_line(str(error))
            self.report.alarm("engine-down", f"{self.engine.name} does not answer; loadmaster asks again: {why}")
        self.report.up = False

    def _hand_back(self) -> None:
        """No job is left that only we could start (rule X10): what the engine refuses is asked again, and named."""
        until_s = self.clock.now_s() + HAND_BACK_S
        for attempt in range(HAND_BACK_TRIES):
            self.clock.sleep_until(self.clock.now_s() + (1 + attempt) * BACK_OFF_S[0])
            try:
                seen = self._look()
            except EngineDown as error:
                self._is_down(error)
                self.report.stranded = self._left()
                if self.clock.now_s() > until_s:
                    return
                continue
            lines, actions = self.decider.parting(seen, self.report.stranded)
            if lines:
                self._write_if_possible(lines)
            refusals = [refusal for refusal in map(self._try_action, actions) if refusal is not None]
            if lines and refusals:
                self._write_if_possible([answer_line(refusals)])
            self.report.stranded = [each.id for each in refusals if each.kind != "gone"]
            if not actions:
                return
