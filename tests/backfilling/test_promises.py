"""EASY and conservative backfilling: small schedules worked out by hand, and what each discipline promises."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loadmaster.backfilling import Backfilling, Conservative, Easy
from loadmaster.measure.check import violations
from loadmaster.model import Cluster, Workload
from loadmaster.order import ORDERS
from loadmaster.place import POLICIES
from loadmaster.scheduling import Discipline, MaxJobs, Scheduler
from loadmaster.scheduling import discipline_named as named
from loadmaster.sim.queue.reference import at_or_after, replay

FIRST_FIT = POLICIES["first-fit"]
ONE_HOST = Cluster.uniform(1, cores=4)


def starts(workload, cluster, discipline, policy=FIRST_FIT, interval_s=0.0):
    schedule = replay(workload, cluster, Scheduler(policy, discipline), interval_s=interval_s)
    assert not violations(workload, cluster, schedule)
    return schedule.start_s.tolist()


@pytest.mark.parametrize(
    ("discipline", "expected"),
    [
        (named("fcfs"), [0, 10, 15, 20, 20]),
        (
            named("easy"),
            [0, 10, 30, 0, 0],
        ),  # job 3 leaves job 1 the 3 cores it needs at 10, but holds up job 2
        (
            named("conservative"),
            [0, 10, 15, 20, 0],
        ),  # job 2 is promised 15 as well, so job 3 waits and job 4 does not
    ],
    ids=str,
)
def test_the_three_disciplines_differ_as_by_hand(discipline, expected):
    workload = Workload.of(submit_s=[0] * 5, runtime_s=[10, 5, 5, 30, 10], cores=[2, 3, 4, 1, 1])
    assert starts(workload, ONE_HOST, discipline) == expected


def test_easy_leaves_the_head_enough_of_every_resource():
    cluster = Cluster.uniform(1, cores=4, memory=8)
    workload = Workload.of(
        submit_s=[0] * 4, runtime_s=[10, 10, 30, 30], cores=[2, 1, 1, 1], memory=[6, 7, 2, 1]
    )  # at 10 the host has 3 cores and 1 of memory to spare beside job 1: job 2 would take 2
    assert starts(workload, cluster, named("easy")) == [0, 10, 20, 0]


def test_easy_lets_long_jobs_use_the_hosts_that_are_not_promised():
    workload = Workload.of(submit_s=[0] * 4, runtime_s=[10, 20, 5, 100], cores=[4, 3, 4, 1])
    assert starts(workload, Cluster.uniform(2, cores=4), named("easy")) == [0, 0, 10, 0]


def test_easy_promises_all_tasks_of_a_job_at_once():
    workload = Workload.of(
        submit_s=[0] * 5,
        runtime_s=[10, 20, 5, 15, 30],
        cores=[4, 3, 2, 1, 1],
        tasks=np.array([1, 1, 3, 1, 1], np.int32),
    )
    # Job 2 is promised 20, when each host holds two of its tasks: one more than it needs. So job 4 may take the first
    # host, empty from 10 on, though it leaves it room for one task only.
    assert starts(workload, Cluster.uniform(2, cores=4), named("easy")) == [0, 0, 20, 0, 10]


@pytest.mark.parametrize("discipline", [named("easy"), named("conservative")], ids=str)
@pytest.mark.parametrize(("estimate_s", "expected"), [(10.0, [0, 10, 6]), (5.0, [0, 10, 20])])
def test_a_job_that_outlived_its_estimate_may_end_at_any_moment(discipline, estimate_s, expected):
    workload = Workload.of(
        submit_s=[0, 0, 6], runtime_s=[10, 10, 4], cores=[3, 4, 1], estimate_s=np.array([estimate_s, 10.0, 4.0])
    )
    assert starts(workload, ONE_HOST, discipline) == expected


def test_conservative_closes_the_hole_that_an_early_end_leaves():
    workload = Workload.of(
        submit_s=[0, 0, 0], runtime_s=[10, 10, 10], cores=[3, 4, 2], estimate_s=np.array([50.0, 10.0, 10.0])
    )
    assert starts(workload, ONE_HOST, named("conservative")) == [0, 10, 20]


def test_jobs_beyond_the_lookahead_are_not_planned():
    workload = Workload.of(submit_s=[0] * 5, runtime_s=[10, 5, 5, 30, 10], cores=[2, 3, 4, 1, 1])
    assert starts(workload, ONE_HOST, named("conservative(lookahead=3)")) == [0, 10, 15, 20, 20]
    assert starts(workload, ONE_HOST, named("conservative(lookahead=5)")) == starts(
        workload, ONE_HOST, named("conservative")
    )


def test_max_jobs_runs_over_backfilling():
    workload = Workload.of(submit_s=[0] * 5, runtime_s=[10, 5, 5, 30, 10], cores=[2, 3, 4, 1, 1], memory=[1] * 5)
    cluster = Cluster.uniform(1, cores=4, memory=8)
    assert starts(workload, cluster, named("easy"), MaxJobs()) == [0, 10, 30, 0, 0]


@st.composite
def problems(draw, hosts=4, tasks=3):
    """Jobs with exact estimates that the empty cluster can hold, arriving close together."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    count, jobs = draw(st.integers(1, hosts)), draw(st.integers(2, 20))
    capacity = rng.integers(2, 9, (count, 2)).astype(float)
    demand = np.floor(capacity.min(axis=0) * rng.uniform(0, 1, (jobs, 2)))
    submit_s = np.sort(rng.integers(0, draw(st.sampled_from([1, 100])), jobs)).astype(float)
    many = np.minimum(rng.integers(1, tasks + 1, jobs), count).astype(np.int32)
    resources = ("cores", "memory")
    return Cluster(resources, capacity), Workload(
        resources, submit_s, rng.integers(1, 60, jobs).astype(float), demand, tasks=many
    )


