"""Moves to a smaller sum: budgets, hosts that are too full, tasks that wait, rules, and what `rebalance` says."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import loadmaster
from loadmaster.cli.app import app
from loadmaster.model import InputError
from loadmaster.move.constrained.cheaper_moves import plan_cheaper_moves
from loadmaster.packing.constrained.constraints import Apart, Capacity
from loadmaster.packing.constrained.groups import DomainLevel, TaskGroup
from loadmaster.packing.constrained.problem import ConstrainedProblem
from loadmaster.packing.constrained.weighted_sum import WeightedSum
from loadmaster.packing.objective import Objective


def total_of(text, demand, capacity, now, *more):
    demand, capacity = np.array(demand).reshape(len(demand), -1), np.array(capacity).reshape(len(capacity), -1)
    kinds = demand.shape[1]
    room = Capacity(np.zeros(kinds, bool))
    problem = ConstrainedProblem(("cores", "memory")[:kinds], demand, capacity, np.array(now), (room, *more))
    return WeightedSum(Objective.parse(text), problem, capacity)


def planned(total, budget=np.inf, cost=None):
    cost = np.ones(total.problem.tasks) if cost is None else cost
    return plan_cheaper_moves(total, cost, budget, slices=12)


def scattered(seed, text):
    """12 tasks on 6 hosts of two resources, where they happen to be; tasks 0 and 1 are kept apart."""
    rng = np.random.default_rng(seed)
    apart = TaskGroup("pair", np.array([0, 1]))
    now = np.arange(12) % 6
    return total_of(
        text, rng.integers(1, 5, (12, 2)), np.full((6, 2), 12), now, Apart(apart, apart, DomainLevel.of_hosts(6))
    )


@pytest.mark.parametrize("text", ["hosts", "imbalance", "stranded", "hosts + 0.3*moves"])
@pytest.mark.parametrize("seed", range(4))
def test_a_larger_budget_is_never_worse_and_no_plan_spends_more(seed, text):
    total, cost = scattered(seed, text), np.random.default_rng(seed).integers(1, 6, 12).astype(float)
    budgets = (0, 2, 4, 8, 14, np.inf)
    plans = [planned(total, budget, cost) for budget in budgets]
    values = [round(plan.after, 9) for plan in plans]
    assert values == sorted(values, reverse=True)
    assert values[0] == round(plans[0].before, 9)
    assert values[-1] < values[0]
    assert all(plan.spent <= budget for plan, budget in zip(plans, budgets, strict=True))
    assert plans[-1].bound <= plans[-1].after + 1e-9
    assert plans[-1].host[0] != plans[-1].host[1]


def test_a_host_that_is_too_full_loses_no_more_tasks_than_it_must():
    plan = planned(total_of("moves", [3, 3, 3, 1], [8, 8], [0, 0, 0, 1]))
    assert len(plan.moves) == 1
    assert (plan.after, plan.bound, plan.proven) == (1.0, 1.0, True)


def test_tasks_that_wait_start_for_nothing():
    plan = planned(total_of("hosts", [3, 3, 2], [8, 8], [0, -1, -1]), budget=0)
    assert {move.task for move in plan.moves} == {1, 2}
    assert (plan.spent, plan.after, plan.proven, np.isnan(plan.before)) == (0.0, 1.0, True, True)


def test_a_sum_without_a_bound_is_not_called_optimal():
    plan = planned(total_of("imbalance", [[4, 1], [1, 4], [3, 3]], [[8, 8]] * 2, [0, 0, 0]))
    assert plan.bound < plan.after
    assert not plan.proven


@pytest.fixture
def state(tmp_path):
    path = tmp_path / "state.csv"
    path.write_text("name,cores,memory_gb,host\ndb,6,16,0\nweb,3,8,0\napi,3,8,0\nbatch,2,4,1\ncron,1,2,2\n")
    return path


def test_rebalance_says_the_sum_before_and_after_its_bound_and_the_gap(state):
    given = ["rebalance", str(state), "--hosts", "4x16c64g", "--minimise", "hosts + 0.1*moves", "--time-limit", "2"]
    shown = CliRunner().invoke(app, given)
    assert shown.exit_code == 0, shown.output
    assert (
        "2 moves (6 GiB): hosts + 0.1*moves is 1.2 instead of 3, best found, at most 20.00 % from optimal"
        in shown.output
    )
    facts = json.loads(CliRunner().invoke(app, [*given, "--json"]).stdout)
    assert facts["goal"] == "minimise"
    assert facts["weighted_sum"]["terms_after"] == {"hosts": 1.0, "moves": 2.0}
    assert facts["weighted_sum"]["bound"] == 1.0


def test_a_sum_is_no_second_goal_and_needs_its_amounts(state):
    with pytest.raises(InputError, match="only one goal"):
        loadmaster.rebalance(state, hosts="4x16c64g", minimise="moves", balance=True)
    with pytest.raises(InputError, match="no prices"):
        loadmaster.rebalance(state, hosts="4x16c64g", minimise="cost")


def test_the_page_shows_the_sum(state, tmp_path):
    loadmaster.rebalance(state, hosts="4x16c64g", minimise="hosts", time_limit=1.0, out=tmp_path / "page")
    assert "hosts is 1 instead of 3, optimal" in (tmp_path / "page" / "report.html").read_text()


def test_a_limit_that_has_passed_at_once_still_leaves_time_for_a_first_slice():
    total = scattered(0, "hosts")
    plan = plan_cheaper_moves(total, np.ones(total.problem.tasks), np.inf, time_limit_s=1e-9)
    assert plan.after < plan.before
