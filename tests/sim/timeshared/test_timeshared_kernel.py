"""The compiled engine of time-shared hosts makes the very runs of the plain one."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from loadmaster.model import Cluster, InputError, Workload
from loadmaster.move.contacts import draw
from loadmaster.move.enhanced_mosix import EnhancedMosix
from loadmaster.move.migration import MigrationCost
from loadmaster.move.mosix import Mosix
from loadmaster.scheduling.time_shared import METHODS, method_named
from loadmaster.sim.timeshared.movers_kernel import hashed
from loadmaster.sim.timeshared.problem import TimesharedProblem
from loadmaster.sim.timeshared.simulation import simulate_timeshared

NAMES = [*METHODS, "mix-fit+mosix", "least-loaded+enhanced-mosix", "random+assign-u-r", "round-robin"]


def at_intervals(method, period_s):
    """The method with rarer ticks: the plain engine looks at every task in each."""
    if isinstance(method.mover, Mosix | EnhancedMosix):
        return replace(method, mover=replace(method.mover, period_s=period_s))
    return method


def random_problem(seed, name):
    rng = np.random.default_rng(seed)
    jobs, hosts, resources = int(rng.integers(1, 30)), int(rng.integers(1, 6)), int(rng.integers(1, 4))
    names = ("cores", "memory", "bandwidth")[:resources]
    demand = np.column_stack([rng.choice([1.0, 1.0, 2.0, 0.7], jobs)] + [rng.uniform(1, 60, jobs)] * (resources - 1))
    workload = Workload(
        names,
        np.cumsum(rng.exponential(4.0, jobs)),
        2.0 / rng.uniform(0.05, 1.0, jobs),
        demand,
        tasks=rng.choice([1, 1, 3], jobs),
    )
    capacity = np.column_stack([rng.choice([1.0, 2.0, 4.0], hosts)] + [rng.uniform(64, 128, hosts)] * (resources - 1))
    cluster = Cluster(names, capacity, speed=rng.choice([0.25, 0.5, 1.0], hosts))
    return TimesharedProblem(
        workload,
        cluster,
        at_intervals(method_named(name), 5.0),
        cpu_load="jobs" if rng.random() < 0.5 else "jobs/speed",
        migration=MigrationCost(1.5, 30.0) if rng.random() < 0.5 else MigrationCost(),
        seed=int(rng.integers(1000)),
    )


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=8)
@given(seed=st.integers(0, 10**6))
def test_compiled_and_plain_make_the_same_run(name, seed):
    problem = random_problem(seed, name)
    assert simulate_timeshared(problem).agrees_with(simulate_timeshared(problem, engine="reference"))


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6))
def test_ends_that_fall_on_ticks_are_the_same_to_the_bit_compiled_and_plain(seed):
    """Whole seconds on hosts of a few cores: ends, arrivals and ticks meet, and thirds and fifths round."""
    rng = np.random.default_rng(seed)
    jobs = int(rng.integers(2, 20))
    workload = Workload.of(
        submit_s=np.sort(rng.integers(0, 12, jobs)).astype(float),
        runtime_s=rng.integers(1, 9, jobs).astype(float),
        cores=[1.0] * jobs,
        memory=rng.integers(1, 40, jobs).astype(float),
    )
    hosts = int(rng.integers(2, 5))
    for name in ("mosix", "e-mosix", "assign-u-r"):
        problem = TimesharedProblem(workload, Cluster.uniform(hosts, cores=1, memory=64), METHODS[name], seed=seed)
        assert simulate_timeshared(problem).agrees_with(simulate_timeshared(problem, engine="reference"))


@settings(max_examples=8)
@given(seed=st.integers(0, 10**6))
def test_a_run_is_the_same_when_made_again_and_when_it_is_interrupted(seed):
    from loadmaster.sim.timeshared import simulation

    problem = random_problem(seed, "e-mosix")
    whole = simulate_timeshared(problem)
    chunk, simulation.CHUNK = simulation.CHUNK, 3
    try:
        steps = []
        pieces = simulate_timeshared(problem, progress=lambda ended, total: steps.append(ended))
    finally:
        simulation.CHUNK = chunk
    assert steps == sorted(steps)
    assert np.array_equal(whole.end_s, pieces.end_s)


whole = st.integers


@njit
def compiled_draw(seed, tick, host, channel, below):
    return hashed(seed, tick, host, channel, below)


@given(whole(0, 2**62), whole(0, 2**40), whole(0, 10**6), whole(0, 2**23), whole(1, 2**32))
@settings(max_examples=200, deadline=None)
def test_draws_are_the_same_compiled_and_plain(seed, tick, host, channel, below):
    assert compiled_draw(seed, tick, host, channel, below) == draw(seed, tick, host, channel, below)


def test_draws_look_uniform():
    counts = np.bincount([draw(7, tick, 2, 5, 10) for tick in range(20_000)], minlength=10)
    assert ((counts - 2000) ** 2 / 2000).sum() < 27.9  # chi-squared with 9 degrees of freedom, 0.1 %


@pytest.mark.parametrize("name", ["pvm+mosix", "pvm+enhanced-mosix"])
@settings(max_examples=6)
@given(seed=st.integers(0, 10**6))
def test_passing_over_ticks_that_move_nobody_changes_nothing(name, seed):
    """Hosts with one task each, but for two that have two and two whose task ends early: who should move hears of
    one other host a turn, so that many ticks pass without a move before one with it.
    """
    rng = np.random.default_rng(seed)
    hosts = int(rng.integers(15, 30))
    runtime_s = np.concatenate(([60.0, 90.0], rng.uniform(900.0, 1000.0, hosts)))
    workload = Workload.of(
        submit_s=[0.0] * hosts + [1.0, 2.0],
        runtime_s=np.roll(runtime_s, 5),
        cores=[1.0] * (hosts + 2),
        memory=rng.uniform(0.5, 2.0, hosts + 2),
    )
    method = method_named(name)
    method = replace(method, mover=replace(method.mover, period_s=5.0, fanout=1))
    problem = TimesharedProblem(workload, Cluster.uniform(hosts, cores=1, memory=64), method, seed=seed)
    compiled, plain = simulate_timeshared(problem), simulate_timeshared(problem, engine="reference")
    assert compiled.moves.sum() > 0
    assert compiled.agrees_with(plain)


def crowded_problem(seed, name):
    """More hosts of few kinds, some equal tasks and empty hosts, so that costs tie and are alike."""
    rng = np.random.default_rng(seed)
    jobs, hosts = 60, int(rng.integers(6, 20))
    demand = np.column_stack((rng.choice([0.0, 1.0, 2.0], jobs, p=[0.1, 0.6, 0.3]), rng.choice([0.0, 1.0, 1.5], jobs)))
    capacity = np.array([[1.0, 8.0], [4.0, 8.0], [4.0, 0.0]])[rng.choice([0, 1, 2], hosts, p=[0.6, 0.3, 0.1])]
    capacity[0] = [4.0, 8.0]
    workload = Workload(
        ("cores", "memory"), np.sort(rng.integers(0, 40, jobs)).astype(float), rng.exponential(20.0, jobs) + 1, demand
    )
    cluster = Cluster(("cores", "memory"), capacity if rng.random() < 0.7 else capacity[:1].repeat(hosts, axis=0))
    return TimesharedProblem(workload, cluster, at_intervals(method_named(name), 2.0), seed=seed)


@pytest.mark.parametrize("name", ["e-pvm", "d-pvm", "e-mosix", "pvm+enhanced-mosix"])
@settings(max_examples=12)
@given(seed=st.integers(0, 10**6))
def test_what_is_read_off_the_costs_is_what_asking_every_host_and_task_gives(name, seed):
    problem = crowded_problem(seed, name)
    assert simulate_timeshared(problem).agrees_with(simulate_timeshared(problem, engine="reference"))


def test_a_task_that_needs_a_gpu_goes_to_a_host_that_has_one_and_stays_there():
    """Host 0 has no GPU and is empty; host 1 has one, and is crowded by tasks that need none."""
    cluster = Cluster(("cores", "memory", "gpus"), np.array([[4.0, 64.0, 0.0], [4.0, 64.0, 2.0]]))
    demand = np.array([[1.0, 1.0, 0.0]] * 6 + [[1.0, 1.0, 1.0]] * 2)
    workload = Workload(cluster.resources, np.arange(8.0), np.full(8, 200.0), demand)
    for name in ("e-pvm", "e-mosix"):
        problem = TimesharedProblem(workload, cluster, at_intervals(METHODS[name], 5.0))
        run = simulate_timeshared(problem)
        assert run.first_host[6:].tolist() == [1, 1]
        assert run.host[6:].tolist() == [1, 1]
        assert run.agrees_with(simulate_timeshared(problem, engine="reference"))


@pytest.mark.parametrize(
    ("mover", "change"),
    [(Mosix, {"period_s": 0.0}), (Mosix, {"fanout": 0}), (Mosix, {"free_fraction": 1.0}), (Mosix, {"stability": -1.0}),
     (EnhancedMosix, {"period_s": float("nan")}), (EnhancedMosix, {"fanout": 0})],
)  # fmt: skip
def test_a_mover_that_makes_no_sense_is_refused(mover, change):
    with pytest.raises(InputError):
        mover(**change)


@pytest.mark.parametrize(("runtime_s", "speed"), [(1e301, 1.0), (1e150, 1e-200)])
def test_a_task_that_would_never_end_is_refused(runtime_s, speed):
    jobs = Workload.of(submit_s=[0, 0], runtime_s=[runtime_s] * 2, cores=[1, 1], memory=[1, 1])
    hosts = replace(Cluster.uniform(2, cores=1, memory=4), speed=np.full(2, speed))
    with pytest.raises(InputError, match="no task ends"):
        simulate_timeshared(TimesharedProblem(jobs, hosts, METHODS["pvm"]))
