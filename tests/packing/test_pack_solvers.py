"""What holds for every packer on any instance, and between them."""

from dataclasses import replace

import numpy as np
import pytest
from greedy_plain import place_plainly
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from mcb_plain import pack_at
from subset_oracle import subset_oracle

from loadmaster.packing import Instance, PackOptions, finish, pack
from loadmaster.packing.bound import hopeless, upper_bound
from loadmaster.packing.branch_and_bound import branch_and_bound
from loadmaster.packing.by_score import by_score
from loadmaster.packing.check import violations
from loadmaster.packing.cp_sat import cp_sat
from loadmaster.packing.first_fit_kernel import LEVELS, WIDTH, build_trees, first_fit, take_out
from loadmaster.packing.greedy import in_order, largest_first, place
from loadmaster.packing.improve import _group, _walk, improve, search_state
from loadmaster.packing.level import level_of, task_yield_at
from loadmaster.packing.mcb import filling_order, mcb, problem_of, work_for
from loadmaster.packing.mcb_kernel import probe
from loadmaster.packing.mean_yield import yields_by_greed, yields_by_lp
from loadmaster.packing.milp import highs, paper_form, solve_relaxed
from loadmaster.packing.pair_swap_kernel import build_tree, search_on, start_walk
from loadmaster.packing.rounding import fractions
from loadmaster.packing.solve import PACKERS
from loadmaster.place import POLICIES

QUICK = PackOptions(time_limit_s=0.2, attempts=20_000)


def random_instance(seed, tasks=None, hosts=None, slack=None):
    rng = np.random.default_rng(seed)
    hosts = hosts or int(rng.integers(1, 5))
    tasks = tasks or int(rng.integers(1, 10))
    memory = rng.uniform(0.01, 1, tasks)
    slack = rng.uniform(0.05, 0.7) if slack is None else slack
    memory = np.minimum(memory * (1 - slack) * hosts / memory.sum(), 1.2)
    return Instance.of(hosts, cpu=rng.uniform(0, 1, tasks).round(int(rng.integers(1, 4))), memory=memory)


def odd_instance(seed):
    """Two scarce fluid and two rigid resources, unequal hosts, parallel jobs, weights, half the time guarantees."""
    rng = np.random.default_rng(seed)
    tasks, hosts = int(rng.integers(2, 9)), int(rng.integers(2, 5))
    job = np.sort(np.unique(rng.integers(0, tasks, tasks), return_inverse=True)[1])
    jobs = int(job.max()) + 1
    fluid = rng.uniform(0, 4, (tasks, 2))
    rigid_capacity = rng.uniform(20, 60, (hosts, 2))
    if seed % 3 == 0:
        rigid_capacity[:] = rigid_capacity[0]
    return Instance(
        fluid,
        rng.uniform(0, 20, (tasks, 2)),
        rng.uniform(0.3, 1, (hosts, 2)) * fluid.sum(axis=0) / hosts,
        rigid_capacity,
        job,
        rng.uniform(0.2, 5, jobs),
        rng.uniform(0, 0.3, jobs) if seed % 2 else None,
        ("cpu", "network"),
        ("memory", "disk"),
    )


@settings(max_examples=60)
@given(st.integers(0, 10**9), st.integers(1, 8), st.floats(0.05, 1.0), st.integers(1, 4))
def test_the_compiled_mcb_places_as_the_plain_one(seed, key, level, dims):
    rng = np.random.default_rng(seed)
    if dims == 2:
        instance = random_instance(seed, tasks=1 + seed % 90, hosts=1 + seed % 9)
    else:
        tasks, hosts, fluid = int(rng.integers(1, 90)), int(rng.integers(1, 9)), int(rng.integers(1, dims + 1))
        demand = rng.uniform(0, 4 * hosts / tasks, (tasks, dims)).round(int(rng.integers(1, 4)))
        names = tuple("abcd"[:dims])
        instance = Instance(
            demand[:, :fluid],
            demand[:, fluid:],
            np.full((hosts, fluid), 4.0),
            np.full((hosts, dims - fluid), 4.0),
            fluid_names=names[:fluid],
            rigid_names=names[fluid:],
        )
    problem = problem_of(instance, key, filling_order(instance))
    work = work_for(problem)
    demand = np.hstack((instance.scaled.need * level, instance.scaled.hard))
    plain = pack_at(demand, problem.room, key)
    done = probe(problem, work, level) == instance.tasks
    assert done == (plain >= 0).all()
    if done:
        assert work.host.tolist() == plain.tolist()


