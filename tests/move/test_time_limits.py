"""Searches for moves that end before they are done: at their limit, and at Ctrl-C with the best so far."""

import signal

import numpy as np
import pytest

from loadmaster.move.change import State
from loadmaster.move.constrained.goal_plan import GoalQuestion, plan_towards
from loadmaster.move.plan import plan_moves
from loadmaster.packing import Instance
from loadmaster.packing.constrained.constraints import Capacity
from loadmaster.packing.constrained.problem import ConstrainedProblem
from loadmaster.packing.deadline import Deadline
from loadmaster.packing.level import level_of
from loadmaster.system.interrupt import Interrupt

GOALS = ["place", "drain", "consolidate", "balance", "fix"]


def crowded():
    """400 tasks on 40 hosts, four to a host in one corner: much to gain, and far from done at once."""
    rng = np.random.default_rng(4)
    cpu, memory = rng.uniform(0.02, 0.2, 400), rng.uniform(0.01, 0.07, 400)
    return State(Instance.of(40, cpu=cpu, memory=memory), (np.arange(400) % 29).astype(np.int32), "count")


@pytest.mark.parametrize("limit_s", [1e-9, 0.05])
def test_a_plan_at_the_limit_can_be_carried_out_and_is_said_to_be_cut_short(limit_s):
    state = crowded()
    plan = plan_moves(state, np.inf, "heuristic", limit_s)
    at = state.host.copy()
    for move in plan.moves:
        assert at[move.task] == move.source
        at[move.task] = move.target
        assert not np.isnan(level_of(state.instance, at))
    assert at.tolist() == plan.host.tolist()
    assert plan.level >= state.level
    assert plan.status == "limit"


def test_ctrl_c_gives_the_best_moves_so_far():
    state, reported = crowded(), []

    def report(incumbent):
        reported.append(incumbent.value)
        if len(reported) == 2:
            signal.raise_signal(signal.SIGINT)

    plan = plan_moves(state, np.inf, "heuristic", 600.0, report)
    assert plan.interrupted
    assert reported[0] == state.level
    assert plan.level >= reported[1] > state.level
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_second_ctrl_c_ends_the_program():
    with Interrupt() as interrupt:
        signal.raise_signal(signal.SIGINT)
        assert interrupt.asked
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("goal", GOALS)
def test_a_goal_whose_time_is_up_at_once_moves_nothing(goal):
    room = 4 if goal == "fix" else 8
    demand, capacity = np.array([[3], [2], [4], [1]]), np.array([[room], [12], [4]])
    problem = ConstrainedProblem(("cores",), demand, capacity, np.array([0, 0, 1, -1]), (Capacity(np.zeros(1, bool)),))
    none, drained = np.zeros(4, bool), np.array([True, False, False])
    question = GoalQuestion(goal, problem, np.ones(4), np.inf, none, np.zeros(4), drained, capacity)
    assert plan_towards(question, Deadline.after(-1.0)).moves == ()
    assert plan_towards(question).moves != ()
