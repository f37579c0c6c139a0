"""The queue of a snapshot is worked off compiled as in plain Python, and as the simulator does when no job arrives."""

from dataclasses import replace

import numpy as np
import pytest
from random_passes import snapshot_at_random

from loadmaster.backfilling import Easy, Selective, Stepwise
from loadmaster.model import Cluster, Workload
from loadmaster.model.snapshot import Queue, Running, Snapshot
from loadmaster.order import ORDERS, JobColumns, job_columns
from loadmaster.place import POLICIES
from loadmaster.scheduling import Discipline, discipline_named
from loadmaster.scheduling.compiled_decide import rule_of
from loadmaster.sim.queue.look_ahead import look_ahead, look_ahead_plainly
from loadmaster.sim.queue.simulation import simulate

RULES = (Easy(), Easy(fill="shortest"), Easy(2), Stepwise(3), Easy(promise="hosts"), Selective(2.0))
POLICY_NAMES = ("first-fit", "round-robin", "best-fit-cores", "random")


def queue_at_random(seed):
    """A snapshot without limits and groups, and what orders may know of its rows."""
    rng = np.random.default_rng(seed)
    snapshot = snapshot_at_random(rng)
    queue, many = snapshot.queue, len(snapshot.queue)
    _, first, which = np.unique(queue.job, return_index=True, return_inverse=True)
    submit_s = np.sort(rng.integers(0, 100, len(first)).astype(float))[which]
    codes, none = np.zeros(many, np.int32), np.zeros(many)
    tasks = np.asarray(queue.tasks, np.int32)
    columns = JobColumns(
        submit_s,
        submit_s,
        queue.expected_s.copy(),
        tasks,
        queue.demand[:, 0] * tasks,
        queue.demand[:, -1] * tasks,
        codes,
        codes,
        codes,
        codes,
        none,
        none,
    )
    array = None if queue.array is None else queue.array[first][which]  # a job is a task of one array
    seen = replace(snapshot, left=None, need=None, promises={}, queue=replace(queue, uses=None, array=array))
    return seen, columns


@pytest.mark.parametrize("order", ["fcfs", "lxf", "wfp3"])
def test_a_queue_is_worked_off_compiled_as_in_plain_python(order):
    compared = 0
    for seed in range(80):
        snapshot, columns = queue_at_random(seed)
        rng = np.random.default_rng(seed)
        discipline = Discipline(ORDERS[order], RULES[rng.integers(len(RULES))], order)
        if rule_of(discipline.backfilling, snapshot) is None:
            continue
        if snapshot.as_pool and snapshot.queue.min_hosts is not None:  # only a count of hosts can be promised there
            continue
        given = snapshot, POLICIES[str(rng.choice(POLICY_NAMES))], discipline, columns
        np.testing.assert_array_equal(look_ahead(*given), look_ahead_plainly(*given))
        compared += 1
    assert compared > 50


def test_no_job_starts_before_now_and_the_rows_of_a_job_start_together():
    for seed in range(2000, 2030):
        snapshot, columns = queue_at_random(seed)
        start_s = look_ahead(snapshot, POLICIES["first-fit"], discipline_named("easy"), columns)
        assert not (start_s < snapshot.now_s).any()
        for job in np.unique(snapshot.queue.job):
            assert len(set(start_s[snapshot.queue.job == job].tolist())) == 1 or np.isnan(start_s).any()


@pytest.mark.parametrize("discipline", ["easy", "lxf+easy", "easy(heads=2)", "wfp3+easy(fill=shortest)"])
@pytest.mark.parametrize("looks", [look_ahead, look_ahead_plainly])
def test_from_an_empty_cluster_it_is_what_the_simulator_does(discipline, looks):
    rng = np.random.default_rng(5)
    many = 60
    demand = np.column_stack((rng.integers(1, 8, many), rng.integers(1, 20, many))).astype(float)
    work = Workload(
        ("cores", "memory"),
        np.zeros(many),
        rng.integers(1, 400, many).astype(float),
        demand,
        tasks=rng.choice([1, 1, 2, 3], many).astype(np.int32),
    )
    cluster = Cluster(("cores", "memory"), np.array([[8.0, 24.0]] * 3 + [[16.0, 32.0]] * 2))
    rule, policy, none = discipline_named(discipline), POLICIES["first-fit"], np.zeros(0)
    queue = Queue(
        np.arange(many),
        work.demand,
        work.task_count,
        work.expected_s,
        work.projects,
        work.first_task[:-1],
        eligible_s=work.submit_s,
    )
    nobody = Running(none.astype(np.int64), none.astype(np.int32), np.zeros((0, 2)), none, none.astype(np.int32))
    snapshot = Snapshot(0.0, cluster, cluster.capacity.copy(), queue, nobody)
    start_s = looks(snapshot, policy, rule, job_columns(work))
    np.testing.assert_array_equal(start_s, simulate(work, cluster, policy, rule, interval_s=0.0).start_s)


def test_running_tasks_that_hold_other_amounts_than_their_job_asked_for_give_back_what_they_hold():
    """Of 8 cores a job holds 5 and 1 on two hosts; a job of 8 cores starts on the first host when it ends."""
    cluster = Cluster(("cores",), np.full((2, 1), 8.0))
    one, many = np.ones(1, np.int32), np.zeros(1, np.int64)
    queue = Queue(many, np.array([[8.0]]), one, np.full(1, 10.0), one - 1, many)
    running = Running(
        np.array([7, 7]), np.array([0, 1], np.int32), np.array([[5.0], [1.0]]), np.full(2, 50.0), np.zeros(2, np.int32)
    )
    snapshot = Snapshot(20.0, cluster, np.array([[3.0], [7.0]]), queue, running)
    columns = job_columns(Workload.of(submit_s=[0], runtime_s=[10], cores=[8]))
    for looks in (look_ahead, look_ahead_plainly):
        assert looks(snapshot, POLICIES["first-fit"], discipline_named("easy"), columns).tolist() == [50.0]
