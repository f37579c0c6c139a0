"""When a waiting job starts, with an interval: sure where nothing is unknown, right about as often as it says."""

import json
from dataclasses import replace

import numpy as np
import pytest
from fake_runs import drive, made_jobs, ruled

from loadmaster.live.queue.eligibility import AWAITS, HELD_BY, TOO_LARGE
from loadmaster.live.queue.forecast import forecast_starts
from loadmaster.live.queue.record import FILE, lines_of
from loadmaster.measure.forecast_calibration import LEVEL, Forecast, ForecastCalibration
from loadmaster.model import Constraints, InputError, Workload


@pytest.fixture(scope="module")
def busy(tmp_path_factory):
    """A run that is broken off while many jobs wait, and the run that goes on."""
    folder = tmp_path_factory.mktemp("busy")
    scheduler = ruled(discipline="fcfs+easy")
    run = drive(folder, made_jobs(160, 5, every_s=14.0), scheduler=scheduler)
    lines = lines_of(folder)
    short = tmp_path_factory.mktemp("short")
    (short / FILE).write_text("".join(json.dumps(line) + "\n" for line in lines[: int(0.6 * len(lines))]))
    return short, scheduler, run


@pytest.fixture(scope="module")
def told(busy):
    return forecast_starts(busy[0], "all", busy[1], samples=12)


def test_every_waiting_job_has_a_start_within_its_interval(told):
    assert told.forecasts
    for each in told.forecasts:
        assert each.at_s <= each.low_s <= each.start_s <= each.high_s
    assert [each.start_s for each in told.forecasts] == sorted(each.start_s for each in told.forecasts)


def test_a_job_that_was_handed_back_at_the_end_is_told_as_it_stood_before(tmp_path):
    scheduler = ruled(discipline="fcfs+easy")
    drive(tmp_path, made_jobs(160, 5, every_s=14.0), scheduler=scheduler, for_s=1200.0)
    waits = [name for line in lines_of(tmp_path) if line.get("parting") for _, name in line.get("asked", ())]
    assert waits
    assert forecast_starts(tmp_path, waits[-1], scheduler, samples=3).forecasts[0].start_s >= 1200.0


def test_one_job_is_told_the_same_as_among_all(busy, told):
    folder, scheduler, _ = busy
    assert forecast_starts(folder, told.forecasts[0].job, scheduler, samples=12).forecasts == told.forecasts[:1]


def test_earlier_forecasts_were_right_about_as_often_as_they_say(told):
    judged = told.judged
    assert judged.jobs >= 15
    share, spread = judged.inside / judged.jobs, np.sqrt(LEVEL * (1 - LEVEL) / judged.jobs)
    assert share >= LEVEL - 4 * spread


def test_jobs_that_always_last_their_limit_leave_nothing_unknown(tmp_path):
    work = made_jobs(120, 3, every_s=10.0)
    work = replace(work, estimate_s=work.runtime_s)
    scheduler = ruled(discipline="fcfs")
    run = drive(tmp_path, work, scheduler=scheduler, for_s=700.0)
    told = forecast_starts(tmp_path, "all", scheduler, samples=5)
    later = drive(tmp_path / "later", work, scheduler=scheduler)
    assert told.forecasts
    for each in told.forecasts:
        assert each.low_s == each.high_s == later.starts[each.job][0]
    assert run.report.ended == "done"


def test_what_cannot_be_told_is_refused_in_one_line(busy, tmp_path):
    folder, scheduler, _ = busy
    with pytest.raises(InputError, match="no such job waits"):
        forecast_starts(folder, "nobody", scheduler)
    running = next(reversed(drive(tmp_path / "a", made_jobs(40, 1), scheduler=scheduler, for_s=200.0).starts))
    with pytest.raises(InputError, match=r"a forecast needs|has had its hosts"):
        forecast_starts(tmp_path / "a", running, scheduler)
    drive(tmp_path / "b", made_jobs(5, 1), scheduler=scheduler, for_s=20.0)
    with pytest.raises(InputError, match="a forecast needs"):
        forecast_starts(tmp_path / "b", "all", scheduler)


def test_intervals_too_narrow_are_widened_until_they_hold_what_they_should():
    calibration, rng = ForecastCalibration(), np.random.default_rng(1)
    for _ in range(300):
        calibration.take(100.0 + float(rng.normal(0.0, 30.0)), Forecast("x", 0.0, 100.0, 95.0, 105.0, 8))
    judged = calibration.judged()
    assert judged.inside_plain < 0.3 * judged.jobs
    assert abs(judged.inside / judged.jobs - LEVEL) < 0.06
    wide = calibration.widened(Forecast("x", 0.0, 200.0, 190.0, 210.0, 8))
    assert wide.low_s == pytest.approx(190.0 - 200.0 * judged.widened)


def test_who_is_not_foreseen_to_start_is_told_why(tmp_path):
    """A job alone is told what it is told among all."""
    ended = [0.0] * 10
    work = Workload.of(
        submit_s=[*ended, 50, 50, 50, 50],
        runtime_s=[5.0] * 14,
        cores=[*[1] * 10, 1, 1, 1, 99],
        memory=[1] * 14,
        constraints=Constraints(hold=[0] * 10 + [1, 2, 0, 0], eligible_s=[*ended, 50, 50, np.inf, 50]),
    )
    run = drive(tmp_path, work, for_s=100.0)
    every = forecast_starts(tmp_path, "all", run.scheduler, samples=5).forecasts
    reasons = {"10": HELD_BY["user"], "11": HELD_BY["admin"], "12": AWAITS, "13": TOO_LARGE}
    assert {each.job: each.why for each in every} == reasons
    assert all(np.isinf(each.start_s) for each in every)
    assert forecast_starts(tmp_path, "12", run.scheduler, samples=5).forecasts == [
        each for each in every if each.job == "12"
    ]
