"""Plans of moves, held against trying every order of moves, to whatever place, on tiny states."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loadmaster.move.adapt import adapt_exactly
from loadmaster.move.budget_free_plans import candidate_plans
from loadmaster.move.change import GAIN, Change, State
from loadmaster.move.plan import plan_moves
from loadmaster.packing import Instance

METHODS = ["auto", "heuristic"]


@st.composite
def tiny_states(draw):
    """Up to 4 tasks on 2 or 3 hosts, all amounts whole; some new, some hosts too full; a budget."""
    hosts, tasks = draw(st.integers(2, 3)), draw(st.integers(1, 4))
    whole = st.integers(0, 6)
    cpu = [draw(whole) for _ in range(tasks)]
    memory = [[draw(st.integers(0, 5)) for _ in range(draw(st.just(1)))] for _ in range(tasks)]
    rigid_room = [[draw(st.integers(3, 9))] for _ in range(hosts)]
    cores = [[draw(st.sampled_from([0, 4, 8, 8]))] for _ in range(hosts)]
    guarantee = draw(st.sampled_from([None, [0.25] * tasks]))
    instance = Instance(np.array(cpu, float)[:, None], np.array(memory, float), cores, rigid_room, guarantee=guarantee)
    host = np.array([draw(st.integers(-1, hosts - 1)) for _ in range(tasks)], np.int32)
    unit = draw(st.sampled_from(["bytes", "count"]))
    return State(instance, host, unit), draw(st.sampled_from([0.0, 1.0, 2.0, 4.0, 6.0, np.inf]))


def level_plainly(instance, mapping):
    """The level of a mapping from the model alone, None if it is not allowed or not complete."""
    promised = 0.0 if instance.guarantee is None else float(instance.guarantee[0])
    if min(mapping) < 0:
        return None
    level = 1.0
    for h in range(instance.hosts):
        mine = [t for t, host in enumerate(mapping) if host == h]
        cores, room = sum(instance.fluid[t, 0] for t in mine), instance.fluid_capacity[h, 0]
        if (
            sum(instance.rigid[t, 0] for t in mine) > instance.rigid_capacity[h, 0]
            or cores * promised > room
            or cores > 0 == room
        ):
            return None
        level = min(level, room / cores if cores else 1.0)
    return level


def has_room(instance, mapping, task, to):
    """Whether `task` fits on `to` beside what is there."""
    promised = 0.0 if instance.guarantee is None else float(instance.guarantee[0])
    there = [t for t, host in enumerate(mapping) if host == to] + [task]
    asks, cores = instance.fluid[task, 0], instance.fluid_capacity[to, 0]
    return (
        sum(instance.rigid[t, 0] for t in there) <= instance.rigid_capacity[to, 0]
        and sum(instance.fluid[t, 0] for t in there) * promised <= cores
        and not (asks > 0 and cores == 0)
    )


def price(state, task):
    return 0.0 if state.host[task] < 0 else 1.0 if state.unit == "count" else float(state.instance.rigid[task, 0])


def reachable(state, budget):
    """The least cost of every mapping that moves one by one can reach: whatever is known is moved on until nothing is
    new. A task that has just been started stays where it is."""
    start = tuple(int(h) for h in state.host)
    known, fresh = {start: 0.0}, {start}
    while fresh:
        mapping = fresh.pop()
        for task in range(len(mapping)):
            if mapping[task] >= 0 and state.host[task] < 0:
                continue
            for to in range(state.instance.hosts):
                cost = known[mapping] + price(state, task)
                after = (*mapping[:task], to, *mapping[task + 1 :])
                if to == mapping[task] or cost > budget or not has_room(state.instance, mapping, task, to):
                    continue
                if cost < known.get(after, np.inf):
                    known[after] = cost
                    fresh.add(after)
    return known


def best_level(state, mappings):
    return max((v for m in mappings if (v := level_plainly(state.instance, m)) is not None), default=None)


def carry_out(state, plan, budget):
    """Carry the moves out by hand; check room, budget and the places said."""
    at, spent = [int(h) for h in state.host], 0.0
    for k, move in enumerate(plan.moves):
        assert at[move.task] == move.source != move.target
        assert has_room(state.instance, at, move.task, move.target)
        assert move.temporary == any(later.task == move.task for later in plan.moves[k + 1 :])
        spent += price(state, move.task)
        at[move.task] = move.target
    assert spent == pytest.approx(plan.spent)
    assert spent <= budget
    assert at == plan.host.tolist()
    return at


@settings(max_examples=300)
@given(tiny_states())
def test_a_plan_is_the_best_that_any_order_of_moves_reaches(given_state):
    state, budget = given_state
    plan = plan_moves(state, budget)
    at = carry_out(state, plan, budget)
    now, best = level_plainly(state.instance, at), best_level(state, reachable(state, budget))
    before = level_plainly(state.instance, state.host.tolist())
    every = [
        m
        for m in np.ndindex(*[state.instance.hosts] * len(at))
        if sum(price(state, t) for t in range(len(at)) if m[t] != state.host[t]) <= budget
    ]
    at_once = best_level(state, every)
    assert plan.proven
    if at_once is None:
        assert (plan.status, plan.moves) == ("infeasible", ())
    elif best is None or (best == before and at_once > best + GAIN):
        assert (plan.status, plan.moves) == ("stuck", ())
        assert plan.better.level == pytest.approx(at_once)
        assert level_plainly(state.instance, plan.better.host.tolist()) == pytest.approx(at_once)
    else:
        assert plan.status == "ok"
        assert now == pytest.approx(plan.level) == pytest.approx(best)
        assert not plan.moves or best != before
        assert (plan.better is not None) == (at_once > best + GAIN)


@settings(max_examples=200)
@given(tiny_states())
def test_a_plan_of_the_heuristic_can_be_carried_out_and_is_never_worse_than_doing_nothing(given_state):
    state, budget = given_state
    plan = plan_moves(state, budget, "heuristic")
    at = carry_out(state, plan, budget)
    before, after = level_plainly(state.instance, state.host.tolist()), level_plainly(state.instance, at)
    assert (plan.status == "ok") == (after is not None and plan.status != "stuck")
    if plan.moves:
        assert after is not None
        assert before is None or after > before + GAIN / 2
    if before is not None:
        assert plan.status != "infeasible"


@settings(max_examples=200)
@given(tiny_states(), st.sampled_from(METHODS))
def test_no_task_moves_that_the_level_could_do_without(given_state, method):
    state, budget = given_state
    plan = plan_moves(state, budget, method)
    at = carry_out(state, plan, budget)
    level = level_plainly(state.instance, at)
    for task in {move.task for move in plan.moves if move.source >= 0}:
        at_home = [int(state.host[t]) if t == task else h for t, h in enumerate(at)]
        less = level_plainly(state.instance, at_home)
        others = [m for m in plan.moves if m.task != task]
        helped = has_order(state, others)
        assert less is None or less < level or not helped


def has_order(state, moves):
    at = [int(h) for h in state.host]
    for move in moves:
        if not has_room(state.instance, at, move.task, move.target):
            return False
        at[move.task] = move.target
    return True


FULL = Instance.of(2, cpu=[0.9, 0.2, 0.9, 0.2], memory=[0.5] * 4, source="swap")
SWAP = State(FULL, np.array([0, 1, 0, 1], np.int32))


@pytest.mark.parametrize("method", METHODS)
def test_tasks_of_full_hosts_that_should_change_places_are_stuck_and_it_is_said_where_they_belong(method):
    plan = plan_moves(SWAP, np.inf, method)
    assert (plan.status, plan.moves, plan.spent) == ("stuck", (), 0.0)
    assert plan.level == SWAP.level < plan.better.level
    assert len(plan.blocked.stuck) == 2
    moved = np.flatnonzero(plan.better.host != SWAP.host)
    assert sorted(plan.blocked.stuck) == moved.tolist()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("budget", "status"), [(2.0, "stuck"), (3.0, "ok")])
def test_temporary_places_count_in_the_budget(method, budget, status):
    """Two hosts are full; a third has room for one of the tasks that change places, but few cores to keep it."""
    instance = Instance([[9.0], [2.0], [9.0], [2.0], [0.0]], [[1.0]] * 5, [[10.0]] * 2 + [[0.1]], [[2.0]] * 3)
    state = State(instance, np.array([0, 1, 0, 1, 2], np.int32), "count")
    plan = plan_moves(state, budget, method)
    assert (plan.status, plan.spent <= budget) == (status, True)
    if status == "ok":
        assert [move.temporary for move in plan.moves] == [True, False, False]
        assert plan.spent == 3.0
    else:
        assert (plan.blocked.stuck, plan.blocked.spent) == ((), 3.0)


@pytest.mark.parametrize("method", METHODS)
def test_nothing_moves_where_every_task_has_all_it_asks_for(method):
    """Many resources and unequal loads, as in a data centre's state: but nobody would gain."""
    rng = np.random.default_rng(3)
    for hosts, tasks in ((4, 20), (20, 200)):
        rigid = rng.uniform(1, 5, (tasks, 3))
        room = np.full((hosts, 3), 8.0 * tasks / hosts)
        cores = np.full((hosts, 1), 3.0 * tasks / hosts)
        instance = Instance(rng.uniform(0, 2, (tasks, 1)), rigid, cores, room, rigid_names=("memory", "disk", "net"))
        state = State(instance, (np.arange(tasks) % hosts).astype(np.int32))
        plan = plan_moves(state, np.inf, method)
        assert (state.level, plan.level, plan.moves, plan.status) == (1.0, 1.0, (), "ok")


