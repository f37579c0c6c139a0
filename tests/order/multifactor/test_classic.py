"""Classic fair share (rule O13), by hand and as in Slurm's manual."""

import pytest
from trees import THREE, USED, factors

from loadmaster.order.multifactor.account_tree import AccountRow


def test_use_beyond_the_shares_counts_and_so_does_that_of_the_account():
    assert factors(THREE, USED, classic=True) == {
        "a1": 0.164938,
        "a2": 0.548412,
        "b1": 0.099213,
        "b2": 0.314980,
        "c1": 0.707107,
    }


def test_dampening_brings_the_factors_together():
    assert factors(THREE, USED, classic=True, damp=5.0) == {
        "a1": 0.697372,
        "a2": 0.886791,
        "b1": 0.629961,
        "b2": 0.793701,
        "c1": 0.933033,
    }


def test_the_example_of_the_manual():
    """A tenth part of the machine and more was used by somebody without shares, here x."""
    rows = [
        AccountRow("A", shares=40),
        AccountRow("D", shares=60),
        AccountRow("X", shares=0),
        AccountRow("B", "", "A", 30),
        AccountRow("C", "", "A", 10),
        AccountRow("E", "", "D", 25),
        AccountRow("F", "", "D", 35),
        AccountRow("B", "u1"),
        AccountRow("C", "u2"),
        AccountRow("C", "u3"),
        AccountRow("E", "u4"),
        AccountRow("F", "u5"),
        AccountRow("X", "x"),
    ]
    found = factors(rows, {"u1": 20, "u2": 25, "u4": 25, "x": 30}, classic=True)
    assert found == {"u1": 0.408479, "u2": 0.022097, "u3": 0.125, "u4": 0.5, "u5": 0.749154, "x": 0.0}


def test_without_any_use_all_who_have_shares_have_the_whole_factor():
    rows = [AccountRow("A", shares=5), AccountRow("A", "a"), AccountRow("Z", shares=0), AccountRow("Z", "z")]
    assert factors(rows, {}, classic=True) == {"a": 1.0, "z": 0.0}


@pytest.mark.parametrize("used", [{}, {"a": 10.0}, {"a": 10.0, "b": 30.0}])
def test_a_user_with_the_shares_of_the_parent_has_what_the_account_as_a_whole_has(used):
    parent = [
        AccountRow("A", shares=1),
        AccountRow("B", shares=1),
        AccountRow("A", "a", shares=None),
        AccountRow("B", "b"),
    ]
    alone = [AccountRow("A", shares=1), AccountRow("B", shares=1), AccountRow("A", "a", shares=7), AccountRow("B", "b")]
    assert factors(parent, used, classic=True) == factors(alone, used, classic=True)
