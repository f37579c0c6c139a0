"""The present state of a queue, as `squeue` lists it: running jobs keep their start, and the others come after it."""

from pathlib import Path

import numpy as np
import polars as pl

from loadmaster.model import InputError
from loadmaster.model.arrays import Bools, Floats
from loadmaster.traces.values import moments, words

START = "start_time so far"
"""The column of starts: of a waiting job it is a guess."""
SINCE = "running since"
NAMED, WITHOUT = "hosts named", "hosts excluded"
"""Columns of the hosts that a job must be on, and of those that it must not be on (-w and -x)."""
NEXT_S = 1.0
"""So long after the last start or submission of the listing a waiting job may start: Slurm counts whole seconds."""
_RUNS = ("RUNNING", "COMPLETING", "SUSPENDED", "STOPPED", "R", "CG", "S", "ST")
_OVER = (
    "COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL", "PREEMPTED", "BOOT_FAIL", "DEADLINE", "OUT_OF_MEMORY",
    "REVOKED", "CD", "CA", "F", "TO", "NF", "PR", "BF", "DL", "OOM", "RV",
)  # fmt: skip


def running_since(frame: pl.DataFrame, path: Path) -> Floats:
    """float64[N]: when each job that runs started; NaN of the others.

    Raises:
        InputError: a job runs, and the listing does not say since when.
    """
    runs = _runs(frame)
    start = moments(frame[START]) if START in frame.columns else None
    lost = runs if start is None else runs & np.isnan(start.values)
    if lost.any():
        name = str(frame["jobid"][int(np.argmax(lost))]) if "jobid" in frame.columns else "a job"
        rule = "this job runs, and the listing of squeue does not say since when: it would start again"
        raise InputError(name, rule, fix="print the starts: squeue --json, or START_TIME with -o %S", where=str(path))
    return np.full(frame.height, np.nan) if start is None else np.where(runs, start.values, np.nan)


def not_before_the_listing(since_s: Floats, eligible_s: Floats, submit_s: Floats) -> Floats | None:
    """float64[J]: from when each job may start; None where no job runs.

    A running job starts when it did. A job that waits had not started when the queue was listed, which is not before
    the last start and submission in it.
    """
    runs = ~np.isnan(since_s)
    if not runs.any():
        return None
    listed_s = listed_at(since_s, submit_s)
    return np.where(runs, np.fmax(since_s, submit_s), np.fmax(np.fmax(eligible_s, submit_s), listed_s))


def listed_at(since_s: Floats, submit_s: Floats) -> float:
    """When the queue was listed at the soonest: right after the last start and submission in it."""
    return max(float(np.nanmax(since_s)), float(submit_s.max())) + NEXT_S


def is_over(frame: pl.DataFrame) -> Bools:
    """bool[N]: the jobs that have ended, which `squeue --states=all` lists as well."""
    if "state" not in frame.columns:
        return np.zeros(frame.height, bool)
    return np.asarray(words(frame["state"]).str.to_uppercase().is_in(_OVER).fill_null(value=False).to_numpy())


def _runs(frame: pl.DataFrame) -> Bools:
    if "state" not in frame.columns:
        return np.zeros(frame.height, bool)
    return np.asarray(words(frame["state"]).str.to_uppercase().is_in(_RUNS).fill_null(value=False).to_numpy())
