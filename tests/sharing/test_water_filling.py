"""Water-filling: the golden allotments of VMs, and what every allotment must obey."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numba import njit

from loadmaster.jit.kernels import LEAN
from loadmaster.model import InputError
from loadmaster.sharing.model import Claims
from loadmaster.sharing.processor_sharing import ProcessorSharing
from loadmaster.sharing.water_filling import WaterFilling, water_fill
from loadmaster.sharing.water_filling_kernel import level_of

amount = st.one_of(st.just(0.0), st.floats(0.001, 1.0), st.sampled_from([0.25, 0.5, 1.0]))
task = st.tuples(amount, amount, st.sampled_from([0.5, 1.0, 2.0, 4.0]) | st.floats(0.01, 8.0))


@st.composite
def hosts(draw):
    rows = np.array(draw(st.lists(task, min_size=1, max_size=7)))
    return rows[:, 0], rows[:, 1], rows[:, 2], draw(amount)


@pytest.mark.parametrize(
    ("low", "high", "share", "allotted"),
    [
        ([0] * 4, [1] * 4, [1, 1, 2, 4], [0.125, 0.125, 0.25, 0.5]),
        ([0] * 4, [1] * 4, [1] * 4, [0.25] * 4),
        ([0.2, 0.1, 0, 0], [0.5, 1, 1, 0.3], [1, 1, 2, 4], [0.2, 1 / 6, 1 / 3, 0.3]),
    ],
)
def test_saturated_vms_get_the_published_allotments(low, high, share, allotted):
    got = water_fill(np.array(high, float), np.array(low, float), np.array(share, float), 1.0)
    assert got == pytest.approx(allotted, abs=1e-6)


@settings(max_examples=300, deadline=None)
@given(hosts())
def test_an_allotment_is_feasible_and_wastes_nothing_that_someone_could_use(host):
    limit, floor, share, capacity = host
    got = water_fill(limit, floor, share, capacity)
    assert got.sum() <= capacity + 1e-9
    assert (got <= limit + 1e-12).all()
    assert (got >= -1e-15).all()
    assert got.sum() == pytest.approx(min(capacity, limit.sum()), abs=1e-9)


@settings(max_examples=300, deadline=None)
@given(hosts())
def test_who_is_below_its_limit_never_has_less_per_share_than_another_above_its_floor(host):
    limit, floor, share, capacity = host
    got = water_fill(limit, floor, share, capacity)
    low = np.minimum(floor, limit)
    assume(low.sum() < capacity)
    wanting = got < limit - 1e-9
    favoured = got > low + 1e-9
    for i in np.flatnonzero(wanting):
        for k in np.flatnonzero(favoured):
            assert got[i] / share[i] >= got[k] / share[k] - 1e-7


@settings(max_examples=300, deadline=None)
@given(hosts(), st.integers(0, 6), st.floats(0.0, 1.0))
def test_more_demand_elsewhere_never_raises_an_allotment(host, who, more):
    limit, floor, share, capacity = host
    who %= len(limit)
    before = water_fill(limit, floor, share, capacity)
    raised = limit.copy()
    raised[who] += more
    after = water_fill(raised, floor, share, capacity)
    others = np.arange(len(limit)) != who
    assert (after[others] <= before[others] + 1e-9).all()
    assert after[who] >= before[who] - 1e-9


@njit(**LEAN)
def level_at(limit, floor, share, capacity, floors):
    return level_of(limit, floor, share, 0, len(limit), capacity, floors)


@settings(max_examples=500, deadline=None)
@given(hosts(), st.floats(0.01, 0.99))
def test_the_compiled_level_gives_what_the_plain_one_gives(host, part):
    limit, floor, share, _ = host
    least = np.minimum(floor, limit)
    capacity = (1.0 - part) * least.sum() + part * limit.sum()
    assume(least.sum() < capacity < limit.sum())
    level = level_at(limit, floor, share, capacity, least.sum())
    got = np.minimum(limit, np.maximum(least, share * level))
    assert got == pytest.approx(water_fill(limit, floor, share, capacity), abs=1e-9)


@pytest.mark.parametrize("cores", [1.0, 4.0])
def test_processor_sharing_is_water_filling_with_the_demands_for_shares(cores):
    demand = np.array([[0.2], [0.7], [1.0], [0.8]])
    claims = Claims(np.zeros(4), np.full(4, np.inf), demand[:, 0])
    filled = WaterFilling().yields(demand, np.array([cores]), claims)
    assert filled == pytest.approx(ProcessorSharing().yields(demand, np.array([cores]), claims))


@pytest.mark.parametrize(("limit", "floor", "share"), [(-1, 0, 1), (1, -1, 1), (1, 0, 0), (np.nan, 0, 1)])
def test_an_amount_that_makes_no_sense_is_refused(limit, floor, share):
    with pytest.raises(InputError):
        water_fill(np.array([limit]), np.array([floor]), np.array([share]), 1.0)
