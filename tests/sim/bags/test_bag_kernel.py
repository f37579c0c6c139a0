"""The compiled engine for bags equals the plain one."""

import dataclasses
import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from loadmaster.model.bag import BagLaw
from loadmaster.sim.bags.door import draws, repeat
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
    HostType, speed=st.sampled_from([0.5, 1.0, 3.0]), boot_s=st.sampled_from([0.0, 45.0, 100.0]),
    unit_s=st.sampled_from([60.0, 3600.0]), minimum_s=st.sampled_from([0.0, 120.0]),
)  # fmt: skip


@settings(max_examples=150, deadline=None, derandomize=True)
@given(bags, st.one_of(rules, st.builds(FixedHosts, st.integers(1, 12))), kinds)
def test_the_compiled_engine_gives_the_same_run_to_the_bit(durations, sizer, kind):
    fast = repeat(durations, sizer, (kind,))
    plain = repeat(durations, sizer, (kind,), plain=True)
    for column in ("span_s", "hosts", "cost"):
        np.testing.assert_array_equal(getattr(fast, column), getattr(plain, column))


def test_the_same_seed_draws_the_same_bags_for_every_sizer():
    law = BagLaw("normal", (150.0, 30.0), 16)
    assert np.array_equal(draws(law, 3, seed=7), draws(law, 3, seed=7))
    assert not np.array_equal(draws(law, 3, seed=7), draws(law, 3, seed=8))
    assert dataclasses.asdict(law)["tasks"] == 16
