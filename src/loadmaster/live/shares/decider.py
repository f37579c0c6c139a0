"""Commands under CPU shares as a decider of the loop: what starts where, what moves, and how much CPU each may have."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from loadmaster.live.session.decider import Decider, Line, Step
from loadmaster.live.session.engine import RUNNING, EndedJob, Observation, Refusal
from loadmaster.live.session.lines import begin_line, end_line, plain_actions
from loadmaster.live.session.report import Report
from loadmaster.live.shares.config import SharesConfig
from loadmaster.live.shares.session_state import SharesSessionState
from loadmaster.model.actions import Stop


@dataclass
class SharesDecider(Decider):
    """See `Decider`; the state is that of an empty machine until a session begins.

    Attributes:
        state: of the batch, with the method that decides.
        report: what was done.
        config: how commands are to be run.
        about: what else the record is to say of this session.
    """

    state: SharesSessionState
    report: Report
    config: SharesConfig
    about: dict[str, Any] = field(default_factory=dict)
    now_s: float = 0.0
    until_s: float = math.inf

    @property
    def hands_back(self) -> bool:
        """Commands that run are to be ended."""
        return self.config.on_exit == "end" and bool(self.state.running)

    def begin(self, first: Observation) -> Sequence[Line]:
        """What runs from an earlier start, and what ended in one, is taken over as it is."""
        state, self.now_s = self.state, first.at_s
        self.until_s = first.at_s + self.config.for_s
        state.running = _running(first)
        state.over = {each.id: (each.status, each.exit_code) for each in first.over}
        there = {"running": state.running, "over": [_plain_over(each) for each in first.over]}
        batch, carried = state.batch.plain(), state.carried.plain()
        return (begin_line(first.at_s, **self.about, batch=batch, **there, carried=carried),)

    def decide(self, seen: Observation, *, away: bool) -> Step:
        """A decision after every end, and at the beginning; none as long as nothing has changed."""
        state, self.now_s = self.state, seen.at_s
        self.report.cycles += 1
        over = [_plain_over(each) for each in seen.over if each.id not in state.over]
        ended, there = {each[0] for each in over}, _running(seen)
        lost = [name for name in state.running if name not in there and name not in ended]
        elsewhere = {name: at for name, at in there.items() if state.running.get(name) != at}
        self.report.lost += lost
        state.see(over, lost, elsewhere)
        if not state.dirty:
            return Step()
        actions, given_up, carried = state.decide()
        state.take(actions, given_up, carried)
        line: dict[str, Any] = {"cycle": seen.at_s, "over": over, "lost": lost, "elsewhere": elsewhere}
        line |= {"asked": plain_actions(actions), "given_up": given_up, "carried": carried.plain()}
        return Step((line,), actions)

    def refused(self, refusal: Refusal) -> None:
        """See `Decider`."""
        self.state.refused(refusal)

    def next_s(self, now_s: float) -> float:
        """Until all commands are over; sooner than the interval nothing is looked at."""
        due_s = now_s + self.config.interval_s
        return math.inf if self.state.is_done or due_s > self.until_s else due_s

    def parting(self, seen: Observation, stranded: Sequence[str]) -> Step:
        """What still runs is ended; its next start is from its beginning."""
        return Step(actions=[Stop(name) for name in _running(seen)])

    def end(self, how: str) -> Sequence[Line]:
        """See `Decider`."""
        return (end_line(how, self.now_s),)


def _plain_over(each: EndedJob) -> list[Any]:
    """Its name, how it ended, the code of its command, and when that was."""
    return [each.id, each.status, each.exit_code, each.end_s]


def _running(seen: Observation) -> dict[str, int]:
    """The machine of every command that runs, in the order of their starts."""
    tasks = seen.tasks
    rows = [row for row in range(len(tasks)) if tasks.state[row] == RUNNING]
    start_s = tasks.start_s
    if start_s is not None:
        rows.sort(key=lambda row: (float(start_s[row]), row))
    return {seen.ids[int(tasks.job[row])]: int(tasks.host[row]) for row in rows}
