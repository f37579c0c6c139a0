"""Every compiled engine gives the schedule of the plain one, to the bit, on random small workloads."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loadmaster.measure.check import violations
from loadmaster.model import Cluster, Workload
from loadmaster.order import FairShare, Fcfs, NetBatch
from loadmaster.place import POLICIES
from loadmaster.schedule import MaxJobs
from loadmaster.sim import simulate

DISCIPLINES = [
    NetBatch(),
    NetBatch(reservations=0),
    NetBatch(reservations=2, lookahead=5),
    Fcfs(),
    FairShare(shares=(1.0, 2.0)),
]
METAS = [
    MaxJobs(),
    MaxJobs(target="cores"),
    MaxJobs(target="weighted", members=(POLICIES["random"], POLICIES["mix-fit"])),
]


@st.composite
def clusters(draw, resources):
    hosts = draw(st.integers(1, 6))
    rows = draw(
        st.lists(st.lists(st.integers(1, 9), min_size=resources, max_size=resources), min_size=hosts, max_size=hosts)
    )
    return Cluster(("cores", "memory", "gpus")[:resources], np.array(rows, float))


@st.composite
def problems(draw, single_task=False):
    """A small cluster and jobs that its empty self can hold, arriving close together."""
    resources = draw(st.sampled_from([2, 2, 3]))
    cluster = draw(clusters(resources))
    jobs = draw(st.integers(1, 25))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    model = cluster.capacity[rng.integers(0, cluster.hosts, jobs)]
    demand = np.floor(model * rng.uniform(0, 1, (jobs, resources)))
    tasks = np.ones(jobs, np.int32)
    if not single_task:
        held = np.array([_held(row, cluster.capacity) for row in demand])
        tasks = np.minimum(rng.integers(1, 4, jobs), held).astype(np.int32)
    return cluster, Workload(
        cluster.resources,
        np.sort(rng.integers(0, draw(st.sampled_from([1, 60, 600])), jobs)).astype(float),
        rng.integers(1, 200, jobs).astype(float),
        demand,
        tasks=None if single_task else tasks,
        project=rng.integers(0, 3, jobs).astype(np.int32),
    )


def _held(demand, capacity):
    per_host = np.floor(capacity[:, demand > 0] / demand[demand > 0]).min(axis=1) if (demand > 0).any() else [9]
    return int(np.sum(per_host))


def assert_same(reference, other):
    assert np.array_equal(reference.start_s, other.start_s, equal_nan=True)
    assert np.array_equal(reference.host, other.host)
    for column in ("time_s", "queue_length", "started", "winners"):
        assert np.array_equal(getattr(reference.cycles, column), getattr(other.cycles, column)), column


@pytest.mark.parametrize("discipline", DISCIPLINES, ids=str)
@pytest.mark.parametrize("policy", [*POLICIES.values(), *METAS], ids=lambda policy: policy.name)
@settings(max_examples=8, deadline=None, derandomize=True)
@given(problem=problems(), interval_s=st.sampled_from([0.0, 30.0]))
def test_the_general_engine_agrees_with_the_reference(policy, discipline, problem, interval_s):
    cluster, workload = problem
    plain = simulate(workload, cluster, policy, discipline, interval_s=interval_s, seed=5, engine="reference")
    compiled = simulate(workload, cluster, policy, discipline, interval_s=interval_s, seed=5, engine="cycles")
    assert_same(plain, compiled)
    assert not violations(workload, cluster, compiled)
