"""The compiled engine gives the schedule of the plain one, to the bit, whatever binds the jobs."""

import os
import subprocess
import sys
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from backlog_order import BY_BACKLOG
from bound_jobs import COUNTED, KINDS, bound_jobs
from decided_runs import DECIDED
from hypothesis import given, settings
from hypothesis import strategies as st

from loadmaster.measure import violations
from loadmaster.model import CalendarRow, Cluster, Constraints, Named, SiteRules, Workload
from loadmaster.place import POLICIES
from loadmaster.scheduling import MaxJobs, Scheduler, scheduler
from loadmaster.scheduling.notation import discipline_named as named
from loadmaster.scheduling.resolved_constraints import resolve_constraints
from loadmaster.sim.queue import simulate
from loadmaster.sim.queue.constrained_run import shadow_serves
from loadmaster.sim.queue.engine.replay import replay_compiled
from loadmaster.sim.queue.queue_run import QueueRun
from loadmaster.sim.queue.reference import replay, replay_deciding
from loadmaster.sim.queue.simulation import is_compiled

HELPER = Path(__file__).parents[2] / "set_ups" / "decided_runs.py"


def knows_shadow_pass(workload, cluster):
    return shadow_serves(QueueRun(workload, cluster, Scheduler(POLICIES["first-fit"], named("skip"))))


SERVED = tuple(kind for kind in KINDS if knows_shadow_pass(*bound_jobs(1, kind)))
"""The kinds under which the pass that gives a shadow time serves walks: it is asked, so a new kind needs no entry."""
PAIRS = [(kind,) for kind in SERVED] + list(combinations(SERVED, 2))
ALONE = [(kind,) for kind in KINDS if kind not in SERVED]
WALKS = (
    "fcfs", "skip", "netbatch", "netbatch(reservations=1,lookahead=3)", "fair-share", "sjf+skip", "wfp3+netbatch",
    "lxf+none", f"{BY_BACKLOG}+skip",
)  # fmt: skip
EASY = ("easy", "sjf+easy", "wfp3+easy", "fair-share+easy", f"{BY_BACKLOG}+easy")
IN_ONE_QUEUE = [kinds for kinds in PAIRS if not {"partition", "calendar", "admission"} & set(kinds)]
RULES = (*(POLICIES[name] for name in ("worse-fit-cores", "mix-fit", "random")), MaxJobs(), MaxJobs(target="weighted"))


def assert_equal(plain, compiled):
    for column in ("start_s", "host", "end_s", "status"):
        assert_alike(getattr(plain, column), getattr(compiled, column), column)
    for column in ("time_s", "queue_length", "started", "winners"):
        assert_alike(getattr(plain.cycles, column), getattr(compiled.cycles, column), column)
    assert (plain.never, plain.refused) == (compiled.never, compiled.refused)
    assert (plain.segments is None) == (compiled.segments is None)
    for column in () if plain.segments is None else vars(plain.segments):
        assert_alike(getattr(plain.segments, column), getattr(compiled.segments, column), column)


def assert_alike(one, other, column):
    assert (one is None) == (other is None), column
    if one is not None:
        assert np.array_equal(one, other, equal_nan=one.dtype.kind == "f"), column


def both(workload, cluster, policy, discipline, interval_s=0.0, seed=5):
    plain = replay(workload, cluster, Scheduler(policy, named(discipline)), interval_s=interval_s, seed=seed)
    binding = resolve_constraints(workload, cluster)
    compiled = replay_compiled(
        QueueRun(workload, cluster, Scheduler(policy, named(discipline)), interval_s=interval_s, seed=seed),
        binding=binding,
    )
    return plain, compiled


@pytest.mark.parametrize("kinds", PAIRS, ids="+".join)
@settings(max_examples=5, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    policy=st.sampled_from(RULES),
    discipline=st.sampled_from(WALKS),
    interval_s=st.sampled_from([0.0, 7.0]),
)
def test_the_compiled_engine_agrees_under_constraints(kinds, seed, policy, discipline, interval_s):
    workload, cluster = bound_jobs(seed, *kinds)
    assert_equal(*both(workload, cluster, policy, discipline, interval_s))


@pytest.mark.parametrize("kinds", IN_ONE_QUEUE, ids="+".join)
@settings(max_examples=5, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    policy=st.sampled_from(RULES),
    discipline=st.sampled_from(EASY),
    interval_s=st.sampled_from([0.0, 7.0]),
)
def test_the_compiled_engine_agrees_under_constraints_and_easy(kinds, seed, policy, discipline, interval_s):
    workload, cluster = bound_jobs(seed, *kinds)
    assert shadow_serves(QueueRun(workload, cluster, Scheduler(policy, named(discipline))))
    assert_equal(*both(workload, cluster, policy, discipline, interval_s))


