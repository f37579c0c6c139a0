"""What was given back lets nobody be overlooked: who can start where all was held is told by an entry of it."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from loadmaster.backfilling.availability import Availability
from loadmaster.backfilling.free_profile_kernel import hold, profile_at_start, with_more_room
from loadmaster.backfilling.start_bounds_kernel import LAST, MOST_NEEDS, empty_bounds, lasts, note_freed


@njit
def given_back(bounds, sky, host, from_s, until_s, demand, now_s):
    """Give something back; the place of its entry in the list."""
    hold(sky, host, from_s, until_s, demand, -1.0, now_s)
    note_freed(bounds, sky, host, from_s, until_s)
    return (bounds.freed[0] - 1) & LAST


@njit
def taken(sky, host, from_s, until_s, demand, now_s):
    """Take something."""
    hold(sky, host, from_s, until_s, demand, 1.0, now_s)


@njit
def may_start(bounds, sky, at, kind, expected_s, now_s):
    """Whether a job of the class might start thanks to the entry, and when at the soonest."""
    number = np.int64(bounds.need_of[kind])
    return lasts(bounds, sky, at, number, bounds.longest_s[number], expected_s, now_s), bounds.begins_s[number, at]


def taken_up(sky, plain, capacity):
    """Take all of the one host for ever, in pieces of five seconds; these."""
    pieces = [(5.0 * i, 5.0 * i + 5.0, np.array(unit)) for i in range(12) for unit in ([1.0, 0.0], [0.0, 1.0])]
    held = [piece for piece in pieces for _ in range(int(capacity[0] @ piece[2]))]
    for piece in [*held, (60.0, np.inf, capacity[0])]:
        plain.hold(*piece)
        taken(sky, 0, *piece, 0.0)
    return held


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_whoever_can_start_where_all_was_held_is_told_by_something_that_was_given_back(seed):
    rng = np.random.default_rng(seed)
    capacity, demand = rng.integers(2, 5, (1, 2)).astype(float), rng.integers(0, 3, (4, 2)).astype(float)
    demand[demand.sum(axis=1) == 0, 0] = 1.0
    kind, expected_s = rng.integers(0, 4, 12), rng.integers(1, 25, 12).astype(float)
    bounds, sky = empty_bounds(demand, kind, expected_s, 1), with_more_room(profile_at_start(capacity), 4000)
    plain, entries, able = Availability(0.0, tuple(capacity[0]), ()), [], 0
    held = taken_up(sky, plain, capacity)
    for now_s in np.sort(rng.integers(0, 40, 60)).astype(float):
        held = [each for each in held if each[1] > now_s]
        if held and rng.random() < 0.7:
            begin_s, until_s, asked = held.pop(int(rng.integers(len(held))))
            begin_s = max(begin_s, now_s)
            plain.hold(begin_s, until_s, -asked)
            entries.append((given_back(bounds, sky, 0, begin_s, until_s, asked, now_s), begin_s, until_s))
        else:
            begin_s = now_s + float(rng.integers(0, 15))
            until_s, asked = begin_s + float(rng.integers(1, 9)), rng.integers(0, 2, 2).astype(float)
            if (np.array(plain.least(begin_s, until_s)) >= asked).all():
                held.append((begin_s, until_s, asked))
                plain.hold(*held[-1])
                taken(sky, 0, *held[-1], now_s)
        for job in rng.choice(12, 3):
            told = [(at, *may_start(bounds, sky, at, bounds.of[job], expected_s[job], now_s)) for at, _, _ in entries]
            for start_s in np.arange(now_s, 60.0):
                end_s = start_s + expected_s[job]
                if (np.array(plain.least(start_s, end_s)) >= demand[kind[job]]).all():
                    able += 1
                    assert any(
                        may and begins_s <= start_s and start_s < until_s and from_s < end_s
                        for (_, may, begins_s), (_, from_s, until_s) in zip(told, entries, strict=True)
                    )
    assert able > 0


def test_what_was_given_back_is_told_to_nobody_who_takes_longer_than_is_free():
    capacity = np.full((1, 1), 4.0)
    bounds, sky = (
        empty_bounds(np.array([[1.0], [3.0]]), np.array([0, 1]), np.full(2, 10.0), 1),
        profile_at_start(capacity),
    )
    sky = with_more_room(sky, 100)
    for begin_s, until_s, units in ((0.0, 20.0, 4.0), (20.0, 30.0, 4.0), (30.0, 50.0, 2.0), (50.0, np.inf, 4.0)):
        taken(sky, 0, begin_s, until_s, np.array([units]), 0.0)
    at = given_back(bounds, sky, 0, 20.0, 30.0, np.array([4.0]), 0.0)
    assert [may_start(bounds, sky, at, kind, 30.0, 0.0) for kind in bounds.of] == [(True, 20.0), (False, 20.0)]
    assert not may_start(bounds, sky, at, bounds.of[0], 32.0, 0.0)[0]
    assert may_start(bounds, sky, at, bounds.of[1], 10.0, 0.0)[0]


def test_many_needs_are_remembered_by_fewer_that_are_no_more():
    demand = np.random.default_rng(1).uniform(0.1, 30, (3 * MOST_NEEDS, 2))
    bounds = empty_bounds(demand, np.arange(len(demand)), np.full(len(demand), 60.0), 2)
    assert len(bounds.needs) <= MOST_NEEDS
    assert (bounds.needs[bounds.need_of] <= bounds.need).all()
