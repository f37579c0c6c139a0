"""Whether queueing can explain what a log recorded, in words and as a document (rules H3 and H4)."""

import math
from typing import Any

from loadmaster.measure.explained import why_unexplained
from loadmaster.measure.recorded import Recorded
from loadmaster.model.units import percent, show_seconds
from loadmaster.runs.case import MOST_LEFT_OUT


def why_not(found: Recorded | None, left_out: int = 0) -> str:
    """Why queueing does not explain what `found` says, where `left_out` jobs did not fit; empty where it can."""
    if found is not None and fits_too_little(found, left_out):
        do, be = ("does", "is") if left_out == 1 else ("do", "are")
        return f"{left_out:,} of {found.metrics.jobs + left_out:,} jobs {do} not fit these machines and {be} left out"
    return why_unexplained(found)


def room_sentence(found: Recorded | None, left_out: int = 0) -> str:
    """The verdict first, then what it stands on; empty where the log does not say when any job started."""
    if found is None:
        return ""
    waited = waited_sentence(found, left_out)
    if because := why_not(found, left_out):
        if fits_too_little(found, left_out):
            return f"{waited}. Whether queueing explains it is not known: {because}."
        return f"{waited}. Queueing does not explain it: {because}."
    name = max(found.over, key=lambda each: found.over[each])
    return (
        f"{waited}. Queueing can explain it: {name} in use reached {found.peak[name]:.3g} times what there is and were "
        f"above it for {percent(found.over[name])} of the time; {percent(found.with_room)} of the waiting passed while "
        "there was room."
    )


def waited_sentence(found: Recorded, left_out: int) -> str:
    """How long jobs really waited; whose wait that is, where many are not among them. Without its full stop."""
    jobs = found.metrics.jobs
    fit = "the only job that fits" if jobs == 1 else f"the {jobs:,} jobs that fit"
    who = fit if fits_too_little(found, left_out) else "jobs"
    return f"Recorded: {who} really waited {show_seconds(found.metrics.mean_wait_s)} on average"


def fits_too_little(found: Recorded, left_out: int) -> bool:
    """Whether so many jobs do not fit the machines that the others do not stand for the log."""
    return left_out > MOST_LEFT_OUT * (found.metrics.jobs + left_out)


def room_document(found: Recorded | None, left_out: int = 0) -> dict[str, Any] | None:
    """The same as plain values; None where the log does not say when any job started."""
    if found is None:
        return None
    because = why_not(found, left_out)
    with_room, wait = found.with_room, found.metrics.mean_wait_s
    return {
        "mean_wait_s": wait if math.isfinite(wait) else None, "explained_by_queueing": not because,
        "because": because or None, "unknown_starts": found.unknown, "peak_use": found.peak,
        "time_over_capacity": found.over, "wait_with_room": with_room if math.isfinite(with_room) else None,
        "sentence": room_sentence(found, left_out),
    }  # fmt: skip
