from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from small_runs import runs

from loadmaster.measure.little import horizon, little, queue_area
from loadmaster.measure.timeline import queue_series
from loadmaster.model import (
    Cluster,
    Constraints,
    Cycles,
    Named,
    Preemption,
    Qos,
    Schedule,
    SiteRules,
    StartingState,
    Workload,
)
from loadmaster.place import POLICIES
from loadmaster.scheduling import discipline_named
from loadmaster.sim.queue import simulate


@given(runs())
def test_the_engines_own_count_of_the_queue_agrees_with_the_waits(run):
    workload, _, schedule = run
    assert little(workload, schedule).error < 1e-9


@given(runs())
def test_the_area_under_the_queue_is_what_counting_every_second_gives(run):
    workload, _, schedule = run
    until = int(horizon(workload, schedule))
    seconds = np.arange(until)[:, None]
    waiting = (workload.submit_s <= seconds) & (schedule.start_s > seconds)
    assert queue_area(workload, schedule.cycles, until) == pytest.approx(waiting.sum())


def test_a_record_with_a_doctored_queue_length_fails():
    workload, schedule = waiting_run()
    doctored = replace(schedule.cycles, queue_length=schedule.cycles.queue_length + 1)
    check = little(workload, replace(schedule, cycles=doctored))
    assert little(workload, schedule).holds
    assert not check.holds


def test_a_record_with_a_doctored_count_of_starts_fails():
    workload, schedule = waiting_run()
    doctored = replace(schedule.cycles, started=np.maximum(schedule.cycles.started - 1, 0))
    assert not little(workload, replace(schedule, cycles=doctored)).holds


def test_a_schedule_with_doctored_starts_fails():
    workload, schedule = waiting_run()
    assert not little(workload, replace(schedule, start_s=schedule.start_s + 5.0)).holds


def test_a_record_that_lost_a_cycle_fails():
    workload, schedule = waiting_run()
    cycles = schedule.cycles
    lost = Cycles(cycles.time_s[1:], cycles.queue_length[1:], cycles.started[1:], cycles.winners[1:])
    assert not little(workload, replace(schedule, cycles=lost)).holds


def test_a_run_that_begins_with_running_jobs_and_has_no_cycle_holds():
    """Both jobs ran as the run began, one after it had waited for three seconds, and no job came after them."""
    begins = StartingState(5.0, job=[0, 1], start_s=[0.0, 4.0], host=[0, 0])
    workload = Workload.of(submit_s=[0, 1], runtime_s=[20, 20], cores=[1, 1], starting=begins)
    schedule = simulate(workload, Cluster.uniform(1, cores=2), POLICIES["first-fit"], discipline_named("easy"))
    check = little(workload, schedule)
    assert schedule.cycles.time_s.size == 0
    assert check.holds
    assert check.counted == check.expected == pytest.approx(3.0 / 24.0)


def test_jobs_that_never_start_wait_until_the_end_in_both_sources():
    workload = Workload.of(submit_s=[0, 10], runtime_s=[100, 100], cores=[1, 9])
    cycles = Cycles(np.array([0.0, 10.0]), np.array([1, 1]), np.array([1, 0]), np.array([0, 0]))
    check = little(workload, Schedule(np.array([0.0, np.nan]), np.array([0, -1], np.int32), cycles))
    assert check.error == 0.0
    assert check.counted == pytest.approx(90 / 100)


@pytest.mark.parametrize(("mode", "waited_s"), [("requeue", 20.0), ("suspend", 0.0)])
def test_a_job_that_lost_its_work_is_in_the_queue_again_and_a_suspended_one_is_not(mode, waited_s):
    rules = SiteRules(qos=(Qos("low"), Qos("high", preempts=("low",))), preemption=Preemption("qos", mode))
    qos = Constraints(qos=Named.of(["low", "high"]))
    workload = Workload.of(submit_s=[0, 30], runtime_s=[100, 20], cores=[4, 2], constraints=qos)
    cluster = Cluster(("cores",), np.array([[4.0]]), rules=rules)
    schedule = simulate(workload, cluster, POLICIES["first-fit"], discipline_named("easy"))
    assert schedule.segments is not None
    queue = queue_series(workload, schedule)
    assert np.sum(queue.length[:-1] * np.diff(queue.time_s)) == pytest.approx(waited_s)
    assert queue_area(workload, schedule.cycles, horizon(workload, schedule)) == pytest.approx(waited_s)


def test_a_run_in_which_nobody_waits_holds():
    workload = Workload.of(submit_s=[0], runtime_s=[100], cores=[1])
    cycles = Cycles(np.array([0.0]), np.array([1]), np.array([1]), np.array([0]))
    assert little(workload, Schedule(np.array([0.0]), np.array([0], np.int32), cycles)).error == 0.0


def waiting_run():
    """Three jobs of ten seconds on one core."""
    workload = Workload.of(submit_s=[0, 0, 5], runtime_s=[10, 10, 10], cores=[1, 1, 1])
    cycles = Cycles(np.array([0.0, 5, 10, 20]), np.array([2, 2, 2, 1]), np.array([1, 0, 1, 1]), np.zeros(4, np.int64))
    return workload, Schedule(np.array([0.0, 10, 20]), np.zeros(3, np.int32), cycles)