# fgd places on GPUs alone, which these instances do not have: tests/packing/test_fgd.py
@pytest.mark.parametrize("method", [name for name, packer in PACKERS.items() if not packer.cards])
@pytest.mark.parametrize("make", [random_instance, odd_instance])
def test_no_packer_breaks_a_rule(method, make):
    placed = 0
    for seed in range(6):
        instance = make(seed)
        if instance.guaranteed and method == "cp-sat":  # refuses them
            continue
        packing = pack(instance, method, QUICK)
        assert violations(instance, packing) == []
        placed += packing.placed
    assert placed >= (1 if method == "cp-sat" and make is odd_instance else 3)


def test_four_exact_solvers_agree_on_two_hundred_instances():
    infeasible = 0
    for seed in range(200):
        instance = random_instance(seed)
        oracle, tree = subset_oracle(instance), branch_and_bound(instance)
        levels = [finish(instance, attempt).level for attempt in (oracle, tree, highs(instance))]
        if seed % 10 == 0:
            levels.append(finish(instance, highs(instance, "paper")).level)
        assert tree.proven
        if np.isnan(levels[0]):
            infeasible += 1
            assert np.isnan(levels).all()
        else:
            assert levels == pytest.approx([levels[0]] * len(levels), abs=1e-6)
    assert 5 < infeasible < 150


@pytest.mark.parametrize("make", [random_instance, odd_instance])
def test_the_bound_of_cp_sat_is_above_the_optimum_and_its_mapping_reaches_it(make):
    pytest.importorskip("ortools")
    for seed in range(0, 12, 2):
        instance = make(seed)
        best, found = finish(instance, branch_and_bound(instance)), finish(instance, cp_sat(instance, 20))
        assert found.level == pytest.approx(best.level, rel=1e-8, nan_ok=True)
        assert found.status == ("ok" if best.placed else "infeasible")
        if best.placed:
            assert best.level <= found.bound * (1 + 1e-12) <= best.level * (1 + 1e-8)


def test_without_time_the_exact_method_still_gives_a_mapping_and_a_bound():
    instance = random_instance(1, tasks=60, hosts=12, slack=0.3)
    for limit in (0.01, 0.3):
        packing = pack(instance, "exact", PackOptions(time_limit_s=limit))
        assert packing.status == ("ok" if packing.proven else "limit")
        assert 0 < packing.level <= packing.bound < 1
        assert violations(instance, packing) == []


def test_the_subset_oracle_agrees_with_trying_every_mapping():
    for seed in range(20):
        instance = random_instance(seed, tasks=5, hosts=3)
        every = np.array(np.meshgrid(*[range(3)] * 5)).reshape(5, -1).T
        levels = [level_of(instance, mapping) for mapping in every]
        best = np.nanmax(levels) if not np.isnan(levels).all() else np.nan
        assert finish(instance, subset_oracle(instance)).level == pytest.approx(best, nan_ok=True)


def test_exact_solvers_agree_with_unequal_hosts_and_guarantees():
    for seed in range(24):
        instance = odd_instance(seed)
        found = finish(instance, highs(instance, "paper"))
        every = np.array(np.meshgrid(*[range(instance.hosts)] * instance.tasks)).reshape(instance.tasks, -1).T
        if len(every) > 5000:
            continue
        levels = [level_of(instance, mapping) for mapping in every]
        best = np.nanmax(levels) if not np.isnan(levels).all() else np.nan
        assert found.level == pytest.approx(best, abs=1e-6, nan_ok=True)
        tree = finish(instance, branch_and_bound(instance))
        assert tree.proven
        assert tree.level == pytest.approx(best, abs=1e-9, nan_ok=True)


