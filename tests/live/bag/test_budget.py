"""What a budget pays for."""

import math

import pytest

from loadmaster.live.bag.budget import AHEAD_S, BagBudget
from loadmaster.sizing import HostType

HOURLY = HostType("hourly", 2.0)


@pytest.mark.parametrize(
    ("money", "committed", "machines"), [(6.0, 0.0, 3), (6.0, 2.0, 2), (5.9, 2.0, 1), (6.0, 6.0, 0), (6.0, 8.0, 0)]
)
def test_no_machine_is_rented_whose_first_unit_the_money_does_not_reach_for(money, committed, machines):
    assert BagBudget(money, HOURLY).pays_for(committed) == machines


def test_the_least_charge_of_a_machine_counts_not_one_unit():
    assert BagBudget(6.0, HostType("hourly", 2.0, minimum_s=7200.0)).pays_for(0.0) == 1


def test_amounts_that_are_no_binary_fractions_are_not_lost():
    minute = HostType("minute", 1.0, unit_s=60.0)
    assert BagBudget(3 * minute.unit_price, minute).pays_for(0.0) == 3
    assert BagBudget(0.3, HostType("tenth", 0.1)).pays_for(0.1) == 2


def test_without_a_budget_everything_is_paid_for():
    budget = BagBudget(math.inf, HOURLY)
    assert budget.pays_for(1e9) == math.inf
    assert budget.unpaid({0: 3600.0}, 1e9) == []


def test_a_machine_at_the_end_of_its_unit_goes_unless_another_unit_is_paid_for():
    ages = {4: 3600.0 - AHEAD_S / 2, 5: 3599.0 - AHEAD_S, 6: 7200.0 - AHEAD_S / 2}
    assert BagBudget(8.0, HOURLY).unpaid(ages, committed=8.0) == [4, 6]
    assert BagBudget(10.0, HOURLY).unpaid(ages, committed=8.0) == [6]
    assert BagBudget(12.0, HOURLY).unpaid(ages, committed=8.0) == []


def test_money_that_is_overdrawn_pays_for_nothing_more():
    assert BagBudget(-1.0, HOURLY).pays_for(0.0) == 0
    assert BagBudget(-1.0, HOURLY).unpaid({0: 3599.9}, 2.0) == [0]
