"""The twin follows, from look to look, the member under which the queue of the moment waits least."""

import numpy as np
import pytest
from bound_jobs import bound_jobs

from loadmaster.model import Cluster, InputError, Workload
from loadmaster.order import ORDERS
from loadmaster.place import POLICIES
from loadmaster.scheduling import compiled_decide, discipline_named
from loadmaster.scheduling.notation import files_of, is_discipline
from loadmaster.scheduling.twin import EVERY_S, USUAL_MEMBERS, looks_at_runtimes, starves
from loadmaster.sim.queue.simulation import is_compiled, simulate

FIRST_FIT = POLICIES["first-fit"]
AMOUNTS = ("licences", "power", "limits")


def log(seed, many=80, within_s=12_000.0):
    """Jobs that overload three hosts for some hours."""
    rng = np.random.default_rng(seed)
    estimate_s = rng.choice([60.0, 600.0, 3600.0, 7200.0], many)
    demand = rng.integers(1, 9, (many, 1)).astype(float)
    work = Workload(
        ("cores",),
        np.sort(rng.uniform(0, within_s, many)).round(),
        np.ceil(estimate_s * rng.uniform(0.2, 1, many)),
        demand,
        estimate_s=estimate_s,
    )
    return work, Cluster(("cores",), np.full((3, 1), 8.0))


def run(work, cluster, discipline, **more):
    return simulate(work, cluster, FIRST_FIT, discipline_named(discipline), interval_s=30.0, **more)


def assert_same(made, plain):
    np.testing.assert_array_equal(made.start_s, plain.start_s)
    np.testing.assert_array_equal(made.host, plain.host)
    np.testing.assert_array_equal(made.cycles.time_s, plain.cycles.time_s)
    np.testing.assert_array_equal(made.cycles.winners, plain.cycles.winners)
    np.testing.assert_array_equal(made.cycles.choices.value, plain.cycles.choices.value)
    np.testing.assert_array_equal(made.cycles.choices.cycle, plain.cycles.choices.cycle)
    np.testing.assert_array_equal(made.cycles.choices.chosen, plain.cycles.choices.chosen)


@pytest.mark.parametrize("member", ["easy", "lxf+easy", "wfp3+easy(fill=shortest)", "lxf+netbatch"])
def test_a_twin_of_one_is_that_one(member):
    work, cluster = log(1)
    twin, alone = run(work, cluster, f"twin(members={member})"), run(work, cluster, member)
    np.testing.assert_array_equal(twin.start_s, alone.start_s)
    np.testing.assert_array_equal(twin.host, alone.host)


@pytest.mark.parametrize(
    "kinds", [("partition",), ("begin", "depends"), ("calendar",), ("features", "limits"), AMOUNTS]
)
def test_a_twin_of_one_is_that_one_whatever_binds_the_jobs(kinds):
    for seed in range(6):
        work, cluster = bound_jobs(seed, *kinds)
        twin, alone = run(work, cluster, "twin(members=lxf+easy)"), run(work, cluster, "lxf+easy")
        np.testing.assert_array_equal(twin.start_s, alone.start_s)


@pytest.mark.parametrize("kinds", [(), ("partition", "features"), ("calendar",), ("begin", "limits"), AMOUNTS])
def test_compiled_looks_and_decisions_are_those_of_plain_python(kinds, monkeypatch):
    logs = [bound_jobs(seed, *kinds) if kinds else log(seed) for seed in range(3)]
    hourly = "twin(every_s=3600)"  # plain Python works a queue off in seconds
    quick = [run(*each, hourly) for each in logs]
    monkeypatch.setattr(compiled_decide, "compiled", lambda *_: None)
    for each, made in zip(logs, quick, strict=True):
        plain = run(*each, hourly, engine="reference")
        assert_same(made, plain)


def test_it_looks_when_a_look_is_due_and_no_sooner():
    work, cluster = log(2)
    cycles = run(work, cluster, "twin").cycles
    choices = cycles.choices
    assert choices.members == USUAL_MEMBERS
    moves = np.flatnonzero(np.diff(choices.chosen) != 0) + 1
    assert len(moves) > 0
    look = cycles.time_s // EVERY_S
    assert (look[moves] > look[moves - 1]).all()


def test_it_follows_the_member_of_the_lowest_mean_wait_and_of_equal_ones_whom_it_follows_already_else_the_first():
    work, cluster = log(2)
    choices = run(work, cluster, "twin(every_s=300,handicap=0)").cycles.choices
    before, kept = -1, 0
    for value, chosen in zip(choices.value, choices.chosen[choices.cycle].tolist(), strict=True):
        best = np.flatnonzero(value == value.max()).tolist()
        assert chosen == (before if before in best else best[0])
        kept += chosen != best[0]
        before = chosen
    assert kept > 0


def test_a_wait_counts_longer_under_an_order_that_does_not_look_at_runtimes():
    work, cluster = log(2)
    plain, counted = (run(work, cluster, f"twin(every_s=300,handicap={part})").cycles.choices for part in (0, 0.5))
    counts = np.where(["fcfs" in name for name in USUAL_MEMBERS], 1.5, 1.0)
    at = int(np.flatnonzero(counted.cycle == plain.cycle[0])[0])  # until somebody differs, both do the same
    np.testing.assert_array_equal(counted.value[at], plain.value[0] * counts)
    value, chosen = counted.value, counted.chosen[counted.cycle]
    assert (value[np.arange(len(chosen)), chosen] == value.max(axis=1)).all()
    assert ((value / counts)[np.arange(len(chosen)), chosen] < (value / counts).max(axis=1)).any()


