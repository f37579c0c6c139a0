"""Estimates as they are made, corrected and enforced: schedules worked out by hand, and all engines alike."""

import numpy as np
import pytest
from bound_jobs import bound_jobs
from hypothesis import example, given
from hypothesis import strategies as st

from loadmaster.measure.check import violations
from loadmaster.model import Cluster, Constraints, InputError, Workload
from loadmaster.model.constraints import STATUSES
from loadmaster.place import POLICIES
from loadmaster.scheduling import Scheduler, discipline_named
from loadmaster.scheduling.estimate_model import EstimateModel, estimate_model_named
from loadmaster.scheduling.predictions import corrections_of
from loadmaster.sim.queue import simulate
from loadmaster.sim.queue.reference import replay

FOUR_CORES = Cluster.uniform(1, cores=4)
TIMEOUT = STATUSES.index("timeout")


def run(workload, estimate_model, discipline="easy", cluster=FOUR_CORES, interval_s=0.0, engine="reference"):
    schedule = simulate(
        workload,
        cluster,
        POLICIES["first-fit"],
        discipline_named(discipline),
        interval_s=interval_s,
        engine=engine,
        estimate_model=estimate_model_named(estimate_model) if isinstance(estimate_model, str) else estimate_model,
    )
    assert not violations(workload, cluster, schedule)
    return schedule


def overrun(estimate_s=50.0):
    """Job 1 outlives its estimate; job 2 wants all cores; job 3 would fit beside job 1."""
    return Workload.of(
        submit_s=[0, 10, 20], runtime_s=[120, 30, 60], cores=[2, 4, 2], estimate_s=np.array([estimate_s, 30.0, 60.0])
    )


@pytest.mark.parametrize("engine", ["reference", "auto"])
@pytest.mark.parametrize(
    ("estimate_model", "expected"),
    [
        ("user", [0, 120, 150]), ("user(expiry_pass=yes)", [0, 120, 150]), ("exact", [0, 120, 20]),
        ("2", [0, 120, 150]),
        (EstimateModel(overrun="kill"), [0, 50, 80]), ("user(correct=steps,expiry_pass=yes)", [0, 120, 50]),
        ("user(correct=steps)", [0, 120, 150]),
    ],
)  # fmt: skip
def test_a_job_that_outlives_its_estimate_holds_up_others_as_its_estimate_says(estimate_model, expected, engine):
    assert run(overrun(), estimate_model, engine=engine).start_s.tolist() == expected


def test_a_killed_job_ends_at_its_limit_as_a_timeout():
    schedule = run(overrun(), EstimateModel(overrun="kill"))
    assert schedule.ends_s(overrun()).tolist() == [50, 80, 140]
    assert schedule.status.tolist() == [TIMEOUT, -1, -1]


def history(runtimes_s, estimate_s, apart_s=1000.0):
    """A job of one user after so many others, each of which has ended before the next comes."""
    runtime_s = [*runtimes_s, 10.0]
    return Workload.of(
        submit_s=np.arange(len(runtime_s)) * apart_s,
        runtime_s=runtime_s,
        cores=[1] * len(runtime_s),
        estimate_s=np.array([500.0] * len(runtimes_s) + [estimate_s]),
        user=[0] * len(runtime_s),
    )


@pytest.mark.parametrize(
    ("runtimes_s", "estimate_s", "expected_s"),
    [([100, 40, 60], 300, 50), ([100, 40, 60], 45, 45), ([100], 300, 300), ([], 300, 300)],
)
def test_a_job_is_expected_to_take_the_mean_of_its_users_last_two_but_no_more_than_the_user_says(
    runtimes_s, estimate_s, expected_s
):
    assert run(history(runtimes_s, estimate_s), "last-two").expected_s[-1] == expected_s


def test_the_last_two_are_those_that_ended_last_before_the_job_came_and_none_of_another_user():
    workload = Workload.of(
        submit_s=[0, 0, 0, 0, 0, 90, 100],
        runtime_s=[100, 40, 60, 105, 7, 1, 1],
        cores=[1] * 7,
        estimate_s=np.full(7, 300.0),
        user=[0, 0, 0, 0, 1, 0, 0],
    )
    # At 90 s those of 40 s and 60 s have ended; at 100 s that of 1 s and, at this very moment, that of 100 s. That of
    # 105 s ends too late, though it has ended by the time of the next decision at 120 s.
    for interval_s in (0.0, 30.0):
        schedule = run(workload, "last-two", cluster=Cluster.uniform(9, cores=1), interval_s=interval_s)
        assert schedule.expected_s[5:].tolist() == [50, 50.5]


def test_predictions_are_corrected_by_steps_up_to_what_the_user_said():
    jobs = Workload.of(submit_s=[0], runtime_s=[1000], cores=[1], estimate_s=np.array([400.0]))
    halved = estimate_model_named("0.125(correct=steps)")
    ends = corrections_of(halved, jobs, halved.estimated(jobs).expected_s)
    assert [ends.end_s(0, 0.0, 1.0, now_s) for now_s in (0, 50, 110, 350, 400, 900)] == [50, 110, 350, 400, 400, 400]
    by_doubling = corrections_of(estimate_model_named("0.125(correct=double)"), jobs, np.array([50.0]))
    assert [by_doubling.end_s(0, 0.0, 1.0, now_s) for now_s in (50, 100, 250)] == [100, 200, 400]
    to_the_users = corrections_of(estimate_model_named("0.125(correct=user)"), jobs, np.array([50.0]))
    assert [to_the_users.end_s(0, 7.0, 2.0, now_s) for now_s in (0, 32, 999)] == [32, 207, 207]


