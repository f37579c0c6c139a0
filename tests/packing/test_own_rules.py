"""Constraints and costs of the user's own: kept, counted, explained, and beside all placements."""

import itertools

import numpy as np
import pytest

from loadmaster.model import InputError
from loadmaster.packing import Instance
from loadmaster.packing.constrained.own_rules import place_under


def small(seed=0):
    rng = np.random.default_rng(seed)
    return Instance.of(3, cpu=rng.integers(1, 5, 6) / 8, memory=rng.integers(1, 5, 6) / 16), rng.integers(0, 9, (6, 3))


@pytest.mark.parametrize("seed", range(4))
def test_the_cheapest_of_all_placements_is_found(seed):
    instance, table = small(seed)

    def may(task, host):
        return (int(task) + int(host)) % 3 != seed % 3

    def cost(task, host):
        return float(table[int(task), int(host)])

    best = min(
        sum(cost(t, h) for t, h in enumerate(hosts)) + 2 * len(set(hosts))
        for hosts in itertools.product(range(3), repeat=6)
        if all(may(t, h) for t, h in enumerate(hosts))
        and all(instance.fluid[np.array(hosts) == h].sum() <= 1 + 1e-9 for h in range(3))
        and all(instance.rigid[np.array(hosts) == h].sum() <= 1 + 1e-9 for h in range(3))
    )
    made = place_under(instance, {"a label": may}, {"own": cost}, "2*hosts", time_limit_s=0.5)
    assert sum(made.costs.values()) == pytest.approx(best)
    assert set(made.costs) == {"own", "2*hosts"}
    assert made.bound <= best
    assert all(may(t, h) for t, h in enumerate(made.host.tolist()))


def test_a_placement_explains_its_no():
    instance, _ = small()
    made = place_under(instance, {"a licence": lambda task, host: task != "1" or host == "2"}, {}, time_limit_s=0.1)
    assert made.host[1] == 2
    assert "1 needs a licence, which 0 does not match" in made.why_not("1", "0")


def test_a_constraint_that_no_host_matches_leaves_no_placement():
    instance, _ = small()
    made = place_under(instance, {"gold": lambda task, host: task != "3"}, {}, time_limit_s=0.1)
    assert (made.host.size, made.proven, made.costs) == (0, False, {})


@pytest.mark.parametrize("value", [-1.0, float("nan")])
def test_a_cost_below_zero_is_refused(value):
    instance, _ = small()
    with pytest.raises(InputError, match="must be zero or more"):
        place_under(instance, {}, {"own": lambda task, host: value})
