"""Logs whose tasks all request the same: the engine counts places, and names the hosts that the plain one names."""

import numpy as np
import pytest
from numba import typeof
from resource_counts import resource_counts

from loadmaster.model import Cluster, Workload
from loadmaster.place import POLICIES, Policy
from loadmaster.scheduling import Scheduler, discipline_named
from loadmaster.sim.queue import simulate
from loadmaster.sim.queue.engine.arrays import engine_arrays, jobs_of
from loadmaster.sim.queue.engine.host_pool import pool_of
from loadmaster.sim.queue.engine.records import Records
from loadmaster.sim.queue.queue_run import QueueRun

DISCIPLINES = ("easy", "sjf+easy", "wfp3+easy", "fcfs", "fcfs+skip", "multifactor(age=1000,size=500,max_age=500)+easy")
NAMED = ("first-fit", "best-fit-cores", "worse-fit-memory", "mix-fit", "dot-product", "least-allocated")


def drawn(seed, count=2):
    """A log of one demand on hosts of up to three kinds, with so many resources."""
    rng = np.random.default_rng(seed)
    jobs, resources = int(rng.integers(2, 60)), ("cores", "memory", "gpus", "bandwidth")[:count]
    capacity = rng.integers(2, 9, (3, len(resources))).astype(float)[rng.integers(0, 3, rng.integers(1, 8))]
    demand = rng.integers(1, 3, len(resources)).astype(float)
    places = int(np.floor(capacity / demand).min(axis=1).sum())
    runtime_s = 1.0 + np.round(rng.exponential(20.0, jobs))
    workload = Workload.of(
        submit_s=np.sort(np.round(rng.uniform(0.0, rng.choice([5, 100, 400]), jobs))),
        runtime_s=runtime_s,
        estimate_s=runtime_s * rng.choice([1.0, 0.5, 2.0, 10.0], jobs),
        tasks=rng.integers(1, places + 1, jobs),
        **{name: np.full(jobs, asked) for name, asked in zip(resources, demand, strict=True)},
    )
    return workload, Cluster(resources, capacity)


@pytest.mark.parametrize("seed", range(60))
def test_count_and_plain_engine_agree(seed):
    policies = NAMED[seed % len(NAMED)], "first-fit"
    counts = resource_counts(POLICIES[policies[0]])
    workload, cluster = drawn(seed, counts[seed // len(NAMED) % len(counts)])
    for policy in policies:
        for discipline in (DISCIPLINES[seed % len(DISCIPLINES)], "easy"):
            rules = POLICIES[policy], discipline_named(discipline)
            plain, counted = (simulate(workload, cluster, *rules, engine=each) for each in ("reference", "compiled"))
            assert np.array_equal(plain.start_s, counted.start_s)
            assert np.array_equal(plain.host, counted.host)


def counts(workload, cluster, policy, discipline):
    rule = discipline_named(discipline)
    return pool_of(jobs_of(workload, cluster, rule), cluster, policy, rule, np.zeros(0, np.int32)) is not None


@pytest.mark.parametrize("discipline", ["fcfs", "easy", "wfp3+easy"])
def test_one_engine_serves_hosts_that_are_counted_and_hosts_that_are_not(discipline):
    workload, cluster = drawn(1)
    run = QueueRun(workload, cluster, Scheduler(POLICIES["mix-fit"], discipline_named(discipline)))
    counted, single = (engine_arrays(run, Records(workload), pooled=pooled)[0] for pooled in (True, False))
    assert len(counted.capacity) == 1 < len(single.capacity)
    assert typeof(counted[:-1]) == typeof(single[:-1])


def test_hosts_are_counted_only_where_nothing_else_of_them_matters():
    workload, cluster = drawn(1)
    mixed = Workload.of(submit_s=[0, 0], runtime_s=[1, 1], cores=[1, 2])
    two = Cluster.uniform(2, cores=4)
    assert counts(workload, cluster, POLICIES["mix-fit"], "easy")
    assert not counts(workload, cluster, POLICIES["round-robin"], "easy")
    assert not counts(workload, cluster, POLICIES["random"], "easy")
    assert not counts(workload, cluster, POLICIES["first-fit"], "conservative")
    assert not counts(workload, cluster, POLICIES["first-fit"], "fcfs+netbatch")
    assert not counts(mixed, two, POLICIES["first-fit"], "easy")


def test_a_score_that_fails_on_a_host_that_may_never_be_is_not_asked():
    def fails_when_full(demand, free, capacity):
        return 1.0 / (free[0] - demand[0])

    one_core = Workload.of(submit_s=[0.0, 0.0], runtime_s=[5.0, 5.0], cores=[1.0, 1.0])
    cluster = Cluster.uniform(2, cores=4)
    assert not counts(one_core, cluster, Policy("own", fails_when_full), "easy")