def test_a_state_that_only_its_worst_host_holds_back_moves_only_what_that_host_must_lose():
    """One host can be relieved by one task; the others are uneven, and evening them out would raise nothing."""
    cpu = [[6.0], [6.0], [5.0], [5.0], [1.0], [8.0]]
    instance = Instance(cpu, [[1.0]] * 6, [[8.0]] * 4, [[4.0]] * 4)
    state = State(instance, np.array([0, 0, 1, 1, 2, 3], np.int32))
    for method in METHODS:
        plan = plan_moves(state, 1.0, method)
        assert len(plan.moves) == 1
        assert plan.level == pytest.approx(0.8)


def random_state(seed):
    """20 tasks on 6 hosts, four fifths of the memory in use; bytes or moves are counted."""
    rng = np.random.default_rng(seed)
    cpu, memory = rng.uniform(0.05, 0.6, 20), rng.uniform(0.05, 0.5, 20)
    memory *= 4.8 / memory.sum()
    host, free = np.zeros(20, np.int32), np.ones(6)
    for task in np.argsort(-memory):
        host[task] = rng.choice(np.flatnonzero(free >= memory[task]))
        free[host[task]] -= memory[task]
    instance = Instance.of(6, cpu=cpu * 7.2 / cpu.sum(), memory=memory)
    return State(instance, host, "bytes" if seed % 2 else "count")


