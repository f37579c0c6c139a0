"""The result of a fit of a site's queue: in words, as rows and as a document (rules H10 to H12)."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from loadmaster.measure.goodness_of_fit import GoodnessOfFit
from loadmaster.measure.queueing_check import RoomOverTime, room_over_time
from loadmaster.measure.recorded_metrics import Recorded, recorded
from loadmaster.measure.resample import FEWEST_WEEKS, whole_weeks
from loadmaster.model.units import percent, signed
from loadmaster.report.document import rejected_jobs
from loadmaster.report.room_claims import room_document, room_sentence, why_not
from loadmaster.runs import Case
from loadmaster.system.counted import counted
from loadmaster.traces import Skipped

if TYPE_CHECKING:  # the search compiles kernels
    from loadmaster.search.site_fit import SiteFit, TriedQueue

MOST_ERROR = 0.5
"""A larger weekly error on odd weeks: the queue found is none of this site (rule H11)."""


@dataclass(frozen=True, eq=False)
class FitFound:
    """The verdict, and the queues that were tried.

    Attributes:
        log: its name.
        really: the log's own record; None if there is none.
        rejected: jobs that did not fit the machines; skipped: lines of the log that could not be used.
        room: what was in use, and the jobs that waited, over time; None where the log does not say.
        fit: the queues that were tried; None if queueing explains nothing, so that none were.
        refused: why no queue is offered; empty where one is.
        remarks: what was left out or assumed, and whether data is synthetic, one sentence each.
        notes: what was assumed.
        synthetic: the log was made by a generator.
        command: the command that makes it again.
    """

    log: str
    really: Recorded | None
    rejected: Skipped
    skipped: Skipped
    room: RoomOverTime | None
    fit: "SiteFit | None"
    refused: str
    remarks: tuple[str, ...]
    notes: tuple[str, ...]
    synthetic: bool
    command: str


def why_refused_before(case: Case) -> str:
    """Why nothing is tried on this log; empty where something is."""
    if case.without_verdict:
        return case.without_verdict.removeprefix("No verdict: ").removesuffix(".")
    record = recorded(case.workload, case.cluster, case.launch_s)
    because = why_not(record, case.rejected)
    if because and record is not None:
        return f"queueing does not explain the recorded waits: {because}"
    weeks = whole_weeks(case.workload)
    if not because and weeks < FEWEST_WEEKS:
        many = counted(weeks, "whole week")
        return f"{many} are too few: some choose the queue and others judge it, {FEWEST_WEEKS} at least"
    return because


def fit_result(case: Case, fit: "SiteFit | None", refused: str, command: str, remarks: Sequence[str] = ()) -> FitFound:
    """The result of a fit; `refused` has the reason if nothing was tried, `remarks` what was left out or assumed."""
    really = recorded(case.workload, case.cluster, case.launch_s)
    if fit is not None and not fit.best.beside.odd.error <= MOST_ERROR:
        error = percent(fit.best.beside.odd.error)
        refused = f"the nearest queue is {error} from the recorded waits in weeks that did not choose it"
    room = None if really is None else room_over_time(case.workload, case.cluster)
    return FitFound(
        case.workload.source or "this log",
        really,
        case.rejected,
        case.skipped,
        room,
        fit,
        refused,
        tuple(remarks),
        tuple(case.notes),
        case.workload.synthetic,
        command,
    )


def fit_sentence(result: FitFound) -> str:
    """The answer: the queue and how near it comes, or why none is offered."""
    if result.refused:
        return f"No fit: {result.refused}."
    assert result.fit is not None
    best, usual = result.fit.best, result.fit.usual
    odd = best.beside.odd
    return (
        f"The site's queue is most like {best.queue.words}: in weeks that did not choose it, weekly mean waits are "
        f"{percent(odd.error)} from the recorded ones (rank correlation {_digits(odd.rank)}), all waiting "
        f"{signed(odd.total)}; fcfs+easy at every event: {percent(usual.beside.odd.error)}."
    )


def verdict_sentence(result: FitFound) -> str:
    """What rules H3 and H4 say of the log."""
    return room_sentence(result.really, result.rejected)


def ranked(result: FitFound) -> "list[TriedQueue]":
    """All that was tried, the best first, then by their error on even weeks."""
    if result.fit is None:
        return []
    best = result.fit.best
    others = [each for each in result.fit.tried if each.queue != best.queue]
    return [best, *sorted(others, key=lambda each: (each.beside.even.error, each.queue.words))]


def fit_rows(result: FitFound) -> list[dict[str, Any]]:
    """A row for each queue that was tried, as plain values."""
    return [
        {
            **asdict(each.queue),
            "best": result.fit is not None and each.queue == result.fit.best.queue,
            **_plain(each.beside.even, "even"),
            **_plain(each.beside.odd, "odd"),
        }
        for each in ranked(result)
    ]


def fit_document(result: FitFound, cpu_s: float, text: str) -> dict[str, Any]:
    """What `fit --json` says, but for the head."""
    best = None if result.fit is None else asdict(result.fit.best.queue)
    return {
        "log": result.log,
        "sentence": fit_sentence(result),
        "refused": result.refused or None,
        "recorded": room_document(result.really, result.rejected),
        "best": None if result.refused else best,
        "site": text or None,
        "cpu_s": cpu_s,
        **rejected_jobs(result.rejected),
        "rows": fit_rows(result),
    }


def _plain(fit: GoodnessOfFit, which: str) -> dict[str, Any]:
    return {
        f"{which}_{name}": value if not isinstance(value, float) or math.isfinite(value) else None
        for name, value in asdict(fit).items()
    }


def _digits(value: float) -> str:
    return f"{value:.2f}" if math.isfinite(value) else "unknown"
