"""Alibaba's cluster trace of 2017: batch tasks (`batch_task.csv`) and machines (`server_event.csv`)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from loadmaster.model import Cluster, InputError
from loadmaster.model.arrays import Bools, Floats
from loadmaster.model.units import CORES, MEMORY, show_bytes
from loadmaster.system.counted import counted
from loadmaster.traces.options import ReadOptions
from loadmaster.traces.rejects import Locate, Rejects, Rule
from loadmaster.traces.tabular import (
    MOST_TASKS,
    NO_CORES,
    RAGGED,
    RESOURCE,
    RowTable,
    amount_check,
    read_table,
    time_checks,
)
from loadmaster.traces.text_table import batches
from loadmaster.traces.trace import Trace
from loadmaster.traces.values import absent, moments, numbers, words

TASK_FIELDS = ("create", "end", "job_id", "task_id", "instances", "status", "cpus", "memory")
EVENT_FIELDS = ("timestamp", "machine", "event", "detail", "cpus", "memory", "disk")
LARGEST_HOST = float(1 << 37)
"""Bytes that stand for the normalized memory 1.0; a power of two, so that as much as possible stays exact."""
CENT = 100.0
"""Tasks count processors in hundredths; machines in whole ones."""
BEFORE = Rule("created before the log begins", bad=False)
NO_INSTANCES = Rule("number of instances is not a whole number from 1 up")


def is_alibaba2017(line: str) -> bool:
    """Whether a log begins with `line`, be it a header or a task."""
    cells = line.split(",")
    states = ("Terminated", "Waiting", "Failed", "Running", "Cancelled", "Interrupted", "Ready")
    return "task_create_time" in line or (len(cells) == len(TASK_FIELDS) and cells[5].strip() in states)


def read_alibaba2017(path: str | Path, options: ReadOptions = ReadOptions()) -> Trace:
    """Read `batch_task.csv`, plain or gzip, with or without a header line; a job is one task row, its instances tasks.

    Every instance counts as running as long as its task: the instances' own times are in another, huge table.

    Raises:
        InputError: the file cannot be read, holds no job, or (`options.strict`) has a bad line.
    """
    path = Path(path)
    rejects = Rejects(path, strict=options.strict)

    def tables() -> Iterator[tuple[RowTable, Locate]]:
        for batch in batches(path, _header(path, TASK_FIELDS), progress=options.progress):
            yield _table(batch.frame, batch.ragged), batch.locate

    read = read_table(tables(), rejects, options.limit, path.name)
    notes = [
        f"Memory is normalized in this log: 1.0 is shown as {show_bytes(LARGEST_HOST)}, its true size is not known.",
        "Every instance counts as running as long as its whole task.",
    ]
    if running := read.marked.get("running"):
        notes.append(
            f"{counted(running, 'task was', 'tasks were')} running at their last record; the runtime so far is used."
        )
    return Trace(read.workload, None, rejects.skipped, tuple(notes))


def read_server_events(path: Path) -> Cluster:
    """The machines that `server_event.csv` adds; its later errors and removals are passed over.

    Raises:
        InputError: the file cannot be read, or a machine has no processors.
    """
    names: list[str] = []
    rows: list[NDArray[np.float64]] = []
    for batch in batches(path, _header(path, EVENT_FIELDS)):
        added = batch.frame.filter(words(batch.frame["event"]) == "add")
        names += words(added["machine"]).fill_null("?").to_list()
        rows.append(np.column_stack((numbers(added["cpus"]).values, _bytes(added["memory"]))))
    if not names:
        raise InputError(path.name, "no machine is added in this file", where=str(path))
    return Cluster((CORES, MEMORY), np.concatenate(rows), tuple(names))


def _header(path: Path, fields: tuple[str, ...]) -> Any:
    def header(cells: list[str]) -> tuple[list[str], bool]:
        if len(cells) != len(fields):
            rule = f"this table has {len(fields)} columns"
            raise InputError(f"{len(cells)} columns", rule, where=str(path))
        return list(fields), not cells[0].strip().lstrip("-").isdigit()

    return header


def _table(frame: pl.DataFrame, ragged: Bools) -> RowTable:
    create, end, cpus = moments(frame["create"]), moments(frame["end"]), numbers(frame["cpus"])
    instances = numbers(frame["instances"])
    runtime = absent(frame.height)._replace(
        values=end.values - create.values, missing=end.missing | create.missing, bad=end.bad | create.bad
    )
    count = instances.or_else(0.0)
    wrong_count = instances.bad | (count < 1) | (count > MOST_TASKS) | (count != np.floor(count))
    memory = numbers(frame["memory"])
    checks = [
        (RAGGED, ragged),
        (NO_CORES, ~cpus.bad & ~(cpus.values > 0) & ~(cpus.values < 0)),
        (BEFORE, create.values < 0),
        *time_checks(create, runtime),
        (NO_INSTANCES, wrong_count),
        amount_check("cpus", cpus),
        amount_check("memory", memory),
    ]
    columns: dict[str, NDArray[Any]] = {
        "submit_s": create.values,
        "runtime_s": runtime.values,
        "tasks": np.clip(count, 1, MOST_TASKS).astype(np.int32),
        "job_id": _identifiers(frame),
        RESOURCE + CORES: cpus.or_else(0.0) / CENT,
        RESOURCE + MEMORY: np.floor(memory.or_else(0.0) * LARGEST_HOST),
    }
    running = (words(frame["status"]) == "Running").fill_null(value=False).to_numpy()
    return RowTable(checks, columns, {"running": running})


def _identifiers(frame: pl.DataFrame) -> NDArray[np.int64]:
    return np.asarray(words(frame["task_id"]).cast(pl.Int64, strict=False).fill_null(-1).to_numpy(), dtype=np.int64)


def _bytes(column: pl.Series) -> Floats:
    return np.floor(numbers(column).values * LARGEST_HOST)