@pytest.mark.parametrize("seed", [1, 2, 5, 9])
def test_no_plan_is_worse_than_that_of_a_smaller_budget(seed):
    state, parts = random_state(seed), (0, 0.1, 0.2, 0.22, 0.35, 0.6)
    levels = [plan_moves(state, part * state.cost.sum(), "heuristic").level for part in parts]
    assert levels == sorted(levels)
    assert levels[-1] > state.level


def test_a_larger_budget_is_never_worse():
    """The best mapping for 50 cannot be carried out; for 33.4 another one could, and with 50 nothing moved."""
    cpu = [2, 1, 2, 1, 1, 8, 2, 4, 4, 8, 8, 8, 2, 4, 8, 4, 4, 2]
    memory = [11.2, 3.9, 14.3, 5.1, 8.1, 51.0, 4.8, 33.1, 8.7, 34.1, 34.3, 40.8, 9.2, 22.0, 18.7, 12.8, 14.5, 8.9]
    host = np.array([0, 3, 3, 4, 0, 5, 3, 0, 3, 1, 4, 2, 0, 1, 2, 3, 4, 5], np.int32)
    crowded = Instance.of(6, cpu=np.array(cpu) / 10, memory=np.array(memory) / 64)
    plans = [plan_moves(State(crowded, host), budget / 64) for budget in (33.4, 50.0)]
    assert all(plan.status == "ok" for plan in plans)
    assert (plans[0].level, plans[1].level) == (pytest.approx(2 / 3), pytest.approx(5 / 7))
    assert [plan.spent <= budget / 64 for plan, budget in zip(plans, (33.4, 50.0), strict=True)] == [True, True]


