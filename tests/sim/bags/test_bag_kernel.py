"""The compiled engine for bags equals the plain one."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import typeof

from loadmaster.model.bag import BagLaw
from loadmaster.sim.bags import bag_kernel
from loadmaster.sim.bags.repetitions import draws, repeat
from loadmaster.sizing import FixedHosts, HostType, SilvaRule

bags = st.lists(st.floats(1.0, 4000.0), min_size=1, max_size=30).map(lambda d: np.array([d]))
rules = st.builds(
    SilvaRule, st.sampled_from([0.0, 0.3, 0.5, 1.0]), st.sampled_from([0.0, 0.25, 0.5, 1.0]),
    host_time_s=st.sampled_from([None, 1800.0]), first_hosts=st.integers(1, 4),
    overrun=st.sampled_from(["finish", "nostart", "kill"]), possible=st.sampled_from(["floor", "real"]),
    count_running=st.booleans(), condition=st.sampled_from(["ge", "gt"]),
    c_update=st.sampled_from(["in_if", "every"]), tick_s=st.sampled_from([60.0, 17.0, math.inf]),
)  # fmt: skip
kinds = st.builds(
    HostType,
    speed=st.sampled_from([0.5, 1.0, 3.0]),
    boot_s=st.sampled_from([0.0, 45.0, 100.0]),
    unit_s=st.sampled_from([60.0, 3600.0]),
    minimum_s=st.sampled_from([0.0, 120.0]),
    interruptions_per_h=st.sampled_from([0.0, 0.5, 1.5]),
    limit=st.sampled_from([1, 3, 1000]),
)


@settings(max_examples=150, deadline=None)
@given(bags, st.one_of(rules, st.builds(FixedHosts, st.integers(1, 12))), kinds)
def test_the_compiled_engine_gives_the_same_run_to_the_bit(durations, sizer, kind):
    fast = repeat(durations, sizer, (kind,), seed=7)
    plain = repeat(durations, sizer, (kind,), seed=7, plain=True)
    for column in ("span_s", "hosts", "cost"):
        np.testing.assert_array_equal(getattr(fast, column), getattr(plain, column))


def test_a_task_that_ends_while_machines_come_up_is_the_same_run():
    durations, kind = np.array([[1e-20, 5.0, 1e-20, 7.0]]), HostType(boot_s=100.0, unit_s=1.0)
    fast, plain = repeat(durations, FixedHosts(3), (kind,)), repeat(durations, FixedHosts(3), (kind,), plain=True)
    for column in ("span_s", "hosts", "cost"):
        np.testing.assert_array_equal(getattr(fast, column), getattr(plain, column))


@pytest.mark.parametrize("plain", [True, False])
def test_no_more_machines_than_tasks_are_rented_while_some_boot(plain):
    assert repeat(np.full((1, 2), 60.0), FixedHosts(5), (HostType(boot_s=45.0),), plain=plain).hosts.tolist() == [2]


def test_machines_that_are_taken_away_make_the_bag_longer_and_the_seed_says_when():
    durations, spot = np.full((20, 30), 1000.0), HostType(interruptions_per_h=1.0)
    calm, lost = repeat(durations, FixedHosts(4)), repeat(durations, FixedHosts(4), (spot,), seed=1)
    assert lost.span_s.mean() > 1.1 * calm.span_s.mean()
    assert lost.hosts.min() > 4
    assert lost.span_s.tolist() == repeat(durations, FixedHosts(4), (spot,), seed=1).span_s.tolist()
    assert lost.span_s.tolist() != repeat(durations, FixedHosts(4), (spot,), seed=2).span_s.tolist()


def test_the_same_seed_draws_the_same_bags_for_every_sizer():
    law = BagLaw("normal", (150.0, 30.0), 16)
    assert np.array_equal(draws(law, 3, seed=7), draws(law, 3, seed=7))
    assert not np.array_equal(draws(law, 3, seed=7), draws(law, 3, seed=8))
    assert dataclasses.asdict(law)["tasks"] == 16


@pytest.mark.parametrize(
    ("whole", "fraction"),
    [(SilvaRule(1, 0, 600, tick_s=60), SilvaRule(1.0, 0.5, 600.0, tick_s=0.5)), (FixedHosts(3), SilvaRule())],
)
def test_machine_code_serves_rules_whether_they_are_given_as_whole_numbers_or_not(monkeypatch, whole, fraction):
    types = []
    monkeypatch.setattr(bag_kernel, "run_bags", lambda *given: types.append(typeof(given[1])))
    for rule in (whole, fraction):
        repeat(np.ones((1, 3)), rule)
    assert types[0] == types[1]
