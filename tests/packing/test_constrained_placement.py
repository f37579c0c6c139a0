"""Constraints and costs of a placement: kept counts beside a recount, the search's kernels beside both."""

import itertools

import numpy as np
import pytest
from constrained_problems import problem_at_random

from loadmaster.model import InputError
from loadmaster.packing.constrained.annealing import STAGES, Annealing, anneal_placement, held_charge
from loadmaster.packing.constrained.constraints import (
    AllowedHosts,
    Apart,
    BetweenTasks,
    Capacity,
    MaxSkew,
    SpreadOver,
    Stays,
    Together,
)
from loadmaster.packing.constrained.costs import GroupMoveCost
from loadmaster.packing.constrained.evaluate import evaluate
from loadmaster.packing.constrained.exchange_kernel import LONGEST, Path, try_moves
from loadmaster.packing.constrained.groups import DomainLevel, TaskGroup
from loadmaster.packing.constrained.layout import BEST, TOTAL
from loadmaster.packing.constrained.lower_bound import lower_bound
from loadmaster.packing.constrained.model_arrays import empty_state, search_model
from loadmaster.packing.constrained.placement import CountedPlacement
from loadmaster.packing.constrained.problem import ConstrainedProblem
from loadmaster.packing.constrained.state_kernel import place_all

SEEDS = range(40)


def state_of(problem, seed=0):
    model = search_model(problem)
    state = empty_state(model, seed)
    place_all(model, state, np.array(problem.now))
    return model, state


def placements(problem):
    """All placements that break nothing."""
    for host in itertools.product(range(problem.hosts), repeat=problem.tasks):
        made = evaluate(problem, np.array(host))
        if not made.broken:
            yield made.total


def test_the_random_problems_have_every_kind_of_constraint():
    kinds = {type(each) for seed in SEEDS for each in problem_at_random(seed).constraints}
    assert kinds == {AllowedHosts, Apart, Capacity, MaxSkew, SpreadOver, Stays, Together}


@pytest.mark.parametrize("seed", SEEDS)
def test_a_task_may_move_exactly_where_a_recount_finds_nothing_broken(seed):
    problem = problem_at_random(seed)
    placement, rng, moved = CountedPlacement(problem), np.random.default_rng(seed), 0
    for _ in range(60):
        task, host = int(rng.integers(problem.tasks)), int(rng.integers(problem.hosts))
        after = placement.host.copy()
        after[task] = host
        why_not = placement.why_not(task, host)
        assert bool(why_not) == bool(evaluate(problem, after).broken), why_not
        if not why_not:
            placement.move(task, host)
            moved += 1
    assert moved


@pytest.mark.parametrize("seed", SEEDS)
def test_the_open_hosts_of_a_task_that_is_nowhere_are_those_that_no_sentence_closes(seed):
    problem, rng = problem_at_random(seed, tasks=8, rules=12), np.random.default_rng(seed)
    host = np.where(rng.random(problem.tasks) < 0.5, -1, rng.integers(0, problem.hosts, problem.tasks))
    placement = CountedPlacement(problem, host)
    for task in np.flatnonzero(host < 0).tolist():
        for rule in (each for each in problem.constraints if isinstance(each, BetweenTasks)):
            closed = [rule.why_not(placement, task, each) is not None for each in range(problem.hosts)]
            assert rule.open_hosts(placement, task).tolist() == [not each for each in closed], rule


def test_a_waiting_task_mends_a_broken_spread_and_needs_a_host_of_a_domain():
    group, zones = TaskGroup("web", np.arange(4)), DomainLevel("zone", np.array([0, 1, -1], np.int32))
    rules = (MaxSkew(group, zones, 1, np.ones(2, bool)), Together(group, group, zones))
    nothing = np.zeros((4, 0), int)
    problem = ConstrainedProblem((), nothing, nothing[:3], np.array([0, 0, 0, -1]), rules)
    assert [bool(CountedPlacement(problem).keeps_the_rest(3, host)) for host in range(3)] == [False, False, False]
    spread = ConstrainedProblem((), nothing, nothing[:3], np.array([0, 0, 0, -1]), rules[:1])
    assert [bool(CountedPlacement(spread).keeps_the_rest(3, host)) for host in range(3)] == [False, True, False]
    first = ConstrainedProblem((), nothing, nothing[:3], np.full(4, -1), rules[1:])
    assert [bool(CountedPlacement(first).keeps_the_rest(3, host)) for host in range(3)] == [True, True, False]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_kernel_makes_the_moves_that_the_constraints_allow(seed):
    problem = problem_at_random(seed)
    placement, rng = CountedPlacement(problem), np.random.default_rng(seed)
    task, goal = rng.integers(problem.tasks, size=80), rng.integers(problem.hosts, size=80)
    model, state = state_of(problem)
    for t, h in zip(task.tolist(), goal.tolist(), strict=True):
        done = np.zeros(1, bool)
        may = h != placement.host[t] and not placement.why_not(t, h)
        try_moves(model, state, Path(*np.zeros((3, LONGEST), np.int64)), np.array([t]), np.array([h]), done)
        assert done[0] == may
        if may:
            placement.move(t, h)
        assert state.host.tolist() == placement.host.tolist()
        assert state.totals[TOTAL] == evaluate(problem, placement.host).total