def test_the_exact_search_has_a_part_of_the_time_and_the_rest_after_all_others(monkeypatch):
    """HiGHS may take all the time that it is given, and find nothing."""
    limits_s = []

    def in_vain(state, budget, time_limit_s):
        limits_s.append(time_limit_s)
        return Change("limit", state.host, float("nan"), 0.0, "exact", False)

    monkeypatch.setattr("loadmaster.move.plan.adapt_exactly", in_vain)
    state = random_state(1)
    plan = plan_moves(state, float(state.cost.sum()), "exact", time_limit_s=1000.0)
    assert limits_s[0] <= 300.0
    assert 300.0 < limits_s[-1] < 1000.0
    assert plan.level > state.level


def test_a_mapping_with_an_order_is_a_plan_although_it_is_not_proven(monkeypatch):
    """Where no candidate is better than the present mapping: what the budget reaches is not called out of reach."""
    state = State(Instance.of(2, cpu=[0.9, 0.9, 0.2], memory=[0.3, 0.3, 0.3]), np.array([0, 0, 1], np.int32))
    better = Change("limit", np.array([0, 1, 1], np.int32), 1 / 1.1, 0.3, "exact", False)
    monkeypatch.setattr("loadmaster.move.plan.adapt_exactly", lambda *_: better)
    monkeypatch.setattr("loadmaster.move.plan.rebalance", lambda state, *_, **__: replace(better, level=float("nan")))
    monkeypatch.setattr("loadmaster.move.plan.small_enough", lambda state: False)
    monkeypatch.setattr("loadmaster.move.plan.candidate_plans", lambda *_: iter(()))
    plan = plan_moves(state, 0.3)
    assert (plan.status, plan.proven, plan.better) == ("limit", False, None)
    assert [(move.task, move.target) for move in plan.moves] == [(1, 1)]


def test_a_plan_that_is_proven_for_a_small_budget_is_one_for_a_large_budget_that_is_not(monkeypatch):
    """The large program ends at its limit; no candidate of the heuristic is there either."""
    state = State(Instance.of(2, cpu=[0.9, 0.9, 0.2], memory=[0.3, 0.3, 0.3]), np.array([0, 0, 1], np.int32))

    def hard_from_one(state, budget, time_limit_s):
        if budget < 0.5:
            return adapt_exactly(state, budget, time_limit_s)
        return Change("limit", state.host, float("nan"), 0.0, "exact", False)

    monkeypatch.setattr("loadmaster.move.plan.adapt_exactly", hard_from_one)
    monkeypatch.setattr("loadmaster.move.plan.small_enough", lambda state: False)
    monkeypatch.setattr("loadmaster.move.plan.candidate_plans", lambda *_: iter(()))
    small, large = (plan_moves(state, budget) for budget in (0.3, 0.9))
    assert small.proven
    assert large.level == pytest.approx(small.level) == pytest.approx(1 / 1.1)


def test_the_candidates_of_a_small_state_begin_with_those_of_a_smaller_budget():
    """So a limit that cuts both short leaves the larger budget no worse."""
    state = random_state(2)
    few, many = (
        [(plan.solver, plan.moves) for plan in candidate_plans(state, part * state.cost.sum())] for part in (0.05, 0.4)
    )
    assert len(many) > len(few)
    assert many[: len(few)] == few
