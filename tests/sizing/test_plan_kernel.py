"""The compiled choice among plans equals the plain one, which tries every number of machines."""

import itertools
import math

import numpy as np
import plan_reference as plain
from hypothesis import given, settings
from hypothesis import strategies as st

from loadmaster.sizing.plan_kernel import BUDGET, CHANCES, DEADLINE, THRIFT, Aim, Fleet, Offer, choose, outcome

seconds = st.floats(0.0, 8000.0)
speeds = st.sampled_from([0.5, 1.0, 1.7])
unit_sizes = st.sampled_from([1.0, 60.0, 3600.0])
least = st.sampled_from([1.0, 2.0, 60.0])
prices = st.floats(0.01, 3.0)
machines = st.lists(st.tuples(seconds, st.floats(0.0, 300.0), speeds, unit_sizes, least, prices), max_size=8)
fleets = machines.map(lambda rows: Fleet(*np.array(rows, dtype=float).reshape(-1, 6).T.copy()))
offers = st.builds(Offer, speeds, st.sampled_from([0.0, 45.0, 900.0]), unit_sizes, least, prices, st.integers(0, 60))
aims = st.builds(
    Aim,
    st.sampled_from([THRIFT, BUDGET, DEADLINE]),
    st.floats(0.1, 60.0) | st.just(math.inf),
    st.floats(0.0, 20000.0),
    st.sampled_from([0.0, 0.07, 0.3]),
    st.floats(0.0, 20.0),
)
chances = CHANCES + 1
works = st.lists(st.floats(1.0, 3e5), min_size=chances, max_size=chances).map(lambda v: np.sort(np.array(v)))
ends = st.lists(st.floats(0.0, 900.0), min_size=chances, max_size=chances).map(np.array)
least_costs = st.lists(st.floats(0.01, 90.0), min_size=chances, max_size=chances).map(np.array)


@settings(max_examples=300, deadline=None)
@given(fleets, offers, aims, works, least_costs, ends, seconds)
def test_the_compiled_choice_equals_the_plain_one_to_the_bit(fleet, offer, aim, work_s, cheapest, end_s, tail_s):
    fast, fast_kept = choose(fleet, offer, aim, work_s, cheapest, end_s, tail_s)
    slow, slow_kept = plain.choose(fleet, offer, aim, work_s, cheapest, end_s, tail_s)
    assert (tuple(fast), fast_kept) == (tuple(slow), slow_kept)


@settings(max_examples=200, deadline=None)
@given(fleets, offers, works, ends)
def test_more_machines_never_take_longer_and_never_cost_less_than_what_is_committed(fleet, offer, work_s, end_s):
    spans = [outcome(fleet, offer, number, work_s[0], end_s[0])[1] for number in range(1, 5)]
    if offer.boot_s == 0:
        assert all(later <= sooner * (1 + 1e-12) for sooner, later in itertools.pairwise(spans))
    for number in range(1, 5):
        committed = number * offer.least * offer.price
        assert outcome(fleet, offer, number, work_s[0], end_s[0])[0] >= committed * (1 - 1e-12)
