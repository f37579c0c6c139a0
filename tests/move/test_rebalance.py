"""Moves within a budget: the published examples, the exact program, and an order that never overfills a host."""

import numpy as np
import pytest
from evict_plain import evicted_plainly
from hypothesis import given
from hypothesis import strategies as st
from relieve_plain import relieve_plainly

import loadmaster
from loadmaster.model.errors import InputError
from loadmaster.move import bounded
from loadmaster.move.adapt import adapt_exactly
from loadmaster.move.bounded import rebalance
from loadmaster.move.change import State, TaskTransfer
from loadmaster.move.evict import SUBSETS_UP_TO, evicted
from loadmaster.move.plan import MovePlan
from loadmaster.move.relabel import relabelled, relabelled_by_greed
from loadmaster.move.relieve import relieve
from loadmaster.move.rotation import best_rotation, mean_yields
from loadmaster.move.sequence import carried_out, in_safe_order
from loadmaster.packing import Instance, pack
from loadmaster.packing.generate import Spec, virtual_clusters
from loadmaster.packing.level import fits, level_of
from loadmaster.packing.mcb import mcb
from loadmaster.packing.stoppable_milp import Solution

TIGHT = State(Instance.of(2, cpu=[0.6, 0.6, 0.3], memory=[0.3, 0.2, 0.4]), np.array([0, 0, 1], np.int32))


@pytest.mark.parametrize("solve", [adapt_exactly, rebalance])
@pytest.mark.parametrize(("budget", "level"), [(0.0, 0.833333), (0.19, 0.833333), (0.2, 1.0), (4.0, 1.0)])
def test_one_move_of_two_tenths_is_enough(solve, budget, level):
    change = solve(TIGHT, budget)
    assert change.level == pytest.approx(level, abs=1e-6)
    assert change.spent <= budget
    assert (change.host == TIGHT.host).all() == (budget < 0.2)


def test_no_more_is_moved_than_the_best_level_takes():
    """Two tasks share a host although each could have its own: one has to move, and the smaller one is enough."""
    state = State(Instance.of(3, cpu=[0.9, 0.9, 0.1], memory=[0.5, 0.2, 0.3]), np.array([0, 0, 1], np.int32))
    for solve in (adapt_exactly, rebalance):
        change = solve(state, np.inf)
        assert (change.level, change.spent) == (1.0, 0.2)
    settled = State(state.instance, np.array([0, 1, 2], np.int32))
    assert adapt_exactly(settled, np.inf).spent == 0
    promised = Instance.of(3, [0.9, 0.9, 0.1], [0.5, 0.2, 0.3], guarantee=[0.1, 0, 0])
    assert adapt_exactly(State(promised, state.host), np.inf).spent == 0.2


def test_migration_for_nothing_beats_every_single_mapping():
    three = Instance.of(2, cpu=[0.6] * 3, memory=[0.1] * 3)
    share = np.array([[0.45, 0.55, 0.6], [0.6, 0.55, 0.45]])
    assert mean_yields(three, np.array([0.5, 0.5]), share) == pytest.approx([0.875, 0.916667, 0.875], abs=1e-6)
    swap = best_rotation(three, [np.array([0, 0, 1]), np.array([0, 1, 1])])
    assert swap.level == pytest.approx(8 / 9)
    assert mean_yields(three, swap.weight, swap.share).min() == pytest.approx(8 / 9)
    every = [np.array(m) for m in np.ndindex(2, 2, 2) if len(set(m)) == 2]
    assert best_rotation(three, every).level == pytest.approx(8 / 9)
    assert pack(three, "exact").level == pytest.approx(0.833333, abs=1e-6)


def random_state(seed, hosts=4, tasks=8):
    rng = np.random.default_rng(seed)
    instance = virtual_clusters(Spec(hosts, tasks, float(rng.uniform(0.2, 0.6)), 0.5, 0.5), seed)
    if instance.rigid.max() > 1:
        return random_state(seed + 1000, hosts, tasks)
    return State(instance, fitting(instance, rng))


def fitting(instance, rng):
    """A random mapping that fits."""
    while True:
        host = rng.integers(0, instance.hosts, instance.tasks).astype(np.int32)
        if fits(instance, host):
            return host


def test_the_heuristic_comes_within_two_percent_of_the_optimum():
    ratios = []
    for seed in range(30):
        state = random_state(seed)
        for budget in (0.0, 0.1, 0.25, 0.5, 1.0, 4.0):
            best, found = adapt_exactly(state, budget), rebalance(state, budget)
            assert best.proven
            assert found.spent <= budget + 1e-9
            assert state.level - 1e-9 <= found.level <= best.level + 1e-6
            assert fits(state.instance, found.host)
            ratios.append(found.level / best.level)
            if budget == 0.0:
                assert (found.host == state.host).all()
        assert best.level == pytest.approx(pack(state.instance, "exact").level, abs=1e-6)
    assert np.mean(ratios) >= 0.98


