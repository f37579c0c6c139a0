"""Jobs that their users send only after the job before has ended (rule C11)."""

from dataclasses import replace

import numpy as np
import pytest
from bound_jobs import KINDS, bound_jobs
from hypothesis import given, settings
from hypothesis import strategies as st

from loadmaster.measure import violations
from loadmaster.model import Cluster, Constraints, InputError, Workload
from loadmaster.model.job_succession import NEVER_SENT, jobs_before
from loadmaster.place import POLICIES
from loadmaster.scheduling.estimate_model import EstimateModel
from loadmaster.scheduling.notation import discipline_named
from loadmaster.sim.queue import simulate, simulate_lived

SERVED = [kind for kind in KINDS if kind not in ("begin", "depends")]
DISCIPLINES = (
    "fcfs", "skip", "netbatch", "easy", "conservative", "fair-share", "multifactor+easy", "wfp3+conservative",
    "sjf+easy(heads=2)",
)  # fmt: skip
ONE_CORE = Cluster.uniform(1, cores=1)


def lived(workload, cluster, discipline="fcfs", *, policy="first-fit", interval_s=0.0, seed=0, **more):
    return simulate_lived(
        workload,
        cluster,
        POLICIES[policy],
        discipline_named(discipline),
        interval_s=interval_s,
        seed=seed,
        plainly=True,
        **more,
    )


def following(seed, *kinds):
    """A small log on which jobs follow any that came before, and constraints of these kinds bind."""
    workload, cluster = bound_jobs(seed, *kinds)
    rng, jobs = np.random.default_rng(seed + 1), workload.jobs
    follows = [rng.integers(0, job) if job and rng.random() < 0.6 else -1 for job in range(jobs)]
    bound = workload.constraints or Constraints()
    think_s = rng.integers(0, 4, jobs) * 5.0
    bound = replace(bound, follows=np.array(follows), think_s=think_s, reservation=None)
    return replace(workload, job_id=np.arange(jobs), constraints=bound), cluster


def test_a_chain_of_one_user_by_hand():
    """On two cores: 1 runs 0-100, 2 (two cores) waits from 10 to 100 and ends at 150.

    Job 3 follows 1: 100 + 10 = 110, starts at 150, ends at 180. Job 4 follows 2: 150 + 90 = 240. Job 5 follows 3:
    180 + 20 = 200. Job 6 follows nobody: 170, needs both cores, free at 180, until 205; so 5 starts then, until 230.
    """
    log = Workload.of(
        submit_s=[0, 10, 110, 150, 160, 170],
        runtime_s=[100, 50, 30, 20, 25, 25],
        cores=[1, 2, 1, 1, 2, 2],
        job_id=[1, 2, 3, 4, 5, 6],
        user=[1, 2, 1, 2, 1, 1],
        constraints=Constraints(follows=np.array([-1, -1, 1, 2, 3, 99]), think_s=np.array([0, 0, 10, 90, 20, 20])),
    )
    workload, schedule = lived(log, Cluster.uniform(1, cores=2))
    assert workload.job_id.tolist() == [1, 2, 3, 6, 5, 4]
    assert workload.user.tolist() == [1, 2, 1, 1, 1, 2]
    assert workload.submit_s.tolist() == [0, 10, 110, 170, 200, 240]
    assert schedule.start_s.tolist() == [0, 100, 150, 180, 205, 240]
    assert workload.constraints is None


def tiny_fcfs(log):
    """Arrivals and starts by job on one core, first come first served: one job after another, each as early as it can.

    The job that has arrived first is next; nobody else can come before, since all that end before are known.
    """
    before, think_s = jobs_before(log), log.constraints.think_s
    came = {job: float(log.submit_s[job]) for job in range(log.jobs) if before[job] < 0}
    waiting, start_s, free_s = dict(came), {}, 0.0
    while waiting:
        job = min(waiting, key=lambda each: (waiting[each], each))
        start_s[job] = max(free_s, waiting.pop(job))
        free_s = start_s[job] + float(log.runtime_s[job])
        for other in np.flatnonzero(before == job).tolist():
            came[other] = waiting[other] = free_s + float(think_s[other])
    return came, start_s


