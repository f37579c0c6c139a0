"""The state of a running bag in this start. Each event is one line of the log."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from loadmaster.live.session.decider import Line
from loadmaster.live.session.engine import Clock
from loadmaster.sizing import BagLedger, Event
from loadmaster.sizing.ledger import Kind


@dataclass
class BagSessionState:
    """A sizer's ledger, which knows machines and tasks by numbers, and what they are called elsewhere.

    Attributes:
        ledger: the same as a simulation keeps.
        line: of every task of the ledger, the number of its command.
        clock: of the run.
        attempts: by command, how often it has been started in all starts of the bag.
        names: by machine, what the engine calls it.
        since: by machine, when it was rented.
        up: machines that came up.
        attempt: by machine, the number of the attempt that it makes, or was the last to make.
        events: how many there were.
        lines: of the log, in order, that are not written yet.
    """

    ledger: BagLedger
    line: list[int]
    clock: Clock
    attempts: dict[int, int] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    since: dict[int, float] = field(default_factory=dict)
    up: set[int] = field(default_factory=set)
    attempt: dict[int, int] = field(default_factory=dict)
    events: int = 0
    lines: list[Line] = field(default_factory=list)

    @property
    def now_s(self) -> float:
        """Of the run."""
        return self.clock.now_s()

    @property
    def spent(self) -> float:
        """Money of this start, were every machine given back now."""
        return self.ledger.spent(self.now_s)

    def note(self, kind: Kind, host: int, task: int = -1, **more: Any) -> None:
        """Something happened."""
        event = Event(self.now_s, kind, host, task)
        self.ledger.apply(event)
        self.events += 1
        whose = {"task": self.line[task], "attempt": self.attempt[host]} if task >= 0 else {}
        self.write(event=kind, t=event.time_s, host=host, index=task, **whose, **more)

    def write(self, **line: Any) -> None:
        """A line for the log."""
        self.lines.append(line)

    def taken(self) -> list[Line]:
        """The lines that are not written yet."""
        lines, self.lines = self.lines, []
        return lines

    def rent(self, name: str) -> None:
        """A machine is rented."""
        host = len(self.names)
        self.names[host], self.since[host] = name, self.now_s
        self.note("rented", host, name=name)

    def start(self, host: int, task: int) -> str:
        """An attempt begins; the engine's name of it."""
        line = self.line[task]
        self.attempt[host] = self.attempts[line] = self.attempts.get(line, 0) + 1
        self.note("started", host, task)
        return self.job_on(host)

    def job_on(self, host: int) -> str:
        """The engine's name of the attempt that a machine makes."""
        return f"{self.line[self.ledger.task_on(host)]}.{self.attempt[host]}"

    def running(self) -> Mapping[str, int]:
        """By attempt, the machine that makes it."""
        return {self.job_on(host): host for host in self.ledger.alive() if self.ledger.task_on(host) >= 0}