@dataclass(frozen=True)
class Listening:
    """A backfilling that writes down every (job, promised start) that another one gives."""

    inner: Backfilling
    given: list[tuple[int, float]] = field(default_factory=list)

    def serve(self, this_pass):
        self.inner.serve(this_pass)
        self.given.extend((this_pass.job(row), promise.start_s) for row, promise in this_pass.promised.items())


def promises_of(workload, cluster, policy, backfilling, interval_s):
    """The schedule, and every (job, promised start) that was given on the way."""
    listening = Listening(backfilling)
    scheduler = Scheduler(policy, Discipline(ORDERS["fcfs"], listening))
    return replay(workload, cluster, scheduler, interval_s=interval_s), listening.given


@pytest.mark.parametrize("name", ["first-fit", "worse-fit-cores", "mix-fit"])
@settings(max_examples=40)
@given(problem=problems(), interval_s=st.sampled_from([0.0, 30.0]))
def test_easy_never_delays_the_head_when_estimates_are_exact(name, problem, interval_s):
    cluster, workload = problem
    schedule, promises = promises_of(workload, cluster, POLICIES[name], Easy(), interval_s)
    for job, shadow_s in promises:
        assert schedule.start_s[job] <= at_or_after(shadow_s, interval_s)


@settings(max_examples=60)
@given(problem=problems())
def test_conservative_first_fit_keeps_every_promise_when_estimates_are_exact(problem):
    cluster, workload = problem
    schedule, promises = promises_of(workload, cluster, FIRST_FIT, Conservative(), 0.0)
    for job, start_s in promises:
        assert schedule.start_s[job] <= start_s


@settings(max_examples=60)
@given(problem=problems(hosts=1))
def test_on_one_host_conservative_starts_no_job_later_than_fcfs(problem):
    cluster, workload = problem
    patient, planned_starts = (starts(workload, cluster, d) for d in (named("fcfs"), named("conservative")))
    assert all(early <= late for early, late in zip(planned_starts, patient, strict=True))


@settings(max_examples=80)
@given(seed=st.integers(0, 2**32 - 1))
def test_equal_one_core_hosts_give_the_schedule_of_one_large_host(seed):
    rng = np.random.default_rng(seed)
    cores, jobs = int(rng.integers(2, 9)), 25
    tasks = rng.integers(1, cores + 1, jobs).astype(np.int32)
    columns = {"submit_s": np.sort(rng.integers(0, 60, jobs)), "runtime_s": rng.integers(1, 40, jobs)}
    estimate_s = np.ceil(columns["runtime_s"] * rng.choice([1.0, 1.0, 2.0], jobs))
    node_count = Workload.of(**columns, cores=[1] * jobs, tasks=tasks, estimate_s=estimate_s)
    together = Workload.of(**columns, cores=tasks, estimate_s=estimate_s)
    many, one = Cluster.uniform(cores, cores=1), Cluster.uniform(1, cores=cores)
    assert starts(node_count, many, named("easy")) == starts(together, one, named("easy"))


def test_a_head_leaves_what_it_does_not_need_whichever_hosts_that_is():
    workload = Workload.of(
        submit_s=[0] * 4, runtime_s=[4, 5, 5, 3], cores=[1] * 4, tasks=np.array([1, 3, 3, 1], np.int32)
    )
    assert starts(workload, Cluster.uniform(4, cores=1), named("easy")) == [0, 0, 5, 4]