def test_orders_that_do_not_look_at_runtimes_are_known():
    assert {name for name, order in ORDERS.items() if not looks_at_runtimes(order)} == {
        "fcfs",
        "largest",
        "priority",
        "smallest",
    }


def test_a_look_that_is_never_due_again_follows_the_first_choice():
    work, cluster = log(3)
    chosen = run(work, cluster, "twin(every_s=1000000)").cycles.choices.chosen
    assert len(set(chosen.tolist())) == 1


def test_a_member_under_which_some_never_start_is_not_followed_for_the_short_wait_of_the_others():
    """A job that no host holds blocks all behind it under `fcfs` alone: nobody waits there, since nobody starts."""
    work = Workload(("cores",), np.zeros(4), np.full(4, 600.0), np.array([[99.0], [8.0], [8.0], [8.0]]))
    schedule = run(work, Cluster(("cores",), np.full((1, 1), 8.0)), "twin(members=fcfs;easy)")
    assert schedule.started.tolist() == [False, True, True, True]
    assert np.isnan(schedule.cycles.choices.value[:, 0]).all()
    assert set(schedule.cycles.choices.chosen.tolist()) == {1}


def test_orders_under_which_jobs_wait_for_ever_are_known():
    patient = {"f1", "fcfs", "lxf", "priority", "unicef", "wfp3"}
    blind = {"sjf", "ljf", "smallest", "largest", "area", "srf", "f2", "f3", "f4"}
    assert not any(starves(ORDERS[name]) for name in patient)
    assert all(starves(ORDERS[name]) for name in blind)


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("twin(members=sjf+easy)", "jobs may wait for ever"),
        ("twin(members=fair-share+easy)", "keeps state"),
        ("twin(members=conservative)", "keep no reservation from pass to pass"),
        ("twin(members=easy;easy)", "named once"),
        ("twin(members=twin)", "a twin tries"),
        ("twin(half_life=3)", "no such parameter"),
        ("twin(handicap=-1)", "a number from zero up"),
        ("twin(members=nobody)", "no such discipline"),
        ("twin+easy", "no such discipline"),
    ],
)
def test_what_a_twin_cannot_be_is_refused_in_one_line(spec, why):
    with pytest.raises(InputError, match=why) as told:
        discipline_named(spec)
    assert len(str(told.value)) < 300


def test_its_notation_nests_other_disciplines():
    found = discipline_named("twin(every_s=600,members=lxf+easy(fill=shortest);easy)")
    assert ([member.name for member in found.members], found.every_s) == (["lxf+easy(fill=shortest)", "easy"], 600.0)
    assert is_discipline("twin(members=easy)")
    assert files_of("twin(members=mine.py:rank+easy;easy)") == ["mine.py:rank"]


def log_at_random(seed):
    """Some twenty jobs of one task or several on a few hosts, or on a pool; times tie often, as do estimates."""
    rng = np.random.default_rng(seed)
    many, pool, spread_s = int(rng.integers(8, 40)), rng.random() < 0.3, float(rng.choice([1.0, 40.0, 400.0]))
    estimate_s = rng.choice([1e-9, 5.0, 20.0, 20.0, 60.0, 0.3], many)
    tasks = rng.choice([1, 1, 2, 5], many).astype(np.int32)
    submit_s = np.sort(rng.integers(0, 20, many) * spread_s / 10.0) + float(rng.choice([0.0, 1e9]))
    runtime_s = np.where(rng.random(many) < 0.5, estimate_s, estimate_s * rng.choice([0.25, 0.5, 1.5], many))
    if pool:
        cluster = Cluster.uniform(int(rng.integers(5, 9)), cores=1)
        demand = np.ones((many, 1))
    else:
        capacity = np.column_stack((rng.integers(2, 9, 4), rng.integers(4, 17, 4))).astype(float)
        speed = rng.choice([1.0, 0.5], 4) if rng.random() < 0.2 else None
        cluster = Cluster(("cores", "memory"), capacity, speed=speed)
        demand = np.column_stack((rng.integers(1, 8, many), rng.integers(1, 14, many))).astype(float)
    return Workload(cluster.resources, submit_s, runtime_s, demand, tasks=tasks, estimate_s=estimate_s), cluster


def rules_at_random(seed):
    """A twin, and a policy."""
    rng = np.random.default_rng([seed, 1])
    orders, ways = ("fcfs", "lxf", "wfp3", "unicef", "f1", "priority"), ("easy", "easy(fill=shortest)", "netbatch")
    names = [f"{order}+{way}" for order in orders for way in (*ways, "none", "skip")]
    members = ";".join(rng.choice(names, int(rng.integers(1, 6)), replace=False).tolist())
    every_s, handicap = int(rng.choice([0, 5, 60])), rng.choice(["0", "0.2"])
    policy = POLICIES[str(rng.choice(["first-fit", "best-fit-cores", "round-robin", "random", "worse-fit-memory"]))]
    return discipline_named(f"twin(every_s={every_s},handicap={handicap},members={members})"), policy


@pytest.mark.parametrize("first", range(0, 150, 30))
def test_the_compiled_engine_follows_whom_the_plain_one_follows(first):
    for seed in range(first, first + 30):
        work, cluster = log_at_random(seed)
        twin, policy = rules_at_random(seed)
        assert is_compiled(work, cluster, policy, twin)
        interval_s = float(np.random.default_rng(seed).choice([0.0, 0.0, 7.0]))
        made = simulate(work, cluster, policy, twin, interval_s=interval_s, seed=3)
        assert_same(made, simulate(work, cluster, policy, twin, interval_s=interval_s, seed=3, engine="reference"))
