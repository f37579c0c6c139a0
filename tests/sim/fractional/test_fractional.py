"""Dynamic fractional scheduling: what it promises of yields, memory, budgets and thresholds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from level_out_plain import levelled_out_plainly

from loadmaster.model import Cluster, InputError, Workload
from loadmaster.move.level_out import levelled_out
from loadmaster.move.migration import MigrationCost
from loadmaster.move.relabel import relabelled
from loadmaster.packing import PACKERS
from loadmaster.scheduling.fractional import Fractional, least_yield, yield_of
from loadmaster.sim.fractional.simulation import FractionalProblem, simulate_fractional


def stream(seed, jobs=60, load=1.2, hosts=4):
    rng = np.random.default_rng(seed)
    runtime = rng.exponential(100.0, jobs) + 1
    need, memory = rng.uniform(0.1, 1.0, jobs), rng.uniform(0.05, 0.6, jobs)
    tasks = rng.choice([1, 1, 2], jobs)
    gap = float((runtime * need * tasks).mean()) / (load * hosts)
    return Workload(
        ("cores", "memory"),
        np.cumsum(rng.exponential(gap, jobs)),
        runtime,
        np.column_stack((need, memory)),
        tasks=tasks,
    ), Cluster.uniform(hosts, cores=1, memory=1)


class Watched(Fractional):
    """Checks every decision as it is made; being no `Fractional` itself it runs on the plain engine."""

    def hosts_for(self, view, ask):
        hosts = super().hosts_for(view, ask)
        if hosts is not None:
            load, used = view.load.copy(), view.used.copy()
            np.add.at(load, hosts, ask.fluid)
            np.add.at(used, hosts, ask.rigid)
            assert (used <= view.rigid_capacity * (1 + 1e-6)).all()
            assert least_yield(load[hosts], view.fluid_capacity[hosts]) >= self.least_yield - 1e-9
        return hosts

    def room_for(self, view, ask):
        found = super().room_for(view, ask)
        if found is not None:
            self.check(view, found[0], ask, found[1])
        return found

    def improved(self, view):
        after = super().improved(view)
        assert yield_of(view, after) >= yield_of(view, view.host)
        self.check(view, after)
        return after

    def check(self, view, after, ask=None, hosts=()):
        used = np.zeros_like(view.rigid_capacity)
        np.add.at(used, after, view.rigid)
        if ask is not None:
            np.add.at(used, hosts, ask.rigid)
        assert (used <= view.rigid_capacity * (1 + 1e-6)).all()
        assert view.cost[after != view.host].sum() <= view.budget + 1e-9


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
        assert run.moves.sum() == 0 or (repack != "never" and budget > 0)


def same(a, b):
    for name in ("start_s", "end_s", "host", "moves"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), name)
    assert (a.moved_memory, a.most_moved, a.least_yield, a.events) == (
        b.moved_memory,
        b.most_moved,
        b.least_yield,
        b.events,
    )


@settings(max_examples=120, deadline=None)
@given(st.integers(0, 10**6))
def test_the_compiled_engine_makes_the_same_run_to_the_bit(seed):
    """Loads from half to twice the cluster, whole numbers that tie and fractions that round, every parameter."""
    rng = np.random.default_rng(seed)
    workload, cluster = stream(seed, jobs=40, load=rng.uniform(0.5, 2.0), hosts=int(rng.integers(1, 6)))
    if rng.random() < 0.5:  # equal times and needs, so that everything ties
        demand = np.column_stack((rng.choice([0.0, 0.5, 1.0], 40), rng.choice([0.0, 0.25, 0.5, 1.5], 40)))
        submit_s, runtime_s = np.sort(rng.integers(0, 9, 40) * 25.0), rng.choice([50.0, 100.0], 40)
        workload = Workload(workload.resources, submit_s, runtime_s, demand, tasks=workload.tasks)
    if rng.random() < 0.3:
        cluster = Cluster(cluster.resources, cluster.capacity, speed=rng.choice([0.5, 1.0, 2.0], cluster.hosts))
    policy = Fractional(
        ("never", "events", "periods")[rng.integers(3)],
        float(rng.choice([25.0, 60.0])),
        float(rng.choice([0.0, 0.3])),
        float(rng.choice([0.0, 0.5, np.inf])),
        50.0,
        lookahead=int(rng.integers(0, 5)),
    )
    pause = MigrationCost(float(rng.choice([0.0, 7.0])))
    told = workload.demand * rng.uniform(0.5, 1.5, (40, 1)) ** [1, 0] if rng.random() < 0.3 else None
    problem = FractionalProblem(workload, cluster, policy, pause, told)
    same(simulate_fractional(problem), simulate_fractional(problem, engine="reference"))


@pytest.mark.parametrize("packer", [*sorted(PACKERS.keys() - {"fgd"}), "first-fit"])
def test_any_packer_packs_and_keeps_memory_budget_and_threshold(packer):
    """But for `fgd`, which places on GPUs: these hosts have none."""
    workload, cluster = stream(1, jobs=12, load=2.0, hosts=2)
    policy = Watched(repack="events", least_yield=0.3, packer=packer, pack_time_s=0.05)
    run = simulate_fractional(FractionalProblem(workload, cluster, policy))
    assert np.isfinite(run.end_s).all()
    assert run.least_yield >= 0.3 - 1e-9
    if packer == "mcb8":
        assert run.moves.sum() > 0


@pytest.mark.parametrize("packer", ["sg", "mix-fit"])
def test_the_compiled_engine_asks_the_same_packer(packer):
    workload, cluster = stream(3, jobs=40, load=1.5, hosts=3)
    problem = FractionalProblem(workload, cluster, Fractional(packer=packer))
    compiled = simulate_fractional(problem)
    assert compiled.moves.sum() > 0
    same(compiled, simulate_fractional(problem, engine="reference"))


def test_a_packer_that_is_none_is_refused():
    with pytest.raises(InputError, match="did you mean mcb8"):
        Fractional(packer="mcb9")


def test_what_a_thousand_waiting_jobs_cost_is_bounded_by_the_lookahead():
    """All but one of the hosts' memory is taken for long; of those that wait only the first few are ever asked."""
    asked = []

    class Counting(Fractional):
        def hosts_for(self, view, ask):
            asked.append(1)
            return super().hosts_for(view, ask)

    jobs = 300
    workload = Workload.of(
        submit_s=[0.0] + [1.0] * jobs,
        runtime_s=[10.0] * (jobs + 1),
        cores=[1.0] * (jobs + 1),
        memory=[1.0] * (jobs + 1),
    )
    policy = Counting(repack="never", lookahead=2)
    run = simulate_fractional(FractionalProblem(workload, Cluster.uniform(1, cores=1, memory=1), policy))
    assert np.isfinite(run.end_s).all()
    assert len(asked) <= 5 * jobs


