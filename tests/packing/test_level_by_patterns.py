"""The bound on the level by the pattern program, against trying every mapping."""

import numpy as np
import pytest

from loadmaster.packing import Instance, finish
from loadmaster.packing.bound import ceiling
from loadmaster.packing.level import level_of
from loadmaster.packing.level_by_patterns import level_by_patterns
from loadmaster.packing.mcb import mcb


def best_level(instance):
    every = np.array(np.meshgrid(*[range(instance.hosts)] * instance.tasks)).reshape(instance.tasks, -1).T
    return max((level for mapping in every if not np.isnan(level := level_of(instance, mapping))), default=np.nan)


def few_kinds(seed):
    """Tasks of few kinds on unequal hosts; some with guarantees."""
    rng = np.random.default_rng(seed)
    kinds, hosts, tasks = int(rng.integers(1, 4)), int(rng.integers(2, 4)), int(rng.integers(3, 8))
    kind = rng.integers(0, kinds, tasks)
    cpu, memory = rng.uniform(0.1, 1, kinds)[kind], rng.uniform(0.1, 0.5, kinds)[kind]
    if seed % 3 == 0:
        cpu = np.ceil(cpu * 4)
    capacity = rng.choice([1.0, 2.0], (hosts, 1)) * (4 if seed % 3 == 0 else 1)
    room = np.full((hosts, 1), memory.sum() / hosts * 1.4)
    guarantee = np.full(tasks, 0.2) if seed % 4 == 1 else None
    return Instance(cpu[:, None], memory[:, None], capacity, room, guarantee=guarantee)


def test_no_bound_is_below_the_best_mapping():
    tightened = 0
    for seed in range(60):
        instance = few_kinds(seed)
        start, best = mcb(instance), best_level(instance)
        if start.host is None:
            continue
        found = finish(instance, level_by_patterns(instance, start, 60))
        assert found.bound >= best * (1 - 1e-9)
        assert level_of(instance, start.host) * (1 - 1e-12) <= found.level <= best * (1 + 1e-9)
        if found.proven:
            assert found.level == pytest.approx(best, rel=1e-9)
        tightened += found.bound < ceiling(instance) * (1 - 1e-6)
    assert tightened > 5


def test_a_bound_that_only_patterns_see_proves_the_placement():
    instance = Instance.of(3, cpu=[0.4] * 8, memory=[0.34] * 8, weight=None)
    start = mcb(instance)
    assert start.host is None  # two tasks a host: eight do not fit
    instance = Instance.of(4, cpu=[0.4] * 4 + [0.1] * 4, memory=[0.34] * 8)
    found = finish(instance, level_by_patterns(instance, mcb(instance), 60))
    assert found.proven