def test_bound_is_above_exact_above_local_search_above_mcb8():
    better = 0
    for seed in range(40):
        instance = random_instance(seed, tasks=12, hosts=4, slack=0.3)
        start = mcb(instance)
        if start.host is None:
            continue
        search = level_of(instance, improve(instance, start, 0.01).host)
        best = finish(instance, branch_and_bound(instance))
        assert upper_bound(instance) + 1e-9 >= best.level >= search - 1e-9
        assert search >= level_of(instance, start.host) - 1e-12
        better += search > level_of(instance, start.host) + 1e-9
    assert better > 0


@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_the_closed_bound_is_the_optimum_of_the_relaxed_program(seed):
    instance = random_instance(seed)
    assume(instance.rigid.max() <= 1)
    optimum = solve_relaxed(paper_form(instance, "y")).x
    assert (0.0 if optimum is None else optimum[-1]) == pytest.approx(upper_bound(instance), abs=1e-9)


def test_a_simplex_vertex_splits_few_tasks():
    instance = random_instance(3, tasks=12, hosts=4, slack=0.3)
    spread = fractions(instance)
    assert spread.sum(axis=1) == pytest.approx(1)
    assert np.count_nonzero(spread) < 3 * instance.tasks


@settings(max_examples=30)
@given(st.integers(0, 10**6))
def test_order_of_tasks_and_more_hosts_keep_or_raise_the_optimum(seed):
    instance = random_instance(seed, tasks=7, hosts=2)
    best = finish(instance, branch_and_bound(instance)).level
    order = np.random.default_rng(seed).permutation(instance.tasks)
    shuffled = Instance.of(2, cpu=instance.fluid[order, 0], memory=instance.rigid[order, 0])
    more = Instance.of(3, cpu=instance.fluid[:, 0], memory=instance.rigid[:, 0])
    assert finish(shuffled, branch_and_bound(shuffled)).level == pytest.approx(best, nan_ok=True)
    if not np.isnan(best):
        assert finish(more, branch_and_bound(more)).level >= best - 1e-12


@settings(max_examples=40)
@given(st.integers(0, 10**6))
def test_with_unequal_hosts_order_changes_nothing_and_another_host_never_lowers_the_optimum(seed):
    instance, rng = odd_instance(seed), np.random.default_rng(seed)
    best = finish(instance, branch_and_bound(instance))
    task, host = rng.permutation(instance.tasks), rng.permutation(instance.hosts)
    shuffled = replace(
        instance,
        fluid=instance.fluid[task],
        rigid=instance.rigid[task],
        job=instance.job[task],
        fluid_capacity=instance.fluid_capacity[host],
        rigid_capacity=instance.rigid_capacity[host],
    )
    part = rng.uniform(0.1, 1.5)
    more = replace(
        instance,
        fluid_capacity=np.vstack((instance.fluid_capacity, instance.fluid_capacity[:1] * part)),
        rigid_capacity=np.vstack((instance.rigid_capacity, instance.rigid_capacity[:1] * part)),
    )
    again, larger = finish(shuffled, branch_and_bound(shuffled)), finish(more, branch_and_bound(more))
    assert best.proven
    assert again.proven
    assert larger.proven
    assert again.level == pytest.approx(best.level, rel=1e-9, nan_ok=True)
    if best.placed:
        assert larger.level >= best.level * (1 - 1e-9)


