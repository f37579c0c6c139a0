"""Moves towards a goal: what a goal reaches, what it leaves alone, budgets, and the checker that replays each move."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from loadmaster.cli.app import app
from loadmaster.model import InputError
from loadmaster.move.constrained.goal_plan import GoalQuestion, plan_towards
from loadmaster.move.constrained.replay import replay
from loadmaster.move.constrained.valid_moves import ValidMove
from loadmaster.packing.constrained.constraints import AllowedHosts, Apart, Capacity, MaxSkew, Stays
from loadmaster.packing.constrained.evaluate import evaluate
from loadmaster.packing.constrained.groups import DomainLevel, TaskGroup
from loadmaster.packing.constrained.problem import ConstrainedProblem

GOALS = ["place", "drain", "consolidate", "balance", "fix"]


def problem_of(demand, capacity, now, *more):
    demand, capacity = np.array(demand).reshape(-1, 1), np.array(capacity).reshape(-1, 1)
    return ConstrainedProblem(("cores",), demand, capacity, np.array(now), (Capacity(np.array([False])), *more))


def question(goal, problem, budget=np.inf, hosts=(), cost=None):
    drained = np.isin(np.arange(problem.hosts), hosts)
    cost = np.ones(problem.tasks) if cost is None else cost
    return GoalQuestion(
        goal, problem, cost, budget, np.zeros(problem.tasks, bool), np.zeros(problem.tasks), drained, problem.capacity
    )


def random_problem(seed):
    """12 tasks on 5 hosts in 2 zones; some wait, some hosts are too full, some rules are broken."""
    draw = np.random.default_rng(seed)
    hosts, tasks = 5, 12
    now = draw.integers(-1, hosts, tasks)
    groups = [TaskGroup(f"g{k}", np.flatnonzero(draw.random(tasks) < 0.3)) for k in range(4)]
    zones = DomainLevel("zone", np.array([0, 0, 1, 1, 1], np.int32))
    rules = [
        AllowedHosts(groups[0], draw.random(hosts) < 0.7, "a label"),
        Stays(groups[1], "no owner"),
        Apart(groups[2], groups[2], DomainLevel.of_hosts(hosts)),
        MaxSkew(groups[3], zones, 1, np.ones(2, bool)),
    ]
    return problem_of(draw.integers(1, 5, tasks), draw.integers(6, 14, hosts), now, *rules)


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("seed", range(12))
def test_a_larger_budget_reaches_no_less_and_no_plan_breaks_more(goal, seed):
    problem, draw = random_problem(seed), np.random.default_rng(seed)
    cost = draw.integers(1, 6, problem.tasks).astype(float)
    plans = [plan_towards(question(goal, problem, budget, [0, 3], cost)) for budget in (0, 1, 2, 4, 7, 11, np.inf)]
    reached = [reach(plan) for plan in plans]
    assert reached == sorted(reached)
    before = len(evaluate(problem, problem.now).broken)
    for plan, budget in zip(plans, (0, 1, 2, 4, 7, 11, np.inf), strict=True):
        assert plan.spent <= budget
        assert len(evaluate(problem, plan.host).broken) <= before


def reach(plan):
    goal, after = plan.question.goal, plan.after
    if goal == "balance":
        return len(plan.moves)
    return -after[{"place": "waiting", "drain": "to_drain", "consolidate": "hosts_in_use", "fix": "broken"}[goal]]


def test_room_is_made_for_a_task_that_waits_by_the_cheapest_move():
    problem = problem_of([4, 2, 2], [4, 4], [-1, 0, 1])
    plan = plan_towards(question("place", problem, cost=np.array([0.0, 5.0, 3.0])))
    assert plan.moves == (ValidMove(2, 1, 0), ValidMove(0, -1, 1))
    assert plan_towards(question("place", problem, 2.0, cost=np.array([0.0, 5.0, 3.0]))).moves == ()


def test_a_drained_host_is_left_and_takes_nothing():
    plan = plan_towards(question("drain", problem_of([2, 3, 3], [8, 4, 4], [0, 0, 1]), hosts=[0]))
    assert sorted(plan.host.tolist()) == [0, 1, 2] or plan.left
    assert [(each.task, each.reasons[0].reason) for each in plan.left] == [(0, "p0 requests 2 of cores; m1 has 1 free")]


def test_a_task_that_a_rule_keeps_says_so():
    stays = Stays(TaskGroup("g", np.array([0])), "nobody starts it again")
    plan = plan_towards(question("drain", problem_of([1], [4, 4], [0], stays), hosts=[0]))
    assert [reason.reason for reason in plan.left[0].reasons] == ["p0 may not move: nobody starts it again"]


def test_what_the_budget_does_not_pay_for_is_told_as_such():
    plan = plan_towards(question("drain", problem_of([1, 1], [4, 4], [0, 0]), 1, [0]))
    assert (len(plan.moves), plan.left[0].reasons[0].reason.endswith("the budget does not pay for the move")) == (
        1,
        True,
    )


def test_consolidation_empties_the_cheapest_host_and_fills_no_empty_one():
    plan = plan_towards(question("consolidate", problem_of([1, 2, 4], [8, 8, 8, 8], [0, 1, 2])))
    assert plan.after["hosts_in_use"] == 1
    assert {move.target for move in plan.moves} <= {0, 1, 2}


def test_loads_are_evened_out_from_the_fullest_host():
    plan = plan_towards(question("balance", problem_of([2, 2, 2, 2], [8, 8], [0, 0, 0, 0])))
    assert (plan.before["highest_load"], plan.after["highest_load"], len(plan.moves)) == (1.0, 0.5, 2)


def test_only_what_is_broken_is_mended():
    """Two tasks that must be apart share a host; another host is fuller, and nothing there moves."""
    rule = Apart(*[TaskGroup("db", np.array([0, 1]))] * 2, DomainLevel.of_hosts(3))
    plan = plan_towards(question("fix", problem_of([1, 1, 7], [8, 8, 8], [0, 0, 1], rule)))
    assert [move.task for move in plan.moves] in ([0], [1])
    assert (plan.before["broken"], plan.after["broken"]) == (2, 0)


def test_a_spread_that_is_too_uneven_is_mended_step_by_step():
    zones = DomainLevel("zone", np.array([0, 1], np.int32))
    rule = MaxSkew(TaskGroup("web", np.arange(5)), zones, 1, np.ones(2, bool))
    plan = plan_towards(question("fix", problem_of([1] * 5, [8, 8], [0] * 5, rule)))
    assert sorted(np.bincount(plan.host).tolist()) == [2, 3]


@pytest.mark.parametrize(
    ("moves", "words"),
    [
        ([ValidMove(1, 1, 0)], "no room"), ([ValidMove(0, 1, 1)], "not on the host"),
        ([ValidMove(0, 0, 1)], "shares a host"),
    ],
)  # fmt: skip
def test_the_checker_refuses_a_move_that_is_not_valid(moves, words):
    rule = Apart(TaskGroup("a", np.array([0])), TaskGroup("b", np.array([1])), DomainLevel.of_hosts(2))
    with pytest.raises(AssertionError, match=words):
        replay(problem_of([2, 3], [4, 8], [0, 1], rule), moves)


TABLE = "name,cores,memory_gb,host\na,2,4,0\nb,2,4,0\nc,1,4,1\n"


@pytest.mark.parametrize(
    ("options", "code", "moves"),
    [(["--drain", "1"], 0, 1), (["--consolidate"], 0, 1), (["--balance", "--moves", "1"], 0, 1), (["--fix"], 0, 0)],
)
def test_a_table_has_the_same_goals(tmp_path, options, code, moves):
    (tmp_path / "t.csv").write_text(TABLE)
    command = ["rebalance", str(tmp_path / "t.csv"), "--hosts", "3x8c16g", *options, "--json"]
    result = CliRunner().invoke(app, command)
    assert (result.exit_code, len(json.loads(result.stdout)["moves"])) == (code, moves)


def test_a_move_lowers_the_yield_of_no_host(tmp_path):
    """Cores are shared: the fullest host gives each task four fifths; no other may give less after a drain."""
    (tmp_path / "t.csv").write_text("name,cores,memory_gb,host\na,5,1,0\nb,4,1,1\nc,1,1,2\nd,2,1,2\n")
    command = ["rebalance", str(tmp_path / "t.csv"), "--hosts", "3x4c16g", "--drain", "2", "--json"]
    told = json.loads(CliRunner().invoke(app, command).stdout)
    assert [(move["task"], move["to"]) for move in told["moves"]] == [("c", "1")]
    assert told["after"]["highest_load"] == 1.25


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--drain", "1", "--fix"], "only one goal"), (["--drain", "9"], "no such host of the state"),
        (["--fix", "--method", "exact"], "changes nothing"),
        (["--fix", "--moves", "1", "--budget", "1GiB"], "only one of them"),
    ],
)  # fmt: skip
def test_options_that_make_no_sense_are_refused(tmp_path, options, words):
    (tmp_path / "t.csv").write_text(TABLE)
    with pytest.raises(InputError, match=words):
        CliRunner().invoke(
            app, ["rebalance", str(tmp_path / "t.csv"), "--hosts", "3x8c16g", *options], catch_exceptions=False
        )
