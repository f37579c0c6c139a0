"""Dynamic fractional scheduling: what it promises of yields, memory, budgets and thresholds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loadmaster.model import Cluster, InputError, Workload
from loadmaster.move.level_out import levelled_out
from loadmaster.move.migration import MigrationCost
from loadmaster.move.relabel import relabelled
from loadmaster.schedule.fractional import Fractional, FractionalView, least_yield_of, moved_memory
from loadmaster.sim.shared_fractional import FractionalProblem, simulate_fractional


def stream(seed, jobs=60, load=1.2, hosts=4):
    rng = np.random.default_rng(seed)
    runtime = rng.exponential(100.0, jobs) + 1
    need, memory = rng.uniform(0.1, 1.0, jobs), rng.uniform(0.05, 0.6, jobs)
    tasks = rng.choice([1, 1, 2], jobs)
    gap = float((runtime * need * tasks).mean()) / (load * hosts)
    return Workload(
        ("cores", "memory"), np.cumsum(rng.exponential(gap, jobs)), runtime, np.column_stack((need, memory)),
        tasks=tasks,
    ), Cluster.uniform(hosts, cores=1, memory=1)  # fmt: skip


class Watched(Fractional):
    """Checks every decision as it is made."""

    def decide(self, view, period):
        after = super().decide(view, period)
        used = np.zeros_like(view.rigid_capacity)
        on = after >= 0
        np.add.at(used, after[on], view.rigid[on])
        assert (used <= view.rigid_capacity * (1 + 1e-6)).all()
        assert (after[view.present] >= 0).all()
        assert moved_memory(view, view.host, after) <= view.budget + 1e-9
        if self.least_yield > 0 and len(view.waiting) and (after[view.waiting[0][0]] >= 0):
            assert least_yield_of(view, after) >= min(self.least_yield, least_yield_of(view, view.host)) - 1e-9
        return after


@pytest.mark.parametrize("repack", ["never", "events", "periods"])
@pytest.mark.parametrize("budget", [0.0, 0.7, np.inf])
def test_memory_budget_and_threshold_are_kept_at_every_decision(repack, budget):
    for seed in range(3):
        workload, cluster = stream(seed)
        policy = Watched(repack=repack, period_s=50.0, budget=budget, budget_interval_s=50.0, least_yield=0.3)
        run = simulate_fractional(FractionalProblem(workload, cluster, policy))
        assert np.isfinite(run.end_s).all()
        assert run.most_moved <= budget + 1e-9
        assert run.least_yield >= 0.3 - 1e-9
        assert (run.end_s - run.start_s >= workload.runtime_s * (1 - 1e-9)).all()
        assert run.moves == 0 or (repack != "never" and budget > 0)


def test_a_job_alone_takes_its_runtime_and_two_at_full_demand_take_twice():
    jobs = Workload.of(submit_s=[0.0, 0.0, 500.0], runtime_s=[60.0] * 3, cores=[1.0] * 3, memory=[0.3] * 3)
    run = simulate_fractional(FractionalProblem(jobs, Cluster.uniform(1, cores=1, memory=1)))
    assert run.end_s == pytest.approx([120.0, 120.0, 560.0])


def test_a_threshold_makes_the_third_job_wait():
    jobs = Workload.of(submit_s=[0.0] * 3, runtime_s=[60.0] * 3, cores=[1.0] * 3, memory=[0.1] * 3)
    run = simulate_fractional(
        FractionalProblem(jobs, Cluster.uniform(1, cores=1, memory=1), Fractional(least_yield=0.5))
    )
    assert run.start_s == pytest.approx([0.0, 0.0, 120.0])


def test_a_job_that_no_empty_cluster_holds_is_refused_and_blocks_nobody():
    jobs = Workload.of(submit_s=[0.0] * 2, runtime_s=[60.0] * 2, cores=[1.0] * 2, memory=[5.0, 0.1])
    run = simulate_fractional(FractionalProblem(jobs, Cluster.uniform(1, cores=1, memory=1)))
    assert np.isnan(run.start_s[0])
    assert run.end_s[1] == pytest.approx(60.0)


def test_packing_anew_makes_room_that_greedy_placement_does_not_see():
    """Memory 0.6, 0.2, 0.2, 0.6 arrive on two hosts so that a job of 0.4 fits only after a move."""
    jobs = Workload.of(
        submit_s=[0.0, 1.0, 2.0, 3.0], runtime_s=[1000.0] * 4, cores=[0.2, 0.1, 0.1, 0.2], memory=[0.6, 0.3, 0.3, 0.6]
    )
    cluster = Cluster.uniform(2, cores=1, memory=1)
    never = simulate_fractional(FractionalProblem(jobs, cluster, Fractional(repack="never")))
    events = simulate_fractional(FractionalProblem(jobs, cluster, Fractional(repack="events")))
    assert events.start_s[3] == pytest.approx(3.0)
    assert never.start_s[3] > 900.0
    assert events.moves >= 1


def test_a_job_stands_still_while_its_memory_travels():
    jobs = Workload.of(
        submit_s=[0.0, 1.0, 2.0, 3.0], runtime_s=[1000.0] * 4, cores=[0.2, 0.1, 0.1, 0.2], memory=[0.6, 0.3, 0.3, 0.6]
    )
    cluster = Cluster.uniform(2, cores=1, memory=1)
    dear = simulate_fractional(FractionalProblem(jobs, cluster, migration=MigrationCost(pause_s=50.0)))
    free = simulate_fractional(FractionalProblem(jobs, cluster))
    late = dear.end_s - free.end_s
    assert late.max() == pytest.approx(50.0)
    assert (late > 1).sum() == dear.moves


@settings(max_examples=60)
@given(st.integers(0, 10**6))
def test_renaming_hosts_keeps_the_packing_and_never_moves_more(seed):
    rng = np.random.default_rng(seed)
    hosts, tasks = int(rng.integers(1, 6)), int(rng.integers(1, 12))
    old, new = rng.integers(-1, hosts, tasks), rng.integers(0, hosts, tasks)
    weight, kind = rng.uniform(0, 1, tasks), rng.integers(0, 2, hosts)
    named = relabelled(old, new, weight, kind)
    for a in range(tasks):
        assert kind[named[a]] == kind[new[a]]
        for b in range(tasks):
            assert (named[a] == named[b]) == (new[a] == new[b])
    placed = old >= 0
    assert weight[placed & (named != old)].sum() <= weight[placed & (new != old)].sum() + 1e-9


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.floats(0.0, 2.0))
def test_single_moves_never_lower_the_least_yield_nor_exceed_memory_or_budget(seed, budget):
    rng = np.random.default_rng(seed)
    tasks, hosts = 12, 3
    host = rng.integers(0, hosts, tasks).astype(np.int32)
    fluid, rigid = rng.uniform(0.1, 1, tasks), rng.uniform(0, 0.25, (tasks, 1))
    room = np.maximum(1.0, np.bincount(host, weights=rigid[:, 0], minlength=hosts)).reshape(-1, 1)
    after = levelled_out(host, fluid, rigid, np.ones(hosts), room, budget)
    view = FractionalView(
        host, np.arange(tasks), [], fluid, rigid, np.ones(hosts), room, np.zeros(hosts, np.int32), budget
    )
    assert least_yield_of(view, after) >= least_yield_of(view, host) - 1e-12
    assert (np.bincount(after, weights=rigid[:, 0], minlength=hosts) <= room[:, 0] + 1e-6).all()
    assert moved_memory(view, host, after) <= budget + 1e-9


@pytest.mark.parametrize("change", [{"repack": "daily"}, {"least_yield": 1.5}, {"budget": -1.0}, {"period_s": 0.0}])
def test_a_policy_that_makes_no_sense_is_refused(change):
    with pytest.raises(InputError):
        Fractional(**change)
