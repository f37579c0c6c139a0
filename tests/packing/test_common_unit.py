"""The common unit of demands, and the bound on the level from whole multiples of it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadmaster.packing import Instance, pack
from loadmaster.packing.bound import ceiling, reachable_level, upper_bound, whole_bound
from loadmaster.packing.common_unit import common_unit, multiples, rounded_up
from loadmaster.packing.level import level_of


@given(st.lists(st.integers(0, 500), min_size=1, max_size=8), st.sampled_from([1.0, 0.5, 0.1, 0.001, 2.0**-20]))
def test_every_value_is_a_whole_multiple_of_the_unit(numbers, step):
    values = np.array(numbers) * step
    unit = common_unit(values)
    if values.max() == 0:
        assert unit == 0
    else:
        assert multiples(values, unit) * unit == pytest.approx(values, rel=1e-9)
        assert unit == pytest.approx(np.gcd.reduce(numbers) * step)


def test_numbers_without_a_unit_have_none():
    assert common_unit(np.array([np.pi, np.e])) == 0.0


def test_a_value_a_rounding_error_too_large_is_not_rounded_up_a_whole_unit():
    assert rounded_up(3.0 + 1e-9, 1.0) == 3.0
    assert rounded_up(3.1, 1.0) == 4.0
    assert rounded_up(3.1, 0.0) == 3.1


def whole_cores(seed=0, tasks=999, hosts=100, total=3808):
    """Tasks of whole cores that ask `total` in all, on equal hosts of 32 cores."""
    rng = np.random.default_rng(seed)
    cores = rng.choice([1, 2, 4, 8], tasks)
    while cores.sum() != total:
        step = np.sign(total - cores.sum())
        t = rng.integers(tasks)
        cores[t] = max(1, cores[t] + step)
    none = np.zeros((tasks, 0)), np.zeros((hosts, 0))
    return Instance(cores[:, None].astype(float), none[0], np.full((hosts, 1), 32.0), none[1], rigid_names=())


def test_no_load_of_whole_cores_is_below_the_next_whole_core():
    instance = whole_cores()
    assert upper_bound(instance) == pytest.approx(32 / 38.08)
    assert ceiling(instance) == pytest.approx(32 / 39, rel=1e-12)
    best = pack(instance, "local-search")
    assert best.level == pytest.approx(32 / 39, rel=1e-12)
    assert best.proven


def test_the_whole_bound_is_never_below_the_best_mapping():
    tight = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        tasks, hosts = int(rng.integers(2, 7)), int(rng.integers(2, 4))
        cores, room = rng.integers(1, 9, (tasks, 1)).astype(float), rng.integers(3, 12, (hosts, 1)).astype(float)
        weight = rng.choice([1.0, 0.5], tasks) if seed % 2 else None
        none = np.zeros((tasks, 0)), np.zeros((hosts, 0))
        instance = Instance(cores, none[0], room, none[1], rigid_names=(), weight=weight)
        every = np.array(np.meshgrid(*[range(hosts)] * tasks)).reshape(tasks, -1).T
        best = max(level_of(instance, mapping) for mapping in every)
        assert whole_bound(instance) >= best * (1 - 1e-12)
        assert reachable_level(instance, best) == pytest.approx(best, rel=1e-9)
        tight += whole_bound(instance) < upper_bound(instance) * (1 - 1e-9)
    assert tight > 10
