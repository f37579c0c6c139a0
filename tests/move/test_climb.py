"""Moves and swaps that can be carried out at once, off the most loaded host."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadmaster.move.change import State, TaskTransfer
from loadmaster.move.climb import climb
from loadmaster.move.sequence import carried_out, spent_by
from loadmaster.packing import Instance
from loadmaster.packing.level import level_of


def peak(instance, host):
    return max(
        np.bincount(host, weights=instance.fluid[:, 0], minlength=instance.hosts) / instance.fluid_capacity[:, 0]
    )


@given(st.integers(0, 10**6))
def test_every_climb_can_be_carried_out_within_the_budget_and_leaves_no_higher_peak(seed):
    rng = np.random.default_rng(seed)
    hosts, tasks = int(rng.integers(2, 6)), int(rng.integers(1, 20))
    memory, host = rng.uniform(0.1, 1, tasks), rng.integers(0, hosts, tasks).astype(np.int32)
    enough = np.bincount(host, weights=memory, minlength=hosts) + rng.uniform(0, 0.8, hosts)
    room = rng.uniform(1, 3, hosts)
    instance = Instance(rng.uniform(0, 2, (tasks, 1)), memory[:, None], room[:, None], enough[:, None])
    state, budget = State(instance, host), float(rng.choice([0.0, 1.0, 3.0, np.inf]))
    moves = climb(state, host, budget)
    after = carried_out(state, moves)
    assert after is not None
    assert spent_by(state, moves) <= budget + 1e-9
    assert peak(instance, after) <= peak(instance, host)
    assert level_of(instance, after) >= level_of(instance, host) - 1e-12
    assert not moves or peak(instance, after) < peak(instance, host) or len(moves) > 1


@pytest.mark.parametrize(
    ("room", "way"),
    [
        ([2.0, 3.0, 0.0], [TaskTransfer(0, 0, 1), TaskTransfer(2, 1, 0)]),
        ([3.0, 2.0, 0.0], [TaskTransfer(2, 1, 0), TaskTransfer(0, 0, 1)]),
        ([2.0, 2.0, 1.0], [TaskTransfer(0, 0, 2), TaskTransfer(2, 1, 0), TaskTransfer(0, 2, 1)]),
        ([2.0, 2.0, 0.0], []),
    ],
)
def test_two_tasks_change_places_in_the_order_that_there_is_room_for(room, way):
    instance = Instance([[5.0], [4.0], [4.75], [3.0]], [[1.0]] * 4, [[1.0], [1.0], [0.01]], np.array(room)[:, None])
    state = State(instance, np.array([0, 0, 1, 1], np.int32), "count")
    assert climb(state, state.host, np.inf)[: len(way)] == way
    assert climb(state, state.host, 1.0) == []


def test_a_task_that_has_just_started_stays():
    instance = Instance.of(2, cpu=[0.9, 0.9], memory=[0.1, 0.1])
    state = State(instance, np.array([-1, -1], np.int32))
    assert climb(state, np.array([0, 0], np.int32), np.inf) == []
