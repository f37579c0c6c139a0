"""Time limits, as a count of looks at the clock: a clock that moves on by a second whenever it is read."""

import numpy as np
import pytest

from loadmaster.jit.first_compilation import FIRST_TIME
from loadmaster.packing import Instance, PackOptions, pack
from loadmaster.packing.check import violations
from loadmaster.packing.deadline import Deadline
from loadmaster.packing.generate import Spec, virtual_clusters

LIMIT_S = 20.0
STEPS = 8
"""Steps of a method that each look once more and do nothing."""


@pytest.fixture
def looks(monkeypatch):
    """A list that grows by one with every look at the clock."""
    seen = []

    def clock_s():
        seen.append(None)
        return float(len(seen))

    monkeypatch.setattr(FIRST_TIME, "clock_s", clock_s)
    return seen


def packed_without_end(tasks=120, hosts=40, seed=0):
    """Rigid tasks in fractions that leave a gap between the bound and the best placement."""
    rng = np.random.default_rng(seed)
    return Instance(
        np.empty((tasks, 0)),
        rng.uniform(0.2, 0.6, (tasks, 2)),
        np.empty((hosts * 3, 0)),
        np.ones((hosts * 3, 2)),
        fluid_names=(),
        rigid_names=("cores", "memory"),
    )


@pytest.mark.parametrize("method", ["exact", "branch-and-bound", "local-search"])
def test_a_level_is_not_raised_beyond_the_limit(looks, method):
    instance = virtual_clusters(Spec(24, 100, 0.1, 0.5), 0)
    packing = pack(instance, method, PackOptions(LIMIT_S))
    assert not packing.proven
    assert LIMIT_S <= len(looks) <= 1.1 * LIMIT_S + STEPS
    assert violations(instance, packing) == []


def test_hosts_are_not_counted_beyond_the_limit(looks):
    instance = packed_without_end()
    packing = pack(instance, "exact", PackOptions(LIMIT_S))
    assert len(looks) <= 1.1 * LIMIT_S + STEPS
    assert violations(instance, packing) == []
    assert 0 < packing.cost_bound <= packing.cost


def test_a_part_of_the_time_that_is_left_ends_before_the_whole(looks):
    deadline = Deadline.after(10.0)
    part = deadline.share(0.5)
    assert part.ends_s < deadline.ends_s
    assert not deadline.passed()
    for _ in range(10):
        FIRST_TIME.clock_s()
    assert deadline.passed()
    assert part.left_s() < 0
