"""No move without a gain."""

import numpy as np
import pytest

from loadmaster.move.change import Change, State
from loadmaster.move.worth import needed, worthwhile
from loadmaster.packing import Instance
from loadmaster.packing.level import level_of


def changed(state, host):
    mapping = np.array(host, np.int32)
    return Change("ok", mapping, level_of(state.instance, mapping), state.spent(mapping), "by hand", True)


@pytest.mark.parametrize(("more", "moves"), [(0.0, False), (4e-7, False), (1e-5, True)])
def test_a_level_that_is_higher_by_less_than_a_millionth_moves_nothing(more, moves):
    """Tasks of 2 cores on a host of 1: half each; where they go there is a hair more."""
    instance = Instance([[2.0], [0.0]], [[0.5], [0.5]], [[1.0], [1.0 + 2 * more]], [[1.0], [1.0]])
    state = State(instance, np.array([0, 1], np.int32))
    change = worthwhile(state, changed(state, [1, 0]))
    assert (change.host.tolist() != [0, 1]) == moves
    assert (change.spent > 0) == moves
    if not moves:
        assert change.level == state.level


def test_only_what_the_level_needs_moves_and_the_dearest_stays_first():
    instance = Instance.of(3, cpu=[0.9, 0.3, 0.1, 0.1], memory=[0.2, 0.1, 0.3, 0.4])
    state = State(instance, np.array([0, 0, 1, 1], np.int32))
    change = worthwhile(state, changed(state, [0, 1, 2, 2]))
    assert change.host.tolist() == [0, 1, 1, 1]
    assert (change.spent, change.level) == (0.1, 1.0)


def test_a_task_stays_where_leaving_it_would_overfill_its_host():
    instance = Instance.of(2, cpu=[0.1, 0.1], memory=[0.6, 0.6])
    state = State(instance, np.array([0, 0], np.int32))
    assert sorted(needed(state, np.array([0, 1], np.int32), 1.0).tolist()) == [0, 1]


def test_a_new_task_goes_where_it_should():
    state = State(Instance.of(2, cpu=[0.9, 0.9], memory=[0.1, 0.1]), np.array([0, -1], np.int32))
    assert needed(state, np.array([0, 1], np.int32), 1.0).tolist() == [0, 1]