@given(st.integers(0, 10**6))
def test_the_compiled_relief_ends_as_the_plain_one(seed):
    rng = np.random.default_rng(seed)
    hosts, tasks = int(rng.integers(2, 7)), int(rng.integers(2, 30))
    fluid, room = rng.uniform(0, 3, (tasks, 1 + seed % 2)), rng.uniform(2, 6, (hosts, 1 + seed % 2))
    memory, host = rng.uniform(0, 1, tasks), rng.integers(0, hosts, tasks).astype(np.int32)
    enough = np.bincount(host, weights=memory, minlength=hosts) + rng.uniform(0, 0.6, hosts)
    instance = Instance(fluid, memory[:, None], room, enough[:, None], fluid_names=("cpu", "net")[: 1 + seed % 2])
    home = np.where(rng.random(tasks) < 0.8, host, rng.integers(-1, hosts, tasks)).astype(np.int32)
    state, budget = State(instance, home), float(rng.uniform(0, 4))
    found = relieve(state, host, budget)
    assert found.tolist() == relieve_plainly(state, host, budget).tolist()
    assert level_of(instance, found) >= level_of(instance, host)


@given(st.integers(0, 10**6))
def test_the_compiled_eviction_takes_the_tasks_of_the_plain_one(seed):
    rng = np.random.default_rng(seed)
    hosts, dims = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    tasks = int(rng.integers(1, (4 * SUBSETS_UP_TO if seed % 3 == 0 else 10) * hosts))
    host = rng.integers(-1, hosts, tasks).astype(np.int32)
    digits = int(rng.integers(0, 4))  # few digits: many sets cost the same
    demand, cost = rng.uniform(0, 1, (tasks, dims)).round(digits), rng.uniform(0, 1, tasks).round(digits)
    room = rng.uniform(0, 1.2, (hosts, dims)) * tasks / hosts / 2
    out = evicted(host, demand, cost, room)
    assert out.tolist() == evicted_plainly(host, demand, cost, room).tolist()
    stays = ~out
    assert (np.stack([demand[stays & (host == h)].sum(axis=0) for h in range(hosts)]) <= room + 1e-6).all()


@given(st.integers(0, 10**6))
def test_hosts_named_by_greed_keep_the_packing_and_at_least_half_of_what_can_stay(seed):
    rng = np.random.default_rng(seed)
    hosts, tasks = int(rng.integers(1, 6)), int(rng.integers(1, 12))
    old, new = rng.integers(-1, hosts, tasks), rng.integers(0, hosts, tasks)
    weight, kind = rng.uniform(0, 1, tasks), rng.integers(0, 2, hosts)
    named = relabelled_by_greed(old, new, weight, kind)
    pairs = {(int(a), int(b)) for a, b in zip(new, named, strict=True)}
    assert len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})
    assert all(kind[a] == kind[b] for a, b in pairs)
    best = relabelled(old, new, weight, kind[:, None] == kind)
    assert weight[named == old].sum() >= weight[best == old].sum() / 2 - 1e-9


def test_a_boundless_budget_gets_what_packing_anew_gets_however_many_hosts_there_are(monkeypatch):
    state = random_state(7, hosts=8, tasks=40)
    anew = level_of(state.instance, mcb(state.instance).host)
    for most in (bounded.MOST_BINS, 0):
        monkeypatch.setattr(bounded, "MOST_BINS", most)
        monkeypatch.setattr(bounded, "evict", lambda *_: None)
        monkeypatch.setattr(bounded, "relieve", lambda state, start, budget, deadline: start)
        assert rebalance(state, np.inf).level == anew > state.level


def test_new_tasks_move_for_nothing_and_a_count_bounds_the_moves():
    instance = Instance.of(3, cpu=[0.9, 0.9, 0.9, 0.2], memory=[0.3] * 4)
    arriving = State(instance, np.array([0, 1, -1, 0], np.int32))
    assert adapt_exactly(arriving, 0.0).host[2] == 2
    assert rebalance(arriving, 0.0).host[2] == 2
    crowded = State(instance, np.array([0, 0, 0, 0], np.int32) * 0 + [0, 0, 1, 1], "count")
    for solve in (adapt_exactly, rebalance):
        one = solve(crowded, 1)
        assert (one.host != crowded.host).sum() <= 1
        assert one.spent == (one.host != crowded.host).sum()


