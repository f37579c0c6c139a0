"""Why a job of a live run got its host: the recorded decision that started it, repeated on the recorded observation."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from loadmaster.live.queue.check import scheduler_in
from loadmaster.live.queue.ledger import Ledger
from loadmaster.live.queue.record import Pass, RecordReader, ledger_after, lines_of, passes_of, starts_on
from loadmaster.live.queue.settings import fallback_scheduler
from loadmaster.model import InputError
from loadmaster.runs.choice import Choice, choice_on
from loadmaster.runs.record import Record
from loadmaster.scheduling import Scheduler


def live_choice(
    folder: Path, record: Record, job: int, scheduler: Scheduler | None = None, *, trust: bool = False
) -> Choice:
    """Decide the cycle in which a job was last asked to start once more, listening to how its hosts are rated.

    Args:
        folder: of the live record.
        record: the run that it tells of.
        job: its number there.
        scheduler: what decided; None takes it from the record.
        trust: run the Python of a policy file that the record carries.

    Raises:
        InputError: this run did not start it, or the record carries Python and is not trusted.
    """
    name, lines = str(record.name_of(job)), lines_of(folder)
    last = max((at for at, line in enumerate(lines) if _starts(line, name)), default=-1)
    about = next((line for line in reversed(lines[: last + 1]) if "begin" in line), None)
    ours = about is not None and about["conduct"]["mode"] == "live"
    if about is None or not ours or record.schedule.start_s[job] != lines[last]["cycle"]:
        raise InputError(name, "loadmaster did not start it", fix="see what it waited for")
    rule, line = scheduler or scheduler_in(about, folder, trust), lines[last]
    reading = ledger_after(lines[:last], rule.discipline.order, about["origin_s"], about["seed"])
    if line["by"] == "fallback":
        rule = fallback_scheduler(about["conduct"]["fallback"])
    reading.read(line)
    each = _pass_of(reading, line, name)
    return _host_choice(rule, reading.ledger, each, name, ranked=line["by"] == "rule")


def _starts(line: Mapping[str, Any], name: str) -> bool:
    return line.get("taken", False) and any(_has(each, name) for each in passes_of(line))


def _has(each: Pass, name: str) -> bool:
    return any(start.id == name for start in each.starts)


def _pass_of(reading: RecordReader, line: Mapping[str, Any], name: str) -> Pass:
    """The pass that started the job, those before it taken."""
    passes = passes_of(line)
    at = next(number for number, each in enumerate(passes) if _has(each, name))
    for each in passes[:at]:
        reading.take(line, each)
    return passes[at]


def _host_choice(rule: Scheduler, ledger: Ledger, each: Pass, name: str, *, ranked: bool) -> Choice:
    snapshot = ledger.snapshot(ranked=ranked)
    assert snapshot is not None
    ids = ledger.waiting.ids
    queue, job = snapshot.queue, ids.index(name)
    row = int(np.flatnonzero(queue.job == job)[0])
    choice, decision = choice_on(rule, snapshot, job, int(queue.first_task[row]), queue.demand[row])
    again = starts_on(decision.place, ids, snapshot.cluster)
    return replace(choice, same=again[: len(each.starts)] == each.starts)