@pytest.mark.parametrize("seed", SEEDS)
def test_the_search_ends_at_a_placement_that_breaks_nothing_and_costs_what_it_says(seed):
    problem = problem_at_random(seed, tasks=20, hosts=6, kinds=3, rules=15)
    for stage in STAGES:
        charge = held_charge(problem, stage.charge) + 3
        search = Annealing(search_model(problem), stage, charge, problem.now, seed)
        for part in np.linspace(0, 0.99, 4):
            search.slice(float(part), 50.0, timed=False)
            made, moved = evaluate(problem, search.state.host), search.state.host != problem.now
            assert made.broken == ()
            assert search.state.totals[TOTAL] == made.total + charge[moved].sum()
            assert search.cost == evaluate(problem, search.best).total
        assert search.state.totals[BEST] <= evaluate(problem, problem.now).total
    assert lower_bound(problem) <= search.cost


@pytest.mark.parametrize("seed", range(8))
def test_the_search_finds_the_best_of_all_placements_of_a_small_problem(seed):
    problem = problem_at_random(seed)
    best = min(placements(problem))
    assert lower_bound(problem) <= best
    assert anneal_placement(problem, slices=60).cost == best


def test_one_seed_gives_one_result_where_slices_are_counted():
    problem = problem_at_random(2, tasks=20, hosts=6, kinds=3, rules=15)
    first, again = (anneal_placement(problem, seed=5, slices=9) for _ in range(2))
    assert (first.host.tolist(), first.steps) == (again.host.tolist(), again.steps)


@pytest.mark.parametrize("limit_s", [1e-9, 1e-4])
def test_a_limit_that_was_over_before_the_search_began_gives_one_slice(limit_s, monkeypatch):
    parts = []
    monkeypatch.setattr(
        Annealing, "slice", lambda self, part, *_, **__: parts.append(part) or setattr(self, "steps", 1)
    )
    problem = problem_at_random(2, tasks=20, hosts=6, kinds=3, rules=15)
    assert anneal_placement(problem, limit_s).cost == evaluate(problem, problem.now).total
    assert parts == [1.0]  # the temperature is then the lowest: a negative part would be as hot as can be


def test_ctrl_c_gives_the_best_placement_so_far():
    problem = problem_at_random(1)

    def stop(part, cost):
        raise KeyboardInterrupt

    made = anneal_placement(problem, 1000.0, progress=stop)
    assert made.interrupted
    assert made.cost == evaluate(problem, made.host).total


ROOM = Capacity(np.array([True, False]))
TWO = ConstrainedProblem(
    ("memory", "cores"),
    np.array([[4, 1], [3, 2], [2, 1]]),
    np.array([[6, 4], [6, 4], [9, 9]]),
    np.array([0, 1, 1]),
    (ROOM,),
)


def test_a_task_that_moves_holds_transient_resources_on_both_hosts():
    placement = CountedPlacement(TWO)
    assert placement.why_not(0, 1) == ("p0 requests 4 of memory; m1 has 1 free",)
    placement.move(1, 2)
    assert placement.why_not(0, 1) == ("p0 requests 4 of memory; m1 has 1 free while other tasks leave it",)
    assert placement.why_not(1, 1) == ()
    assert evaluate(TWO, np.array([1, 2, 1])).broken == ("m1 holds 9 of memory; its capacity is 6",)


@pytest.mark.parametrize(
    ("constraint", "task", "host", "says"),
    [
        (AllowedHosts(TaskGroup("web", [0]), [True, False, True], "disk in (ssd)"), 0, 1, "needs disk in (ssd)"),
        (Stays(TaskGroup("daemons", [2]), "a DaemonSet has it here"), 2, 0, "may not move: a DaemonSet"),
        (Apart(TaskGroup("web", [0, 1]), TaskGroup("web", [0, 1]), DomainLevel.of_hosts(3)), 0, 1, "apart from web"),
        (Together(TaskGroup("web", [1]), TaskGroup("db", [2]), DomainLevel.of_hosts(3)), 1, 2, "needs a task of db"),
        (Together(TaskGroup("web", [1]), TaskGroup("db", [2]), DomainLevel.of_hosts(3)), 2, 2, "web needs p2"),
        (SpreadOver(TaskGroup("web", [0, 1]), DomainLevel("zone", [0, 1, 0]), 2), 1, 2, "in 1 of at least 2"),
        (MaxSkew(TaskGroup("web", [0, 1, 2]), DomainLevel("zone", [0, 1, 0]), 1, [True, True]), 0, 1, "differ by 3"),
    ],
)
def test_a_constraint_explains_its_no(constraint, task, host, says):
    loose = ConstrainedProblem(TWO.resources, TWO.demand, 9 + TWO.capacity, TWO.now, (constraint,))
    (reason,) = CountedPlacement(loose).why_not(task, host)
    assert says in reason


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ((("a",), [[1, 2]], [[3]], [0]), "1 columns"),
        ((("a",), [[1]], [[3]], [0, 0]), "for each of 1 tasks"),
        ((("a",), [[1]], [[3]], [1]), "from 0 to 0"),
        ((("a",), [[-1]], [[3]], [0]), "zero or more"),
    ],
)
def test_arrays_that_do_not_match_are_refused(values, says):
    with pytest.raises(InputError, match=says):
        ConstrainedProblem(values[0], *(np.array(each) for each in values[1:]))


def test_costs_that_64_bits_do_not_hold_are_refused():
    dear = (GroupMoveCost("owners", np.zeros(3, int), 1 << 60),)
    with pytest.raises(InputError, match="must stay below"):
        search_model(ConstrainedProblem(TWO.resources, TWO.demand, TWO.capacity, TWO.now, (ROOM,), dear))


def test_the_search_takes_one_cost_of_the_largest_group():
    twice = (GroupMoveCost("owners", np.zeros(3, int)), GroupMoveCost("services", np.zeros(3, int)))
    with pytest.raises(InputError, match="one cost"):
        search_model(ConstrainedProblem(TWO.resources, TWO.demand, TWO.capacity, TWO.now, (ROOM,), twice))
