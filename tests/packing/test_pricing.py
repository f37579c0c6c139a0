"""The pattern of the highest value for a host: by a table, by branching, and by trying all."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from knapsack_plain import best_pattern, full_patterns

from loadmaster.packing import pricing
from loadmaster.packing.pattern_problem import PatternProblem


def random_problem(seed, resources, whole):
    rng = np.random.default_rng(seed)
    kinds = int(rng.integers(1, 6))
    demand = rng.integers(0, 8, (kinds, resources)).astype(float)
    capacity = rng.integers(4, 16, (1, resources)).astype(float)
    if not whole:
        demand, capacity = demand + rng.random(demand.shape).round(2), capacity + 0.005
    count = rng.integers(1, 5, kinds)
    none = np.zeros(0, np.int64)
    return PatternProblem(demand, count, capacity, np.ones(1, np.int64), np.ones(1), none, none), rng


@settings(max_examples=80)
@given(st.integers(0, 10**9), st.integers(1, 3), st.booleans())
def test_the_best_pattern_is_that_of_trying_all(seed, resources, whole):
    problem, rng = random_problem(seed, resources, whole)
    value = (rng.random(len(problem.count)) * rng.integers(0, 2, len(problem.count))).round(3)
    priced = pricing.HostPricing(problem, 0).best(value)
    assert priced.value == pytest.approx(best_pattern(value, problem.demand, problem.most_on(0), problem.capacity[0]))
    assert priced.upper == pytest.approx(priced.value)
    assert problem.fits((0, priced.pattern))
    assert (priced.pattern <= problem.count).all()
    assert priced.pattern @ value == pytest.approx(priced.value)


def test_table_and_branching_agree_on_whole_amounts(monkeypatch):
    for seed in range(40):
        problem, rng = random_problem(seed, 2, whole=True)
        value = rng.random(len(problem.count))
        table = pricing.HostPricing(problem, 0).best(value)
        monkeypatch.setattr(pricing, "MOST_CELLS", 0)
        branching = pricing.HostPricing(problem, 0).best(value)
        monkeypatch.undo()
        assert table.value == pytest.approx(branching.value)


def test_branching_that_is_cut_short_still_gives_a_bound():
    looser = 0
    for seed in range(40):
        problem, rng = random_problem(seed, 2, whole=False)
        value = rng.random(len(problem.count))
        whole = pricing.HostPricing(problem, 0).best(value)
        for steps in (1, 3, 10):
            short = pricing.HostPricing(problem, 0).best(value, steps=steps)
            assert short.value <= whole.value + 1e-9
            assert short.upper >= whole.value - 1e-9
            looser += short.upper > short.value + 1e-9
    assert looser > 5


def test_the_patterns_listed_are_all_full_ones_of_that_value():
    for seed in range(40):
        problem, rng = random_problem(seed, int(rng_resources(seed)), whole=bool(seed % 2))
        value = rng.random(len(problem.count)) + 0.01
        least = 0.7 * pricing.HostPricing(problem, 0).best(value).value
        listed = pricing.HostPricing(problem, 0).patterns_above(value, least, 1000)
        expected = full_patterns(value, problem.demand, problem.most_on(0), problem.capacity[0], least)
        assert {tuple(pattern) for pattern in listed.tolist()} == expected
        assert len(listed) == len(expected)


def rng_resources(seed):
    return 1 + seed % 3


def test_too_many_patterns_are_not_listed():
    demand, count = np.eye(8), np.full(8, 3)
    none = np.zeros(0, np.int64)
    problem = PatternProblem(demand, count, np.full((1, 8), 2.0), np.ones(1, np.int64), np.ones(1), none, none)
    one = replace(problem, demand=np.ones((8, 1)), capacity=np.full((1, 1), 4.0))
    assert pricing.HostPricing(one, 0).patterns_above(np.ones(8), 1.0, 20) is None
    assert len(pricing.HostPricing(problem, 0).patterns_above(np.ones(8), 1.0, 20)) == 1
