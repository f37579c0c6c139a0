"""Machines under caps, moved within a budget, as a decider of the loop."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from loadmaster.live.answers import plain_action
from loadmaster.live.decider import Line, Step
from loadmaster.live.engine import Refusal, Seen
from loadmaster.live.guests.session_state import GuestsBooks
from loadmaster.live.guests.snapshot import GuestScene
from loadmaster.live.settings import Report
from loadmaster.model.actions import Action

FORMAT = 1
Watch = Callable[["GuestsDecider", Sequence[Action]], None]


@dataclass
class GuestsDecider:
    """See `Decider`.

    Attributes:
        books: with the terms.
        report: what was done.
        about: what else the record is to say of this session.
        watch: told of every cycle, with what was asked or, in a dry run, would have been.
    """

    books: GuestsBooks
    report: Report
    about: dict[str, Any] = field(default_factory=dict)
    watch: Watch = lambda *_: None
    until_s: float = math.inf
    refusals: list[Refusal] = field(default_factory=list)
    asked: Sequence[Action] = ()

    @property
    def hands_back(self) -> bool:
        """Caps are to be as they were found."""
        terms = self.books.terms
        return terms.acts and terms.caps and terms.on_exit == "restore"

    def begin(self, first: Seen) -> Sequence[Line]:
        """A machine that is on its way from an earlier start is left to come in."""
        self.until_s = first.at_s + self.books.terms.for_s
        line = {"begin": FORMAT, "at_s": first.at_s, **self.about, "terms": self.books.terms.plain()}
        return (line | {"carried": self.books.plain()},)

    def warm_up(self, first: Seen) -> None:
        """See `Decider`: nothing here takes long to compile."""

    def decide(self, seen: Seen, *, away: bool) -> Step:
        """Written down is what has changed, and what is asked."""
        books, report = self.books, self.report
        report.cycles += 1
        report.left_out = list(seen.left_out)
        changes = books.scene.changes_to(GuestScene.of(seen))
        books.see(seen.at_s, changes, seen.failed)
        for name, why in seen.failed:
            report.say(f"{name} was not moved: {why}")
        self.refusals, self.asked = [], books.decide()
        line: dict[str, Any] = {"cycle": seen.at_s, "changes": changes}
        line |= {"failed": [list(each) for each in seen.failed]} if seen.failed else {}
        line["asked" if books.terms.acts else "would"] = [plain_action(action) for action in self.asked]
        if not books.terms.acts:
            return Step((line,))
        books.take(self.asked)
        return Step((line,), self.asked)

    def refused(self, refusal: Refusal) -> None:
        """See `Decider`."""
        self.refusals.append(refusal)
        name = getattr(refusal.action, "id", "")
        self.report.say(f"{name}: {type(refusal.action).__name__.lower()} refused: {refusal.text}")

    def told(self) -> None:
        """The answers are all there."""
        if self.asked and self.books.terms.acts:
            self.books.answered(self.refusals)
        self.watch(self, self.asked)

    def next_s(self, now_s: float) -> float:
        """Until somebody stops it, or its time is over."""
        due_s = now_s + self.books.terms.interval_s
        return math.inf if due_s > self.until_s else due_s

    def parting(self, seen: Seen, stranded: Sequence[str]) -> Step:
        """Caps as they were found."""
        self.books.see(seen.at_s, self.books.scene.changes_to(GuestScene.of(seen)))
        return Step(asked=self.books.restored())

    def end(self, how: str) -> Sequence[Line]:
        """See `Decider`; what was found is forgotten where all is as it was."""
        if self.hands_back and not self.report.stranded and how != "crashed":
            self.books.found.clear()
        return ({"end": how, "at_s": self.books.now_s, "carried": self.books.plain()},)
