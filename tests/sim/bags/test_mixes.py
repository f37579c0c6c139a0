"""Mixes of types: the compiled engine equals the plain one, and the search finds what a walk over all mixes finds."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import loadmaster as lm
from loadmaster.sim.bags.mixes import TriedMix, mix_curve, pareto_front
from loadmaster.sim.bags.repetitions import repeat
from loadmaster.sizing import FixedHosts, FixedMix, HostType

bags = st.lists(st.floats(1.0, 4000.0), min_size=1, max_size=25).map(lambda d: np.array([d]))
kinds = st.builds(
    HostType,
    speed=st.sampled_from([0.5, 1.0, 3.0]),
    boot_s=st.sampled_from([0.0, 45.0, 100.0]),
    unit_s=st.sampled_from([60.0, 3600.0]),
    minimum_s=st.sampled_from([0.0, 120.0]),
    price_per_h=st.sampled_from([1.0, 2.5]),
)
SLOW, FAST = HostType("slow", 1.0, limit=4, unit_s=60.0), HostType("fast", 2.2, 2.0, limit=3, unit_s=60.0)


@settings(max_examples=150, deadline=None)
@given(bags, kinds, kinds, st.tuples(st.integers(0, 6), st.integers(1, 6)))
def test_the_compiled_engine_gives_the_same_run_to_the_bit(durations, one, other, counts):
    fast, plain = (repeat(durations, FixedMix(counts), (one, other), plain=plain) for plain in (False, True))
    assert (fast.span_s.tolist(), fast.hosts.tolist()) == (plain.span_s.tolist(), plain.hosts.tolist())
    np.testing.assert_allclose(fast.cost, plain.cost, rtol=1e-12)


def test_a_mix_of_one_type_is_a_fixed_number_of_it():
    durations = np.random.default_rng(1).uniform(10, 900, (5, 40))
    mix, fixed = repeat(durations, FixedMix((0, 3)), (FAST, SLOW)), repeat(durations, FixedHosts(3), (SLOW,))
    assert mix.span_s.tolist() == fixed.span_s.tolist()
    np.testing.assert_allclose(mix.cost, fixed.cost, rtol=1e-12)


def test_the_search_misses_no_mix_of_a_small_table():
    durations = np.random.default_rng(2).uniform(100, 900, (10, 30))
    every = []
    for counts in product(range(SLOW.limit + 1), range(FAST.limit + 1)):
        if sum(counts):
            run = repeat(durations, FixedMix(counts), (SLOW, FAST))
            every.append(TriedMix(float(run.cost.mean()), float(run.span_s.mean()), counts))
    best = [" + ".join(map(str, each.counts)) for each in pareto_front(every) if all(each.counts)]
    assert best
    assert [point.label for point in mix_curve(durations, (SLOW, FAST), 0.9)] == best


def test_a_deadline_that_no_single_type_keeps_is_kept_by_a_mix(tmp_path):
    prices = tmp_path / "prices.csv"
    prices.write_text("name,price_per_h,speed,unit_s,limit\nslow,0.05,0.5,1,4\nfast,0.25,2,1,1\n")
    made = lm.size([600.0] * 24, prices=prices, deadline="70min", repetitions=3, sizers="silva")
    assert made.answer.startswith("Rent 4 slow and 1 fast machines together: ")
    assert made.chosen.span_sure_s <= 70 * 60
    alone = [point for point in made.curve if "+" not in point.type]
    assert min(point.span_sure_s for point in alone) > 70 * 60
    assert "fast" in made.page().title


def test_machines_that_are_taken_away_stand_in_no_mix():
    spot = HostType("spot", 0.5, interruptions_per_h=1.0)
    assert mix_curve(np.full((2, 5), 100.0), (SLOW, spot), 0.9) == []


@pytest.mark.parametrize("tasks", [1, 2])
def test_a_bag_with_hardly_a_task_has_few_mixes(tasks):
    assert len(mix_curve(np.full((2, tasks), 100.0), (SLOW, FAST), 0.9)) < tasks
