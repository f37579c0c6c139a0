"""What is said where not all tasks can be placed."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from loadmaster.packing import Instance, card_placement
from loadmaster.packing.card_placement import on_cards, placed_by_best_fit
from loadmaster.packing.most_placed import most_placed
from loadmaster.packing.packing import Attempt
from loadmaster.packing.shortfall import fits_nowhere


def test_tasks_too_large_for_every_host_are_found_also_where_hosts_differ():
    hosts = np.array([[1.0, 4.0], [4.0, 1.0]])
    instance = Instance(
        np.ones((3, 1)), [[1.0, 4.0], [2.0, 2.0], [4.0, 1.0]], np.ones((2, 1)), hosts, rigid_names=("memory", "disk")
    )
    assert fits_nowhere(instance).tolist() == [1]


@given(st.integers(0, 10**6))
def test_best_fit_places_nearly_as_many_tasks_as_can_be_placed_and_the_bound_is_never_below(seed):
    rng = np.random.default_rng(seed)
    memory = rng.uniform(0.1, 1.2, 6)
    instance = Instance.of(2, cpu=np.zeros(6), memory=memory)
    best = 0
    for where in np.ndindex(*[3] * 6):
        used = np.bincount(where, weights=memory, minlength=3)
        best = max(best, sum(w < 2 for w in where) if (used[:2] <= 1).all() else 0)
    assert best - 1 <= on_cards(instance, None).placed <= best <= most_placed(instance)


def test_best_fit_is_left_out_where_it_takes_long(monkeypatch):
    monkeypatch.setattr(card_placement, "MOST_CELLS", 3)
    assert placed_by_best_fit(Instance.of(2, cpu=[0, 0], memory=[0, 0]), Attempt(None, "limit", "x")).partial is None
