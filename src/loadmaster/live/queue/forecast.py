"""When a waiting job starts, with an interval; and how often such intervals were right (rule X13)."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from loadmaster.live.queue.allocations import Allocation
from loadmaster.live.queue.check import scheduler_in
from loadmaster.live.queue.history import History
from loadmaster.live.queue.ledger import Ledger
from loadmaster.live.queue.record import RecordReader, lines_of
from loadmaster.live.queue.resume_from_live import ResumedEngine
from loadmaster.live.queue.rows import began_s, limit_s
from loadmaster.measure.forecast_calibration import FEWEST, LEVEL, Forecast, ForecastAccuracy, ForecastCalibration
from loadmaster.model import InputError
from loadmaster.rules.near import near_to
from loadmaster.scheduling import Scheduler
from loadmaster.system.counted import counted

JUDGED = 30
"""So many earlier jobs are foretold as they arrived, to compare with what became of them."""
JUDGED_BY = 8
"""Samples of such a forecast."""


@dataclass
class ForecastReport:
    """What came out.

    Attributes:
        forecasts: of the jobs requested that wait, the next first.
        judged: how earlier forecasts would have fared.
        launch_s: the middle of the seconds that jobs took from decision to beginning; None where none was measured.
        ended: jobs whose runtimes were seen.
        notes: what must be said.
    """

    forecasts: list[Forecast]
    judged: ForecastAccuracy
    launch_s: float | None
    ended: int
    notes: list[str]


def forecast_starts(
    folder: Path, job: str, scheduler: Scheduler | None = None, *, samples: int = 30, trust: bool = False
) -> ForecastReport:
    """Foretell the start of a job, or of all that wait, from the record of a live run.

    Args:
        folder: of the record; the run may go on meanwhile.
        job: its name, or `all`.
        scheduler: what decides; None takes it from the record.
        samples: ways in which jobs may last that are tried.
        trust: run the Python of a policy file that the record carries.

    Raises:
        InputError: no such record or job, it does not wait any more, or too few jobs have ended.
    """
    lines = lines_of(folder)
    decider = scheduler or scheduler_in(lines[0], folder, trust)
    starts, now = _true_starts(lines, decider)
    if now.history.ended < FEWEST:
        ended = counted(now.history.ended, "job has", "jobs have")
        rule = f"only {ended} ended in this run, and a forecast needs {FEWEST}"
        raise InputError(folder, rule, fix="let it run longer")
    plain = sorted(now.forecasts(now.asked(job), samples), key=lambda each: each.start_s)
    calibration, chosen = ForecastCalibration(), _evenly(starts, JUDGED)
    for then in _moments(lines, decider):
        names = [name for name in then.arrived & chosen if name not in then.reading.ledger.runs]
        if then.history.ended >= FEWEST and names:
            for forecast in then.forecasts(sorted(names), min(samples, JUDGED_BY)):
                calibration.take(starts[forecast.job], forecast)
    forecasts = [calibration.widened(each) for each in plain]
    launches = now.history.launches_s
    return ForecastReport(
        forecasts,
        calibration.judged(),
        float(np.median(launches)) if launches else None,
        now.history.ended,
        list(now.notes()),
    )


@dataclass
class _Moment:
    """Where the run stood after one line."""

    reading: RecordReader
    history: History
    arrived: set[str]
    decider: Scheduler
    interval_s: float

    def forecasts(self, names: Sequence[str], samples: int) -> list[Forecast]:
        """Of jobs that wait."""
        if not names:
            return []
        starts = np.array([self._sample(names, number) for number in range(samples)]).reshape(samples, len(names))
        at = [(1 - LEVEL) / 2, 0.5, (1 + LEVEL) / 2]
        ledger = self.reading.ledger
        low, middle, high = np.quantile(starts, at, axis=0, method="closest_observation") + ledger.origin_s
        now_s = ledger.origin_s + ledger.now_s
        return [
            Forecast(name, now_s, float(middle[k]), float(low[k]), float(high[k]), samples, self._why(name, middle[k]))
            for k, name in enumerate(names)
        ]

    def _why(self, name: str, start_s: float) -> str:
        """What keeps a job from starting in most samples; empty if nothing does."""
        if np.isfinite(start_s):
            return ""
        return self.reading.ledger.waiting.why_never(name) or "in most samples it never gets its hosts"

    def _sample(self, names: Sequence[str], number: int) -> list[float]:
        ledger = self.reading.ledger
        rng = np.random.default_rng([ledger.seed, number])
        held_s = {each: max(0.0, ledger.now_s - run.start_s) for each, run in ledger.runs.items()}
        lasts_s = {each: self.history.draw(row, held_s.get(each, 0.0), rng) for each, row in ledger.rows.items()}
        onward = ForecastSimulation(ledger, self.decider, self.interval_s, lasts_s)
        return [onward.starts(name) + (self.history.launch_s(rng) if self.reading.acts else 0.0) for name in names]

    def asked(self, job: str) -> Sequence[str]:
        """The jobs meant, all of which wait; some may be held, or never be able to run.

        Raises:
            InputError: there is no such job, or it does not wait for us.
        """
        ledger = self.reading.ledger
        waiting = [name for name in ledger.rows if name not in ledger.runs and name not in ledger.away()]
        if job == "all":
            return waiting
        if job in waiting:
            return [job]
        if job in ledger.runs:
            since_s = ledger.now_s - ledger.runs[job].start_s
            raise InputError(job, f"this job has its hosts since {since_s:,.0f} s", fix="name a job that waits, or all")
        reasons = dict(ledger.left_out())
        if job in reasons:
            raise InputError(job, f"loadmaster does not start this job: {reasons[job]}", fix="name another job, or all")
        near = near_to(job, waiting)
        fix = (
            f"did you mean {near}?"
            if near
            else f"{counted(len(waiting), 'job waits', 'jobs wait')}; all forecasts every one"
        )
        raise InputError(job, "no such job waits in this record", fix=fix)

    def notes(self) -> Iterator[str]:
        """What must be said of these forecasts."""
        yield "The forecast leaves out later arrivals: they may overtake unless the order is by arrival."
        if not self.reading.acts:
            yield "The record is of a shadow run: the forecast holds if its rule takes over now."


def _moments(lines: Sequence[Mapping[str, Any]], decider: Scheduler) -> Iterator[_Moment]:
    """Where the run stood after every cycle; each is true until the next is computed.

    What was handed back at the end of a session is none of ours since, so that is passed over.
    """
    reading = RecordReader.of(lines, decider.discipline.order)
    history, interval_s = History(reading.ledger), 0.0
    for line in lines:
        if line.get("parting"):
            continue
        if "begin" in line:
            interval_s = line["conduct"]["interval_s"]
        changes = reading.read_whole(line, history.take)
        if changes is not None:
            yield _Moment(reading, history, set(changes.arrived), decider, interval_s)


def _true_starts(lines: Sequence[Mapping[str, Any]], decider: Scheduler) -> tuple[dict[str, float], _Moment]:
    """Of every job that was seen to wait and then to run, when that began, in seconds since the epoch; and the end.

    Raises:
        InputError: the record has no cycle yet.
    """
    starts: dict[str, float] = {}
    waited: set[str] = set()
    last = None
    for last in _moments(lines, decider):
        ledger = last.reading.ledger
        for name, run in ledger.runs.items():
            if name in waited and run.running and name not in starts:
                start_s = began_s(ledger.rows[name])
                starts[name] = ledger.origin_s + run.start_s if start_s is None else start_s
        waited |= ledger.rows.keys() - ledger.runs.keys()
    if last is None:
        raise InputError("this record", "nothing was observed in it yet", fix="let it run longer")
    return starts, last


def _evenly(starts: Mapping[str, float], most: int) -> set[str]:
    names = list(starts)
    return (
        {names[k] for k in np.linspace(0, len(names) - 1, min(most, len(names))).round().astype(int)}
        if names
        else set()
    )


class ForecastSimulation(ResumedEngine):
    """The queue of a ledger, worked off by a scheduler.

    No job comes, and no host changes: neither is known.

    Args:
        ledger: where the run stands.
        scheduler: decides.
        interval_s: seconds between cycles.
        lasts_s: of every job there, how long it holds its hosts from its start on; more than it has run already.
    """

    def __init__(self, ledger: Ledger, scheduler: Scheduler, interval_s: float, lasts_s: Mapping[str, float]) -> None:
        rows = {
            name: {**row, "estimate_s": limit_s(row), "runtime_s": lasts_s[name]} for name, row in ledger.rows.items()
        }
        super().__init__(rows, ledger, scheduler, interval_s, ledger.seed)
        self._lasts_s = lasts_s
        self.adopt(ledger)
        self.arrivals.close()

    def starts(self, name: str) -> float:
        """When a job that waits starts, in seconds from the ledger's origin; infinite if it never does."""
        job = self.number[name]
        while job in self.pending.waiting and self.step():
            pass
        start_s = float(self.occupancy.start_s[job])
        return math.inf if math.isnan(start_s) else start_s

    def _adopt_run(self, name: str, run: Allocation) -> None:
        super()._adopt_run(name, run)
        job = self.number[name]
        if job in self.occupancy.running:
            self.occupancy.end_at(job, run.start_s + self._lasts_s[name], self.occupancy.running[job].status)

    def _tick(self, until_s: float) -> None:
        self.memory.order_state.tick(until_s)