@pytest.mark.parametrize("method", ["mcb8", "exact"])
def test_which_of_several_equal_tasks_comes_first_changes_nothing_that_matters(method):
    rng = np.random.default_rng(3)
    kinds = rng.uniform(0.05, 0.6, (3, 2))
    for _ in range(8):
        which = rng.integers(0, 3, 9)
        one, other = (kinds[which], kinds[rng.permutation(which)])
        levels = [pack(Instance.of(3, cpu=k[:, 0], memory=k[:, 1]), method).level for k in (one, other)]
        assert levels[0] == pytest.approx(levels[1], rel=1e-12, nan_ok=True)


def test_the_smallest_demand_first_is_the_best_mean_yield_of_single_tasks():
    raised = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        tasks, hosts = int(rng.integers(1, 12)), int(rng.integers(1, 4))
        weight = rng.uniform(0.2, 2, tasks) if seed % 2 else None
        instance = Instance.of(hosts, cpu=rng.uniform(0, 1, tasks), memory=np.zeros(tasks), weight=weight)
        host = rng.integers(0, hosts, tasks).astype(np.int32)
        level = level_of(instance, host) * rng.uniform(0.3, 1)
        greedy, best = yields_by_greed(instance, host, level), yields_by_lp(instance, host, level)
        assert greedy.mean() == pytest.approx(best.mean(), abs=1e-9)
        assert (greedy >= task_yield_at(instance, level) - 1e-12).all()
        assert (np.bincount(host, weights=instance.fluid[:, 0] * greedy, minlength=hosts) <= 1 + 1e-9).all()
        raised += greedy.mean() > task_yield_at(instance, level).mean() + 1e-3
    assert raised > 100


def test_cp_sat_bears_a_host_that_is_tiny_beside_the_others():
    for tiny in (1e-6, 1e-9, 1e-12):
        capacity = np.array([[1.0], [1.0], [tiny]])
        instance = Instance(np.array([[0.9], [0.9], [0.9]]), np.full((3, 1), 0.1), capacity, np.ones((3, 1)))
        found = cp_sat(instance, 5.0)
        assert (found.status, found.proven) == ("ok", True)
        assert level_of(instance, found.host) == pytest.approx(1 / 1.8)


def test_branch_and_bound_says_when_it_stopped_early():
    rng = np.random.default_rng(5)
    instance = Instance.of(8, cpu=rng.uniform(0.1, 1, 32), memory=rng.uniform(0.05, 0.4, 32))
    packing = finish(instance, branch_and_bound(instance, nodes=50))
    assert packing.status == "limit"
    assert packing.level < packing.bound
    assert violations(instance, packing) == []


def test_backtracking_stops_at_its_limit_and_says_so():
    instance = Instance.of(6, cpu=[0.5] * 13, memory=[0.34] * 13)
    packing = pack(instance, "sgb", PackOptions(attempts=1000))
    assert packing.status == "limit"
    assert packing.effort == 1000
    assert packing.unplaced >= 0


