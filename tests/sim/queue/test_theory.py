"""Queues whose answer is known: M/M/1, M/M/c, and laws that every queue keeps."""

import heapq
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t

from loadmaster.measure import little, metrics, waits
from loadmaster.model import Cluster, Queue, Running, Snapshot, Workload
from loadmaster.place import POLICIES
from loadmaster.scheduling import MaxJobs, Scheduler
from loadmaster.scheduling import discipline_named as named
from loadmaster.sim.queue import simulate

REPLICATIONS, JOBS, WARM_UP = 20, 60_000, 10_000
"""Independent runs; jobs in each; the first so many are left out, since each run starts with an empty queue."""


def poisson_jobs(rate, mean_runtime_s, jobs, seed):
    rng = np.random.default_rng(seed)
    submit = np.cumsum(rng.exponential(1.0 / rate, jobs))
    return Workload.of(submit_s=submit, runtime_s=rng.exponential(mean_runtime_s, jobs), cores=np.ones(jobs))


def erlang_c_wait(rate, mean_runtime_s, servers):
    """Mean wait of M/M/c: C(c, a) / (c / s - rate), a = rate x s (Erlang 1917)."""
    offered = rate * mean_runtime_s
    blocked = 1.0
    for k in range(1, servers + 1):  # Erlang B, by its recursion
        blocked = offered * blocked / (k + offered * blocked)
    waiting = blocked / (1.0 - offered / servers * (1.0 - blocked))
    return waiting / (servers / mean_runtime_s - rate)


def test_the_formula_is_that_of_mm1_with_one_server():
    assert erlang_c_wait(0.8, 1.0, 1) == pytest.approx(0.8 / (1.0 - 0.8))


@pytest.mark.parametrize(
    ("hosts", "cores_each", "load"),
    [(1, 1, 0.7), (4, 1, 0.75), (1, 4, 0.75), (2, 3, 0.75)],
    ids=["M/M/1", "M/M/4 as four hosts", "M/M/4 as one host", "M/M/6 as two hosts"],
)
def test_mean_waits_are_those_of_the_formula(hosts, cores_each, load):
    servers = hosts * cores_each
    cluster, runtime_s = Cluster.uniform(hosts, cores=cores_each), 100.0
    rate = load * servers / runtime_s
    means = []
    for seed in range(REPLICATIONS):
        workload = poisson_jobs(rate, runtime_s, JOBS, seed)
        schedule = simulate(workload, cluster, POLICIES["first-fit"], named("fcfs"), interval_s=0.0)
        means.append(waits(workload, schedule)[WARM_UP:].mean())
    half = t.ppf(0.995, REPLICATIONS - 1) * np.std(means, ddof=1) / math.sqrt(REPLICATIONS)
    expected = erlang_c_wait(rate, runtime_s, servers)
    assert abs(np.mean(means) - expected) <= half, f"{np.mean(means):.3f} +- {half:.3f} s, Erlang C: {expected:.3f} s"
    assert half < 0.05 * expected  # an interval so wide that it cannot fail proves nothing


def test_one_server_follows_lindleys_recursion_to_the_job():
    workload = poisson_jobs(0.9, 1.0, 3000, seed=1)
    schedule = simulate(workload, Cluster.uniform(1, cores=1), POLICIES["first-fit"], named("fcfs"), interval_s=0.0)
    wait = [0.0]
    for gap, runtime in zip(np.diff(workload.submit_s), workload.runtime_s, strict=False):
        wait.append(max(0.0, wait[-1] + runtime - gap))
    assert waits(workload, schedule) == pytest.approx(wait, abs=1e-6)


def mixed_log(jobs, seed):
    rng = np.random.default_rng(seed)
    return Workload.of(
        submit_s=np.cumsum(rng.exponential(4.0, jobs)),
        runtime_s=rng.exponential(600.0, jobs) + 1.0,
        cores=rng.integers(1, 5, jobs),
        memory=rng.integers(1, 17, jobs),
    )


@pytest.mark.parametrize("policy", [*POLICIES.values(), MaxJobs()], ids=lambda policy: policy.name)
def test_waits_grow_with_the_load(policy):
    """The same jobs, arriving faster and faster; seed fixed, loads so far apart that chance does not matter."""
    workload, cluster = mixed_log(4000, seed=5), Cluster.uniform(12, cores=16, memory=64)
    base = workload.offered_load(cluster)
    means = []
    for load in (0.5, 0.8, 1.0, 1.3):
        scaled = workload.scaled(base / load)
        assert scaled.offered_load(cluster) == pytest.approx(load)
        schedule = simulate(scaled, cluster, policy, named("netbatch"), interval_s=30.0)
        means.append(metrics(scaled, cluster, schedule).mean_wait_s)
        assert little(scaled, schedule).error < 1e-9
    assert means == sorted(means)
    assert means[-1] > 2 * means[0]


