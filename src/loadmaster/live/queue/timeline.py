"""The timeline of a live run: observations, decisions and answers, read from its record.

Nothing is decided once more, so no rule that the record carries is ever run.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from loadmaster.live.queue.agreement import agreement_of
from loadmaster.live.queue.eligibility import EligibleJobs
from loadmaster.live.queue.listing import Listing, applied, cluster_in
from loadmaster.live.queue.record import Pass, is_being_written, lines_of, passes_of
from loadmaster.live.queue.rows import Row, alike, began_s, row_on_run_clock, state_of
from loadmaster.live.queue.stranded_capacity import free_in, stranded_by_host, typical_of
from loadmaster.live.session.engine import CLAIMED, HELD, KEPT_ROOM, NOWHERE, RUNNING
from loadmaster.live.session.record_file import damage_named
from loadmaster.model import InputError
from loadmaster.runs.interim_waits import InterimWaits
from loadmaster.runs.live_timeline import (
    DOWN,
    FULL,
    ROOM,
    STRANDED,
    CycleAgreement,
    CycleCounts,
    JobStart,
    LiveTimeline,
    MetaChoice,
    ObservedHost,
    Session,
)


def timeline_in(folder: Path) -> LiveTimeline:
    """The course of the live run that is recorded in `folder`; it may go on meanwhile.

    Raises:
        InputError: there is no such record, it is damaged, or nothing was observed yet.
    """
    goes_on, lines = is_being_written(folder), lines_of(folder)
    with damage_named(folder):
        return replace(timeline_of(lines), goes_on=goes_on)


def timeline_of(lines: Sequence[Mapping[str, Any]]) -> LiveTimeline:
    """The course that the lines of a record tell of.

    Raises:
        InputError: nothing was observed yet.
        KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError: they are not those of a record.
    """
    reading = _Reading(_finite(lines[0]["origin_s"]))
    for line in lines:
        reading.read(line)
    if not reading.counted:
        raise InputError("this record", "nothing was observed in it yet", fix="let it run longer")
    return reading.timeline(lines)


@dataclass
class _Reading:
    """What the lines so far have told."""

    origin_s: float
    now_s: float = 0.0
    end_s: float = -math.inf
    listing: Listing = field(default_factory=dict)
    never: set[str] = field(default_factory=set)
    sessions: list[Session] = field(default_factory=list)
    counted: list[CycleCounts] = field(default_factory=list)
    seen: dict[str, Row] = field(default_factory=dict)
    crowded: Listing = field(default_factory=dict)
    asked: dict[str, float] = field(default_factory=dict)
    over: set[str] = field(default_factory=set)
    unseen: int = 0
    began: dict[str, JobStart] = field(default_factory=dict)
    ran_before: set[str] = field(default_factory=set)
    by_others: int = 0
    refused: list[tuple[float, str]] = field(default_factory=list)
    texts: Counter[tuple[str, str]] = field(default_factory=Counter)
    refused_jobs: dict[str, None] = field(default_factory=dict)
    skipped: list[tuple[float, str]] = field(default_factory=list)
    choices: list[MetaChoice] = field(default_factory=list)
    so_far: list[InterimWaits] = field(default_factory=list)

    def read(self, line: Mapping[str, Any]) -> None:
        """Take one line."""
        if "begin" in line:
            self.sessions.append(_session(line, self.origin_s))
        elif "cycle" in line:
            self._cycle(line)
        elif "answer" in line:
            self._refused(line["answer"])
        elif "so_far" in line:
            self.so_far.append(InterimWaits.of(line["so_far"]))
        elif "end" in line and self.sessions:
            last = self.sessions[-1]
            self.sessions[-1] = replace(last, ended=str(line["end"]))
            self.end_s = _finite(line["at_s"]) - self.origin_s

    def _refused(self, refusals: Sequence[Sequence[Any]]) -> None:
        for action, kind, text in refusals:
            self.refused.append((self.now_s, str(kind)))
            self.texts[str(kind), str(text)] += 1
            if action[0] == "start" and kind != "unknown":
                self.asked.pop(action[1], None)
                self.refused_jobs[action[1]] = None

    def _cycle(self, line: Mapping[str, Any]) -> None:
        first, self.now_s = not self.listing, _finite(line["cycle"])
        self.listing = applied(self.listing, line["seen"])
        at_s = _finite(self.listing["at_s"]) - self.origin_s
        self._find_infeasible(line["seen"])
        new = line["seen"].get("new", {})
        self.seen |= {name: row for name, row in new.items() if not name.startswith(KEPT_ROOM)}
        for name in self._changed(line, first):
            self._look_at(name, at_s, first)
        for name, _, status in line["seen"].get("over", ()):
            self._look_at_end(name, status)
        self._refused(line.get("refused", ()))
        passes = passes_of(line)
        starts = [start.id for each in passes for start in each.starts]
        self.asked |= {each[1]: self.now_s for each in line.get("asked", ()) if each[0] == "start"}
        states = Counter(
            -1 if self._cannot_wait(name, row) else state_of(row) for name, row in self.listing["jobs"].items()
        )
        self.counted.append(CycleCounts(self.now_s, states[HELD], states[RUNNING], states[CLAIMED], len(starts)))
        self.crowded = self.listing if states[HELD] else self.crowded
        if line.get("skipped"):
            self.skipped.append((self.now_s, str(line["skipped"])))
        self.choices += _choices(self.now_s, passes)

    def _changed(self, line: Mapping[str, Any], first: bool) -> Sequence[str]:
        """Jobs that may just have begun."""
        seen = line["seen"]
        return list(self.listing["jobs"]) if first else [*seen.get("new", {}), *seen.get("set", {})]

    def _look_at(self, name: str, at_s: float, first: bool) -> None:
        row = self.listing["jobs"][name]
        if state_of(row) != RUNNING or name in self.began or name in self.ran_before or name.startswith(KEPT_ROOM):
            return
        if first:
            self.ran_before.add(name)
            return
        start_s = began_s(row)
        start_s = at_s if start_s is None else start_s - self.origin_s
        self.began[name] = JobStart(start_s, max(0.0, start_s - (_finite(row["submit_s"]) - self.origin_s)))
        self.by_others += name not in self.asked and NOWHERE in row["pin"]

    def _look_at_end(self, name: str, status: str) -> None:
        """A job that came to its end between two observations ran from when we requested it, as far as we did."""
        if name in self.over or name not in self.seen:
            return
        self.over.add(name)
        if status != "ok" or name in self.began or name in self.ran_before:
            return
        if name in self.asked:
            wait_s = self.asked[name] + self.origin_s - _finite(self.seen[name]["submit_s"])
            self.began[name] = JobStart(self.asked[name], max(0.0, wait_s))
        else:
            self.unseen += 1

    def _find_infeasible(self, changed: Mapping[str, Any]) -> None:
        """Of the jobs that came or changed, or of all where the hosts did, those that the hosts could never take."""
        jobs = self.listing["jobs"]
        look = jobs if changed.get("cluster") else {**changed.get("new", {}), **changed.get("set", {})}
        names = [name for name in look if state_of(jobs[name]) == HELD]
        self.never -= set(look)
        if names:
            rows = alike([row_on_run_clock(jobs[name], self.origin_s, math.inf) for name in names])
            alone = [row | {"depends": ""} if "depends" in row else row for row in rows]
            cluster = cluster_in(self.listing["cluster"]).calendar_moved(-self.origin_s)
            waiting = EligibleJobs()
            waiting.know(cluster, dict(zip(names, alone, strict=True)), self.listing)
            self.never |= {name for name, _ in waiting.never}

    def _cannot_wait(self, name: str, row: Row) -> bool:
        """Its user holds it, it may not begin yet, or never can."""
        later = float(row.get("eligible_s", -math.inf)) > self.listing["at_s"]
        return state_of(row) == HELD and (bool(row.get("hold")) or later or name in self.never)

    def _refused_to_the_end(self) -> list[str]:
        return [name for name in self.refused_jobs if name in self.listing["jobs"] and name not in self.began]

    def timeline(self, lines: Sequence[Mapping[str, Any]]) -> LiveTimeline:
        """All of it."""
        at_s = max(float(self.listing["at_s"]), self.end_s + self.origin_s)
        shown = self.crowded or self.listing
        resources = [str(name) for name in shown["cluster"]["resources"]]
        typical = typical_of(self.seen.values(), len(resources))
        waits = [
            row
            for name, row in self.listing["jobs"].items()
            if state_of(row) == HELD and not self._cannot_wait(name, row)
        ]
        mode = self.sessions[-1].mode
        agreement = None if mode == "live" else agreement_of(lines)
        return LiveTimeline(
            sessions=self.sessions,
            last_s=max(self.now_s, self.end_s),
            counted=self.counted,
            jobs=len(self.seen),
            began=list(self.began.values()),
            by_others=self.by_others,
            unseen=self.unseen,
            waiting_s=[max(0.0, at_s - _finite(row["submit_s"])) for row in waits],
            refused=self.refused,
            texts=self.texts,
            refused_jobs=self._refused_to_the_end(),
            skipped=self.skipped,
            choices=self.choices,
            hosts=list(_hosts(shown, typical)),
            hosts_at_s=_finite(shown["at_s"]) - self.origin_s,
            resources=resources,
            typical=[_finite(each) for each in typical],
            agreed=[]
            if agreement is None
            else [
                CycleAgreement(each.at_s, each.alike, each.both - each.alike, each.theirs - each.both, each.ours)
                for each in agreement.cycles
            ],
            agreement={} if agreement is None else agreement.summary(),
            stranded=[] if agreement is None else stranded_by_host(lines),
            so_far=self.so_far if mode == "shadow" else [],
            left_out=Counter(str(why) for _, why in self.listing["left_out"]),
        )


def _session(line: Mapping[str, Any], origin_s: float) -> Session:
    conduct = line["conduct"]
    return Session(
        _finite(line["at_s"]) - origin_s,
        str(conduct["mode"]),
        str(line.get("engine", "")),
        str(line.get("command", "")),
        dict(line.get("setting", {})),
        {**conduct, "interval_s": _finite(conduct["interval_s"])},
        config=dict(line.get("config", {})),
    )


def _choices(now_s: float, passes: Sequence[Pass]) -> Iterator[MetaChoice]:
    for each in passes:
        if each.options and each.chosen >= 0:
            values = [option.value for option in each.options if option.value is not None]
            best = tuple(str(option.member) for option in each.options if values and option.value == max(values))
            yield MetaChoice(now_s, str(each.options[each.chosen].member), len(set(values)) > 1, best)


def _hosts(listing: Listing, typical: np.ndarray) -> Iterator[ObservedHost]:
    free, cluster = free_in(listing), listing["cluster"]
    rows = zip(cluster["names"], free, cluster["capacity"], listing["up"], strict=True)
    for name, left, capacity, up in rows:
        wanted = typical > 0
        enough = left[wanted] >= typical[wanted]
        kind = DOWN if not up else ROOM if enough.all() else STRANDED if enough.any() else FULL
        yield ObservedHost(str(name), [_finite(each) for each in left], [_finite(each) for each in capacity], kind)


def _finite(value: Any) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{number} is no time")
    return number
