"""Alibaba's GPU cluster of 2023 ("openb"): pods with CPU, memory and GPU, and the nodes they ran on."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from loadmaster.model import Cluster, Constraints, InputError, SiteRules
from loadmaster.model.arrays import Bools
from loadmaster.model.constraints import STATUSES
from loadmaster.model.units import CORES, GPUS, MB, MEMORY
from loadmaster.system.counted import counted
from loadmaster.traces.constraint_columns import BindingColumns
from loadmaster.traces.options import ReadOptions
from loadmaster.traces.rejects import Locate, Rejects, Rule
from loadmaster.traces.tabular import (
    BOUND,
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
from loadmaster.traces.values import Codes, moments, numbers, words

POD_FIELDS = (
    "name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli", "creation_time", "deletion_time", "scheduled_time",
)  # fmt: skip
NODE_FIELDS = ("sn", "cpu_milli", "memory_mib", "gpu")
MILLI = 1000.0
NEVER_SCHEDULED = Rule("this pod was never scheduled, so its runtime is unknown", bad=False)


def read_openb(path: str | Path, options: ReadOptions = ReadOptions()) -> Trace:
    """Read `openb_pod_list_*.csv`, plain or gzip; a pod is a job of one task.

    A pod runs from `scheduled_time` to `deletion_time`. GPUs are num_gpu x gpu_milli / 1000, so a pod that shares a
    GPU requests a part of it (rule Q22). The quality of service (`qos`) is the project, too; a
    model of GPU (`gpu_spec`) is a feature that the host must have.

    Raises:
        InputError: the file cannot be read, lacks a column, holds no job, or (`options.strict`) has a bad line.
    """
    path = Path(path)
    rejects = Rejects(path, strict=options.strict)
    classes, bound = Codes(), BindingColumns()

    def tables() -> Iterator[tuple[RowTable, Locate]]:
        for batch in batches(path, _header(path, POD_FIELDS), progress=options.progress):
            yield _table(batch.frame, batch.ragged, classes, bound), batch.locate

    def constraints(columns: dict[str, NDArray[Any]], rows: Mapping[str, NDArray[Any]]) -> Constraints:
        return bound.constraints(columns, rows)

    read = read_table(
        tables(), rejects, options.limit, path.name, constraints=constraints, all_fields=options.all_fields
    )
    notes = [*bound.notes]
    if running := read.marked.get("running"):
        notes.append(f"{counted(running, 'pod was', 'pods were')} running when the log ended; the runtime ends there.")
    return Trace(read.workload, None, rejects.skipped, tuple(notes), {}, read.extra)


def read_openb_nodes(path: Path) -> Cluster:
    """The nodes of `openb_node_list_*.csv`: cores, memory, GPUs, and their model as a feature.

    Raises:
        InputError: the file cannot be read, or a node breaks a rule.
    """
    names: list[str] = []
    models: list[str | None] = []
    rows: list[NDArray[np.float64]] = []
    for batch in batches(path, _header(path, NODE_FIELDS)):
        frame = batch.frame
        amounts = [
            numbers(frame["cpu_milli"]).values / MILLI,
            numbers(frame["memory_mib"]).values * MB,
            numbers(frame["gpu"]).or_else(0.0),
        ]
        names += words(frame["sn"]).fill_null("?").to_list()
        models += words(frame["model"]).to_list() if "model" in frame.columns else [None] * frame.height
        rows.append(np.column_stack(amounts))
    if not names:
        raise InputError(path.name, "no node in this file", where=str(path))
    features = tuple(() if model is None else (model,) for model in models)
    rules = SiteRules(features=features) if any(features) else None
    return Cluster((CORES, MEMORY, GPUS), np.concatenate(rows), tuple(names), rules=rules)


def _header(path: Path, fields: tuple[str, ...]) -> Any:
    def header(cells: list[str]) -> tuple[list[str], bool]:
        names = [cell.strip() for cell in cells]
        for field in fields:
            if field not in names:
                raise InputError(field, "this column is missing", fix=f"needed: {', '.join(fields)}", where=str(path))
        return names, True

    return header


def _table(frame: pl.DataFrame, ragged: Bools, classes: Codes, bound: BindingColumns) -> RowTable:
    created, scheduled = moments(frame["creation_time"]), moments(frame["scheduled_time"])
    deleted = moments(frame["deletion_time"])
    runtime = deleted._replace(
        values=deleted.values - scheduled.values,
        missing=deleted.missing | scheduled.missing,
        bad=deleted.bad | scheduled.bad,
    )
    amounts = {name: numbers(frame[name]) for name in ("cpu_milli", "memory_mib", "num_gpu", "gpu_milli")}
    share = np.where(amounts["num_gpu"].values == 1, amounts["gpu_milli"].or_else(MILLI) / MILLI, 1.0)
    cores = amounts["cpu_milli"].or_else(0.0) / MILLI
    checks = [
        (RAGGED, ragged),
        (NEVER_SCHEDULED, scheduled.missing),
        *time_checks(created, runtime),
        *(amount_check(name, amount) for name, amount in amounts.items()),
        (NO_CORES, cores <= 0),
    ]
    columns: dict[str, NDArray[Any]] = {
        "submit_s": created.values,
        "runtime_s": runtime.values,
        "job_id": _identifiers(frame),
        RESOURCE + CORES: cores,
        RESOURCE + MEMORY: amounts["memory_mib"].or_else(0.0) * MB,
        RESOURCE + GPUS: amounts["num_gpu"].or_else(0.0) * share,
    }
    if "qos" in frame.columns:
        columns["project"] = classes(frame["qos"])
        columns[BOUND + "qos"] = bound.codes("qos", frame["qos"])
    if "gpu_spec" in frame.columns:
        columns[BOUND + "features"] = bound.codes("features", frame["gpu_spec"])
    columns["recorded_wait_s"] = scheduled.values - created.values
    marks = {}
    if "pod_phase" in frame.columns:
        failed = (words(frame["pod_phase"]) == "Failed").fill_null(value=False).to_numpy()
        columns[BOUND + "status"] = np.where(failed, STATUSES.index("failed"), 0)
        marks["running"] = (words(frame["pod_phase"]) == "Running").fill_null(value=False).to_numpy()
    return RowTable(checks, columns, marks)


def _identifiers(frame: pl.DataFrame) -> NDArray[np.int64]:
    digits = words(frame["name"]).str.extract(r"([0-9]+)$", 1).cast(pl.Int64, strict=False).fill_null(-1)
    return np.asarray(digits.to_numpy(), dtype=np.int64)