@given(st.integers(0, 10**9), st.integers(1, 200), st.integers(1, 3))
def test_first_fit_by_a_tree_of_minima_is_first_fit_by_a_scan(seed, tasks, dims):
    rng = np.random.default_rng(seed)
    capacity = (tasks // WIDTH + 1) * WIDTH
    demand = rng.integers(0, 9, (tasks, dims)).astype(float)
    tree = np.full((2 * capacity + 100, dims), np.nan)
    tree[:tasks] = demand
    at, top = np.zeros((1, LEVELS), np.int64), np.zeros(1, np.int64)
    build_trees(tree, at, top, np.array([tasks]), capacity)
    for _ in range(30):
        free, last = rng.integers(0, 9, dims).astype(float), int(rng.integers(-1, tasks))
        fits = [t for t in range(last + 1, tasks) if (demand[t] <= free).all()]
        found = first_fit(tree, at, 0, top[0], last, free)
        assert found == min(fits, default=-1)
        if found >= 0:
            take_out(tree, at, 0, top[0], found, np.empty(dims))
            demand[found] = np.inf


@settings(max_examples=60)
@given(st.integers(0, 10**9), st.booleans(), st.booleans(), st.sampled_from(["examined", "fitted"]))
def test_the_compiled_greedy_places_and_counts_as_the_plain_one(seed, in_size, backtrack, counts):
    rng = np.random.default_rng(seed)
    tasks, hosts = int(rng.integers(1, 10)), int(rng.integers(1, 5))
    cpu, memory = rng.integers(0, 65, tasks), rng.integers(0, min(65, 128 * hosts // tasks), tasks)
    instance = Instance.of(hosts, cpu / 64, memory / 64)  # sums are exact, so that equal loads are equal
    assume(hopeless(instance) is None)
    order = largest_first(instance) if in_size else in_order(instance)
    limit = int(rng.integers(1, 40))
    host, attempts = place_plainly(instance, order, limit, backtrack, counts)
    found = place(instance, "own", order, backtrack, limit, counts)
    assert found.effort == attempts
    assert (found.host is None) == (host is None)
    assert host is None or np.array_equal(found.host, host)


def test_attempts_may_count_only_the_hosts_that_a_task_fits():
    instance = Instance.of(2, cpu=[0.5, 0.5, 0.1], memory=[0.9, 0.9, 0.1])  # the second task examines one host in vain
    examined, fitted = (pack(instance, "gb", PackOptions(attempt_counts=counts)) for counts in ("examined", "fitted"))
    assert np.array_equal(examined.host, fitted.host)
    assert (examined.effort, fitted.effort) == (3, 3)
    tight = Instance.of(2, cpu=[0.1, 0.5, 0.2], memory=[0.2, 0.3, 0.9])
    examined, fitted = (pack(tight, "gb", PackOptions(attempt_counts=counts)) for counts in ("examined", "fitted"))
    assert np.array_equal(examined.host, fitted.host)
    assert examined.effort > fitted.effort
    stopped = pack(tight, "gb", PackOptions(attempts=fitted.effort))
    assert stopped.status == "limit"
    assert pack(tight, "gb", PackOptions(attempts=fitted.effort, attempt_counts="fitted")).placed


def test_a_task_that_fits_nowhere_is_named():
    packing = pack(Instance.of(3, cpu=[0.1, 0.1], memory=[0.2, 1.5]), "mcb8")
    assert (packing.status, packing.proven, packing.unplaced, packing.bound) == ("infeasible", True, 1, 0.0)


def test_weights_share_in_proportion():
    instance = Instance.of(1, cpu=[1.0, 1.0], memory=[0.1, 0.1], weight=[3.0, 1.0])
    packing = pack(instance, "exact")
    assert packing.level == pytest.approx(0.75)
    assert packing.job_yield == pytest.approx([0.75, 0.25])


def test_a_guarantee_is_kept_before_anything_else():
    instance = Instance.of(1, cpu=[1.0, 1.0], memory=[0.1, 0.1], guarantee=[0.8, 0.0])
    assert pack(instance, "mcb8").job_yield == pytest.approx([0.8, 0.2])
    assert pack(Instance.of(1, [1, 1], [0, 0], guarantee=[0.8, 0.3]), "exact").status == "infeasible"


def test_a_placement_policy_packs_tasks_one_by_one():
    instance = random_instance(4, tasks=8, hosts=3, slack=0.5)
    found = by_score(instance, POLICIES["mix-fit"])
    assert violations(instance, finish(instance, found)) == []


def test_an_empty_host_with_a_load_left_by_rounding_has_no_task_to_swap():
    instance = Instance.of(hosts=3, cpu=[0.5, 0.4], memory=[0.1, 0.1])
    problem, state = search_state(instance)
    mapping = np.array([1, 2])
    walk = _walk(instance, 0)
    start_walk(problem, state, walk, mapping)
    state.load[0, 0] = state.peak[0] = 0.9
    build_tree(walk.tree, state.peak)
    search_on(problem, state, walk, _group(instance), 0.0, 10_000)
    assert walk.best.tolist() == mapping.tolist()