def replay_every_cycle(workload, cluster, scheduler, interval_s):
    """A scheduler that wakes at each multiple of `interval_s`, whether anything happened or not."""
    start_s, hosts_of = np.full(workload.jobs, np.nan), [()] * workload.jobs
    free, ends, waiting = cluster.capacity.copy(), [], []
    arrived, last_host, number = 0, -1, 0
    nobody = Running(np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros((0, 2)), np.zeros(0), np.zeros(0, np.int32))
    while arrived < workload.jobs or (waiting and ends):
        now = number * interval_s
        number += 1
        while ends and ends[0][0] <= now:
            _, job = heapq.heappop(ends)
            for host in hosts_of[job]:
                free[host] += workload.demand[job]
        while arrived < workload.jobs and workload.submit_s[arrived] <= now:
            waiting.append(arrived)
            arrived += 1
        jobs = np.array(waiting, np.int64)
        zeros = np.zeros(len(jobs), np.int32)
        queue = Queue(jobs, workload.demand[jobs], workload.task_count[jobs], workload.runtime_s[jobs], zeros, jobs)
        decision = scheduler.decide(Snapshot(now, cluster, free.copy(), queue, nobody, last_host, 0))
        for job, hosts, *_ in decision.place:
            start_s[job], hosts_of[job] = now, hosts
            for host in hosts:
                free[host] -= workload.demand[job]
            heapq.heappush(ends, (now + workload.runtime_s[job], job))
            waiting.remove(job)
        last_host = decision.last_host
    return start_s, [hosts[0] if hosts else -1 for hosts in hosts_of]


@pytest.mark.parametrize(
    ("policy", "discipline"),
    [
        (POLICIES["mix-fit"], named("netbatch")),
        (POLICIES["worse-fit-memory"], named("netbatch(reservations=0)")),
        (POLICIES["round-robin"], named("netbatch(reservations=2)")),
        (POLICIES["best-fit-cores"], named("fcfs")),
        (MaxJobs(), named("netbatch")),
    ],
    ids=["mix-fit", "worse-fit-memory, no reservations", "round-robin, two reservations", "fcfs", "max-jobs"],
)
@settings(max_examples=25)
@given(seed=st.integers(0, 2**32 - 1), hosts=st.integers(1, 5), gap_s=st.sampled_from([5.0, 40.0, 400.0]))
def test_skipping_idle_cycles_changes_nothing(policy, discipline, seed, hosts, gap_s):
    rng = np.random.default_rng(seed)
    jobs = 25
    workload = Workload.of(
        submit_s=np.cumsum(rng.exponential(gap_s, jobs)),
        runtime_s=rng.integers(1, 600, jobs),
        cores=rng.integers(1, 9, jobs),
        memory=rng.integers(0, 33, jobs),
    )
    cluster = Cluster.uniform(hosts, cores=8, memory=32)
    skipping = simulate(workload, cluster, policy, discipline, interval_s=30.0)
    start_s, host = replay_every_cycle(workload, cluster, Scheduler(policy, discipline), 30.0)
    assert np.array_equal(skipping.start_s, start_s, equal_nan=True)
    assert skipping.host.tolist() == host


def test_a_limited_lookahead_is_where_skipping_does_change_something():
    """Four jobs, two tried in a cycle: the two left over start one cycle later, or when something happens."""
    workload = Workload.of(submit_s=[0.0] * 4, runtime_s=[300.0] * 4, cores=[1] * 4, memory=[1] * 4)
    cluster, discipline = Cluster.uniform(1, cores=8, memory=32), named("netbatch(lookahead=2)")
    skipping = simulate(workload, cluster, POLICIES["first-fit"], discipline, interval_s=30.0)
    every, _ = replay_every_cycle(workload, cluster, Scheduler(POLICIES["first-fit"], discipline), 30.0)
    assert skipping.start_s.tolist() == [0.0, 0.0, 300.0, 300.0]
    assert every.tolist() == [0.0, 0.0, 30.0, 30.0]
