"""The warm-up of a queue is found, what lies behind it agrees with theory, and a queue that only grows is told."""

import numpy as np
import pytest

from loadmaster.measure.steady_state import mean_queue, mser, only_grows, steady
from loadmaster.model import Cycles, Schedule, Workload


def served(submit_s, runtime_s):
    """One server, first come first served."""
    end, start_s = 0.0, []
    for submit, runtime in zip(submit_s, runtime_s, strict=True):
        start_s.append(max(submit, end))
        end = start_s[-1] + runtime
    none = np.array([], np.int64)
    jobs = len(submit_s)
    log = Workload.of(submit_s=submit_s, runtime_s=runtime_s, cores=np.ones(jobs))
    return log, Schedule(np.array(start_s), np.zeros(jobs, np.int32), Cycles(none.astype(float), none, none, none))


def single_server(load, jobs, seed):
    rng = np.random.default_rng(seed)
    submit_s = np.cumsum(rng.exponential(1.0, jobs))
    return served(submit_s - submit_s[0], rng.exponential(load, jobs))


def test_behind_the_warm_up_the_wait_is_that_of_theory():
    found = [steady(*single_server(0.7, 20_000, seed)) for seed in range(4)]
    waits = [each.mean_wait_s for each in found if each.mean_wait_s is not None]
    assert np.mean(waits) == pytest.approx(0.7 * 0.7 / 0.3, rel=0.1)
    assert not any(each.overloaded for each in found)


def test_a_queue_that_only_grows_is_told_and_has_no_steady_mean():
    found = steady(*single_server(1.5, 5000, 0))
    assert found.overloaded
    assert (found.mean_wait_s, found.warm_up_s) == (None, None)
    assert found.drain_s == pytest.approx(2500, rel=0.15)


def test_a_queue_near_saturation_is_not_called_overloaded():
    assert not any(steady(*single_server(0.9, 5000, seed)).overloaded for seed in range(10))


def test_what_is_left_of_a_series_behind_a_ramp_begins_where_the_ramp_ends():
    rng = np.random.default_rng(0)
    series = np.concatenate((np.linspace(0, 100, 200), np.full(800, 100.0))) + rng.normal(0, 1, 1000)
    assert 190 <= mser(series) <= 260


def test_a_series_that_settles_only_in_its_second_half_has_no_warm_up():
    assert mser(np.concatenate((np.linspace(0, 100, 800), np.full(200, 100.0)))) is None


def test_the_mean_queue_of_the_spans_adds_up_to_all_that_was_waited():
    log, schedule = single_server(0.9, 300, 2)
    edges = np.linspace(0.0, float(schedule.start_s.max()), 41)
    total = float((mean_queue(log, schedule, edges) * np.diff(edges)).sum())
    assert total == pytest.approx(float((schedule.start_s - log.submit_s).sum()))


def test_a_job_that_never_starts_waits_until_the_end():
    log, schedule = served([0.0, 10.0], [5.0, 5.0])
    never = Schedule(np.array([0.0, np.nan]), schedule.host, schedule.cycles)
    assert mean_queue(log, never, np.array([0.0, 10.0, 20.0])).tolist() == [0.0, 1.0]


def test_of_a_handful_of_jobs_nothing_is_said():
    found = steady(*served([0.0, 1.0], [5.0, 5.0]))
    assert (found.warm_up_s, found.mean_wait_s, found.drain_s) == (None, None, 4.0)


def test_a_queue_that_comes_down_once_does_not_only_grow():
    queue = np.linspace(0, 100, 1000)
    assert only_grows(queue)
    queue[700] = 0
    assert not only_grows(queue)
