"""How often past jobs started within the interval that this program would have given for them (rule F5)."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from loadmaster.forecast.arrivals import past_arrivals
from loadmaster.forecast.queue_snapshot import QueueSnapshot, state_in_log
from loadmaster.forecast.start_forecast import LEVEL, StartForecast, start_forecast
from loadmaster.forecast.start_samples import ForecastBasis, SchedulerRules
from loadmaster.measure.forecast_calibration import Forecast, ForecastCalibration
from loadmaster.measure.runtime_history import RuntimeHistory, history_limits_s
from loadmaster.model import Cluster, InputError, Workload
from loadmaster.model.arrays import Floats, Ints
from loadmaster.sim.queue import simulate

SAMPLES = 19
"""Samples of the forecast of each past job: the least and the greatest of 19 span nine tenths of what may come."""
LEAST_S = 600.0
"""Errors of forecasts of a wait of less are told in parts of this."""
KNOWN = 0.95
"""Recorded starts are taken as the truth where at least this part of the jobs has one."""
_TRIES = 20


@dataclass(frozen=True, eq=False)
class PastStarts:
    """What became of the jobs of a log.

    Attributes:
        recorded: the log tells it; else the log was simulated under the scheduler of the forecast.
        start_s: float64[J], when each started; NaN of those that are left out.
        end_s: float64[J], when each ended.
        host: int32[T], the host of each task; None where the log does not tell.
    """

    recorded: bool
    start_s: Floats
    end_s: Floats
    host: Ints | None


@dataclass(frozen=True)
class Coverage:
    """Forecasts of past jobs beside their real starts.

    Attributes:
        jobs: forecasts that were judged, each with an interval widened by the errors of those before it.
        inside: of these, jobs that started within that interval.
        inside_plain: of these, jobs that started within the interval of the samples alone.
        error_s: mean of real start minus median, positive where jobs started later; None without any.
        wider: the interval is widened on both sides by this part of the median wait.
        recorded: the real starts are in the log; else they are simulated.
        full: moments that were skipped, because the hosts have no room for the jobs that ran then.
    """

    jobs: int
    inside: int
    inside_plain: int
    error_s: float | None
    wider: float
    recorded: bool
    full: int = 0


def past_starts(workload: Workload, cluster: Cluster, rules: SchedulerRules) -> PastStarts:
    """What became of the jobs: as recorded where the log tells, else as simulated."""
    recorded = workload.recorded_wait_s
    if recorded is not None and np.isfinite(recorded).mean() >= KNOWN:
        start_s = workload.submit_s + recorded
        return PastStarts(True, start_s, start_s + workload.runtime_s, None)
    schedule = simulate(
        workload,
        _always_open(cluster),
        rules.policy,
        rules.discipline,
        interval_s=rules.interval_s,
        seed=rules.seed,
        estimate_model=rules.estimate_model,
    )
    start_s = np.where(schedule.started, schedule.begin_s, np.nan)
    return PastStarts(False, start_s, np.asarray(schedule.ends_s(workload)), schedule.host)


def coverage(
    workload: Workload,
    cluster: Cluster,
    rules: SchedulerRules,
    past: PastStarts,
    jobs: int,
    done: Callable[[int], None] = lambda _: None,
) -> tuple[Coverage, ForecastCalibration]:
    """Forecast the starts of past jobs from what was known then, and compare.

    Args:
        workload: the log.
        cluster: its hosts.
        rules: the scheduler of the forecasts.
        past: what became of the jobs.
        jobs: how many past jobs are forecast at most.
        done: told how many are.
    """
    cluster = _always_open(cluster)
    calibration = ForecastCalibration(level=LEVEL, least_s=LEAST_S)
    history = _HistoryInTime(workload, past)
    full, number = 0, 0
    for now_s, job in _moments(workload, past, jobs, rules.seed):
        number += 1
        done(number)
        try:
            state = state_in_log(workload, cluster, past.start_s, past.end_s, past.host, now_s)
        except InputError:
            full += 1
            continue
        found = _past_forecast(workload, cluster, rules, state, history.until(now_s), job)
        if found is not None:
            calibration.take(float(past.start_s[job]), found)
    judged = calibration.judged()
    told = Coverage(
        judged.jobs, judged.inside, judged.inside_plain, judged.error_s, judged.widened, past.recorded, full
    )
    return told, calibration


def _always_open(cluster: Cluster) -> Cluster:
    """The hosts without their calendar: hosts that close now were open then."""
    if cluster.rules is None or not cluster.rules.calendar:
        return cluster
    return replace(cluster, rules=replace(cluster.rules, calendar=()))


def widened(forecast: StartForecast, calibration: ForecastCalibration) -> StartForecast:
    """The forecast with the interval that would have held its part of the past starts."""
    if forecast.never:
        return forecast
    plain = Forecast("", 0.0, forecast.median_s, forecast.low_s, forecast.high_s, forecast.wait_s.size)
    wide = calibration.widened(plain)
    return replace(forecast, low_s=wide.low_s, high_s=wide.high_s)


def _past_forecast(
    workload: Workload, cluster: Cluster, rules: SchedulerRules, state: QueueSnapshot, history: RuntimeHistory, job: int
) -> Forecast | None:
    """The forecast of a job of the log; None where the job would never start."""
    arrivals = past_arrivals(np.arange(workload.jobs), workload.submit_s, state.now_s)
    onward = ForecastBasis(workload, cluster, rules, state, history, arrivals, by_seconds=workload.estimate_s is None)
    starts_s = onward.starts_s(int(np.searchsorted(state.rows, job)), SAMPLES)
    if not np.isfinite(starts_s).all():
        return None
    made = start_forecast(starts_s, state.now_s)
    now_s = state.now_s
    return Forecast(str(job), now_s, now_s + made.median_s, now_s + made.low_s, now_s + made.high_s, SAMPLES)


def _moments(workload: Workload, past: PastStarts, jobs: int, seed: int) -> Iterator[tuple[float, int]]:
    """Moments in the second half of the log, in the order of time, and of each a job that waits then."""
    rng = np.random.default_rng([seed, 2])
    begin_s, end_s = workload.submit_s[0] + workload.span_s / 2, workload.submit_s[-1]
    chosen: list[tuple[float, int]] = []
    for now_s in rng.uniform(begin_s, end_s, _TRIES * jobs).tolist():
        if len(chosen) == jobs:
            break
        waiting = np.flatnonzero((workload.submit_s <= now_s) & (past.start_s > now_s))
        if waiting.size:
            chosen.append((now_s, int(rng.choice(waiting))))
    yield from sorted(chosen)


class _HistoryInTime:
    """The runtimes of the jobs that had ended by a moment; moments must rise."""

    def __init__(self, workload: Workload, past: PastStarts) -> None:
        self._workload, self._end_s = workload, past.end_s
        self._limit_s = history_limits_s(workload)
        self._order = np.argsort(past.end_s, kind="stable")
        self._next = 0
        self._history = RuntimeHistory()

    def until(self, now_s: float) -> RuntimeHistory:
        while self._next < self._order.size and self._end_s[self._order[self._next]] <= now_s:
            job = int(self._order[self._next])
            self._history.add_job(self._workload, job, float(self._limit_s[job]))
            self._next += 1
        return self._history
