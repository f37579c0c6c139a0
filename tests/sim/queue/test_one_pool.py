"""Jobs on like hosts that hold one task each are replayed as jobs on one host: the same starts, on the same hosts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loadmaster.model import Cluster, Workload
from loadmaster.order import ORDERS
from loadmaster.place import POLICIES
from loadmaster.schedule.notation import discipline_named
from loadmaster.sim.queue import one_pool, simulate

ORDERED = [name for name, order in ORDERS.items() if not getattr(order, "moves", True)]
FREE_OF_NUMBERS = [policy for policy in POLICIES.values() if not policy.contextual]
HOSTS = Cluster.uniform(5, cores=4, memory=8)


@st.composite
def wide_jobs(draw):
    """Up to 14 jobs of up to five tasks, no two of which fit on one host; many moments are shared."""
    jobs = draw(st.integers(1, 14))
    seconds = st.lists(st.integers(1, 40), min_size=jobs, max_size=jobs)
    early = np.cumsum(draw(st.lists(st.sampled_from([0, 0, 1, 9]), min_size=jobs, max_size=jobs)))
    tasks, cores = (
        draw(st.lists(each, min_size=jobs, max_size=jobs)) for each in (st.integers(1, 5), st.integers(3, 4))
    )
    runtime_s = np.array(draw(seconds), float)
    return Workload.of(
        submit_s=early.astype(float), runtime_s=runtime_s, estimate_s=runtime_s + draw(seconds), cores=cores,
        memory=draw(st.lists(st.integers(0, 8), min_size=jobs, max_size=jobs)), tasks=tasks,
    )  # fmt: skip


@pytest.mark.parametrize("order", ORDERED)
@pytest.mark.parametrize("backfilling", ["none", "skip", "easy"])
@settings(max_examples=40, deadline=None)
@given(log=wide_jobs(), interval_s=st.sampled_from([0.0, 7.0]), policy=st.sampled_from(FREE_OF_NUMBERS))
def test_a_pool_starts_the_same_jobs_on_the_same_hosts(order, backfilling, log, interval_s, policy):
    discipline = discipline_named(f"{order}+{backfilling}")
    assert one_pool.serves(policy, discipline, log, HOSTS)
    plain = simulate(log, HOSTS, policy, discipline, interval_s=interval_s, engine="reference")
    counted = one_pool.replay_pool(log, HOSTS, discipline, interval_s=interval_s, seed=0)
    assert counted.start_s.tolist() == plain.start_s.tolist()
    assert counted.host.tolist() == plain.host.tolist()
    assert counted.cycles.time_s.tolist() == plain.cycles.time_s.tolist()
    assert counted.cycles.queue_length.tolist() == plain.cycles.queue_length.tolist()
    assert counted.cycles.started.tolist() == plain.cycles.started.tolist()


FOUR = {"submit_s": [0.0, 1.0], "runtime_s": [9.0, 9.0]}


@pytest.mark.parametrize(
    ("cores", "policy", "named"),
    [
        (2, "first-fit", "easy"),  # two tasks fit on one host
        (3, "round-robin", "easy"),  # which looks at the host's number
        (3, "first-fit", "wfp3+easy"),  # whose ranks change
        (3, "first-fit", "multifactor+easy"),
        (3, "first-fit", "netbatch"),  # which keeps one host for a job of several tasks
        (3, "first-fit", "easy(heads=2)"),
        (3, "first-fit", "fair-share+skip"),
    ],
)
def test_where_a_count_does_not_say_all_hosts_are_kept_apart(cores, policy, named):
    cluster, easy = Cluster.uniform(5, cores=4), discipline_named("easy")
    log, wide = (Workload.of(**FOUR, cores=[each] * 2, tasks=[3, 4]) for each in (cores, 3))
    assert one_pool.serves(POLICIES["first-fit"], easy, wide, cluster)
    assert not one_pool.serves(POLICIES[policy], discipline_named(named), log, cluster)


def test_jobs_that_are_over_as_they_start_are_left_to_other_engines():
    log = Workload.of(submit_s=[0.0, 0.0], runtime_s=[2.0**55, 1.0], cores=[3, 3], tasks=[5, 5])
    cluster = Cluster.uniform(5, cores=4)
    discipline = discipline_named("fcfs")
    assert one_pool.replay_pool(log, cluster, discipline, interval_s=0.0, seed=0) is None
    given_ = log, cluster, POLICIES["first-fit"], discipline
    assert simulate(*given_).same_as(simulate(*given_, engine="reference"))
