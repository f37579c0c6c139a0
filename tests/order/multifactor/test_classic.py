"""Classic fair share (rule O13), by hand and as in Slurm's manual."""

import pytest
from trees import THREE, USED, factors

from loadmaster.order.multifactor.account_tree import Row


def test_use_beyond_the_shares_counts_and_so_does_that_of_the_account():
    assert factors(THREE, USED, classic=True) == {
        "a1": 0.164938, "a2": 0.548412, "b1": 0.099213, "b2": 0.314980, "c1": 0.707107
    }  # fmt: skip


def test_dampening_brings_the_factors_together():
    assert factors(THREE, USED, classic=True, damp=5.0) == {
        "a1": 0.697372, "a2": 0.886791, "b1": 0.629961, "b2": 0.793701, "c1": 0.933033
    }  # fmt: skip


def test_the_example_of_the_manual():
    """A tenth part of the machine and more was used by somebody without shares, here x."""
    rows = [
        Row("A", shares=40), Row("D", shares=60), Row("X", shares=0), Row("B", "", "A", 30), Row("C", "", "A", 10),
        Row("E", "", "D", 25), Row("F", "", "D", 35), Row("B", "u1"), Row("C", "u2"), Row("C", "u3"), Row("E", "u4"),
        Row("F", "u5"), Row("X", "x"),
    ]  # fmt: skip
    found = factors(rows, {"u1": 20, "u2": 25, "u4": 25, "x": 30}, classic=True)
    assert found == {"u1": 0.408479, "u2": 0.022097, "u3": 0.125, "u4": 0.5, "u5": 0.749154, "x": 0.0}


def test_without_any_use_all_who_have_shares_have_the_whole_factor():
    rows = [Row("A", shares=5), Row("A", "a"), Row("Z", shares=0), Row("Z", "z")]
    assert factors(rows, {}, classic=True) == {"a": 1.0, "z": 0.0}


@pytest.mark.parametrize("used", [{}, {"a": 10.0}, {"a": 10.0, "b": 30.0}])
def test_a_user_with_the_shares_of_the_parent_has_what_the_account_as_a_whole_has(used):
    parent = [Row("A", shares=1), Row("B", shares=1), Row("A", "a", shares=None), Row("B", "b")]
    alone = [Row("A", shares=1), Row("B", shares=1), Row("A", "a", shares=7), Row("B", "b")]
    assert factors(parent, used, classic=True) == factors(alone, used, classic=True)
