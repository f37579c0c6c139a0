"""The job of a listing of the queue that a user names, and when the queue was listed."""

import re

import numpy as np

from loadmaster.model import InputError, Workload
from loadmaster.model.units import show_seconds
from loadmaster.rules.near import near_to
from loadmaster.runs import Case
from loadmaster.system.counted import counted
from loadmaster.traces import Trace


def moment_of_listing(read: Trace) -> float:
    """When the queue was listed; where no job runs, right after the last submission in it."""
    return read.workload.span_s + 1.0 if read.listed_s is None else read.listed_s


def waiting_row(job: str | int, read: Trace, case: Case) -> int:
    """The row of the job that is asked about.

    Args:
        job: its number, or `4711_3` of an array.
        read: the listing.
        case: its jobs that hosts can hold.

    Raises:
        InputError: no listing of a queue, no such job in it, one that runs, or one that no host can hold.
    """
    where = read.workload.source
    if not read.of_queue:
        rule = "this is a log of finished jobs, not a listing of the present queue"
        fix = "give what `squeue --json` prints, and the log with --log"
        raise InputError(where or "SQUEUE", rule, fix=fix)
    word = str(job).strip()
    rows = _named_rows(case.workload, word)
    running = set() if case.workload.starting is None else set(case.workload.starting.job.tolist())
    waiting = [row for row in rows if row not in running]
    if waiting:
        return waiting[0]
    if rows:
        assert case.workload.starting is not None
        began = int(case.workload.starting.job.tolist().index(rows[0]))
        since_s = moment_of_listing(read) - float(case.workload.starting.start_s[began])
        rule = f"this job runs already, since {show_seconds(since_s)} before the listing"
        raise InputError(word, rule, fix="name a job that waits", where=where)
    if _named_rows(read.workload, word):
        reason = next(iter(case.rejected.counts), "it fits nowhere")
        fix = "request less, or give the machines that it needs (--hosts)"
        raise InputError(word, f"this job never starts here: {reason}", fix=fix, where=where)
    names = [str(case.workload.id_of(each)) for each in range(case.workload.jobs) if each not in running]
    near = near_to(word, names)
    fix = (
        f"did you mean {near}?" if near else f"{counted(len(names), 'job waits', 'jobs wait')} in it: name one of them"
    )
    raise InputError(
        word,
        "no such job runs or waits in this listing: it has ended, or belongs to another queue",
        fix=fix,
        where=where,
    )


def _named_rows(workload: Workload, word: str) -> list[int]:
    """The rows of the jobs that a word names: `4711`, or `4711_3` of an array."""
    match = re.fullmatch(r"([0-9]{1,18})(?:_([0-9]{1,9}))?", word)
    if match is None:
        return []
    number, bound = int(match[1]), workload.constraints
    if match[2] is not None:
        if bound is None or bound.array is None or bound.array_task is None:
            return []
        return np.flatnonzero((bound.array == number) & (bound.array_task == int(match[2]))).tolist()
    ids = np.arange(workload.jobs) if workload.job_id is None else workload.job_id
    rows: list[int] = np.flatnonzero(ids == number).tolist()
    if not rows and bound is not None and bound.array is not None:
        rows = np.flatnonzero(bound.array == number).tolist()
    return rows
