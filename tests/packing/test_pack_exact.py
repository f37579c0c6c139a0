"""`--exact`: what it does without OR-tools, and when its solver comes back with nothing."""

import importlib.util
from dataclasses import replace

import numpy as np
import pytest

from loadmaster.packing import Attempt, Instance, PackOptions, pack
from loadmaster.packing import exact as exact_solver
from loadmaster.packing.bound import ceiling
from loadmaster.packing.check import violations
from loadmaster.packing.generate import Spec, virtual_clusters
from loadmaster.packing.milp import highs
from loadmaster.packing.solve import PACKERS
from loadmaster.packing.stoppable_milp import FAILED, LIMIT, Solution

HARD = virtual_clusters(Spec(8, 20, 0.3, 0.5, 0.5), 1)
UNEQUAL = replace(HARD, fluid_capacity=np.linspace(0.9, 1.1, 8)[:, None])
"""On hosts that differ."""


@pytest.fixture
def without_ortools(monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *more: None if name == "ortools" else find(name))


def test_without_or_tools_it_is_said_what_to_install_and_the_best_known_stands(without_ortools, monkeypatch):
    monkeypatch.setattr(exact_solver, "branch_and_bound", lambda *_: Attempt(None, "limit", "branch-and-bound"))
    monkeypatch.setattr(exact_solver, "highs", lambda *_: Attempt(None, "limit", "highs-compact", 0.9))
    packing = pack(UNEQUAL, "exact", PackOptions(time_limit_s=1000))
    assert (packing.status, packing.placed) == ("limit", True)
    assert violations(UNEQUAL, packing) == []
    assert packing.bound <= 0.9
    assert "pip install 'loadmaster[exact]'" in packing.notes[0]


def test_nothing_is_said_where_or_tools_was_not_needed(without_ortools):
    assert pack(Instance.of(2, cpu=[0.9, 0.2, 0.7], memory=[0.1, 0.6, 0.2]), "exact").notes == ()


@pytest.mark.parametrize(("status", "says"), [(LIMIT, "no mapping within 60 s"), (FAILED, "HiGHS gave up")])
def test_highs_without_an_answer_is_no_proof_of_anything(monkeypatch, status, says):
    monkeypatch.setattr("loadmaster.packing.milp.solve", lambda program, time_limit_s: Solution(status, None, None))
    attempt = highs(HARD)
    assert (attempt.host, attempt.status, attempt.proven, attempt.reason) == (None, "limit", False, says)


def test_the_time_left_is_what_highs_gets(monkeypatch):
    given = []

    def solve(program, time_limit_s):
        given.append(time_limit_s)
        return Solution(LIMIT, None, None)

    monkeypatch.setattr("loadmaster.packing.milp.solve", solve)
    highs(HARD, time_limit_s=7.0)
    assert 0 < given[0] < 7.0


@pytest.mark.parametrize("method", ["highs-compact", "highs-paper", "cp-sat"])
def test_a_program_too_large_for_the_time_is_not_made(monkeypatch, method):
    if method == "cp-sat":
        pytest.importorskip("ortools")

    def made(*_):
        raise AssertionError

    for module, name in (("milp", "compact_form"), ("milp", "paper_form"), ("cp_sat", "_add_program")):
        monkeypatch.setattr(f"loadmaster.packing.{module}.{name}", made)
    attempt = PACKERS[method].solve(HARD, PackOptions(time_limit_s=1e-4))
    assert (attempt.host, attempt.status, attempt.proven) == (None, "limit", False)
    assert attempt.reason == "a program of 160 variables is too large for 0.0001 s; local-search serves any size"
    assert attempt.bound == ceiling(HARD)