def test_a_job_goes_where_it_is_fastest_and_then_where_least_is_asked():
    cluster = Cluster(("cores", "memory"), np.ones((3, 2)), speed=np.array([0.4, 1.0, 1.0]))
    jobs = Workload.of(submit_s=[0.0] * 5, runtime_s=[10.0] * 5, cores=[1.0] * 5, memory=[0.1] * 5)
    run = simulate_fractional(FractionalProblem(jobs, cluster, Fractional(repack="never")))
    assert run.host.tolist() == [1, 2, 1, 2, 0]


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
    assert events.moves.sum() >= 1


def test_a_job_stands_still_while_its_memory_travels():
    jobs = Workload.of(
        submit_s=[0.0, 1.0, 2.0, 3.0], runtime_s=[1000.0] * 4, cores=[0.2, 0.1, 0.1, 0.2], memory=[0.6, 0.3, 0.3, 0.6]
    )
    cluster = Cluster.uniform(2, cores=1, memory=1)
    dear = simulate_fractional(FractionalProblem(jobs, cluster, migration=MigrationCost(pause_s=50.0)))
    free = simulate_fractional(FractionalProblem(jobs, cluster))
    late = dear.end_s - free.end_s
    assert late.max() == pytest.approx(50.0)
    assert (late > 1).sum() == dear.moves.sum()


@settings(max_examples=60)
@given(st.integers(0, 10**6))
def test_renaming_hosts_keeps_the_packing_and_never_moves_more(seed):
    rng = np.random.default_rng(seed)
    hosts, tasks = int(rng.integers(1, 6)), int(rng.integers(1, 12))
    old, new = rng.integers(-1, hosts, tasks), rng.integers(0, hosts, tasks)
    weight, kind = rng.uniform(0, 1, tasks), rng.integers(0, 2, hosts)
    named = relabelled(old, new, weight, kind[:, None] == kind)
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
    after = levelled_out(host, fluid, rigid, rigid[:, 0], np.ones(hosts), room, budget)
    plain = levelled_out_plainly(host, fluid, rigid, rigid[:, 0], np.ones(hosts), room, budget)
    np.testing.assert_array_equal(after, plain)
    loads = [np.bincount(where, weights=fluid, minlength=hosts) for where in (host, after)]
    assert least_yield(loads[1], np.ones(hosts)) >= least_yield(loads[0], np.ones(hosts)) - 1e-12
    assert (np.bincount(after, weights=rigid[:, 0], minlength=hosts) <= room[:, 0] + 1e-6).all()
    assert rigid[after != host, 0].sum() <= budget + 1e-9


@pytest.mark.parametrize(
    "change", [{"repack": "daily"}, {"least_yield": 1.5}, {"budget": -1.0}, {"period_s": 0.0}, {"lookahead": -1}]
)
def test_a_policy_that_makes_no_sense_is_refused(change):
    with pytest.raises(InputError):
        Fractional(**change)
