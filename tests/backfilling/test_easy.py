"""EASY: heads by partition, the order of those that fill the gaps, moments and hosts (rules Q5, Q6)."""

from dataclasses import replace

import numpy as np
import pytest
from small_queues import starts_of
from snapshots import placed, snapshot

from loadmaster.backfilling import Easy
from loadmaster.model import Cluster, Workload
from loadmaster.model.snapshot import Running
from loadmaster.order import ORDERS
from loadmaster.place import POLICIES
from loadmaster.scheduling import Discipline, discipline_named
from loadmaster.sim.queue import simulate

EIGHT_JOBS = {
    "cores": [8, 6, 4, 6, 3, 2, 5, 1],
    "runtime_s": [4800, 10200, 7800, 4200, 9600, 4200, 7800, 9600],
    "submit_s": [100_000, 100_600, 100_600, 102_400, 102_400, 103_000, 103_000, 104_800],
}


@pytest.mark.parametrize(
    ("discipline", "expected"),
    [
        ("fcfs+none", [0, 4800, 4800, 15000, 15000, 19200, 19200, 23400]),
        ("fcfs+skip", [0, 4800, 15000, 16800, 7200, 3000, 21000, 4800]),
        ("easy", [0, 4800, 7200, 15000, 15000, 3000, 19200, 15000]),
        ("easy(heads=2)", [0, 4800, 4800, 15000, 12600, 19200, 22200, 12600]),
        ("conservative", [0, 4800, 4800, 15000, 12600, 19200, 19200, 22200]),
        ("conservative(early_end=replan)", [0, 4800, 4800, 15000, 12600, 19200, 19200, 22200]),
        ("stepwise(depth=1)", [0, 4800, 7200, 15000, 15000, 3000, 19200, 15000]),
        ("stepwise(depth=2)", [0, 4800, 4800, 15000, 12600, 19200, 22200, 12600]),
        ("stepwise(depth=all)", [0, 4800, 4800, 15000, 12600, 19200, 19200, 22200]),
    ],
)
def test_eight_jobs_on_ten_cores_start_as_worked_out_by_hand(discipline, expected):
    found = starts_of(discipline, 10, **EIGHT_JOBS)
    assert [start - 100_000 for start in found] == expected


def test_a_promise_of_a_moment_lets_more_jobs_start_than_one_of_hosts():
    jobs = {"cores": [1, 3, 3, 1], "runtime_s": [4, 5, 5, 3]}
    assert starts_of("easy", 4, **jobs) == [0, 0, 5, 4]


@pytest.mark.parametrize("engine", ["auto", "compiled", "reference"])
@pytest.mark.parametrize(("tasks", "start_s"), [(3, 2.0), (4, 25.0)])
def test_what_the_head_leaves_at_its_moment_may_be_taken_to_the_last_host(engine, tasks, start_s):
    """Hosts 0 and 1 of four end at 10: a head of three tasks leaves one host to a long job, one of four tasks none."""
    log = Workload.of(
        submit_s=[0, 0, 1, 2], runtime_s=[10, 10, 15, 100], cores=[1, 1, 1, 1], tasks=np.array([1, 1, tasks, 1])
    )
    found = simulate(
        log, Cluster.uniform(4, cores=1), POLICIES["first-fit"], discipline_named("easy"), interval_s=0, engine=engine
    )
    assert found.start_s.tolist() == [0.0, 0.0, 10.0, start_s]


def test_those_behind_the_head_may_be_tried_shortest_first():
    jobs = {"cores": [3, 4, 1, 1], "runtime_s": [10, 5, 9, 2]}
    assert starts_of("easy", 4, **jobs) == [0, 10, 0, 15]
    assert starts_of("easy(fill=shortest)", 4, **jobs) == [0, 10, 15, 0]


def two_partitions(allowed, jobs, tasks, partition, running):
    """One-core hosts, busy as `running` (host, end) says; jobs of some tasks, each in a partition of its own hosts."""
    hosts = len(allowed[0])
    free = [(1.0, 0.0)] * hosts
    for host, _ in running:
        free[host] = (0.0, 0.0)
    state = snapshot([(1, 0)] * hosts, free, [(1, 0)] * len(tasks), tasks=tasks)
    queue = replace(
        state.queue,
        expected_s=np.array(jobs, float),
        partition=np.array(partition, np.int32),
        hosts=np.array(partition, np.int32),
    )
    held = Running(
        np.arange(100, 100 + len(running)),
        np.array([host for host, _ in running], np.int32),
        np.array([(1.0, 0.0)] * len(running)),
        np.array([end for _, end in running], float),
        np.zeros(len(running), np.int32),
    )
    return replace(state, queue=queue, running=held, allowed=np.array(allowed, bool))


def serve(state, easy):
    return placed(Discipline(ORDERS["fcfs"], easy).serve(state, POLICIES["first-fit"]))


APART = [[1, 1, 0, 0], [0, 0, 1, 1]]
OVERLAPPING = [[1, 1, 1, 0], [0, 1, 1, 1]]


def test_each_partition_has_a_head_so_that_one_does_not_cost_another_its_promise():
    # Host 0 is busy until 10, host 2 until 20: each partition's head waits for both its hosts. The last job, 50 s on
    # one host of the second partition, would hold up that partition's head.
    state = two_partitions(APART, [5, 5, 50], [2, 2, 1], [0, 1, 1], [(0, 10), (2, 20)])
    assert serve(state, Easy()) == []
    assert serve(state, Easy(heads_of="cluster")) == [(2, 3)]


def test_heads_that_could_use_the_same_hosts_are_not_promised_one_host_twice():
    # Of hosts 0-3 all but the last are busy until 10. Head 0 wants two of 0-2, head 1 three of 1-3: at 10 there are
    # four hosts for five tasks, so head 1 is promised 15, when head 0 is done. The last job may have host 3 until then.
    running = [(0, 10), (1, 10), (2, 10)]
    state = two_partitions(OVERLAPPING, [5, 5, 14], [2, 3, 1], [0, 1, 1], running)
    assert serve(state, Easy()) == [(2, 3)]


def test_moments_that_overlap_are_bound_to_hosts_which_then_are_held_for_their_jobs():
    running = [(0, 10), (1, 10), (2, 10)]
    state = two_partitions(OVERLAPPING, [5, 5, 16], [2, 3, 1], [0, 1, 1], running)
    assert serve(state, Easy()) == []  # head 1 needs host 3 at 15, whichever two of 1 and 2 it gets