@pytest.mark.parametrize("kinds", [*ALONE, *PAIRS], ids="+".join)
@settings(max_examples=3, deadline=None)
@given(
    data=st.data(), seed=st.integers(0, 10**6), policy=st.sampled_from(RULES), interval_s=st.sampled_from([0.0, 7.0])
)
def test_a_run_whose_decisions_are_compiled_agrees(kinds, data, seed, policy, interval_s):
    serving_one_head = ("easy", "sjf+easy", "fair-share+easy")  # the others are tried without compilation below
    discipline = data.draw(st.sampled_from(serving_one_head if COUNTED & set(kinds) else DECIDED))
    workload, cluster = bound_jobs(seed, *kinds)
    rule = Scheduler(policy, named(discipline))
    plain = replay(workload, cluster, rule, interval_s=interval_s, seed=5)
    with patch.object(scheduler, "WORTHWHILE", 0):
        assert_equal(plain, replay_deciding(workload, cluster, rule, interval_s=interval_s, seed=5))


def test_runs_whose_decisions_count_what_the_whole_cluster_has_agree_under_every_discipline():
    """With the kernels as plain Python, since each discipline would compile its scheduling pass once more."""
    kinds = [kind if kind in COUNTED else f"{kind}+{sorted(COUNTED)[number % 2]}" for number, kind in enumerate(KINDS)]
    run = subprocess.run(
        [sys.executable, "-W", "ignore", str(HELPER), "0", "1", *kinds],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.split(maxsplit=1) == [str(len(KINDS) * len(DECIDED) // 3), "[]\n"]


OTHER_FEATURES = {None: None, "x": "[x|z]", "x&y": "!host:0&(x|z)", "y|z": "[y|x&host:0]"}


@pytest.mark.parametrize("kinds", [(), ("partition",), ("hosts",)], ids=str)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6), policy=st.sampled_from(RULES), discipline=st.sampled_from((*WALKS, *EASY)))
def test_the_engine_that_serves_choices_of_features_and_names_of_hosts_agrees(kinds, seed, policy, discipline):
    workload, cluster = bound_jobs(seed, "features", *kinds)
    features = Named.of([OTHER_FEATURES[text] for text in workload.constraints.features.words()])
    workload = replace(workload, constraints=replace(workload.constraints, features=features))
    made = simulate(workload, cluster, policy, named(discipline), interval_s=0.0, seed=5)
    assert_equal(replay(workload, cluster, Scheduler(policy, named(discipline)), interval_s=0.0, seed=5), made)
    assert violations(workload, cluster, made) == ()


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), policy=st.sampled_from(RULES), discipline=st.sampled_from(WALKS))
def test_the_compiled_engine_agrees_under_all_constraints_together(seed, policy, discipline):
    workload, cluster = bound_jobs(seed, *SERVED)
    assert_equal(*both(workload, cluster, policy, discipline))


@pytest.mark.parametrize(
    ("kind", "discipline", "compiled"),
    [
        ("limits", "easy", True),
        ("calendar", "netbatch", True),
        ("calendar", "easy", True),
        ("partition", "easy(heads=2)", True),
        ("limits", "slurm", True),
        ("hosts", "slurm", True),
        ("preempt", "skip", True),
        ("preempt", "fair-share", False),
        ("hosts", "skip", True),
        ("wide", "skip", True),
        ("licences", "easy", True),
        ("power", "conservative", True),
        ("work", "skip", True),
    ],
)
def test_it_is_known_which_constrained_runs_are_compiled(kind, discipline, compiled):
    assert is_compiled(*bound_jobs(1, kind), POLICIES["first-fit"], named(discipline)) == compiled


def test_kept_reservations_refuse_constraints_before_anything_is_compiled():
    workload, cluster = bound_jobs(3, "partition")
    with pytest.raises(ValueError, match="kept reservations serve no constraints"):
        both(workload, cluster, RULES[0], "conservative")


def test_failures_come_in_the_order_of_time_however_they_are_listed():
    workload = Workload.of(submit_s=[0.0], runtime_s=[100.0], cores=[1], memory=[1])
    workload = Workload(**{**vars(workload), "constraints": Constraints(requeue=np.array([False]))})
    rows = tuple(CalendarRow(from_s, from_s + 5.0, "down", hosts=(0,)) for from_s in (70.0, 30.0))
    cluster = Cluster(("cores", "memory"), np.ones((1, 2)), rules=SiteRules(calendar=rows))
    plain, compiled = both(workload, cluster, POLICIES["first-fit"], "skip")
    assert plain.end_s.tolist() == compiled.end_s.tolist() == [30.0]


@pytest.mark.parametrize("discipline", ["sjf+skip", "sjf+easy", f"{BY_BACKLOG}+skip"])
def test_a_task_that_another_start_of_the_pass_sent_back_takes_its_turn_again(discipline):
    workload, cluster = bound_jobs(
        45162, "depends", "array"
    )  # a single one of its user and name, behind a throttle of 1
    assert_equal(*both(workload, cluster, POLICIES["worse-fit-cores"], discipline, 7.0))
