"""The planner keeps what it promises, as often as it says, and beats the paper's rule where tasks differ."""

import math

import numpy as np
import pytest

from loadmaster.model.bag import BagLaw
from loadmaster.model.errors import InputError
from loadmaster.sim.bags.reference import World, run_bag
from loadmaster.sim.bags.repetitions import draws, repeat
from loadmaster.sizing import HostType, Planner, SilvaRule

SECOND = HostType("second", 1.0, unit_s=1.0, minimum_s=60.0, boot_s=60.0)
LAWS = [BagLaw("normal", (150.0, 30.0), 96), BagLaw("bimodal", (40.0, 330.0, 0.5), 96)]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.law)
def test_a_deadline_is_kept_at_least_as_often_as_stated(law):
    runs = repeat(draws(law, 30), Planner(deadline_s=3600.0, confidence=0.9), (SECOND,))
    assert np.mean(runs.span_s <= 3600.0) >= 0.9 - 2 * math.sqrt(0.09 / 30)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.law)
def test_a_budget_is_kept_at_least_as_often_as_stated(law):
    bags = draws(law, 30)
    budget = 1.4 * math.ceil(bags.sum(axis=1).mean() / 3600)
    runs = repeat(bags, Planner(budget=budget, confidence=0.9))
    assert np.mean(runs.cost <= budget + 1e-9) >= 0.9 - 2 * math.sqrt(0.09 / 30)
    assert runs.span_s.mean() < repeat(bags, Planner()).span_s.mean()


def test_an_earlier_deadline_costs_no_less_and_a_later_one_is_used():
    bags = draws(LAWS[0], 6)
    early, late = (repeat(bags, Planner(deadline_s=s), (SECOND,)) for s in (900.0, 10800.0))
    assert early.span_s.mean() < late.span_s.mean()
    assert early.cost.mean() >= late.cost.mean()


def test_cheaper_and_faster_than_the_papers_rule_on_two_humps():
    bags = draws(BagLaw("bimodal", (40.0, 330.0, 0.5), 256), 15)
    ours, paper = repeat(bags, Planner()), repeat(bags, SilvaRule())
    assert np.mean(ours.cost - paper.cost) < 0
    assert np.mean(ours.span_s - paper.span_s) < 0


def test_the_dearer_type_is_rented_only_when_the_deadline_needs_it():
    slow = HostType("slow", 1.0, speed=1.0, unit_s=60.0)
    fast = HostType("fast", 5.0, speed=2.0, unit_s=60.0)
    bag = np.full(20, 600.0)
    relaxed = run_bag(World(bag, (slow, fast)), Planner(deadline_s=20000.0, guess_s=600.0, guess_factor=1.2))
    hurried = run_bag(World(bag, (slow, fast)), Planner(deadline_s=500.0, guess_s=600.0, guess_factor=1.2))
    assert {row.type for row in relaxed.hosts} == {0}
    assert {row.type for row in hurried.hosts} == {1}
    assert hurried.span_s <= 500.0


def test_a_straggler_gets_a_second_copy_that_ends_first():
    world = World(np.full(240, 100.0), slow_share=0.02, slow_factor=30.0, seed=3)
    alone = run_bag(world, Planner())
    copied = run_bag(World(np.full(240, 100.0), slow_share=0.02, slow_factor=30.0, seed=3), Planner(replicate=True))
    assert copied.reruns > 0
    assert copied.span_s < alone.span_s


def test_spot_machines_that_are_taken_away_lose_no_task():
    spot = HostType("spot", 0.3, unit_s=60.0, interruptions_per_h=4.0)
    run = run_bag(World(np.full(60, 200.0), (spot,), seed=1), Planner())
    assert run.reruns > 0
    assert np.all(run.end_s > 0)


def test_a_boot_that_takes_long_calls_for_fewer_machines():
    bags = draws(LAWS[0], 5)
    quick, slow = (repeat(bags, Planner(), (HostType(unit_s=60.0, boot_s=b),)) for b in (10.0, 600.0))
    assert slow.hosts.mean() < quick.hosts.mean()


def test_budget_and_deadline_together_are_refused():
    with pytest.raises(InputError, match="cannot both"):
        Planner(budget=1.0, deadline_s=1.0)
