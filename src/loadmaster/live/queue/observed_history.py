"""The history that a shadow observed at a site: arrivals, departures, runtimes, and which hosts were up."""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from loadmaster.live.queue.allocations import Allocation, ObservedChanges
from loadmaster.live.queue.ledger import Ledger
from loadmaster.live.queue.listed_rules import merged_rules
from loadmaster.live.queue.record import RecordReader
from loadmaster.live.queue.rows import Row, as_asked
from loadmaster.model import InputError
from loadmaster.order import AnyOrder


@dataclass(frozen=True)
class ObservedMoment:
    """One observation.

    Attributes:
        now_s: its nominal cycle.
        arrived: jobs that came.
        withdrawn: jobs that left without having started.
        away: jobs that may not start now: their users hold them, or they can never run here.
        up: bool by host.
    """

    now_s: float
    arrived: tuple[str, ...]
    withdrawn: tuple[str, ...]
    away: frozenset[str]
    up: tuple[bool, ...]


@dataclass(frozen=True)
class LastRun:
    """The last run of a job that has ended: seconds at speed 1, and how it ended."""

    work_s: float
    status: str


@dataclass
class ObservedHistory:
    """Times are seconds since the record's origin.

    Attributes:
        ledger: as it stood at the first moment, with what ran and what waited.
        rows: of every job, as it was seen last; what it waited for as it was seen first.
        ran: how long jobs ran, of those whose end was seen.
        began_s: when a job first began, of those that were seen to wait.
        withdrawn: jobs that never started, and never will.
        running: jobs that ran when last seen, and for how long they had, in seconds at speed 1.
        changed: hosts came, went or changed.
        rules: all rules between jobs that were seen.
    """

    ledger: Ledger
    moments: list[ObservedMoment] = field(default_factory=list)
    rows: dict[str, Row] = field(default_factory=dict)
    ran: dict[str, LastRun] = field(default_factory=dict)
    began_s: dict[str, float] = field(default_factory=dict)
    withdrawn: set[str] = field(default_factory=set)
    running: dict[str, float] = field(default_factory=dict)
    changed: bool = False
    rules: Mapping[str, Any] | None = None

    def take(self, changes: ObservedChanges, before: Mapping[str, Allocation], ledger: Ledger) -> None:
        """One more observation; `before`: what ran until then."""
        self.changed |= ledger.cluster is not self.ledger.cluster
        self.rules = merged_rules(self.rules, ledger.listing.get("rules"))
        for name, row in ledger.rows.items():
            self.rows[name] = as_asked(self.rows.get(name), row, ledger.now_s)
        for name, end_s, how in changes.ended:
            run = before.get(name)
            if run is not None:
                self.ran[name] = LastRun(max(end_s - run.start_s, 0.0) * _slowest(run, ledger), how)
        for name, run in ledger.runs.items():
            if self.moments:
                self.began_s.setdefault(name, run.start_s)
        self.withdrawn.update(changes.withdrawn)
        self.running = {name: (ledger.now_s - run.start_s) * _slowest(run, ledger) for name, run in ledger.runs.items()}
        held = {name for name, row in ledger.rows.items() if row.get("hold") and name not in ledger.runs}
        never = {name for name, _ in ledger.waiting.never}
        up = tuple(bool(each) for each in ledger.listing["up"])
        moment = ObservedMoment(
            ledger.now_s, tuple(changes.arrived), tuple(changes.withdrawn), frozenset(held | never), up
        )
        self.moments.append(moment)

    @property
    def now_s(self) -> float:
        """Of the last observation."""
        return self.moments[-1].now_s

    @property
    def counted(self) -> list[str]:
        """Jobs that waited at the first moment or came later, and were not withdrawn."""
        return [name for name in self.rows if name not in self.ledger.runs and name not in self.withdrawn]


def observed_history_in(lines: Sequence[Mapping[str, Any]], order: AnyOrder) -> ObservedHistory:
    """What the lines of a shadow's record tell of the site, since the last session that acted itself.

    Args:
        lines: of the record.
        order: of the discipline that decides in a queue that begins there.

    Raises:
        InputError: nothing was observed yet.
    """
    history: ObservedHistory | None = None
    reading = RecordReader.of(lines, order)

    def look(changes: ObservedChanges | None, before: Mapping[str, Allocation]) -> None:
        nonlocal history
        if changes is not None and not reading.acts:
            history = history or ObservedHistory(copy.deepcopy(reading.ledger))
            history.take(changes, before, reading.ledger)

    for line in lines:
        reading.read_whole(line, look)
        if "begin" in line and reading.acts:
            history = None
    if history is None:
        raise InputError("this record", "no shadow has observed anything in it yet", fix="let it run longer")
    names = reading.ledger.listing["names"]
    history.ledger.listing = {**history.ledger.listing, "names": names, "rules": history.rules}
    return history


def _slowest(run: Allocation, ledger: Ledger) -> float:
    assert ledger.cluster is not None
    assert ledger.cluster.speed is not None
    number = {name: host for host, name in enumerate(ledger.cluster.names)}
    speeds: Sequence[float] = [float(ledger.cluster.speed[number[host]]) for host in run.hosts if host in number]
    return min(speeds, default=1.0)
