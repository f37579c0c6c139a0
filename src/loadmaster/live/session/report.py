"""The report of a live session: what was done, and its messages."""

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Report:
    """What was done.

    Attributes:
        cycles: that saw an observation; missed: whose time was over before the one before had ended.
        starts: jobs that the engine started at our word, or accepted to; in a shadow, that would have been.
        fallbacks: cycles in which the fallback decided, as the rule failed.
        cycle_s: what the last cycle took, from its observation until all was asked.
        refusals: by kind.
        notes: what must be said, in order; each once.
        lost: jobs that the engine lost as it was restarted, by its own account.
        stranded: jobs that could not be handed back at the end.
        ended: `done`, `stopped`, or why the engine let us do nothing.
        terminated: it was stopped by SIGTERM.
        up: the engine answered when it was last asked.
        observed_s: when it was last observed, by its own clock; NaN before.
        failed_calls: how often it did not answer.
        listener: told at once of what is news each time.
        alert: called with the kind and the text of what an operator has to look at.
    """

    cycles: int = 0
    missed: int = 0
    starts: int = 0
    refusals: Counter[str] = field(default_factory=Counter)
    skipped: int = 0
    foreign: int = 0
    fallbacks: int = 0
    cycle_s: float = 0.0
    notes: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    stranded: list[str] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)
    ended: str = "done"
    terminated: bool = False
    up: bool = True
    observed_s: float = math.nan
    failed_calls: int = 0
    listener: Callable[[str], None] = lambda _: None
    alert: Callable[[str, str], None] = lambda *_: None

    @property
    def outcome(self) -> str:
        """How it ended, where `terminated` tells a supervisor's SIGTERM from a `stopped` by hand."""
        return "terminated" if self.terminated and self.ended == "stopped" else self.ended

    def say(self, note: str) -> None:
        """Note something, once."""
        if note not in self.notes:
            self.notes.append(note)

    def tell(self, note: str) -> None:
        """Note something that is news each time, and must be known at once."""
        self.say(note)
        self.listener(note)

    def alarm(self, kind: str, note: str) -> None:
        """Tell something that an operator has to look at."""
        self.tell(note)
        self.alert(kind, note)
