"""HiGHS in a process of its own: the same answers, and stopped when it does not stop by itself."""

import subprocess
import sys

import numpy as np
import pytest
from scipy.sparse import csr_array

from loadmaster.packing import stoppable_milp
from loadmaster.packing.stoppable_milp import FAILED, INFEASIBLE, LIMIT, Milp, solve, solve_here


def knapsack(least=0.0):
    """The most value of things of weight 3, 4, 5 and value 4, 5, 6 in a sack for 8; the least weight may be given."""
    weights = csr_array([[3.0, 4.0, 5.0]])
    return Milp(-np.array([4.0, 5.0, 6.0]), weights, np.array([least]), np.array([8.0]), np.zeros(3), np.ones(3), 3)


@pytest.fixture
def apart(monkeypatch):
    """Every program goes to a process of its own."""
    monkeypatch.setattr(stoppable_milp, "HERE_UP_TO", 0)


def test_another_process_answers_as_this_one(apart):
    for program in (knapsack(), knapsack(least=7.5)):
        here, there = solve_here(program, 60.0), solve(program, 60.0)
        assert here.status == there.status == 0
        assert here.x == pytest.approx(there.x)
        assert here.bound == pytest.approx(there.bound)
    assert solve(knapsack(), 60.0).x == pytest.approx([1, 0, 1])


def test_no_solution_is_told_from_no_time(apart):
    assert solve(knapsack(least=100.0), 60.0)[:2] == (INFEASIBLE, None)
    assert solve(knapsack(), 0.0) == (LIMIT, None, None)


def test_a_solver_that_does_not_look_at_its_clock_is_stopped(apart, monkeypatch, tmp_path):
    deaf = tmp_path / "deaf.py"
    deaf.write_text("import time\nwhile True:\n    time.sleep(1)\n")
    monkeypatch.setattr(stoppable_milp, "__file__", str(deaf))
    children = []
    popen = subprocess.Popen

    def watched(*words, **more):
        children.append(popen(*words, **more))
        return children[-1]

    monkeypatch.setattr(subprocess, "Popen", watched)
    assert solve(knapsack(), 0.2) == (LIMIT, None, None)
    assert children[0].poll() is not None


def test_a_solver_that_dies_gives_no_answer(apart, monkeypatch, tmp_path):
    broken = tmp_path / "broken.py"
    broken.write_text("raise SystemExit(3)\n")
    monkeypatch.setattr(stoppable_milp, "__file__", str(broken))
    assert solve(knapsack(), 60.0) == (FAILED, None, None)


def test_the_process_imports_nothing_of_this_package():
    words = [sys.executable, "-P", "-X", "importtime", stoppable_milp.__file__, "0", "0"]
    ended = subprocess.run(words, input=b"", capture_output=True, check=False)
    assert b"scipy" in ended.stderr
    assert b"loadmaster" not in ended.stderr.split(b"Traceback")[0]
