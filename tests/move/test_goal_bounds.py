"""Bounds of goals: no plan is below them, and the plans that meet them are called the best possible."""

import numpy as np
import pytest

import loadmaster
from loadmaster.move.constrained.goal_plan import GoalQuestion, plan_towards
from loadmaster.packing.constrained.constraints import Capacity, Stays
from loadmaster.packing.constrained.groups import TaskGroup
from loadmaster.packing.constrained.problem import ConstrainedProblem


def question(goal, seed, tied=()):
    draw = np.random.default_rng(seed)
    now, demand = draw.integers(0, 5, 12), draw.integers(1, 5, (12, 2))
    capacity = draw.integers(10, 18, (5, 2))
    stay = Stays(TaskGroup("tied", np.array(tied, int)), "belongs to its host")
    problem = ConstrainedProblem(("cores", "memory"), demand, capacity, now, (Capacity(np.zeros(2, bool)), stay))
    flags = np.isin(np.arange(12), tied)
    cost = draw.integers(1, 9, 12).astype(float)
    return GoalQuestion(goal, problem, cost, np.inf, flags, np.zeros(12), np.arange(5) == 1, capacity)


@pytest.mark.parametrize("goal", ["drain", "consolidate", "balance", "fix"])
@pytest.mark.parametrize("seed", range(25))
def test_no_plan_is_below_its_bound(goal, seed):
    plan = plan_towards(question(goal, seed, (0, 1)))
    figures = {**plan.after, "spent": plan.spent, "moves": float(len(plan.moves))}
    if not plan.left:
        assert figures[plan.bound.figure] >= plan.bound.value - 1e-9


def test_the_bounds_are_met_by_some_plans():
    met = {
        goal: sum(
            plan.bound.value > 0 and {**plan.after, "spent": plan.spent}[plan.bound.figure] <= plan.bound.value + 1e-9
            for plan in (plan_towards(question(goal, seed)) for seed in range(25))
        )
        for goal in ("drain", "consolidate")
    }
    assert all(met.values())


def test_tasks_that_belong_to_their_host_do_not_count_as_a_use_of_it():
    """Each host keeps a daemon of 1 core; the two other tasks, 3 cores each, need one host of 8."""
    problem = ConstrainedProblem(
        ("cores",),
        np.array([[1], [1], [3], [3]]),
        np.array([[8], [8]]),
        np.array([0, 1, 0, 1]),
        (Capacity(np.zeros(1, bool)),),
    )
    tied = np.array([True, True, False, False])
    plan = plan_towards(
        GoalQuestion("consolidate", problem, np.ones(4), np.inf, tied, np.zeros(4), np.zeros(2, bool), problem.capacity)
    )
    assert (plan.bound.figure, plan.bound.value, plan.after["hosts_in_use"]) == ("hosts_in_use", 1.0, 1.0)


def test_the_answer_says_how_a_plan_stands_beside_the_bound(tmp_path):
    path = tmp_path / "state.csv"
    path.write_text("name,cores,memory_gb,host\ndb,6,16,0\nweb,3,8,0\napi,3,8,0\nbatch,2,4,1\ncron,1,2,2\n")
    whole = loadmaster.rebalance(path, hosts="4x16c64g", consolidate=True)
    assert "1 host in use instead of 3, the fewest possible" in whole.answer
    part = loadmaster.rebalance(path, hosts="4x16c64g", consolidate=True, moves=1)
    assert "2 hosts in use instead of 3, the best found; no plan has less than 1" in part.answer
    drained = loadmaster.rebalance(path, hosts="4x16c64g", drain="1")
    assert drained.answer.endswith("1 move (4 GiB), the least possible")
