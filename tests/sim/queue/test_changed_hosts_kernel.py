"""What a pass takes for known of the last one is so: the plain engine, which knows nothing, starts the same jobs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loadmaster.model import Cluster, Workload
from loadmaster.place import POLICIES
from loadmaster.scheduling import MaxJobs
from loadmaster.scheduling import discipline_named as named
from loadmaster.sim.queue import simulate

RULES = [
    POLICIES["best-fit-cores"],
    POLICIES["random"],
    MaxJobs(),
    MaxJobs(log_ties=False),
    MaxJobs(target="cores", members=(POLICIES["worse-fit-memory"], POLICIES["round-robin"], POLICIES["mix-fit"])),
]
ESTIMATES = {"right": [1.0], "too long": [1.0, 1.5, 2.0, 4.0], "of all sorts": [0.0, 0.5, 1.0, 2.0]}


def crowded(seed, estimates, several_tasks):
    """Sixty jobs on few hosts, so that the same head waits for many events, and a job in ten fills a host."""
    rng, jobs = np.random.default_rng(seed), 60
    hosts = int(rng.integers(1, 9))
    equal = rng.random() < 0.4
    cluster = Cluster(("cores", "memory"), rng.integers(1, 10, (hosts, 2)).astype(float))
    if equal:
        cluster = Cluster.uniform(hosts, cores=8, memory=16)
    model = cluster.capacity[rng.integers(0, cluster.hosts, jobs)]
    demand = np.floor(model * rng.choice([0.25, 0.5, 1.0], (jobs, 1)) * rng.uniform(0, 1, model.shape))
    full = rng.random(jobs) < 0.1
    demand[full] = model[full]
    runtime_s = rng.integers(1, rng.choice([3, 40, 200]), jobs).astype(float)
    return cluster, Workload(
        cluster.resources,
        np.sort(rng.integers(0, rng.choice([1, 60, 600, 3000]), jobs)).astype(float),
        runtime_s,
        demand,
        tasks=np.minimum(rng.integers(1, 4, jobs), _held(cluster, demand)).astype(np.int32) if several_tasks else None,
        estimate_s=np.floor(runtime_s * rng.choice(ESTIMATES[estimates], jobs)),
    )


def _held(cluster, demand):
    """How many tasks of each job all hosts hold."""
    times = np.full((cluster.hosts, *demand.shape), np.inf)
    np.divide(cluster.capacity[:, None, :], demand, out=times, where=np.broadcast_to(demand > 0, times.shape))
    return np.floor(np.minimum(times.min(axis=2), 3.0)).sum(axis=0)


@pytest.mark.parametrize("discipline", [named("easy"), named("skip"), named("sjf+easy"), named("sjf+skip")], ids=str)
@pytest.mark.parametrize("rule", RULES, ids=["best-fit-cores", "random", "max-jobs", "without ties", "three members"])
@settings(max_examples=10, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    estimates=st.sampled_from(sorted(ESTIMATES)),
    several_tasks=st.booleans(),
    interval_s=st.sampled_from([0.0, 0.0, 30.0]),
)
def test_a_pass_that_tries_again_only_where_somebody_left_starts_what_a_whole_pass_starts(
    rule, discipline, seed, estimates, several_tasks, interval_s
):
    cluster, workload = crowded(seed, estimates, several_tasks)
    plain, compiled = (
        simulate(workload, cluster, rule, discipline, interval_s=interval_s, seed=3, engine=engine)
        for engine in ("reference", "compiled")
    )
    assert plain.same_as(compiled)
    assert np.array_equal(plain.cycles.winners, compiled.cycles.winners)
