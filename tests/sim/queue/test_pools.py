"""On like hosts that hold one task each every policy that is not told their numbers comes to first-fit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loadmaster.model import Cluster, Workload
from loadmaster.order import ORDERS
from loadmaster.place import POLICIES
from loadmaster.scheduling import Scheduler
from loadmaster.scheduling.notation import discipline_named
from loadmaster.sim.queue import simulate
from loadmaster.sim.queue.engine.replay import replay_compiled
from loadmaster.sim.queue.queue_run import QueueRun

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
        submit_s=early.astype(float),
        runtime_s=runtime_s,
        estimate_s=runtime_s + draw(seconds),
        cores=cores,
        memory=draw(st.lists(st.integers(0, 8), min_size=jobs, max_size=jobs)),
        tasks=tasks,
    )


@pytest.mark.parametrize("order", ORDERED)
@pytest.mark.parametrize("backfilling", ["none", "skip", "easy"])
@settings(max_examples=40, deadline=None)
@given(log=wide_jobs(), interval_s=st.sampled_from([0.0, 7.0]), policy=st.sampled_from(FREE_OF_NUMBERS))
def test_a_pool_starts_the_same_jobs_on_the_same_hosts(order, backfilling, log, interval_s, policy):
    discipline = discipline_named(f"{order}+{backfilling}")
    plain = simulate(log, HOSTS, policy, discipline, interval_s=interval_s, engine="reference")
    counted = replay_compiled(QueueRun(log, HOSTS, Scheduler(policy, discipline), interval_s=interval_s, seed=0))
    assert counted.start_s.tolist() == plain.start_s.tolist()
    assert counted.host.tolist() == plain.host.tolist()
    assert counted.cycles.time_s.tolist() == plain.cycles.time_s.tolist()
    assert counted.cycles.queue_length.tolist() == plain.cycles.queue_length.tolist()
    assert counted.cycles.started.tolist() == plain.cycles.started.tolist()


def test_jobs_that_are_over_as_they_start_come_out_as_in_the_reference():
    log = Workload.of(submit_s=[0.0, 0.0], runtime_s=[2.0**55, 1.0], cores=[3, 3], tasks=[5, 5])
    given_ = log, Cluster.uniform(5, cores=4), POLICIES["first-fit"], discipline_named("fcfs")
    assert simulate(*given_).same_as(simulate(*given_, engine="reference"))
