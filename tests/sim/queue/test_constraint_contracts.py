"""What holds of every schedule, whatever binds its jobs: over every kind of constraint, one by one and in pairs."""

from itertools import combinations

import numpy as np
import pytest
from bound_jobs import KINDS, bound_jobs
from hypothesis import given, settings
from hypothesis import strategies as st

from loadmaster.measure import violations
from loadmaster.measure.check_constraints import broken_constraints
from loadmaster.measure.task_intervals import task_intervals
from loadmaster.model.constraints import STATUSES
from loadmaster.place import POLICIES
from loadmaster.scheduling import Scheduler
from loadmaster.scheduling.notation import discipline_named
from loadmaster.sim.queue.reference import replay

PREEMPTED = STATUSES.index("preempted")
DISCIPLINES = ("fcfs", "skip", "netbatch", "easy", "conservative", "fair-share")
PAIRS = [(kind,) for kind in KINDS] + list(combinations(KINDS, 2))


def schedule_of(workload, cluster, discipline, interval_s):
    scheduler = Scheduler(POLICIES["worse-fit-cores"], discipline_named(discipline))
    return replay(workload, cluster, scheduler, interval_s=interval_s)


@pytest.mark.parametrize("kinds", PAIRS, ids="+".join)
@settings(max_examples=12)
@given(seed=st.integers(0, 10**6), discipline=st.sampled_from(DISCIPLINES), interval_s=st.sampled_from([0.0, 7.0]))
def test_no_schedule_breaks_a_constraint(kinds, seed, discipline, interval_s):
    workload, cluster = bound_jobs(seed, *kinds)
    schedule = schedule_of(workload, cluster, discipline, interval_s)
    assert violations(workload, cluster, schedule) == ()


def test_a_job_that_was_stopped_on_a_slow_host_is_judged_by_where_it_runs_again():
    workload, cluster = bound_jobs(862, "calendar", "speed")
    schedule = schedule_of(workload, cluster, "fcfs", 0.0)
    assert schedule.segments is not None
    assert violations(workload, cluster, schedule) == ()


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6), discipline=st.sampled_from(DISCIPLINES))
def test_all_constraints_together_are_kept(seed, discipline):
    workload, cluster = bound_jobs(seed, *KINDS)
    assert violations(workload, cluster, schedule_of(workload, cluster, discipline, 0.0)) == ()


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("speed", "preempt")])
def test_the_checker_sees_every_kind_of_constraint_that_is_broken(kind):
    found = 0
    for seed in range(40):
        workload, cluster = bound_jobs(seed, kind)
        free = bound_jobs(seed)[1]
        plain = workload.__class__(**{**vars(workload), "constraints": None})
        careless = schedule_of(plain, free, "skip", 0.0)
        found += bool(broken_constraints(workload, cluster, careless))
    assert found > 0


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6))
def test_jobs_that_can_never_run_are_counted_and_the_others_that_may_all_run(seed):
    workload, cluster = bound_jobs(seed, "begin", "partition", "features")
    schedule = schedule_of(workload, cluster, "easy", 0.0)
    assert int(np.isnan(schedule.start_s).sum()) == sum(schedule.never.values()) + schedule.refused


@settings(max_examples=40)
@given(seed=st.integers(0, 10**6), discipline=st.sampled_from(DISCIPLINES))
def test_work_of_jobs_that_were_stopped_is_accounted_for(seed, discipline):
    workload, cluster = bound_jobs(seed, "preempt")
    schedule = schedule_of(workload, cluster, discipline, 0.0)
    status = np.zeros(workload.jobs) if schedule.status is None else schedule.status
    ended = schedule.started & (status != PREEMPTED)
    assert schedule.ran_s(workload)[ended] == pytest.approx(workload.runtime_s[ended])
    times = task_intervals(workload, schedule)
    busy_s = float(np.sum(times.end_s - times.start_s))
    lost_s = schedule.lost_s(workload) * workload.task_count
    useful_s = (np.nan_to_num(schedule.ran_s(workload)) * workload.task_count)[ended].sum()
    assert busy_s == pytest.approx(useful_s + lost_s.sum())