@given(seed=st.integers(0, 200), discipline=st.sampled_from(["easy", "conservative", "sjf+easy", "slurm", "stepwise"]))
def test_exact_estimates_are_the_users_times_one_where_those_are_exact(seed, discipline):
    workload, cluster = bound_jobs(seed)
    exact = Workload(
        workload.resources, workload.submit_s, workload.runtime_s, workload.demand, workload.tasks, workload.runtime_s
    )
    schedules = [run(exact, estimates, discipline, cluster) for estimates in ("exact", "1", "user")]
    assert schedules[0].same_as(schedules[1])
    assert schedules[0].same_as(schedules[2])


@given(
    seed=st.integers(0, 500),
    estimate_model=st.sampled_from(["exact", "0.5", "0.3(correct=steps)", "user(expiry_pass=yes)", "last-two",
                               "last-two(correct=double,expiry_pass=yes)", "0.4(correct=user,expiry_pass=yes)"]),
    overrun=st.sampled_from(["run", "kill"]),
    discipline=st.sampled_from(
        ["easy", "netbatch", "ljf+skip", "sjf+easy", "lxf+easy", "conservative(early_end=replan)"]
    ),
    interval_s=st.sampled_from([0.0, 7.0]),
)  # fmt: skip
def test_engines_agree_whatever_is_expected(seed, estimate_model, overrun, discipline, interval_s):
    workload, cluster = bound_jobs(seed, *(["speed"] if seed % 3 == 0 else []))
    told = estimate_model_named(estimate_model, overrun)
    plain, quick = (run(workload, told, discipline, cluster, interval_s, engine) for engine in ("reference", "auto"))
    assert plain.same_as(quick)
    assert np.array_equal(plain.cycles.time_s, quick.cycles.time_s)
    assert np.array_equal(plain.expects_s(workload), quick.expects_s(workload))
    assert np.array_equal(plain.ends_s(workload), quick.ends_s(workload), equal_nan=True)
    assert (plain.status is None) == (quick.status is None)
    assert plain.status is None or np.array_equal(plain.status, quick.status)


@given(
    seed=st.integers(0, 500),
    estimate_model=st.sampled_from(["exact", "2", "last-two(expiry_pass=yes)", "last-two(correct=user)"]),
    overrun=st.sampled_from(["run", "kill"]),
    discipline=st.sampled_from(["easy(fill=shortest)", "conservative", "multifactor+slurm"]),
)
@example(
    seed=30, estimate_model="exact", overrun="run", discipline="easy(fill=shortest)"
)  # on after a halt, until a drain
@example(seed=477, estimate_model="exact", overrun="run", discipline="easy(fill=shortest)")  # and past one
def test_jobs_that_constraints_bind_keep_all_rules_whatever_is_expected(seed, estimate_model, overrun, discipline):
    workload, cluster = bound_jobs(seed, "begin", "depends", "array", "partition", "limits", "calendar", "preempt")
    run(workload, estimate_model_named(estimate_model, overrun), discipline, cluster)


def test_easy_plus_plus_is_easy_with_predictions_of_the_last_two_filled_shortest_first():
    # The head (job 5) is promised 100 s. Of jobs 6 and 7 one fits beside job 4: that of whose user shorter jobs ended.
    workload = Workload.of(
        submit_s=[0, 0, 0, 0, 0, 30, 31, 31],
        runtime_s=[10, 12, 20, 22, 100, 50, 60, 8],
        cores=[1, 1, 1, 1, 2, 5, 3, 3],
        estimate_s=np.array([300, 300, 300, 300, 100, 50, 300, 300.0]),
        user=[1, 1, 2, 2, 3, 3, 2, 1],
    )
    plus = run(workload, "last-two", "easy(fill=shortest)", Cluster.uniform(1, cores=6))
    assert plus.expected_s[6:].tolist() == [21, 11]
    assert plus.start_s[5:].tolist() == [100, 39, 31]
    assert run(workload, "user", "easy(fill=shortest)", Cluster.uniform(1, cores=6)).start_s[6:].tolist() == [150, 150]


def test_a_limit_kills_even_where_the_log_says_that_the_job_timed_out():
    workload = Workload.of(
        submit_s=[0], runtime_s=[90], cores=[1], constraints=Constraints(limit_s=[60.0], status=[TIMEOUT])
    )
    assert run(workload, EstimateModel(overrun="kill")).status.tolist() == [TIMEOUT]


@pytest.mark.parametrize(("estimates", "overrun"), [("last-two", "run"), ("user", "kill")])
def test_what_the_log_does_not_say_is_refused(estimates, overrun):
    workload = Workload.of(submit_s=[0], runtime_s=[90], cores=[1])
    with pytest.raises(InputError):
        run(workload, estimate_model_named(estimates, overrun))


def test_the_plain_engine_is_told_of_estimates_too():
    scheduler = Scheduler(POLICIES["first-fit"], discipline_named("easy"))
    schedule = replay(overrun(), FOUR_CORES, scheduler, interval_s=0.0, estimate_model=estimate_model_named("exact"))
    assert schedule.start_s.tolist() == [0, 120, 20]
