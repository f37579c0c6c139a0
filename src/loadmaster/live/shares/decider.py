"""Commands under CPU shares as a decider of the loop: who starts where, who moves, and how much each may have."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from loadmaster.live.answers import plain_action
from loadmaster.live.decider import Line, Step
from loadmaster.live.engine import RUNNING, Over, Refusal, Seen
from loadmaster.live.settings import Report
from loadmaster.live.shares.method import ShareMethod
from loadmaster.live.shares.session_state import SharesBooks
from loadmaster.model.actions import Stop

FORMAT = 1
OnExit = Literal["end", "leave"]


@dataclass
class SharesDecider:
    """See `Decider`; the books are those of an empty machine until a session begins.

    Attributes:
        books: of the batch.
        method: that decides.
        report: what was done.
        interval_s: between two looks.
        on_exit: what becomes of commands that still run at the end: they are ended, or left to run without a cap.
        for_s: end after so long.
        about: what else the record is to say of this session.
    """

    books: SharesBooks
    method: ShareMethod
    report: Report
    interval_s: float = 0.2
    on_exit: OnExit = "end"
    for_s: float = math.inf
    about: dict[str, Any] = field(default_factory=dict)
    now_s: float = 0.0
    until_s: float = math.inf

    @property
    def hands_back(self) -> bool:
        """Commands that run are to be ended."""
        return self.on_exit == "end" and bool(self.books.running)

    def begin(self, first: Seen) -> Sequence[Line]:
        """What runs from an earlier start, and what ended in one, is taken over as it is."""
        books, self.now_s = self.books, first.at_s
        self.until_s = first.at_s + self.for_s
        books.running = _running(first)
        books.over = {each.id: (each.status, each.exit_code) for each in first.over}
        carried = [books.carried.last_host, books.carried.scale]
        over = [_plain_over(each) for each in first.over]
        return (
            {"begin": FORMAT, "at_s": first.at_s, **self.about, "batch": books.batch.plain(),
             "running": books.running, "over": over, "carried": carried},
        )  # fmt: skip

    def warm_up(self, first: Seen) -> None:
        """See `Decider`: nothing here takes long to compile."""

    def decide(self, seen: Seen, *, away: bool) -> Step:
        """A decision after every end, and at the beginning; none as long as nothing has changed."""
        books, self.now_s = self.books, seen.at_s
        self.report.cycles += 1
        over = [_plain_over(each) for each in seen.over if each.id not in books.over]
        ended, there = {each[0] for each in over}, _running(seen)
        lost = [name for name in books.running if name not in there and name not in ended]
        elsewhere = {name: at for name, at in there.items() if books.running.get(name) != at}
        self.report.lost += lost
        books.see(over, lost, elsewhere)
        if not books.dirty:
            return Step()
        asked, given_up, carried = books.decide(self.method)
        books.take(asked, given_up, carried)
        line: dict[str, Any] = {"cycle": seen.at_s, "over": over, "lost": lost, "elsewhere": elsewhere}
        line |= {"asked": [plain_action(action) for action in asked], "given_up": given_up}
        return Step((line | {"carried": [carried.last_host, carried.scale]},), asked)

    def refused(self, refusal: Refusal) -> None:
        """See `Decider`."""
        self.books.refused(refusal)

    def told(self) -> None:
        """See `Decider`."""

    def next_s(self, now_s: float) -> float:
        """Until all commands are over; sooner than the interval nothing is looked at."""
        over = self.books.is_done or now_s + self.interval_s > self.until_s
        return math.inf if over else now_s + self.interval_s

    def parting(self, seen: Seen, stranded: Sequence[str]) -> Step:
        """What still runs is ended; its next start is from its beginning."""
        return Step(asked=[Stop(name) for name in _running(seen)])

    def end(self, how: str) -> Sequence[Line]:
        """See `Decider`."""
        return ({"end": how, "at_s": self.now_s},)


def _plain_over(each: Over) -> list[Any]:
    """Its name, how it ended, the code of its command, and when that was."""
    return [each.id, each.status, each.exit_code, each.end_s]


def _running(seen: Seen) -> dict[str, int]:
    """The machine of every command that runs, in the order of their starts."""
    tasks = seen.tasks
    rows = [row for row in range(len(tasks)) if tasks.state[row] == RUNNING]
    start_s = tasks.start_s
    if start_s is not None:
        rows.sort(key=lambda row: (float(start_s[row]), row))
    return {seen.ids[int(tasks.job[row])]: int(tasks.host[row]) for row in rows}
