"""A queue is worked off compiled as in plain Python, to the bit, and as the simulator does when nobody comes."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from loadmaster.model import Cluster, Workload
from loadmaster.model.snapshot import Queue, Running, Snapshot
from loadmaster.order import job_columns
from loadmaster.place import POLICIES
from loadmaster.schedule import discipline_named
from loadmaster.schedule.onward import onward
from loadmaster.sim.queue.door import simulate
from onward_at_random import queue_at_random, starts

HELPER = Path(__file__).parents[1] / "onward_at_random.py"


def test_a_queue_is_worked_off_by_the_kernels_as_by_plain_python():
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run(
        [sys.executable, "-W", "ignore", str(HELPER), "0", "40"], env=environment, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    compared, found = run.stdout.split(maxsplit=1)
    assert int(compared) > 90
    assert found.strip() == "[]"


def test_machine_code_works_it_off_alike():
    compared = 0
    for seed in range(1000, 1030):
        both = starts(seed, "lxf")
        if both is not None:
            np.testing.assert_array_equal(*both)
            compared += 1
    assert compared > 20


def test_nobody_starts_before_now_and_all_that_ever_fit_start_without_constraints():
    for seed in range(2000, 2030):
        snapshot, columns, lasts_s = queue_at_random(seed)
        start_s = onward(snapshot, POLICIES["first-fit"], discipline_named("easy"), columns, lasts_s)
        assert not (start_s < snapshot.now_s).any()
        for job in np.unique(snapshot.queue.job):
            assert len(set(start_s[snapshot.queue.job == job].tolist())) == 1 or np.isnan(start_s).any()


@pytest.mark.parametrize("discipline", ["easy", "lxf+easy", "easy(heads=2)", "wfp3+easy(fill=shortest)"])
def test_from_an_empty_cluster_it_is_what_the_simulator_does(discipline):
    rng = np.random.default_rng(5)
    many = 60
    demand = np.column_stack((rng.integers(1, 8, many), rng.integers(1, 20, many))).astype(float)
    estimate_s = rng.integers(1, 400, many).astype(float)
    work = Workload(
        ("cores", "memory"), np.zeros(many), np.ceil(estimate_s * rng.uniform(0.1, 1.0, many)), demand,
        tasks=rng.choice([1, 1, 2, 3], many).astype(np.int32), estimate_s=estimate_s,
    )  # fmt: skip
    cluster = Cluster(("cores", "memory"), np.array([[8.0, 24.0]] * 3 + [[16.0, 32.0]] * 2))
    rule, policy, none = discipline_named(discipline), POLICIES["first-fit"], np.zeros(0)
    queue = Queue(
        np.arange(many), work.demand, work.task_count, work.expected_s, work.projects, work.first_task[:-1],
        eligible_s=work.submit_s,
    )  # fmt: skip
    nobody = Running(none.astype(np.int64), none.astype(np.int32), np.zeros((0, 2)), none, none.astype(np.int32))
    snapshot = Snapshot(0.0, cluster, cluster.capacity.copy(), queue, nobody)
    start_s = onward(snapshot, policy, rule, job_columns(work), work.runtime_s)
    np.testing.assert_array_equal(start_s, simulate(work, cluster, policy, rule, interval_s=0.0).start_s)
