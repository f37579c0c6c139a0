"""The judge of packings finds each broken rule, also one broken by little."""

from dataclasses import replace

import numpy as np
import pytest

from loadmaster.packing import Instance
from loadmaster.packing.check import violations
from loadmaster.packing.packing import Packing

TWO = Instance(
    [[4.0], [4.0], [6.0]],
    [[8.0], [8.0], [4.0]],
    [[8.0], [8.0]],
    [[16.0], [16.0]],
    job=[0, 0, 1],
    weight=[1.0, 2.0],
    guarantee=[0.5, 0.0],
)
SHARES = np.array([[2.0], [2.0], [6.0]])
GOOD = Packing("ok", "by hand", np.array([0, 1, 0]), SHARES, np.array([0.5, 1.0]), 1.0, 1.0, True)
"""The first job has the half that it is guaranteed, the second all."""


def test_a_good_packing_breaks_nothing():
    assert GOOD.placed
    assert violations(TWO, GOOD) == []


def test_an_answer_without_mapping_must_not_say_ok():
    nothing = replace(GOOD, level=float("nan"))
    assert violations(TWO, nothing) == ["a packing without mapping must not say ok"]
    assert violations(TWO, replace(nothing, status="infeasible")) == []


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"host": np.array([0, 0, 2])}, "does not exist"),
        ({"host": np.array([0, 0, 0])}, "of memory, more than 16"),
        ({"job_yield": np.array([0.5 - 3e-6, 1.0]), "share": np.array([[2.0], [2.0], [6.0]])}, "promised"),
        ({"job_yield": np.array([1.0 + 3e-6, 1.0])}, "has yield 1.000003"),
        ({"share": np.array([[4.0], [4.0], [6.0 - 3e-5]])}, "its job's yield says"),
        ({"bound": GOOD.level - 3e-6}, "above the bound"),
        ({"level": GOOD.level + 3e-6, "bound": 2.0}, "promised"),
    ],
)
def test_each_rule_that_is_broken_by_little_is_found(change, says):
    broken = violations(TWO, replace(GOOD, **change))
    assert any(says in sentence for sentence in broken), broken


@pytest.mark.parametrize(("more", "found"), [(5e-10, False), (1.5e-9, True), (1e-7, True)])
def test_memory_may_exceed_a_host_by_no_more_than_packers_allow_themselves(more, found):
    instance = Instance.of(1, cpu=[0.0, 0.0], memory=[0.5, 0.5 + more])
    packing = Packing("ok", "by hand", np.zeros(2), np.zeros((2, 1)), np.ones(2), 1.0, 1.0, True)
    assert bool(violations(instance, packing)) == found


@pytest.mark.parametrize(("more", "found"), [(5e-7, False), (3e-6, True)])
def test_shares_may_exceed_a_host_by_a_millionth(more, found):
    instance = Instance.of(1, cpu=[0.5, 0.5 + more], memory=[0.0, 0.0])
    packing = Packing("ok", "by hand", np.zeros(2), instance.fluid, np.ones(2), 1.0, 1.0, True)
    assert bool(violations(instance, packing)) == found


def test_a_task_that_asks_for_cores_on_a_host_without_any_is_found():
    instance = Instance([[1.0]], [[0.0]], [[0.0], [1.0]], [[1.0], [1.0]])
    packing = Packing("ok", "by hand", np.zeros(1), np.zeros((1, 1)), np.zeros(1), 0.0, 1.0, False)
    assert any("has no cpu" in sentence for sentence in violations(instance, packing))
