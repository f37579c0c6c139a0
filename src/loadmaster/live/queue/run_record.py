"""Converts a live run into a run record with the same columns as a simulated run, so that `explain` can read it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from loadmaster.live.queue.allocations import Allocation, ObservedChanges
from loadmaster.live.queue.ledger import Ledger
from loadmaster.live.queue.listing import workload_in
from loadmaster.live.queue.record import RecordReader, is_being_written, lines_of, passes_of
from loadmaster.live.queue.rows import Row, alike, as_asked
from loadmaster.live.session.record_file import damage_named
from loadmaster.model import CalendarRow, Cluster, InputError, Schedule, Workload
from loadmaster.model.constraints import STATUSES
from loadmaster.model.cycles import CycleLog
from loadmaster.model.schedule import Segments
from loadmaster.model.snapshot import NEVER_S
from loadmaster.order import ORDERS, AnyOrder
from loadmaster.runs.case import Case
from loadmaster.runs.live_timeline import unended
from loadmaster.runs.record import LIVE, Record
from loadmaster.runs.setting import Setting
from loadmaster.system.counted import counted

_SHORTEST_S = 1e-3


@dataclass
class _Jobs:
    """What became of every job, by name: its last run, and those before it that were cut short."""

    ledger: Ledger
    row: dict[str, Any] = field(default_factory=dict)
    runs: dict[str, Allocation] = field(default_factory=dict)
    ended: dict[str, tuple[float, str]] = field(default_factory=dict)
    cut: list[tuple[str, float, float, tuple[str, ...]]] = field(default_factory=list)

    def take(self, changes: ObservedChanges | None, before: Mapping[str, Allocation]) -> None:
        """What one line of the record has changed."""
        ledger = self.ledger
        self.row |= {name: as_asked(self.row.get(name), row, ledger.now_s) for name, row in ledger.rows.items()}
        for name, end_s, how in () if changes is None else changes.ended:
            self.ended[name] = (end_s, how)
        for name, run in before.items():
            if name not in ledger.runs and name not in self.ended:
                if run.running and ledger.now_s > run.start_s:
                    self.cut.append((name, run.start_s, ledger.now_s, run.hosts))
                self.runs.pop(name, None)
        self.see_runs()

    def see_runs(self) -> None:
        """What has hosts now."""
        self.runs |= {name: replace(run) for name, run in self.ledger.runs.items()}


def run_record_in(folder: Path) -> Record:
    """The run that the live record in `folder` tells of so far; no rule that it carries is run.

    Raises:
        InputError: there is no such record, it is damaged, or it tells of no job.
    """
    goes_on, lines = is_being_written(folder), lines_of(folder)
    with damage_named(folder):
        sessions = [line for line in lines if "begin" in line]
        setting, sources = Setting.of(sessions[-1]["setting"]), sessions[-1].get("sources", {})
        record = run_record_of(lines, ORDERS["fcfs"], setting, sources)
    ended = any("end" in line for line in lines[lines.index(sessions[-1]) :])
    notes = record.case.notes if ended else (f"{unended(goes_on)}.", *record.case.notes)
    return replace(record, case=replace(record.case, notes=notes))


def run_record_of(
    lines: Sequence[Mapping[str, Any]], order: AnyOrder, setting: Setting, sources: Mapping[str, str]
) -> Record:
    """The run that a live record tells of.

    A job starts when it was decided; its runtime is the time from then to its end, so starting it is part of it. Of
    jobs that still run the expected end stands for the end; of those that are not expected to end, the last cycle.

    Args:
        lines: of the record.
        order: of the discipline that decided.
        setting: of the last session.
        sources: text of the user's files.

    Raises:
        InputError: it tells of no job.
    """
    reading, cycles = RecordReader.of(lines, order), CycleLog()
    jobs = _Jobs(reading.ledger)
    calendar: dict[tuple[str, str, float], CalendarRow] = {}
    for line in lines:
        reading.read_whole(line, jobs.take)
        calendar |= _calendar_of(reading.ledger.cluster)
        for each in passes_of(line):
            started = len(each.starts) if line["taken"] else 0
            cycles.add(line["cycle"], each.queued, started, each.winners, each.chosen, each.options)
        jobs.see_runs()
    if not jobs.row or reading.ledger.cluster is None:
        raise InputError("no job", "nothing was seen in this live run", fix="let it run longer")
    cluster = _with_calendar(reading.ledger.cluster, list(calendar.values()))
    return _record(jobs, cluster, cycles, reading.ledger, setting, sources)


def _calendar_of(cluster: Cluster | None) -> dict[tuple[str, str, float], CalendarRow]:
    rows = () if cluster is None or cluster.rules is None else cluster.rules.calendar
    return {(row.kind, row.name, row.from_s): row for row in rows}


def _with_calendar(cluster: Cluster, rows: Sequence[CalendarRow]) -> Cluster:
    """Reservations that were over before the end as well: jobs waited for them."""
    if cluster.rules is None or not rows:
        return cluster
    return replace(cluster, rules=replace(cluster.rules, calendar=tuple(rows)))


def _record(
    jobs: _Jobs,
    cluster: Cluster,
    cycles: CycleLog,
    ledger: Ledger,
    setting: Setting,
    sources: Mapping[str, str],
) -> Record:
    ids = sorted(jobs.row, key=lambda name: jobs.row[name]["submit_s"])
    rows = [_on_its_hosts(jobs.row[name], jobs.runs.get(name)) for name in ids]
    known_jobs = workload_in(cluster, alike(rows), ledger.listing["names"])
    host = {name: row for row, name in enumerate(cluster.names)}
    start_s, end_s = np.full(len(ids), np.nan), np.full(len(ids), np.nan)
    placed, status = np.full(int(known_jobs.first_task[-1]), -1, np.int32), np.full(len(ids), -1, np.int32)
    notes = []
    for job, name in enumerate(ids):
        run = jobs.runs.get(name)
        if run is None or not all(each in host for each in run.hosts):
            continue
        expected_s = run.expected_end_s if run.expected_end_s < NEVER_S else ledger.now_s
        end, how = jobs.ended.get(name, (expected_s, "ok"))
        start_s[job], end_s[job] = run.start_s, max(end, run.start_s + _SHORTEST_S)
        placed[known_jobs.first_task[job] : known_jobs.first_task[job + 1]] = [host[each] for each in run.hosts]
        status[job] = -1 if how == "ok" else STATUSES.index(how)
    running = len(ledger.runs)
    if running:
        those = counted(running, "job still ran at the end: it is", "jobs still ran at the end: they are")
        notes.append(f"{those} shown as if over when that is expected, or at the end where no end is expected.")
    workload = _with_runtimes(known_jobs, start_s, end_s, ids, cluster, placed)
    number = {name: job for job, name in enumerate(ids)}
    cut = [
        (number[name], begin, end, True, [host[each] for each in hosts])
        for name, begin, end, hosts in jobs.cut
        if all(each in host for each in hosts)
    ]
    schedule = Schedule(
        start_s,
        placed,
        cycles.cycles(),
        end_s,
        status if (status >= 0).any() else None,
        Segments.of(cut) if cut else None,
        _counts(ledger.left_out()),
    )
    called = () if all(name.isdecimal() for name in ids) else tuple(ids)
    return Record(Case(workload, cluster, notes=tuple(notes)), setting, workload, schedule, sources, called=called)


def _on_its_hosts(row: Row, run: Allocation | None) -> Row:
    """A job's row with as many tasks as it has run on hosts: an engine that starts it by itself may choose others."""
    if run is None or len(run.hosts) == row.get("tasks", 1):
        return row
    held = np.array(row.get("holds", [row["demand"]]), float)
    merged = row | {name: len(run.hosts) for name in ("min_hosts", "max_hosts") if name in row}
    return merged | {"tasks": len(run.hosts), "demand": held.mean(axis=0).tolist()}


def _with_runtimes(workload: Workload, start_s, end_s, ids, cluster: Cluster, placed) -> Workload:  # type: ignore[no-untyped-def]
    """The jobs with the runtimes that they had, at speed 1; their limits as estimates; numbers for their names."""
    assert cluster.speed is not None
    slowest = np.minimum.reduceat(np.where(placed >= 0, cluster.speed[placed], 1.0), workload.first_task[:-1])
    ran = np.where(np.isnan(start_s), workload.runtime_s, (end_s - start_s) * slowest)
    numbers = np.array([int(name) for name in ids]) if all(name.isdecimal() for name in ids) else workload.job_id
    return replace(workload, runtime_s=ran, estimate_s=workload.expected_s, job_id=numbers, source=LIVE)


def _counts(left_out: list[tuple[str, str]]) -> dict[str, int]:
    reasons = [why for _, why in left_out]
    return {why: reasons.count(why) for why in dict.fromkeys(reasons)}
