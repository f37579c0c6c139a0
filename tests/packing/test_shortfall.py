"""What is said where not all tasks can be placed."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from loadmaster.packing import Instance
from loadmaster.packing import shortfall as room
from loadmaster.packing.shortfall import could_place, fits_nowhere


def test_tasks_too_large_for_every_host_are_found_also_where_hosts_differ():
    hosts = np.array([[1.0, 4.0], [4.0, 1.0]])
    instance = Instance(
        np.ones((3, 1)), [[1.0, 4.0], [2.0, 2.0], [4.0, 1.0]], np.ones((2, 1)), hosts, rigid_names=("memory", "disk")
    )
    assert fits_nowhere(instance).tolist() == [1]


@given(st.integers(0, 10**6))
def test_the_count_of_tasks_that_fit_is_one_that_can_be_reached(seed):
    rng = np.random.default_rng(seed)
    memory = rng.uniform(0.1, 1.2, 6)
    instance = Instance.of(2, cpu=np.zeros(6), memory=memory)
    best = 0
    for where in np.ndindex(*[3] * 6):
        used = np.bincount(where, weights=memory, minlength=3)
        best = max(best, sum(w < 2 for w in where) if (used[:2] <= 1).all() else 0)
    assert best - 1 <= could_place(instance) <= best


def test_a_count_that_nobody_would_wait_for_is_left_out(monkeypatch):
    monkeypatch.setattr(room, "MOST_CELLS", 3)
    assert could_place(Instance.of(2, cpu=[0, 0], memory=[0, 0])) is None
