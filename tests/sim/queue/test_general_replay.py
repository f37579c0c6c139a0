"""The engine over the compiled pass gives the schedule of the plain one, to the bit, whatever binds the jobs."""

import os
import subprocess
import sys
from dataclasses import dataclass, replace
from itertools import count, islice
from pathlib import Path

import numpy as np
import pytest
from bound_jobs import COUNTED, bound_jobs
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from random_general_passes import both, differences, kinds_of

from loadmaster.backfilling import Easy
from loadmaster.model import Cluster, Constraints, Limits, Named, Partition, Qos, SiteRules, Workload
from loadmaster.order import ORDERS
from loadmaster.place import POLICIES
from loadmaster.scheduling import Discipline, Scheduler
from loadmaster.scheduling.notation import discipline_named
from loadmaster.scheduling.resolved_constraints import binds
from loadmaster.sim.queue import simulate
from loadmaster.sim.queue.constrained_run import general_serves
from loadmaster.sim.queue.engine import general_replay
from loadmaster.sim.queue.queue_run import QueueRun

HELPER = Path(__file__).parents[2] / "set_ups" / "random_general_passes.py"


def test_every_discipline_gives_the_schedule_of_the_plain_engine_under_any_constraints():
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run(
        [sys.executable, "-W", "ignore", str(HELPER), "0", "100"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    compared, found = run.stdout.split(maxsplit=1)
    assert int(compared) == 100
    assert found.strip() == "[]"


def test_every_discipline_gives_the_schedule_of_the_plain_engine_where_gpus_are_cards():
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run(
        [sys.executable, "-W", "ignore", str(HELPER), "100", "160", "cards"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.split() == ["60", "[]"]


def test_the_form_of_the_pass_that_is_chosen_gives_the_schedule_of_the_plain_engine_without_compilation():
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run(
        [sys.executable, "-W", "ignore", str(HELPER), "0", "20", "easy", "any"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.split() == ["20", "[]"]


def is_tried_compiled(seed, *, amounts):
    """Whether machine code is made for what binds the jobs of a seed.

    Amounts of the whole cluster are compiled for one discipline, and never beside preemption, as each combination would
    take a minute. The tests above try them all without compilation, `tools/contract_product.py` as machine code.
    """
    kinds = kinds_of(seed)
    return not COUNTED & set(kinds) or (amounts and "preempt" not in kinds)


@pytest.mark.parametrize(
    ("discipline", "cards", "amounts"),
    [
        ("easy", False, True),
        ("wfp3+easy(heads=2)", False, False),
        ("conservative", False, False),
        ("easy", True, False),
    ],
)
def test_machine_code_gives_the_same_schedule(discipline, cards, amounts):
    seeds = (seed for seed in count(2000) if is_tried_compiled(seed, amounts=amounts))
    bound_by = set()
    for seed in islice(seeds, 8):
        name, plain, kept = both(seed, discipline, cards=cards)
        bound_by |= set(kinds_of(seed))
        assert differences(plain, kept) == [], name
    assert bool(bound_by & COUNTED) == amounts


@pytest.mark.parametrize("discipline", ["easy", "slurm(bf_interval=1,bf_resolution=5)"])
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6).map(lambda number: 5 * number + 4))
def test_machine_code_gives_the_same_schedule_of_bursts_also_where_jobs_are_stopped_for_others(discipline, seed):
    assume(is_tried_compiled(seed, amounts=discipline == "easy"))
    name, plain, kept = both(seed, discipline)
    assert differences(plain, kept) == [], name


def test_a_plan_that_proves_too_small_is_made_again_larger():
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run(
        [sys.executable, "-W", "ignore", str(HELPER), "3000", "3020", "small"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    compared, found = run.stdout.split(maxsplit=1)
    assert int(compared) == 20
    assert found.strip() == "[]"


def test_few_jobs_are_not_worth_compiling_for(monkeypatch):
    monkeypatch.setattr(general_replay, "replay_general", None)
    jobs, cluster = bound_jobs(1, "partition")
    easy = discipline_named("easy")
    assert general_serves(QueueRun(jobs, cluster, Scheduler(POLICIES["first-fit"], easy)))
    assert simulate(jobs, cluster, POLICIES["first-fit"], easy, interval_s=0.0).started.any()


@dataclass(frozen=True)
class Mine(Easy):
    """A rule of one's own, which only the plain scheduling pass asks."""


def test_what_only_the_plain_board_serves_is_left_to_it():
    assert not general_replay.serves(POLICIES["first-fit"], Discipline(ORDERS["fcfs"], Mine()))


BIND_NOBODY = {
    "array": ({"array": np.arange(30), "throttle": np.ones(30, int)}, {}),
    "limits": ({"qos": Named.of(["normal"] * 30)}, {"qos": (Qos("normal", limits=Limits(grp_jobs=99)),)}),
    "hosts": ({"max_hosts": np.full(30, 9)}, {}),
    "partition": ({}, {"partitions": (Partition("all"),)}),
}


@pytest.mark.parametrize("discipline", ["easy(heads=2)", "conservative(early_end=kept)", "sjf+conservative"])
@pytest.mark.parametrize("kind", BIND_NOBODY)
def test_promises_count_hosts_where_constraints_leave_all_hosts_alike(kind, discipline):
    columns, rules = BIND_NOBODY[kind]
    rng = np.random.default_rng(4)
    runtime_s = rng.integers(1, 40, 30).astype(float)
    jobs = Workload(
        ("cores",),
        np.sort(rng.integers(0, 60, 30)).astype(float),
        runtime_s,
        np.full((30, 1), 2.0),
        tasks=rng.integers(1, 5, 30),
        estimate_s=runtime_s * rng.choice([1.0, 3.0], 30),
    )
    hosts, policy, rule = Cluster.uniform(4, cores=3), POLICIES["first-fit"], discipline_named(discipline)
    counted = simulate(jobs, hosts, policy, rule, interval_s=0.0)
    bound = replace(jobs, constraints=Constraints(**columns)), replace(hosts, rules=SiteRules(**rules))
    assert binds(*bound)
    in_pool, on_hosts = (replace(rule, backfilling=replace(rule.backfilling, promise=on)) for on in ("pool", "hosts"))
    for engine in ("reference", "compiled"):
        for one in (rule, in_pool):
            found = simulate(*bound, policy, one, interval_s=0.0, engine=engine)
            assert found.start_s.tolist() == counted.start_s.tolist()
    assert simulate(*bound, policy, on_hosts, interval_s=0.0).start_s.tolist() != counted.start_s.tolist()
