"""When a waiting job starts, in words, rows and dates: for the terminal, the page and `--json` (rules F1 to F6)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from loadmaster.forecast.coverage import Coverage
from loadmaster.forecast.start_forecast import LEVEL, WITHIN_S, StartForecast
from loadmaster.forecast.what_if import RequestChange
from loadmaster.model.units import percent, show_seconds

FEW = 20
"""Below so many past jobs a share of them says little."""


@dataclass(frozen=True, eq=False)
class QueuedJob:
    """The waiting job of the forecast.

    Attributes:
        name: as the user gave it.
        tasks: how many it has.
        cores: of all of its tasks.
        limit_s: the runtime that the scheduler counts on.
        waited_s: how long it has waited when the queue was listed.
    """

    name: str
    tasks: int
    cores: float
    limit_s: float
    waited_s: float


@dataclass(frozen=True, eq=False)
class StartFound:
    """The content of the answer of `when`.

    Attributes:
        job: the waiting job of the forecast.
        listed_s: when the queue was listed, in seconds since 1970 as the listing counts them; None without dates.
        running: jobs that run then.
        waiting: jobs that wait then, this one among them.
        forecast: of the job as it is.
        changes: of other requests, in the same samples.
        coverage: the accuracy of past forecasts; None if none were made.
        why_never: why it can never start under the rules of the site; empty if it can.
        rule: policy and discipline.
        sampled: runtimes and arrivals are drawn from a log.
        log: its name; empty without.
        notes: what was assumed, one sentence each.
        command: the command that makes it again.
        seed: of all draws.
    """

    job: QueuedJob
    listed_s: float | None
    running: int
    waiting: int
    forecast: StartForecast
    changes: tuple[RequestChange, ...]
    coverage: Coverage | None
    why_never: str
    rule: str
    sampled: bool
    log: str
    notes: tuple[str, ...]
    command: str
    seed: int

    def date(self, wait_s: float) -> str:
        """The date and clock time of a wait from the listing on; empty without dates, and where it is never."""
        if self.listed_s is None or not math.isfinite(wait_s):
            return ""
        at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=self.listed_s + wait_s)
        return at.strftime("%Y-%m-%d %H:%M")

    def at(self, wait_s: float) -> str:
        """A wait with its date, such as `3 h (2026-11-28 04:10)`; `never` where it has no end."""
        if not math.isfinite(wait_s):
            return "never"
        date = self.date(wait_s)
        return f"{show_seconds(wait_s)} ({date})" if date else show_seconds(wait_s)


def start_answer(found: StartFound) -> str:
    """The answer in one sentence."""
    job, made = found.job.name, found.forecast
    if found.why_never:
        return f"Job {job} can never start here: {found.why_never}."
    if not math.isfinite(made.wait_s.min()):
        return f"Job {job} does not start: it waits for something that never comes, such as another job's good end."
    if made.never:
        part = percent(1.0 - float((made.wait_s < math.inf).mean()))
        return f"Job {job} does not start within eight weeks in {part} of the samples: later jobs overtake it."
    if not found.sampled:
        return f"Job {job} starts in {found.at(made.median_s)} at the latest, unless later jobs overtake it."
    high = found.at(made.high_s) if math.isfinite(made.high_s) else "more than eight weeks"
    return (
        f"Job {job} starts in about {found.at(made.median_s)}; {percent(LEVEL, 0)} interval: "
        f"{found.at(made.low_s)} to {high}."
    )


def chance_sentence(found: StartFound) -> str:
    """The chance to start soon; empty without samples."""
    if not found.sampled or found.forecast.never:
        return ""
    parts = [f"{percent(found.forecast.within(time_s), 0)} within {_round(time_s)}" for time_s in WITHIN_S]
    return f"Chance of a start: {', '.join(parts)}."


def coverage_sentences(found: StartFound) -> list[str]:
    """How past forecasts fared, and what that did to the interval."""
    told = found.coverage
    if told is None:
        return []
    if told.jobs == 0:
        text = "Too few past jobs were forecast to tell how often the interval is right."
        wider = f" It is wider than the samples say, by {percent(told.wider)} of the wait on each side."
        return [text + (wider if told.wider > 0 else "")]
    truth = "recorded" if told.recorded else "simulated"
    text = (
        f"Of {told.jobs:,} past jobs, {told.inside:,} ({percent(told.inside / told.jobs, 1)}) started within the "
        f"{percent(LEVEL, 0)} interval forecast for them; their starts are {truth}."
    )
    lines = [text if told.jobs >= FEW else f"{text} So few past jobs say little."]
    if told.wider > 0:
        lines.append(
            f"The samples alone held {told.inside_plain:,} of them: the interval above is wider by "
            f"{percent(told.wider)} of the wait on each side."
        )
    if told.error_s is not None:
        direction = "later" if told.error_s > 0 else "earlier"
        lines.append(f"These jobs started {show_seconds(abs(told.error_s))} {direction} than the median on average.")
    if told.full:
        lines.append(f"{told.full:,} moments are left out: these hosts have no room for the jobs that ran then.")
    return lines


HEADS = ("change", "starts in", "sooner by", "sooner in")


def change_cells(found: StartFound) -> list[list[str]]:
    """A row of text for each change of the request."""
    return [_cells(found, each) for each in found.changes]


def _cells(found: StartFound, change: RequestChange) -> list[str]:
    if change.why_never:
        return [change.words, f"never: {change.why_never}", "-", "-"]
    gain_s = change.gain_s
    gain = "-" if gain_s is None or not math.isfinite(gain_s) else show_seconds(gain_s)
    sooner = percent(change.sooner, 0) if found.sampled else ("yes" if change.sooner else "no")
    return [change.words, found.at(change.forecast.median_s), gain, sooner]


def start_row(found: StartFound, words: str, made: StartForecast) -> dict[str, Any]:
    """A forecast as plain values; null where the job never starts, or where there are no dates."""
    row: dict[str, Any] = {"change": words}
    for name, wait_s in (("median", made.median_s), ("low", made.low_s), ("high", made.high_s)):
        row[f"{name}_wait_s"] = wait_s if math.isfinite(wait_s) else None
        row[f"{name}_start"] = found.date(wait_s) or None
    row["within"] = [{"time_s": time_s, "chance": made.within(time_s)} for time_s in WITHIN_S]
    return row


def start_rows(found: StartFound) -> list[dict[str, Any]]:
    """The job as it is, then each change."""
    first = start_row(found, "", found.forecast) | {"gain_s": 0.0, "sooner": 0.0, "why_never": found.why_never}
    return [first, *(_change_row(found, each) for each in found.changes)]


def _change_row(found: StartFound, change: RequestChange) -> dict[str, Any]:
    gain_s = change.gain_s
    known = gain_s is not None and math.isfinite(gain_s)
    row = start_row(found, change.words, change.forecast)
    return row | {"gain_s": gain_s if known else None, "sooner": change.sooner, "why_never": change.why_never}


def coverage_row(told: Coverage | None) -> dict[str, Any] | None:
    """How past forecasts fared, as plain values."""
    if told is None:
        return None
    return {
        "level": LEVEL,
        "jobs": told.jobs,
        "inside": told.inside,
        "inside_plain": told.inside_plain,
        "error_s": told.error_s,
        "wider": told.wider,
        "truth": "recorded" if told.recorded else "simulated",
        "moments_left_out": told.full,
    }


def details(found: StartFound) -> Sequence[str]:
    """The sentences below the answer."""
    return [*filter(None, [chance_sentence(found)]), *coverage_sentences(found)]


def _round(time_s: float) -> str:
    return "a day" if time_s == 86400.0 else show_seconds(time_s)
