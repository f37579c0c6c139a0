"""Samples of a start: known answers of queueing theory, and what later arrivals may and may not change."""

from dataclasses import replace

import numpy as np
import pytest
from past_log import past_log

from loadmaster.forecast.arrivals import past_arrivals
from loadmaster.forecast.coverage import coverage, past_starts, widened
from loadmaster.forecast.queue_snapshot import QueueSnapshot, state_in_log
from loadmaster.forecast.start_forecast import start_forecast
from loadmaster.forecast.start_samples import ForecastBasis, SchedulerRules
from loadmaster.measure.forecast_calibration import Forecast, ForecastCalibration
from loadmaster.measure.resample import WEEK_S
from loadmaster.measure.runtime_history import RuntimeHistory
from loadmaster.model import Cluster, Workload
from loadmaster.place import POLICIES
from loadmaster.scheduling import discipline_named
from loadmaster.scheduling.estimate_model import USERS
from loadmaster.sim.queue import simulate

HOUR_S = 3600.0


def ruled(discipline="fcfs", seed=0):
    return SchedulerRules(POLICIES["first-fit"], discipline_named(discipline), 0.0, seed, USERS)


def one_server(ahead, held_s):
    """A host of one core: one job has run for `held_s`, and `ahead` jobs wait before the last."""
    jobs = ahead + 2
    table = Workload.of(
        submit_s=[0.0] * jobs, runtime_s=[100 * HOUR_S] * jobs, estimate_s=[100 * HOUR_S] * jobs, cores=[1] * jobs
    )
    runs = np.arange(jobs) == 0
    start_s = np.where(runs, 0.0, np.nan)
    return table, QueueSnapshot(held_s, np.arange(jobs), runs, start_s, np.zeros(1, np.int32))


@pytest.mark.parametrize(("ahead", "held_s"), [(0, 0.0), (0, 5 * HOUR_S), (3, HOUR_S)])
def test_the_wait_before_one_server_is_that_of_theory_for_runtimes_without_memory(ahead, held_s):
    """M/M/1: the rest of the running job is exponential again, so the wait is a sum of `ahead + 1` of them."""
    table, state = one_server(ahead, held_s)
    history, rng = RuntimeHistory(), np.random.default_rng(7)
    for lasted_s in rng.exponential(HOUR_S, 5000).tolist():
        history.add(-1, 100 * HOUR_S, lasted_s)
    onward = ForecastBasis(table, Cluster.uniform(1, cores=1), ruled(), state, history, None)
    wait_s = onward.starts_s(ahead + 1, 400) - held_s
    sums = ahead + 1
    assert abs(wait_s.mean() - sums * HOUR_S) < 4 * HOUR_S * np.sqrt(sums / 400) + 0.1 * HOUR_S
    assert wait_s.std() == pytest.approx(HOUR_S * np.sqrt(sums), rel=0.25)


