"""Write SWF: one line for each job, 18 fields, -1 for unknown values."""

from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np
import polars as pl
from numpy.typing import NDArray

from loadmaster.model import Constraints, InputError, Workload
from loadmaster.model.arrays import Floats
from loadmaster.model.units import KB, MEMORY
from loadmaster.traces.recipe import LABEL, Recipe
from loadmaster.traces.swf_names import LABEL as NAMES

SLICE = 1_000_000
"""Jobs that are put into words at a time, so that memory stays bounded."""


def write_swf(
    workload: Workload,
    file: BinaryIO,
    extra: Mapping[str, NDArray[Any]],
    recipe: Recipe | None = None,
    names: str = "",
) -> None:
    """Write the header and all jobs; see `write_trace` for what SWF can hold.

    Args:
        workload: the jobs.
        file: where to.
        extra: columns of further fields by the names of `swf_block.EXTRA`, and `user` and `project`.
        recipe: how a synthetic log was made.
        names: the table of names beside the log, "" for none.

    Raises:
        InputError: fractions of cores.
    """
    processors = _processors(workload)
    about = [
        "Version: 2.2",
        f"MaxJobs: {workload.jobs}",
        f"Note: written by loadmaster from {workload.source or 'memory'}",
    ]
    about += [f"Synthetic: {workload.source}"] if workload.synthetic else []
    about += [f"{LABEL}: {recipe.text}"] if workload.synthetic and recipe is not None else []
    about += [f"{NAMES}: {names}"] if names else []
    file.write("".join(f"; {line}\n" for line in about).encode())
    for start in range(0, workload.jobs, SLICE):
        part = slice(start, start + SLICE)
        frame = _frame(
            workload.take(part), processors[part], {name: column[part] for name, column in extra.items()}, start
        )
        frame.write_csv(file, separator=" ", include_header=False, quote_style="never")


def _processors(workload: Workload) -> Floats:
    cores = workload.demand[:, 0]
    if np.any(cores != np.floor(cores)) or np.any(cores < 1):
        job = int(np.argmax((cores != np.floor(cores)) | (cores < 1)))
        rule = f"job {workload.id_of(job)} requests this many cores; SWF holds whole processors from 1 up"
        raise InputError(cores[job], rule, fix="write .csv or .parquet")
    return cores * workload.task_count


def _frame(workload: Workload, processors: Floats, extra: Mapping[str, NDArray[Any]], first: int) -> pl.DataFrame:
    jobs = workload.jobs
    unknown = np.full(jobs, -1.0)
    memory = unknown
    if MEMORY in workload.resources:
        bytes_ = workload.demand[:, workload.resources.index(MEMORY)] * workload.task_count
        memory = np.where(bytes_ > 0, np.floor(bytes_ / processors) / KB, -1.0)
    used = extra.get("used_memory", unknown)
    number = np.arange(first, first + jobs) if workload.job_id is None else workload.job_id
    fields = (
        number,
        workload.submit_s,
        _recorded(workload, unknown),
        workload.runtime_s,
        extra.get("used_processors", processors),
        extra.get("cpu_time_s", unknown),
        np.where(used > 0, used / KB, -1.0),
        processors,
        extra.get("estimate_s", unknown if workload.estimate_s is None else workload.estimate_s),
        memory,
        extra.get("status", unknown),
        _or_unknown(extra.get("user", workload.user), jobs),
        _or_unknown(extra.get("project", workload.project), jobs),
        *(extra.get(name, unknown) for name in ("executable", "queue", "partition")),
        *(extra.get(name, column) for name, column in _following(workload.constraints, unknown).items()),
    )
    return pl.DataFrame({str(k): _short(np.asarray(field)) for k, field in enumerate(fields)})


def _following(bound: Constraints | None, unknown: Floats) -> dict[str, NDArray[Any]]:
    """The job after whose end each is submitted and how long after that, -1 where it is none."""
    if bound is None or bound.follows is None:
        return {"preceding_job": unknown, "think_time_s": unknown}
    think_s = np.zeros(len(unknown)) if bound.think_s is None else bound.think_s
    return {"preceding_job": bound.follows, "think_time_s": np.where(bound.follows >= 0, think_s, -1.0)}


def _recorded(workload: Workload, unknown: Floats) -> Floats:
    return unknown if workload.recorded_wait_s is None else np.nan_to_num(workload.recorded_wait_s, nan=-1.0)


def _or_unknown(column: NDArray[np.int32] | None, jobs: int) -> NDArray[Any]:
    return np.full(jobs, -1) if column is None else column


def _short(field: NDArray[Any]) -> pl.Series:
    """A field in words: whole numbers without a point, others with all their digits."""
    if field.dtype.kind != "f":
        return pl.Series(field)
    whole = field == np.floor(field)
    if whole.all() and np.all(np.abs(field) < 2**53):
        return pl.Series(field.astype(np.int64))
    text = pl.Series(field).cast(pl.String)
    return text.str.replace(r"\.0$", "")
