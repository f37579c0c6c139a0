"""The compiled pass decides as the plain one, to the bit, on whatever snapshot: places, hosts, promises, when next."""

import os
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from random_passes import decisions, snapshot_at_random

from loadmaster.backfilling import Conservative, Easy, NetBatch, Slurm
from loadmaster.backfilling.slurm_arrays import RESERVE_ALL
from loadmaster.model.snapshot import NEVER_S
from loadmaster.order import ORDERS
from loadmaster.place import POLICIES, Policy
from loadmaster.scheduling import Discipline, MaxJobs, Scheduler, compiled_decide, scheduler
from loadmaster.scheduling.compiled_decide import compiled, rule_of
from loadmaster.scheduling.slurm_snapshot import slurm_pass

HELPER = Path(__file__).parents[1] / "set_ups" / "random_passes.py"


def test_every_rule_decides_as_its_plain_twin_on_any_snapshot():
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run(
        [sys.executable, "-W", "ignore", str(HELPER), "0", "50"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    compared, found = run.stdout.split(maxsplit=1)
    assert int(compared) > 1500
    assert found.strip() == "[]"


@pytest.mark.parametrize("rule", [NetBatch(), Easy(), Conservative("arrival"), Slurm(bf_interval=1)])
def test_machine_code_decides_as_the_plain_board(rule):
    compared = 0
    for seed in range(1000, 1060):
        both = decisions(seed, rule)
        if both is not None:
            assert both[0] == both[1]
            compared += 1
    assert compared > 40


@pytest.mark.parametrize("rule", [NetBatch(), Easy(), Easy(heads=3), Conservative("replan"), Slurm(bf_interval=1)])
def test_machine_code_decides_as_the_plain_board_among_jobs_that_never_end(rule):
    compared = 0
    for seed in range(1000, 1060):
        rng = np.random.default_rng(seed)
        seen = replace(snapshot_at_random(rng), promises={})
        lasts_s, end_s = seen.queue.expected_s.copy(), seen.running.expected_end_s.copy()
        lasts_s[rng.random(len(lasts_s)) < 0.5] = NEVER_S
        end_s[rng.random(len(end_s)) < 0.5] = NEVER_S
        queue, running = replace(seen.queue, expected_s=lasts_s), replace(seen.running, expected_end_s=end_s)
        seen = replace(seen, queue=queue, running=running)
        discipline = Discipline(ORDERS["fcfs"], rule)
        if (this_pass := compiled(discipline, seen)) is not None:
            policy = POLICIES["mix-fit"]
            assert this_pass.serve(seen, policy) == discipline.serve(seen, policy)
            compared += 1
    assert compared > 40


RULES_OF_SLURM = (
    Slurm(bf_interval=1), Slurm(bf_interval=1, bf_resolution=10, sched_interval=None),
    Slurm(bf_interval=1, bf_job_part_count_reserve=2, bf_max_job_array_resv=1, bf_resolution=5, sched_interval=None),
    Slurm(bf_interval=1, bf_one_resv_per_job=True, bf_max_job_start=2, bf_resolution=1, sched_interval=None),
)  # fmt: skip


@pytest.mark.parametrize("rule", RULES_OF_SLURM)
def test_slurm_starts_the_same_jobs_if_only_the_reservations_that_decide_are_made(rule, monkeypatch):
    def without_the_rest(slurm, scene):
        arrays = slurm_pass(slurm, scene)
        arrays.due[RESERVE_ALL] = False
        return arrays

    monkeypatch.setattr(compiled_decide, "slurm_pass", without_the_rest)
    starts = fewer = 0
    for seed in range(2000, 2120):
        plain, compiled_one = decisions(seed, rule)
        assert compiled_one.place == plain.place
        assert set(compiled_one.reserved) <= set(plain.reserved)
        starts += len(plain.place)
        fewer += len(compiled_one.reserved) < len(plain.reserved)
    assert starts > 100
    assert fewer > 10


@pytest.fixture
def however_small(monkeypatch):
    """Compiled from the first row on."""
    monkeypatch.setattr(scheduler, "WORTHWHILE", 1)


@pytest.mark.parametrize("log_ties", [True, False])
def test_max_jobs_chooses_the_same_member_over_the_compiled_board(however_small, log_ties):
    chooser = Scheduler(MaxJobs(log_ties=log_ties), Discipline(ORDERS["fcfs"], NetBatch()))
    for seed in range(20):
        snapshot = replace(snapshot_at_random(np.random.default_rng(seed)), closures=())
        assert chooser.decide(snapshot) == chooser.decide_plainly(snapshot)


@dataclass(frozen=True)
class Mine(NetBatch):
    """A rule of one's own, which only the plain scheduling pass asks."""


def test_a_subclass_is_never_taken_for_its_parent():
    snapshot = snapshot_at_random(np.random.default_rng(1))
    assert rule_of(Mine(), snapshot) is None
    assert compiled(Discipline(ORDERS["fcfs"], Mine()), snapshot) is None


def test_jobs_that_ask_for_hosts_get_them_however_large_the_queue(however_small):
    chooser = Scheduler(POLICIES["first-fit"], Discipline(ORDERS["fcfs"], NetBatch()))
    for seed in range(20):
        snapshot = replace(snapshot_at_random(np.random.default_rng(seed)), closures=())
        node_count = replace(snapshot.queue, min_hosts=snapshot.queue.tasks, max_hosts=snapshot.queue.tasks)
        snapshot = replace(snapshot, queue=node_count)
        assert chooser.decide(snapshot) == chooser.decide_plainly(snapshot)


def test_a_policy_that_cannot_be_compiled_is_asked_in_plain_python(however_small):
    def by_name(demand, free, capacity):
        return float(str(free[0]) > "3")

    own = Scheduler(Policy("mine", by_name), Discipline(ORDERS["fcfs"], NetBatch()))
    snapshot = replace(snapshot_at_random(np.random.default_rng(3)), closures=())
    assert own.decide(snapshot) == own.decide_plainly(snapshot)


def test_queues_that_are_served_at_once_in_python_are_not_compiled(monkeypatch):
    monkeypatch.setattr("loadmaster.scheduling.compiled_decide.compiled", None)
    snapshot = snapshot_at_random(np.random.default_rng(5))
    chooser = Scheduler(POLICIES["first-fit"], Discipline(ORDERS["fcfs"], NetBatch()))
    assert chooser.decide(snapshot) == chooser.decide_plainly(snapshot)