@settings(max_examples=80, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_one_core_serves_as_a_simulation_of_ten_lines(seed):
    log = following(seed)[0]
    one = Workload.of(
        submit_s=log.submit_s,
        runtime_s=log.runtime_s,
        cores=np.ones(log.jobs),
        job_id=log.job_id,
        constraints=log.constraints,
    )
    came, start_s = tiny_fcfs(one)
    workload, schedule = lived(one, ONE_CORE)
    assert dict(zip(workload.job_id.tolist(), workload.submit_s.tolist(), strict=True)) == came
    assert dict(zip(workload.job_id.tolist(), schedule.start_s.tolist(), strict=True)) == start_s


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 10**6), kinds=st.sets(st.sampled_from(SERVED), max_size=2),
    discipline=st.sampled_from(DISCIPLINES), policy=st.sampled_from(["first-fit", "worse-fit-cores", "random"]),
    interval_s=st.sampled_from([0.0, 7.0, 30.0]),
)  # fmt: skip
def test_the_log_that_came_of_it_simulated_as_any_log_comes_to_the_same(seed, kinds, discipline, policy, interval_s):
    log, cluster = following(seed, *sorted(kinds))
    workload, schedule = lived(log, cluster, discipline, policy=policy, interval_s=interval_s, seed=seed)
    again = simulate(
        workload,
        cluster,
        POLICIES[policy],
        discipline_named(discipline),
        interval_s=interval_s,
        seed=seed,
        engine="reference",
    )
    assert schedule.same_as(again)
    assert np.array_equal(schedule.cycles.time_s, again.cycles.time_s)
    assert np.array_equal(schedule.cycles.queue_length, again.cycles.queue_length)
    assert violations(workload, cluster, schedule) == ()


@settings(max_examples=80, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    kind=st.sampled_from(SERVED),
    discipline=st.sampled_from(DISCIPLINES),
    interval_s=st.sampled_from([0.0, 7.0]),
)
def test_nobody_is_submitted_before_the_end_of_the_job_before_and_its_think_time(seed, kind, discipline, interval_s):
    log, cluster = following(seed, kind)
    workload, schedule = lived(log, cluster, discipline, interval_s=interval_s)
    row, before = {job: row for row, job in enumerate(workload.job_id.tolist())}, jobs_before(log)
    ends_s = schedule.ends_s(workload)
    assert set(row) == {job for job in range(log.jobs) if _comes(job, before, row, ends_s)}
    assert schedule.never.get(NEVER_SENT, 0) == log.jobs - workload.jobs
    for job, at in row.items():
        if before[job] < 0:
            assert workload.submit_s[at] == log.submit_s[job]
        else:
            due_s = ends_s[row[int(before[job])]] + log.constraints.think_s[job]
            assert workload.submit_s[at] == pytest.approx(due_s, abs=1e-9)
            assert workload.submit_s[at] >= due_s


def _comes(job, before, row, ends_s):
    other = int(before[job])
    return other < 0 or (other in row and np.isfinite(ends_s[row[other]]))


def test_decisions_that_are_compiled_are_the_same(monkeypatch):
    monkeypatch.setattr("loadmaster.scheduling.scheduler.WORTHWHILE", 1)
    for seed in range(6):
        log, cluster = following(seed, "limits")
        given = log, cluster, POLICIES["first-fit"], discipline_named("easy")
        assert simulate_lived(*given, plainly=False)[1].same_as(simulate_lived(*given, plainly=True)[1])


def test_a_log_that_tells_all_arrivals_is_simulated_as_ever():
    workload, cluster = bound_jobs(3)
    same, schedule = lived(workload, cluster, "easy")
    assert same is workload
    given = workload, cluster, POLICIES["first-fit"], discipline_named("easy")
    assert schedule.same_as(simulate(*given, interval_s=0.0, engine="reference"))


def test_an_engine_that_needs_arrivals_before_a_run_refuses():
    log, cluster = following(1)
    with pytest.raises(InputError, match=r"submitted after the end of others.*swf-feedback ignore"):
        simulate(log, cluster, POLICIES["first-fit"], discipline_named("easy"))


@pytest.mark.parametrize("kind", ["begin", "depends"])
def test_what_the_log_names_to_wait_for_is_refused_beside(kind):
    log, cluster = following(1, kind)
    with pytest.raises(InputError, match=r"served by no engine.*--ignore"):
        lived(log, cluster)


def test_estimates_by_the_last_two_jobs_are_refused_beside():
    log, cluster = following(1)
    with pytest.raises(InputError, match=r"last-two.*served by no engine"):
        lived(log, cluster, "easy", estimate_model=EstimateModel(estimates="last-two"))
