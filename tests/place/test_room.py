"""A decision's own copy of what is free: jobs that request so many hosts."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from snapshots import snapshot

from loadmaster.model.amounts import minus
from loadmaster.place import POLICIES, Policy
from loadmaster.place.room import Room, tasks_held


@st.composite
def asking(draw):
    """A queue of one job, with what is free for it, and the hosts that it requests."""
    free = draw(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=5))
    demand = draw(st.tuples(st.integers(1, 3), st.integers(0, 3)))
    tasks, least = draw(st.integers(1, 5)), draw(st.integers(0, 4))
    most = draw(st.sampled_from([0, least + 1]))
    seen = snapshot([(9, 9)] * len(free), free, [demand], tasks=[tasks])
    object.__setattr__(seen.queue, "min_hosts", np.array([least]))
    object.__setattr__(seen.queue, "max_hosts", np.array([most]))
    return seen


@pytest.mark.parametrize("policy", ["first-fit", "worse-fit-cores", "random", "round-robin"])
@settings(max_examples=100)
@given(seen=asking())
def test_a_job_is_placed_on_as_many_hosts_as_it_asks_for_if_it_can_be_whatever_the_policy(policy, seen):
    room, asked = Room(seen, POLICIES[policy]), seen.queue.asked(0)
    held = np.array([tasks_held(seen.queue.demand[0], free) for free in seen.free])
    hosts = room.place(0)
    assert (hosts is not None) == asked.fit(held)
    if hosts is None:
        assert room.free.tolist() == seen.free.tolist()
        return
    assert len(hosts) == asked.tasks
    assert asked.least <= len(set(hosts)) <= (asked.most or asked.tasks)
    assert (room.free >= 0).all()


@pytest.mark.parametrize(("least", "reserved"), [(0, [0]), (3, [0, 1, 2])])
def test_as_many_hosts_are_reserved_as_the_job_asks_for(least, reserved):
    seen = snapshot([(9, 9)] * 4, [(0, 9)] * 4, [(1, 1)], tasks=[3])
    object.__setattr__(seen.queue, "min_hosts", np.array([least]))
    room = Room(seen, POLICIES["first-fit"])
    room.reserve(0)
    assert room.reserved == reserved


@pytest.mark.parametrize("free_again", ["give_back", "reopen"])
def test_a_request_that_found_no_host_is_tried_again_once_something_is_given_back(free_again):
    room = Room(snapshot([(4, 4)], [(4, 4)], [(3, 1), (2, 1)]), POLICIES["first-fit"])
    hosts = room.place(0)
    if free_again == "reopen":
        room.give_back(0, hosts)
        room.close(np.array([True]))
    assert room.place(1) is None
    room.reopen() if free_again == "reopen" else room.give_back(0, hosts)
    assert room.place(1) == (0,)


def test_tasks_that_fill_all_hosts_find_room_though_what_is_free_does_not_add_up_exactly():
    room = Room(snapshot([(1, 1)] * 10, [(0.1, 1)] * 10, [(0.1, 0)], tasks=[10]), POLICIES["first-fit"])
    assert room.place(0) == tuple(range(10))


def rating(seen, contextual=False):
    """A policy that prefers hosts with few cores left, and notes what it is asked about."""

    def score(demand, free, capacity, context=None):
        seen.append(free.tolist())
        return free[0]

    return Policy("noting", score, contextual=contextual)


def test_no_host_is_rated_for_a_job_that_asks_for_more_than_all_have_together():
    asked = []
    room = Room(snapshot([(4, 4)] * 2, [(2, 4), (1, 4)], [(1, 1), (1, 1)], tasks=[4, 3]), rating(asked))
    assert room.place(0) is None
    assert asked == []
    assert room.place(1) == (1, 0, 0)
    room.give_back(1, (1, 0, 0))
    room.take(1, (0, 0, 1))
    assert room.place(1) is None


@pytest.mark.parametrize("contextual", [False, True])
def test_alike_hosts_are_rated_once_unless_the_policy_sees_which_host_it_rates(contextual):
    asked = []
    room = Room(snapshot([(4, 4)] * 3, [(2, 2), (1, 2), (1, 2)], [(1, 1)]), rating(asked, contextual))
    assert room.place(0) == (1,)
    assert asked == [[2.0, 2.0], [1.0, 2.0]] + [[1.0, 2.0]] * contextual


def test_hosts_of_unlike_capacity_are_rated_each():
    asked = []
    room = Room(snapshot([(4, 4), (2, 4)], [(2, 2), (2, 2)], [(1, 1)]), rating(asked))
    assert room.place(0) == (0,)
    assert len(asked) == 2


def test_a_request_that_was_not_tried_yet_is_not_full_for_any_time():
    room = Room(snapshot([(4, 4)] * 2, [(2, 4)] * 2, [(3, 1)]), POLICIES["first-fit"])
    assert not room.is_full(0, math.inf)
    assert room.place(0) is None
    assert room.is_full(0, 1.0)


def test_first_fit_takes_all_tasks_that_a_host_gets_from_it_at_once(monkeypatch):
    taken = []

    def noted(left, amounts):
        taken.append(amounts)
        return minus(left, amounts)

    monkeypatch.setattr("loadmaster.place.room.minus", noted)
    room = Room(snapshot([(9, 9)] * 3, [(4, 9), (1, 9), (9, 9)], [(2, 1)], tasks=[5]), POLICIES["first-fit"])
    assert room.place(0) == (0, 0, 2, 2, 2)
    assert taken == [(4.0, 2.0), (6.0, 3.0), (10.0, 5.0)]  # of each host, and of all together
    assert room.free.tolist() == [[0.0, 7.0], [1.0, 9.0], [3.0, 6.0]]
    assert room.last_host == 2
