"""What every backfilling must do under every order: the tests run by themselves over all that are listed."""

from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from bound_jobs import KINDS, bound_jobs
from hypothesis import given, settings
from hypothesis import strategies as st

from loadmaster.backfilling import BACKFILLINGS, Backfilling, Easy, states
from loadmaster.measure.check import violations
from loadmaster.model import Cluster, Constraints, Workload
from loadmaster.order import ORDERS, ORDERS_WITH_MEMORY
from loadmaster.place import POLICIES
from loadmaster.scheduling import Discipline, Scheduler
from loadmaster.scheduling import discipline_named as named
from loadmaster.sim.queue.reference import at_or_after, replay

ORDER_NAMES = [*ORDERS, *ORDERS_WITH_MEMORY]
PAIRS = [f"{order}+{backfilling}" for order in ORDER_NAMES for backfilling in BACKFILLINGS]
POLICY_NAMES = ("first-fit", "worse-fit-cores", "round-robin")


@st.composite
def problems(draw, exact=False, hosts=4, alike=False):
    """Up to 14 jobs of up to three tasks that the empty cluster can hold, arriving close together."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    count, jobs = draw(st.integers(1, hosts)), draw(st.integers(2, 14))
    capacity = rng.integers(2, 9, (1 if alike else count, 2)).astype(float) * np.ones((count, 1))
    demand = np.floor(capacity.min(axis=0) * rng.uniform(0, 1, (jobs, 2)))
    runtime_s = rng.integers(1, 60, jobs).astype(float)
    factor = np.ones(jobs) if exact else rng.choice([0.0, 0.5, 1.0, 1.0, 2.0], jobs)
    resources = ("cores", "memory")
    return Cluster(resources, capacity), Workload(
        resources,
        np.sort(rng.integers(0, draw(st.sampled_from([1, 100])), jobs)).astype(float),
        runtime_s,
        demand,
        tasks=np.minimum(rng.integers(1, 4, jobs), count).astype(np.int32),
        estimate_s=runtime_s * factor,
        user=rng.integers(0, 3, jobs).astype(np.int32),
        project=rng.integers(0, 2, jobs).astype(np.int32),
    )


@pytest.mark.parametrize("pair", PAIRS)
@settings(max_examples=4, deadline=None)
@given(problem=problems(), interval_s=st.sampled_from([0.0, 30.0]), policy=st.sampled_from(POLICY_NAMES))
def test_every_job_starts_once_on_hosts_that_hold_it_and_the_same_again(pair, problem, interval_s, policy):
    cluster, workload = problem
    scheduler = Scheduler(POLICIES[policy], named(pair))
    first, again = (replay(workload, cluster, scheduler, interval_s=interval_s, seed=3) for _ in range(2))
    assert not violations(workload, cluster, first)
    assert not np.isnan(first.start_s).any()
    assert np.array_equal(first.start_s, again.start_s)
    assert np.array_equal(first.host, again.host)


@dataclass(frozen=True)
class Listening:
    """Writes down every (job, promised start) that another backfilling gives, and what the first in the queue gets."""

    inner: Backfilling
    given: list[tuple[int, float]] = field(default_factory=list)
    first: list[tuple[int, float]] = field(default_factory=list)
    """Of each pass that leaves somebody waiting; what is not promised is NaN."""

    def serve(self, this_pass):
        self.inner.serve(this_pass)
        waiting = [row for row in range(len(this_pass.snapshot.queue)) if not this_pass.has_started(row)]
        for row in waiting[:1]:
            self.first.append(
                (this_pass.job(row), this_pass.promised[row].start_s if row in this_pass.promised else np.nan)
            )
        self.given.extend((this_pass.job(row), promise.start_s) for row, promise in this_pass.promised.items())


def listened(workload, cluster, spec, policy, interval_s=0.0):
    """The schedule, and what was promised on the way."""
    discipline = named(spec)
    listening = Listening(discipline.backfilling)
    scheduler = Scheduler(POLICIES[policy], Discipline(discipline.order, listening))
    return replay(workload, cluster, scheduler, interval_s=interval_s), listening


def promises_of(workload, cluster, spec, policy, interval_s=0.0):
    """The schedule, and every (job, promised start) that was given on the way."""
    schedule, listening = listened(workload, cluster, spec, policy, interval_s)
    return schedule, listening.given


@pytest.mark.parametrize("backfilling", BACKFILLINGS)
@settings(max_examples=20, deadline=None)
@given(problem=problems(exact=True), interval_s=st.sampled_from([0.0, 30.0]), policy=st.sampled_from(POLICY_NAMES))
def test_what_the_first_in_the_queue_is_promised_is_kept_if_estimates_are_exact(
    backfilling, problem, interval_s, policy
):
    cluster, workload = problem
    schedule, listening = listened(workload, cluster, f"fcfs+{backfilling}", policy, interval_s)
    for job, start_s in listening.first:
        assert not schedule.start_s[job] > at_or_after(start_s, interval_s)


HEADS = ["easy", "easy(fill=shortest)", "stepwise(depth=1)"]


@pytest.mark.parametrize("heads", HEADS)
@settings(max_examples=40, deadline=None)
@given(problem=problems(exact=True), interval_s=st.sampled_from([0.0, 30.0]), policy=st.sampled_from(POLICY_NAMES))
def test_a_head_starts_when_it_was_promised_or_before_if_estimates_are_exact(heads, problem, interval_s, policy):
    cluster, workload = problem
    schedule, listening = listened(workload, cluster, f"fcfs+{heads}", policy, interval_s)
    assert not np.isnan([start_s for _, start_s in listening.first]).any()  # each head is promised something
    for job, start_s in listening.given:
        assert schedule.start_s[job] <= at_or_after(start_s, interval_s)


@pytest.mark.parametrize("heads", [*HEADS, "stepwise(depth=all)"])
@settings(max_examples=40, deadline=None)
@given(problem=problems(exact=True), policy=st.sampled_from(POLICY_NAMES), seed=st.integers(0, 99))
def test_a_head_that_asks_for_so_many_hosts_is_promised_no_moment_that_passes(heads, problem, policy, seed):
    cluster, workload = problem
    rng = np.random.default_rng(seed)
    least = np.minimum(rng.integers(0, 4, workload.jobs), workload.task_count)
    bound = Constraints(min_hosts=least, max_hosts=np.where(rng.random(workload.jobs) < 0.5, 0, np.maximum(least, 1)))
    workload = replace(workload, constraints=bound)
    schedule, given_s = promises_of(workload, cluster, f"fcfs+{heads}", policy)
    assert not violations(workload, cluster, schedule)
    assert int(np.isnan(schedule.start_s).sum()) == sum(schedule.never.values())
    if heads in HEADS:  # plans made anew keep the order of the queue, not their promises
        for job, start_s in given_s:
            assert schedule.start_s[job] <= start_s


STANDING = [f"conservative(early_end={name})" for name in ("arrival", "start", "now", "kept")]


@pytest.mark.parametrize("spec", STANDING)
@settings(max_examples=40, deadline=None)
@given(problem=problems(exact=False), policy=st.sampled_from(POLICY_NAMES))
def test_standing_promises_are_never_broken_by_a_job_that_ends_early(spec, problem, policy):
    cluster, workload = problem
    longer = np.maximum(workload.expected_s, workload.runtime_s)  # nobody outlives an estimate
    workload = Workload(
        workload.resources, workload.submit_s, workload.runtime_s, workload.demand, workload.tasks, longer
    )
    schedule, given_s = promises_of(workload, cluster, spec, policy)
    assert not violations(workload, cluster, schedule)
    for job, start_s in given_s:
        assert schedule.start_s[job] <= start_s


@settings(max_examples=60, deadline=None)
@given(problem=problems(exact=True, hosts=1))
def test_plans_made_anew_are_kept_on_one_host_if_estimates_are_exact(problem):
    cluster, workload = problem
    schedule, given_s = promises_of(workload, cluster, "conservative(early_end=replan)", "first-fit")
    for job, start_s in given_s:
        assert schedule.start_s[job] <= start_s


@pytest.mark.parametrize("policy", POLICY_NAMES)
@settings(max_examples=30, deadline=None)
@given(problem=problems())
def test_a_depth_of_one_is_easy_and_no_bound_on_it_is_a_plan_made_anew(policy, problem):
    cluster, workload = problem

    def starts(spec):
        return replay(workload, cluster, Scheduler(POLICIES[policy], named(spec)), interval_s=0.0).start_s.tolist()

    assert starts("stepwise(depth=1)") == starts("easy")
    assert starts("stepwise(depth=all)") == starts("conservative(early_end=replan)")


KINDS_PLAIN = [*((kind, f"fcfs+{each}") for kind in KINDS for each in BACKFILLINGS)]
KINDS_PLAIN += [(kind, f"{order}+easy") for kind in KINDS for order in ORDER_NAMES if order != "fcfs"]


@pytest.mark.parametrize(("kind", "pair"), KINDS_PLAIN, ids="-".join)
def test_under_every_kind_of_constraint_nothing_is_broken(kind, pair):
    for seed in (1, 2):
        workload, cluster = bound_jobs(seed, kind)
        scheduler = Scheduler(POLICIES["worse-fit-cores"], named(pair))
        assert not violations(workload, cluster, replay(workload, cluster, scheduler, interval_s=0.0))


def test_a_subclass_of_a_built_in_backfilling_has_none_of_its_traits():
    class Own(Easy):
        """May keep what it likes."""

    assert states(Easy(heads=2), "forgets")
    assert not states(Own(), "forgets")
    assert not states(BACKFILLINGS["conservative"][0](), "forgets")
