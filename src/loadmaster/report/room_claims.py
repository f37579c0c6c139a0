"""Whether queueing can explain what a log recorded, in words and as a document (rules H3 and H4)."""

import math
from typing import Any

from loadmaster.measure.queueing_check import why_unexplained
from loadmaster.measure.recorded_metrics import Recorded
from loadmaster.model.units import percent, show_seconds
from loadmaster.runs.case import MOST_WORK_LEFT_OUT
from loadmaster.traces import Skipped


def why_not(record: Recorded | None, rejected: Skipped) -> str:
    """Why queueing does not explain what `record` says, where the `rejected` jobs did not fit; empty where it can."""
    if record is not None and fits_too_little(rejected):
        lost, work = rejected.total, percent(rejected.work)
        do, be = ("does", "is") if lost == 1 else ("do", "are")
        jobs = f"{lost:,} of {record.jobs + lost:,} jobs"
        return f"{jobs} with {work} of the work {do} not fit these machines and {be} left out"
    return why_unexplained(record)


def room_sentence(record: Recorded | None, rejected: Skipped) -> str:
    """The verdict first, then what it stands on; empty where the log does not say when any job started."""
    if record is None:
        return ""
    waited = waited_sentence(record, rejected)
    if because := why_not(record, rejected):
        if fits_too_little(rejected):
            return f"{waited}. Whether queueing explains it is not known: {because}."
        return f"{waited}. Queueing does not explain it: {because}."
    name = max(record.over, key=lambda each: record.over[each])
    peak, over = record.peak[name], percent(record.over[name])
    return (
        f"{waited}. Queueing can explain it: {name} in use reached {peak:.3g} times what there is and were "
        f"above it for {over} of the time; {percent(record.with_room)} of the waiting passed while there was room."
    )


def waited_sentence(record: Recorded, rejected: Skipped) -> str:
    """How long jobs really waited; whose wait, where much of the work is left out. Without its full stop."""
    jobs = record.jobs
    fit = "the only job that fits" if jobs == 1 else f"the {jobs:,} jobs that fit"
    who = fit if fits_too_little(rejected) else "jobs"
    return f"Recorded: {who} really waited {show_seconds(record.mean_wait_s)} on average"


def fits_too_little(rejected: Skipped) -> bool:
    """Whether so much of the work does not fit the machines that the rest does not stand for the log."""
    return rejected.work > MOST_WORK_LEFT_OUT


def room_document(record: Recorded | None, rejected: Skipped) -> dict[str, Any] | None:
    """The same as plain values; None where the log does not say when any job started."""
    if record is None:
        return None
    because = why_not(record, rejected)
    with_room, wait = record.with_room, record.mean_wait_s
    return {
        "mean_wait_s": wait if math.isfinite(wait) else None,
        "explained_by_queueing": not because,
        "because": because or None,
        "unknown_starts": record.unknown,
        "peak_use": record.peak,
        "time_over_capacity": record.over,
        "wait_with_room": with_room if math.isfinite(with_room) else None,
        "sentence": room_sentence(record, rejected),
    }
