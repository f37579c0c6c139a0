"""Priorities of waiting jobs as `sprio` prints them: the site's own order of a listed queue (rule L14)."""

import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np

from loadmaster.model import Constraints, InputError, Workload
from loadmaster.model.arrays import Bools

_JOB = re.compile(r"([0-9]{1,18})(?:_([0-9]{1,9}))?")
_FIX = "write it with `sprio -l > FILE`"


def read_priorities(path: Path) -> dict[str, float]:
    """The priority of every job in a file that `sprio`, with `-l`, `-w` or `-n` too, has written.

    A job in several partitions has a line for each: the largest priority counts.

    Raises:
        InputError: the file cannot be read, has no columns JOBID and PRIORITY, or a line that does not read so.
    """
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise InputError(path, f"this file cannot be read: {error.strerror or error}") from error
    lines = [(number, _cells(line)) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    names = [name.upper() for name in lines[0][1]] if lines else []
    if "JOBID" not in names or "PRIORITY" not in names:
        raise InputError(path, "no table of sprio with the columns JOBID and PRIORITY", fix=_FIX)
    job, priority = names.index("JOBID"), names.index("PRIORITY")
    priorities: dict[str, float] = {}
    for number, cells in lines[1:]:
        if cells[0].lower() == "weights":
            continue
        where = f"{path}:{number}"
        if len(cells) <= max(job, priority) or not _JOB.fullmatch(cells[job]):
            raise InputError(
                " ".join(cells)[:60], "no line of sprio with a job and its priority", fix=_FIX, where=where
            )
        value = _number(cells[priority], where)
        priorities[cells[job]] = max(value, priorities.get(cells[job], 0.0))
    if not priorities:
        raise InputError(path, "sprio lists no job: none waits, or the site has no multifactor priorities", fix=_FIX)
    return priorities


def with_priorities(workload: Workload, priorities: dict[str, float], waits: Bools) -> tuple[Workload, str]:
    """The jobs with these priorities, 0 for a waiting job without one, and a sentence on how many have one.

    Args:
        workload: the jobs of a listing.
        priorities: by job, `4711` or `4711_3`; that of an array is that of its tasks.
        waits: bool[J], the jobs that wait.

    Raises:
        InputError: none of the waiting jobs has one.
    """
    bound = workload.constraints or Constraints()
    none = np.full(workload.jobs, -1, np.int64)
    array = none if bound.array is None else bound.array
    task = none if bound.array_task is None else bound.array_task
    given = np.full(workload.jobs, np.nan)
    for row in np.flatnonzero(waits).tolist():
        names = (f"{array[row]}_{task[row]}", str(workload.id_of(row)), str(array[row]))
        given[row] = next((priorities[name] for name in names if name in priorities), np.nan)
    known = int((~np.isnan(given)).sum())
    if not known:
        rule = "sprio names none of the jobs that wait in this listing"
        raise InputError("--site-priorities", rule, fix="print both at the same moment: squeue, then sprio -l")
    before = np.zeros(workload.jobs) if bound.priority is None else bound.priority
    bound = replace(bound, priority=np.where(waits, np.nan_to_num(given), before))
    missing = int(waits.sum()) - known
    rest = f" Those without a line there come last ({missing:,} of them)." if missing else ""
    note = f"The order of {known:,} waiting jobs is that of sprio, as it was when sprio ran.{rest}"
    return replace(workload, constraints=bound), note


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in (line.split("|") if "|" in line else line.split())]


def _number(text: str, where: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or value < 0:
        raise InputError(text, "a priority is a number from 0 up", fix=_FIX, where=where)
    return value
