"""The hybrid of spreading and filling on two hosts worked out by hand (rule P17)."""

import math

import numpy as np
import pytest

from loadmaster.model import InputError
from loadmaster.place import POLICIES, Context, Policy
from loadmaster.place.borg_like import borg_like

TASK = np.array([0.125, 0.375])
HOST = np.ones(2)
EMPTY, STARTED = np.array([1.0, 1.0]), np.array([0.5, 0.75])
TWO = Context(0, 2, -1, 0, 0)


def both(w):
    return [borg_like(w)(TASK, free, HOST, TWO) for free in (EMPTY, STARTED)]


def test_the_growth_of_the_cost_and_of_what_is_stranded_are_as_worked_out_by_hand():
    assert both(1.0) == pytest.approx([0.193674, 0.240500], abs=5e-7)
    assert both(0.0) == [0.125, -0.125]


@pytest.mark.parametrize(("w", "host"), [(1.0, 0), (0.8, 1), (0.5, 1), (0.25, 1), (0.0, 1)])
def test_the_weight_decides_between_spreading_and_filling(w, host):
    assert int(np.argmin(both(w))) == host


def test_both_hosts_are_rated_alike_at_one_weight():
    assert both(0.842242) == pytest.approx([both(0.842242)[0]] * 2, abs=1e-6)


def test_weight_one_rates_as_opportunity_cost_does_but_for_the_scale():
    cost = POLICIES["opportunity-cost"]
    twelve = TWO._replace(hosts=12)
    for free in (EMPTY, STARTED):
        scaled = borg_like(1.0)(TASK, free, HOST, twelve) * 2 * 11
        assert scaled == pytest.approx(cost.rate(TASK, free, HOST, twelve))


def test_the_named_policy_weighs_both_alike():
    mean = [(spread + fit) / 2 for spread, fit in zip(both(1.0), both(0.0), strict=True)]
    assert [POLICIES["borg-like"].rate(TASK, free, HOST, TWO) for free in (EMPTY, STARTED)] == pytest.approx(mean)


def test_a_resource_that_a_host_does_not_have_does_not_count():
    wide = [np.append(amounts, 0.0) for amounts in (TASK, STARTED, HOST)]
    assert borg_like()(*wide, TWO) == borg_like()(TASK, STARTED, HOST, TWO)
    asked = np.append(TASK, 1.0)
    assert Policy("mine", borg_like(), contextual=True).rate(asked, wide[1], wide[2], TWO) == math.inf
    assert borg_like()(np.zeros(1), np.zeros(1), np.zeros(1), TWO) == 0.0


def test_one_resource_strands_nothing():
    assert borg_like(0.0)(TASK[:1], EMPTY[:1], HOST[:1], TWO) == 0.0


@pytest.mark.parametrize("w", [-0.1, 1.5, math.nan])
def test_a_weight_outside_its_range_is_refused(w):
    with pytest.raises(InputError, match="must lie in"):
        borg_like(w)