def busy_moment(log, cluster, discipline, least=4):
    """A moment at which several jobs wait, as the log was simulated."""
    rules = ruled(discipline)
    past = past_starts(log, cluster, rules)
    waiting = [
        (float(at), int(((log.submit_s <= at) & (past.start_s > at)).sum())) for at in log.submit_s[log.jobs // 2 :] + 1
    ]
    now_s = next(at for at, many in waiting if many >= least)
    return rules, past, state_in_log(log, cluster, past.start_s, past.end_s, past.host, now_s)


def onward_in(log, cluster, discipline, *, arrivals=True):
    rules, past, state = busy_moment(log, cluster, discipline)
    history = RuntimeHistory()
    for job in np.flatnonzero(past.end_s <= state.now_s).tolist():
        history.add_job(log, job, float(log.estimate_s[job]))
    drawn = past_arrivals(np.arange(log.jobs), log.submit_s, state.now_s) if arrivals else None
    return ForecastBasis(log, cluster, rules, state, history, drawn)


LOG, HOSTS = past_log(weeks=3, every_s=420.0), Cluster.uniform(6, cores=4)


@pytest.mark.parametrize("discipline", ["fcfs", "easy", "sjf+easy"])
def test_later_arrivals_change_a_start_only_where_they_may_overtake(discipline):
    onward = onward_in(LOG, HOSTS, discipline)
    job = int(np.flatnonzero(~onward.state.runs)[-1])
    with_arrivals = onward.starts_s(job, 19)
    without = replace(onward, arrivals=None).starts_s(job, 19)
    if discipline == "fcfs":
        assert np.allclose(with_arrivals, without)
    else:
        assert not np.allclose(with_arrivals, without)
    assert (with_arrivals >= onward.state.now_s).all()


def test_samples_are_the_same_whoever_asks_and_however_many_follow():
    onward = onward_in(LOG, HOSTS, "sjf+easy")
    job = int(np.flatnonzero(~onward.state.runs)[0])
    assert onward.starts_s(job, 20)[:7].tolist() == onward.starts_s(job, 7).tolist()


def test_a_running_job_lasts_longer_than_it_has_run_and_a_sample_is_a_part_of_the_limit():
    onward = onward_in(LOG, HOSTS, "easy")
    durations_s = onward.durations_s(50)
    assert (durations_s > onward.state.held_s).all()
    part = durations_s / LOG.estimate_s[onward.state.rows]
    known = LOG.runtime_s / LOG.estimate_s
    assert np.isin(np.round(part, 9), np.round(known, 9)).mean() > 0.99


def test_a_state_of_a_log_goes_on_as_the_log_did_if_runtimes_and_arrivals_are_the_true_ones():
    """The simulation of the whole log, and the same taken up in the middle."""
    rules, past, state = busy_moment(LOG, HOSTS, "easy")

    class TrueArrivals:
        def after(self, horizon_s, rng):
            from loadmaster.forecast.arrivals import DrawnArrivals

            rows = np.flatnonzero((LOG.submit_s > state.now_s) & (LOG.submit_s <= state.now_s + horizon_s))
            return DrawnArrivals(rows, LOG.submit_s[rows], np.ones(rows.size, np.int64))

    class TrueOnward(ForecastBasis):
        def durations_s(self, samples):
            return np.tile(LOG.runtime_s[state.rows], (samples, 1))

    onward = TrueOnward(LOG, HOSTS, rules, state, None, TrueArrivals())
    for job in np.flatnonzero(~state.runs).tolist():
        assert onward.starts_s(job, 1)[0] == pytest.approx(past.start_s[state.rows[job]])


def test_arrivals_repeat_a_past_week_from_the_same_hour_on():
    now_s = 2.6 * WEEK_S
    past = past_arrivals(np.arange(LOG.jobs), LOG.submit_s, now_s)
    assert past.period_s == WEEK_S
    assert past.back.tolist() == [1, 2]
    drawn = past.after(1.5 * WEEK_S, np.random.default_rng(3))
    assert (np.diff(drawn.submit_s) >= 0).all()
    assert now_s < drawn.submit_s[0]
    assert drawn.submit_s[-1] <= now_s + 1.5 * WEEK_S
    weeks = (drawn.submit_s - LOG.submit_s[drawn.rows]) / WEEK_S
    assert np.allclose(weeks, np.round(weeks))
    assert (LOG.submit_s[drawn.rows] <= now_s).all()


def test_a_log_of_some_days_gives_arrivals_of_the_same_hour_of_day_and_one_of_hours_none():
    few = LOG.take(LOG.submit_s < 3.5 * 86400)
    past = past_arrivals(np.arange(few.jobs), few.submit_s, 3.5 * 86400)
    assert past.period_s == 86400.0
    hours = LOG.take(LOG.submit_s < 5 * HOUR_S)
    assert past_arrivals(np.arange(hours.jobs), hours.submit_s, 5 * HOUR_S) is None


def test_intervals_of_past_jobs_hold_about_nine_tenths_of_their_starts():
    past = past_starts(LOG, HOSTS, ruled("easy"))
    told, calibration = coverage(LOG, HOSTS, ruled("easy"), past, 90)
    assert told.jobs >= 70
    assert not told.recorded
    assert told.inside / told.jobs >= 0.9 - 3 * np.sqrt(0.09 / told.jobs)
    assert told.inside_plain / told.jobs < 1.0, "an interval that holds all starts says nothing"
    assert len(calibration.seen) >= told.jobs


def test_a_log_that_tells_starts_is_compared_with_them():
    schedule = simulate(LOG, HOSTS, POLICIES["first-fit"], discipline_named("easy"))
    recorded = replace(LOG, recorded_wait_s=schedule.start_s - LOG.submit_s)
    past = past_starts(recorded, HOSTS, ruled("fcfs"))
    assert past.recorded
    assert np.allclose(past.start_s, schedule.start_s)


def test_past_errors_widen_an_interval_and_leave_its_median():
    plain = start_forecast(np.arange(1.0, 20.0) * HOUR_S, 0.0)
    calibration = ForecastCalibration(level=0.9, least_s=600.0)
    for k in range(20):
        calibration.take(15 * HOUR_S, Forecast("", 0.0, 10 * HOUR_S, 8 * HOUR_S, 12 * HOUR_S, 19 + k))
    wide = widened(plain, calibration)
    assert wide.median_s == plain.median_s
    assert wide.high_s == pytest.approx(plain.high_s + 0.3 * plain.median_s)
    assert wide.low_s == 0.0
