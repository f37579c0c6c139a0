"""Multifactor priorities in the compiled engine: the schedule of the plain one to the bit, whatever its parameters."""

from dataclasses import replace

import numpy as np
import pytest
from bursts import complementary
from hypothesis import given, settings
from hypothesis import strategies as st

from loadmaster.model import Cluster, Workload
from loadmaster.model.constraints import Constraints
from loadmaster.model.site_rules import Account, SiteRules
from loadmaster.order import Multifactor
from loadmaster.place import POLICIES
from loadmaster.scheduling import Discipline, MaxJobs, Scheduler
from loadmaster.scheduling.notation import discipline_named as named
from loadmaster.sim.queue import simulate
from loadmaster.sim.queue.engine.replay import replay_compiled
from loadmaster.sim.queue.queue_run import QueueRun
from loadmaster.sim.queue.reference import replay
from loadmaster.sim.queue.simulation import is_compiled

ACCOUNTS = SiteRules(
    accounts=(
        Account("a", shares=5), Account("b", shares=3), Account("c", "", "a", None), Account("a", "u0", shares=2),
        Account("b", "u1"), Account("c", "u2", shares=0), Account("c", "u3", shares=7), Account("b", "u0"),
    )
)  # fmt: skip
BACKFILLINGS = ["none", "skip", "netbatch", "netbatch(reservations=2,lookahead=5)", "easy"]
POLICIES_TRIED = [POLICIES["best-fit-cores"], POLICIES["random"], MaxJobs(target="cores")]
KINDS = st.builds(
    Multifactor,
    half_life=st.sampled_from([0.0, 100.0, 5000.0]),
    form=st.sampled_from(["tree", "classic"]),
    tied_accounts=st.sampled_from(["merged", "listed"]),
    decay=st.sampled_from(["slurm", "exact"]),
    recalc=st.sampled_from(["tick", "tick", "pass"]),
    max_age=st.sampled_from([0.0, 700.0]),
    damp=st.sampled_from([1.0, 3.5]),
    calc_period=st.sampled_from([7.0, 300.0, 1e6]),
    favor_small=st.booleans(),
    age=st.sampled_from([0.0, 1000, 3e9]),
    fair_share=st.sampled_from([0.0, 10000.0]),
    reset=st.just("daily"),
    small_relative_to_time=st.booleans(),
)


def log(jobs, users, span_s, seed):
    """Jobs of one or two tasks of many users in three accounts, and hosts on which they wait.

    Of every third seed a job asks much of one resource and little or none of the other.
    """
    rng = np.random.default_rng(seed)
    runtime_s = rng.integers(1, 900, jobs).astype(float)
    workload = Workload.of(
        submit_s=np.sort(rng.integers(0, span_s, jobs)).astype(float),
        runtime_s=runtime_s,
        estimate_s=np.floor(runtime_s * rng.choice([0.5, 1.0, 2.0], jobs)),
        cores=rng.integers(1, 5, jobs),
        memory=rng.integers(1, 5, jobs),
        tasks=rng.integers(1, 3, jobs),
        user=rng.integers(0, users, jobs).astype(np.int32),
        project=rng.integers(0, 3, jobs).astype(np.int32),
        constraints=Constraints(user_names=tuple(f"u{n}" for n in range(users)), account_names=("a", "b", "c")),
    )
    if seed % 3 == 0:
        demand = complementary(rng, np.full(2, 6.0), 3, 1)[rng.integers(0, 3, jobs)]
        workload = replace(workload, demand=demand, tasks=np.ones(jobs, np.int32))
    return workload, Cluster.uniform(int(rng.integers(1, 4)), cores=6, memory=6)


def assert_same(one, other):
    assert np.array_equal(one.start_s, other.start_s, equal_nan=True)
    assert one.host.tolist() == other.host.tolist()
    for column in ("time_s", "queue_length", "started", "winners"):
        assert np.array_equal(getattr(one.cycles, column), getattr(other.cycles, column)), column


@pytest.mark.parametrize("policy", POLICIES_TRIED, ids=lambda policy: policy.name)
@settings(max_examples=60, deadline=None)
@given(
    order=KINDS, backfilling=st.sampled_from(BACKFILLINGS), seed=st.integers(0, 2**32 - 1),
    jobs=st.integers(1, 40), span_s=st.sampled_from([1, 600, 3000]), interval_s=st.sampled_from([0.0, 30.0, 100.0]),
    with_accounts=st.booleans(),
)  # fmt: skip
def test_it_agrees_with_the_reference(policy, order, backfilling, seed, jobs, span_s, interval_s, with_accounts):
    workload, cluster = log(jobs, 4, span_s, seed)
    cluster = replace(cluster, rules=ACCOUNTS if with_accounts else None)
    discipline = Discipline(order, named(f"fcfs+{backfilling}").backfilling)
    plain = replay(workload, cluster, Scheduler(policy, discipline), interval_s=interval_s, seed=3)
    fast = replay_compiled(QueueRun(workload, cluster, Scheduler(policy, discipline), interval_s=interval_s, seed=3))
    assert_same(plain, fast)


@pytest.mark.parametrize("spec", ["multifactor", "multifactor(recalc=pass)", "multifactor(age=0,fair_share=0,size=0)"])
@pytest.mark.parametrize("interval_s", [0.0, 200.0])
def test_it_agrees_where_many_come_between_two_ticks(spec, interval_s):
    workload, cluster = log(400, 20, 900, seed=1)
    discipline = named(f"{spec}+easy")
    plain, fast = (
        simulate(workload, cluster, POLICIES["first-fit"], discipline, interval_s=interval_s, engine=engine)
        for engine in ("reference", "auto")
    )
    assert plain.cycles.queue_length.max() > 200
    assert_same(plain, fast)


def test_every_backfilling_but_those_that_plan_is_compiled_under_it():
    workload, cluster = log(3, 2, 10, seed=0)
    for each in BACKFILLINGS:
        assert is_compiled(workload, cluster, POLICIES["mix-fit"], named(f"multifactor+{each}"))


def test_a_subclass_of_it_is_asked_by_the_plain_engine():
    class Mine(Multifactor):
        pass

    workload, cluster = log(3, 2, 10, seed=0)
    assert not is_compiled(workload, cluster, POLICIES["mix-fit"], Discipline(Mine(), named("easy").backfilling))
