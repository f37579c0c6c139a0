"""A kind of limit that time moves, registered by a test: every part of the program obeys it, or says that it cannot."""

from collections import Counter
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loadmaster.measure import violations
from loadmaster.measure.check_limits import TIMED_CHECKS, time_spans
from loadmaster.model import Cluster, InputError, Limits, Qos, SiteRules, Workload
from loadmaster.place import POLICIES
from loadmaster.runs import Case, Setting, run_fully
from loadmaster.runs.explain import explain
from loadmaster.runs.record import Record
from loadmaster.scheduling import discipline_named
from loadmaster.scheduling.resolved_constraints import binds
from loadmaster.scheduling.timed_limits import TIMED_LIMITS, TimedLimitKind, refuse_counts_of_ended_jobs
from loadmaster.search.best import cannot_keep
from loadmaster.sim.queue import simulate
from loadmaster.sim.queue.simulation import is_compiled

MOST, WITHIN_S = 2, 3600.0
WORDS = "2 of its user's jobs started within the hour"


class StartLimits:
    """At most two jobs of each user start within an hour: one limit for each user."""

    def __init__(self, workload, cluster, entries):
        self.user, self.job = workload.user, entries.job
        self.most = np.full(int(self.user.max()) + 1, float(MOST))
        self.beyond = np.zeros(len(self.job), bool)

    def needs(self, entry):
        return ((int(self.user[self.job[entry]]), 1.0),)

    def begin(self):
        return StartCount(self)

    def words(self, limit):
        return WORDS


class StartCount:
    def __init__(self, limits):
        self.limits, self.until_s = limits, []

    def start(self, job, entry, now_s):
        self.until_s.append((now_s + WITHIN_S, int(self.limits.user[job])))

    def stop(self, job, now_s):
        pass

    def left(self, now_s):
        recent = Counter(user for until_s, user in self.until_s if until_s > now_s)
        return np.array([most - recent[user] for user, most in enumerate(self.limits.most)])

    def again_s(self, now_s, waiting):
        left = self.left(now_s)
        short = {user for entry in waiting for user, need in self.limits.needs(entry) if left[user] < need}
        return min((until_s for until_s, user in self.until_s if user in short and until_s > now_s), default=np.inf)


def broken_starts(workload, cluster, schedule):
    if workload.user is None:
        return
    for user in range(int(workload.user.max()) + 1):
        start_s = sorted(start for job, start, _ in time_spans(workload, schedule) if workload.user[job] == user)
        for first_s, third_s in zip(start_s, start_s[MOST:], strict=False):
            if third_s < first_s + WITHIN_S:
                yield f"user {user} starts too many jobs from {first_s:g} s on"
                return


@pytest.fixture
def starts_are_limited(monkeypatch):
    kind = TimedLimitKind(lambda workload, cluster: workload.user is not None, StartLimits)
    monkeypatch.setitem(TIMED_LIMITS, "starts", kind)
    monkeypatch.setitem(TIMED_CHECKS, "starts", broken_starts)


FOUR = Workload.of(submit_s=[0] * 5, runtime_s=[10] * 5, cores=[1] * 5, user=[0, 0, 0, 1, 0])
HOSTS = Cluster.uniform(2, cores=4)


def run(jobs, discipline="easy", **given):
    return simulate(jobs, HOSTS, POLICIES["first-fit"], discipline_named(discipline), **given)


def test_every_kind_has_a_check_of_finished_schedules():
    assert TIMED_LIMITS.keys() == TIMED_CHECKS.keys()


def test_jobs_that_no_kind_limits_run_as_if_nothing_bound_them():
    assert not binds(FOUR, HOSTS)
    assert is_compiled(FOUR, HOSTS, POLICIES["first-fit"], discipline_named("easy"))
    assert run(FOUR).start_s.tolist() == [0.0] * 5


@pytest.mark.usefixtures("starts_are_limited")
@pytest.mark.parametrize("discipline", ["fcfs", "skip", "easy", "conservative", "netbatch"])
@pytest.mark.parametrize("engine", ["reference", "auto", "compiled"])
def test_engines_obey_a_new_kind_on_a_log_that_has_nothing_else(discipline, engine):
    assert run(FOUR, discipline, engine=engine).start_s.tolist() == [0.0, 0.0, 3600.0, 0.0, 3600.0]


@pytest.mark.usefixtures("starts_are_limited")
def test_a_kind_without_a_kernel_is_not_said_to_be_compiled():
    assert binds(FOUR, HOSTS)
    assert not is_compiled(FOUR, HOSTS, POLICIES["first-fit"], discipline_named("easy"))


def test_the_checker_sees_a_new_kind_broken(request):
    careless = run(FOUR)
    request.getfixturevalue("starts_are_limited")
    assert violations(FOUR, HOSTS, careless) == ("user 0 starts too many jobs from 0 s on",)


@pytest.mark.usefixtures("starts_are_limited")
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    submit_s=st.lists(st.integers(0, 9000), min_size=1, max_size=12),
    seed=st.integers(0, 999),
    discipline=st.sampled_from(["fcfs", "skip", "easy", "conservative"]),
)
def test_no_schedule_breaks_a_new_kind(submit_s, seed, discipline):
    rng, many = np.random.default_rng(seed), len(submit_s)
    runtime_s, cores, user = rng.integers(1, 4000, many), rng.integers(1, 5, many), rng.integers(0, 2, many)
    jobs = Workload.of(submit_s=sorted(submit_s), runtime_s=runtime_s, cores=cores, user=user)
    schedule = run(jobs, discipline)
    assert schedule.started.all()
    assert violations(jobs, HOSTS, schedule) == ()


@pytest.mark.usefixtures("starts_are_limited")
def test_explain_names_a_new_kind_though_the_jobs_that_count_have_ended():
    case, setting = Case(FOUR, HOSTS), Setting("first-fit", "easy")
    record = Record(case, setting, FOUR, run_fully(case, setting, {}).schedule)
    assert set(explain(record, 2).delay.reasons) == {WORDS}


@pytest.mark.usefixtures("starts_are_limited")
def test_the_search_for_the_best_schedule_says_that_it_keeps_no_new_kind():
    assert cannot_keep(FOUR, HOSTS) == "limits"


@pytest.mark.usefixtures("starts_are_limited")
def test_a_live_run_refuses_a_new_kind_since_it_may_count_ended_jobs():
    with pytest.raises(InputError, match=r"limits on starts.*a live run knows only jobs that run"):
        refuse_counts_of_ended_jobs(FOUR, HOSTS, "a live run")


@pytest.mark.parametrize(
    ("limits", "refused"),
    [
        (Limits(), False),
        (Limits(grp_tres_run_s=(("cores", 99.0),)), False),
        (Limits(grp_tres_s=(("cores", 99.0),)), True),
        (Limits(grp_wall_s=99.0), True),
    ],
)
def test_a_live_run_counts_the_work_of_running_jobs_alone(limits, refused):
    site = replace(HOSTS, rules=SiteRules(qos=(Qos("normal", limits=limits),)))
    with pytest.raises(InputError, match="limits on work") if refused else nullcontext():
        refuse_counts_of_ended_jobs(FOUR, site, "a live run")
