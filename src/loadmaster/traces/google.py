"""Google's cluster traces: task events of 2011 (version 2) and instance events of 2019; a task is a job."""

import csv
import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from loadmaster.model.constraints import STATUSES
from loadmaster.model.units import GB
from loadmaster.traces.files import head_of
from loadmaster.traces.job_records import (
    NEVER_STARTED,
    NO_RECORD,
    LogRecord,
    RecordValues,
    lines_of,
    parsed,
    read_records,
)
from loadmaster.traces.options import ReadOptions
from loadmaster.traces.rejects import Rule
from loadmaster.traces.trace import Trace

MICROSECOND = 1e-6
WHOLE_MEMORY = 128.0 * GB
"""Taken as the memory of the largest machine, of which the log counts parts."""
GOING = Rule("the task had not ended when the log did", bad=False)
_SUBMIT, _SCHEDULE, _EVICT, _FAIL, _FINISH, _KILL, _LOST = range(7)
_KINDS_OF_2019 = {0: _SUBMIT, 3: _SCHEDULE, 4: _EVICT, 5: _FAIL, 6: _FINISH, 7: _KILL, 8: _LOST}
_ENDS = {_FAIL: "failed", _FINISH: "ok", _KILL: "cancelled", _LOST: "node_fail"}
_LINE_2011 = re.compile(r"\d+,[0-2]?,\d+,\d+,\d*,[0-8],[^,]*,[0-3]?,\d*,[\d.eE+-]*,[\d.eE+-]*,[\d.eE+-]*,[01]?")
NOTE = (
    "CPU and memory are parts of the largest machine: CPU counts as so many cores, memory 1.0 as 128 GiB. "
    "Hosts are as large then: --hosts 12500x1c128g."
)


class TaskEvent(NamedTuple):
    """What happened to a task: its kind as of 2011, and what the task requests."""

    time_s: float
    task: tuple[int, int]
    kind: int
    user: str | None
    priority: float
    cpus: float
    memory: float


@dataclass
class _Task:
    """A task that has not ended."""

    submit_s: float
    user: str | None
    priority: float
    cpus: float
    memory: float
    start_s: float | None = None
    restarts: int = 0


def is_google(line: str) -> bool:
    """Whether `line` is one of task events of 2011, or heads or begins instance events of 2019.

    Example:
        >>> is_google("0,2,3418309,0,4155527081,0,70s3v5,3,9,0.125,0.07446,0.0004244,0")
        True
    """
    of_2019 = '"collection_id"' in line or ("collection_id" in line and "instance_index" in line)
    return of_2019 or _LINE_2011.fullmatch(line) is not None


def read_google(path: str | Path, options: ReadOptions = ReadOptions()) -> Trace:
    """Read task events of 2011 (CSV) or instance events of 2019 (CSV with a header, or JSON a line), plain or gzip.

    A task arrives at its first submission and runs from its last start to its end; evictions count as restarts.

    Raises:
        InputError: the file cannot be read, holds no task that ended, or (`options.strict`) has a bad line.
    """
    path = Path(path)
    return read_records(path, options, _tasks(path, options), job_of, [NOTE])


def job_of(event: Any) -> RecordValues | Rule:
    """What a task that is over says; a rule comes through."""
    return event if isinstance(event, Rule) else dict(event)


def _tasks(path: Path, options: ReadOptions) -> Iterator[LogRecord]:
    """A record for each task that ends, or that is still there at the end; only those that go on are held."""
    going: dict[tuple[int, int], _Task] = {}
    line = 0
    for line, text, event in _events(path, options):
        if event is None:
            yield LogRecord(line, text, NO_RECORD)
            continue
        task = going.get(event.task)
        if task is None:
            task = going[event.task] = _Task(event.time_s, event.user, event.priority, event.cpus, event.memory)
        if event.kind == _SCHEDULE:
            task.start_s = event.time_s
        elif event.kind == _EVICT:
            task.start_s, task.restarts = None, task.restarts + 1
        elif event.kind in _ENDS:
            yield LogRecord(line, text, _over(task, event))
            del going[event.task]
    for _ in going:
        yield LogRecord(line, "a task that goes on", GOING)


def _over(task: _Task, event: TaskEvent) -> Mapping[str, Any] | Rule:
    if task.start_s is None:
        return NEVER_STARTED
    return {
        "submit_s": task.submit_s,
        "runtime_s": event.time_s - task.start_s,
        "wait_s": task.start_s - task.submit_s,
        "job_id": event.task[0],
        "cores": task.cpus,
        "memory_bytes": task.memory * WHOLE_MEMORY,
        "user": task.user,
        "priority": task.priority,
        "restarts": task.restarts,
        "status": STATUSES.index(_ENDS[event.kind]),
    }


def _events(path: Path, options: ReadOptions) -> Iterator[tuple[int, str, TaskEvent | None]]:
    """Every event with its line; None where the line is broken."""
    first = head_of(path, 1 << 16).decode("utf-8", "replace").lstrip().split("\n")[0]
    names = next(csv.reader([first.strip()])) if "collection_id" in first and not first.startswith("{") else []
    parse = partial(_of_2019, names=names) if names or first.startswith("{") else _of_2011
    for record in lines_of(path, options.progress):
        if names and record.content.strip() == first.strip():
            continue
        event = parsed(parse, record.content)
        if event is not None:
            yield record.line, record.text, None if isinstance(event, Rule) else event


def _of_2011(line: str) -> TaskEvent | None:
    cells = line.split(",")
    kind = int(cells[5])
    if kind > _LOST:
        return None
    return TaskEvent(
        _finite(cells[0]) * MICROSECOND,
        (int(cells[2]), int(cells[3])),
        kind,
        cells[6] or None,
        _finite(cells[8] or 0),
        _finite(cells[9] or 0),
        _finite(cells[10] or 0),
    )


def _of_2019(line: str, names: list[str]) -> TaskEvent | None:
    row = dict(zip(names, next(csv.reader([line])), strict=True)) if names else json.loads(line)
    kind = _KINDS_OF_2019.get(int(row["type"]))
    if kind is None:
        return None
    request = row.get("resource_request") or {}
    request = request if isinstance(request, dict) else {}
    cpus = request.get("cpus", row.get("resource_request.cpus", row.get("cpus")))
    memory = request.get("memory", row.get("resource_request.memory", row.get("memory")))
    return TaskEvent(
        _finite(row["time"]) * MICROSECOND,
        (int(row["collection_id"]), int(row["instance_index"])),
        kind,
        row.get("user") or None,
        _finite(row.get("priority") or 0),
        _finite(cpus or 0),
        _finite(memory or 0),
    )


def _finite(value: Any) -> float:
    """`value` as a number.

    Raises:
        ValueError: it is none, or not finite: JSON of many writers holds Infinity and NaN.
    """
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(value)
    return number
