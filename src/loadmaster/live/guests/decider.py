"""Machines under caps, moved within a budget, as a decider of the loop."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from loadmaster.live.guests.session_state import GuestsSessionState
from loadmaster.live.guests.snapshot import GuestSnapshot
from loadmaster.live.session.decider import Decider, Line, Step
from loadmaster.live.session.engine import Observation, Refusal
from loadmaster.live.session.lines import begin_line, end_line, plain_actions
from loadmaster.live.session.report import Report
from loadmaster.model.actions import Action

Watch = Callable[["GuestsDecider", Sequence[Action]], None]


@dataclass
class GuestsDecider(Decider):
    """See `Decider`.

    Attributes:
        state: with the terms.
        report: what was done.
        about: what else the record is to say of this session.
        watch: told of every cycle, with what was asked or, in a dry run, would have been.
    """

    state: GuestsSessionState
    report: Report
    about: dict[str, Any] = field(default_factory=dict)
    watch: Watch = lambda *_: None
    until_s: float = math.inf
    refusals: list[Refusal] = field(default_factory=list)
    asked: Sequence[Action] = ()

    @property
    def hands_back(self) -> bool:
        """Caps are to be as they were found."""
        config = self.state.config
        return config.acts and config.caps and config.on_exit == "restore"

    def begin(self, first: Observation) -> Sequence[Line]:
        """A machine that is on its way from an earlier start is left to come in."""
        self.until_s = first.at_s + self.state.config.for_s
        terms, carried = self.state.config.plain(), self.state.plain()
        return (begin_line(first.at_s, **self.about, terms=terms, carried=carried),)

    def decide(self, seen: Observation, *, away: bool) -> Step:
        """Written down is what has changed, and what is asked."""
        state, report = self.state, self.report
        report.cycles += 1
        report.left_out = list(seen.left_out)
        changes = state.snapshot.changes_to(GuestSnapshot.of(seen))
        state.see(seen.at_s, changes, seen.failed)
        for name, why in seen.failed:
            report.say(f"{name} was not moved: {why}")
        self.refusals, self.asked = [], state.decide()
        line: dict[str, Any] = {"cycle": seen.at_s, "changes": changes}
        line |= {"failed": [list(each) for each in seen.failed]} if seen.failed else {}
        line["asked" if state.config.acts else "would"] = plain_actions(self.asked)
        if not state.config.acts:
            return Step((line,))
        state.take(self.asked)
        return Step((line,), self.asked)

    def refused(self, refusal: Refusal) -> None:
        """See `Decider`."""
        self.refusals.append(refusal)
        self.report.say(f"{refusal.id}: {refusal.what} refused: {refusal.text}")

    def after_cycle(self) -> None:
        """The answers are all there."""
        if self.asked and self.state.config.acts:
            self.state.answered(self.refusals)
        self.watch(self, self.asked)

    def next_s(self, now_s: float) -> float:
        """Until it is stopped, or its time is over."""
        due_s = now_s + self.state.config.interval_s
        return math.inf if due_s > self.until_s else due_s

    def parting(self, seen: Observation, stranded: Sequence[str]) -> Step:
        """Caps as they were found."""
        self.state.see(seen.at_s, self.state.snapshot.changes_to(GuestSnapshot.of(seen)))
        return Step(actions=self.state.restored())

    def end(self, how: str) -> Sequence[Line]:
        """See `Decider`; what was found is forgotten where all is as it was."""
        if self.hands_back and not self.report.stranded and how != "crashed":
            self.state.found.clear()
        return (end_line(how, self.state.now_s, carried=self.state.plain()),)