def test_no_mapping_within_the_budget_is_infeasible_and_not_an_error():
    full = State(Instance.of(2, cpu=[0.5, 0.5], memory=[0.6, 0.6]), np.array([0, 0], np.int32))
    assert adapt_exactly(full, 0.1).status == "infeasible"
    assert rebalance(full, 0.1).status == "infeasible"
    assert rebalance(full, 0.6).level == 1.0


@given(st.integers(0, 10**6))
def test_no_host_is_overfilled_on_the_way(seed):
    state = random_state(seed, hosts=3, tasks=7)
    target = fitting(state.instance, np.random.default_rng(seed + 1))
    budget = np.inf if seed % 2 else state.spent(target) + 0.2
    plan = in_safe_order(state, target, budget)
    assert plan.spent <= budget
    assert plan.spent == pytest.approx(sum(state.cost[move.task] for move in plan.moves))
    at, memory = state.host.copy(), state.instance.rigid[:, 0]
    for move in plan.moves:
        assert at[move.task] == move.source
        both = np.bincount(at, weights=memory, minlength=3)[move.target] + memory[move.task]
        assert both <= 1 + 1e-6
        at[move.task] = move.target
    left = [t for t in range(7) if at[t] != target[t]]
    assert sorted(plan.stuck) == sorted(left)
    assert plan.host.tolist() == at.tolist() == carried_out(state, plan.moves).tolist()
    for k, move in enumerate(plan.moves):
        moves_on = any(later.task == move.task for later in plan.moves[k + 1 :])
        assert move.temporary == (moves_on or move.target != target[move.task])


def test_a_swap_on_full_hosts_needs_a_temporary_place():
    instance = Instance.of(3, cpu=[0.5] * 3, memory=[0.8, 0.7, 0.1])
    plan = in_safe_order(State(instance, np.array([0, 1, 2], np.int32)), np.array([1, 0, 2], np.int32))
    assert [(m.task, m.target, m.temporary) for m in plan.moves] == [(1, 2, True), (0, 1, False), (1, 0, False)]
    assert plan.stuck == ()
    two = State(Instance.of(2, [0, 0], [0.8, 0.7]), np.array([0, 1], np.int32))
    assert in_safe_order(two, np.array([1, 0], np.int32)).stuck == (0, 1)


@pytest.mark.parametrize(("budget", "spent", "stuck"), [(6.0, 6.0, 0), (5.0, 3.0, 2), (4.0, 0.0, 4)])
def test_every_temporary_place_takes_its_part_of_the_budget(budget, spent, stuck):
    """Two pairs of full hosts whose tasks change places, and one empty host."""
    state = State(Instance.of(5, [0.0] * 4, [1.0] * 4), np.array([0, 1, 2, 3], np.int32), "count")
    order = in_safe_order(state, np.array([1, 0, 3, 2], np.int32), budget)
    assert (order.spent, len(order.stuck)) == (spent, stuck)


def test_a_mapping_over_the_budget_by_the_solvers_rounding_is_not_taken(monkeypatch):
    over = np.array([0, 1, 1, 0, 0, 1, 1.2])  # TIGHT with the larger of the two tasks moved
    monkeypatch.setattr("loadmaster.move.adapt.run_milp", lambda *_: Solution(0, over, 1.2))
    assert np.isnan(adapt_exactly(TIGHT, 0.2).level)
    assert adapt_exactly(TIGHT, 0.3).spent == 0.3


def test_moves_that_overfill_a_host_by_a_hair_cannot_be_carried_out():
    for memory, fine in ((0.5, True), (0.5 + 5e-10, True), (0.5 + 5e-9, False)):
        state = State(Instance.of(2, [0, 0], [0.5, memory]), np.array([0, 1], np.int32))
        assert (carried_out(state, [TaskTransfer(1, 1, 0)]) is not None) == fine
    assert carried_out(state, [TaskTransfer(0, 1, 0)]) is None


def test_a_state_with_a_host_that_does_not_exist_is_refused():
    with pytest.raises(InputError):
        State(Instance.of(2, [0.1], [0.1]), np.array([2], np.int32))


def test_the_search_has_a_limit_of_half_a_minute_and_the_answer_shows_it(tmp_path, monkeypatch):
    """40 tasks on 6 hosts were searched for more than a minute."""
    asked = []

    def plan(state, budget, method, time_limit_s, report):
        asked.append(time_limit_s)
        return MovePlan("limit", (), state.host, state.level, 0.0, "adapt-exactly", proven=False)

    monkeypatch.setattr("loadmaster.move.plan.plan_moves", plan)
    path = tmp_path / "state.csv"
    path.write_text("cpu,memory_gb,host\n1,1,0\n")
    made = loadmaster.rebalance(path, hosts="2x1c4g")
    assert asked == [30.0]
    assert made.answer.endswith("the best found in 30 s")
