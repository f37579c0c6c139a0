"""Jobs of many tasks, placed in bulk, get the hosts that they get one by one in the plain engine."""

import numpy as np
import pytest
from bursts import bursts, wide_burst
from hypothesis import given, settings
from hypothesis import strategies as st

from loadmaster.model import Cluster, Workload
from loadmaster.place import POLICIES
from loadmaster.scheduling import Scheduler, discipline_named
from loadmaster.sim.queue.engine.replay import replay_compiled
from loadmaster.sim.queue.engine.state import FAN, HOSTS_OF_BLOCK
from loadmaster.sim.queue.queue_run import QueueRun
from loadmaster.sim.queue.reference import replay

FIRST_FIT = POLICIES["first-fit"]
RATED = ("first-fit", "first-fit", "mix-fit", "best-fit-cores", "worse-fit-memory", "round-robin", "random")
DISCIPLINES = tuple(
    discipline_named(f"{order}+{rule}")
    for order in ("fcfs", "sjf", "largest", "area", "wfp3", "lxf")
    for rule in ("none", "skip", "easy")
)


def agree(workload, cluster, discipline, interval_s, policy=FIRST_FIT):
    plain = replay(workload, cluster, Scheduler(policy, discipline), interval_s=interval_s, seed=5)
    quick = replay_compiled(QueueRun(workload, cluster, Scheduler(policy, discipline), interval_s=interval_s, seed=5))
    assert quick.start_s.tolist() == pytest.approx(plain.start_s.tolist(), rel=0, abs=0, nan_ok=True)
    assert quick.host.tolist() == plain.host.tolist()
    for column in ("time_s", "queue_length", "started"):
        assert getattr(quick.cycles, column).tolist() == getattr(plain.cycles, column).tolist()


@given(bursts(), st.sampled_from(DISCIPLINES), st.sampled_from([0.0, 1.0, 7.5]), st.sampled_from(RATED))
@settings(max_examples=150)
def test_complementary_bursts_come_out_as_in_the_reference(problem, discipline, interval_s, policy):
    cluster, workload = problem
    agree(workload, cluster, discipline, interval_s, POLICIES[policy])


@pytest.mark.parametrize("discipline", DISCIPLINES, ids=[each.name for each in DISCIPLINES])
def test_wide_jobs_that_outlive_estimates_come_out_as_in_the_reference(discipline):
    for seed in range(4):
        workload, cluster = wide_burst(seed)
        agree(workload, cluster, discipline, (0.0, 7.0)[seed % 2])


def test_queues_and_clusters_of_more_than_one_node_come_out_as_in_the_reference():
    rng = np.random.default_rng(3)
    jobs, hosts = 3 * FAN, 2 * HOSTS_OF_BLOCK + 5
    workload = Workload(
        ("cores",),
        np.sort(rng.integers(0, 40, jobs)).astype(float),
        rng.integers(1, 90, jobs).astype(float),
        rng.integers(1, 4, (jobs, 1)),
        tasks=rng.integers(1, 90, jobs).astype(np.int32),
    )
    for discipline in (discipline_named("easy"), discipline_named("sjf+skip")):
        agree(workload, Cluster.uniform(hosts, cores=3), discipline, 0.0)


def test_who_never_fits_waits_for_ever():
    workload = Workload.of(submit_s=[0, 1], runtime_s=[5, 5], cores=[1, 1], tasks=[9, 1])
    for name in ("easy", "fcfs", "fcfs+skip"):
        agree(workload, Cluster.uniform(2, cores=2), discipline_named(name), 0.0)


def test_who_found_hosts_for_some_of_its_tasks_is_tried_again_once_another_has_started():
    cluster = Cluster(("cores", "memory"), np.array([[5.0, 5.0], [5.0, 8.0], [7.0, 5.0], [7.0, 3.0]]))
    demand = np.array([[4.0, 2.0], [2.0, 2.0], [1.0, 2.0], [3.0, 2.0], [2.0, 1.0]])
    runtime_s = np.array([47.0, 38.0, 59.0, 7.0, 23.0])
    workload = Workload(
        ("cores", "memory"),
        np.array([0.0, 9.0, 24.0, 34.0, 37.0]),
        runtime_s,
        demand,
        estimate_s=runtime_s * np.array([1, 1, 3, 1, 1]),
        tasks=np.array([3, 5, 4, 1, 5], np.int32),
    )
    agree(workload, cluster, discipline_named("easy"), 0.0, POLICIES["best-fit-memory"])
