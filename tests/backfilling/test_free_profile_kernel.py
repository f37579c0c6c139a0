"""The plan that is kept says what the plain availability says, however much is held, given back and grown in it."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from loadmaster.backfilling.availability import Availability, end_of
from loadmaster.backfilling.free_profile_kernel import (
    empty_profile,
    first_on,
    hold,
    is_free,
    is_out_of_room,
    is_overfull,
    least,
    with_more_room,
)


@njit
def changed(sky, host, from_s, until_s, demand, sign, now_s, window, asked, expected_s):
    """Hold or give back, then ask everything that a plan knows of that host."""
    hold(sky, host, from_s, until_s, demand, sign, now_s)
    least(sky, host, from_s, until_s, window)
    free = is_free(sky, host, from_s, until_s, asked)
    return free, is_overfull(sky, host, from_s, until_s), first_on(sky, host, asked, expected_s, now_s, np.inf)


@njit
def held(sky, from_s, until_s, demand):
    """Hold that on host 0; whether there has been room for all so far."""
    hold(sky, 0, from_s, until_s, demand, 1.0, 0.0)
    return not is_out_of_room(sky)


def first_of(plain, asked, expected_s, now_s):
    """The first moment from now on at which the host has so much free for so long."""
    moments = [now_s, *(time_s for time_s in plain.moments() if time_s > now_s)]
    fitting = (at for at in moments if (np.array(plain.least(at, end_of(at, expected_s))) >= asked).all())
    return next(fitting, np.inf)


@settings(max_examples=40, deadline=None)
@given(hosts=st.integers(1, 3), seed=st.integers(0, 2**32 - 1))
def test_a_plan_that_is_kept_says_what_the_plain_one_says(hosts, seed):
    rng = np.random.default_rng(seed)
    capacity = rng.integers(2, 9, (hosts, 2)).astype(float)
    sky = empty_profile(hosts, 2, hosts)
    sky.time_s[:], sky.free[:], sky.first[:], sky.many[:] = 0.0, capacity, np.arange(hosts), 1
    plain, held, window = [Availability(0.0, tuple(room), ()) for room in capacity], [], np.zeros((hosts, 2))
    for now_s in np.sort(rng.integers(0, 60, 40)).astype(float):
        if sky.used[0] + 40 > len(sky.time_s):
            sky = with_more_room(sky, 80)
        held = [each for each in held if each[1] > now_s]
        host, sign = int(rng.integers(hosts)), 1.0
        begin_s = now_s + float(rng.integers(0, 30))
        until_s, demand = begin_s + float(rng.integers(1, 30)), rng.integers(0, 3, 2).astype(float)
        if held and rng.random() < 0.4:
            begin_s, until_s, host, demand = held.pop(int(rng.integers(len(held))))
            begin_s, sign = max(begin_s, now_s), -1.0
        else:
            held.append((begin_s, until_s, host, demand))
        plain[host].hold(begin_s, until_s, sign * demand)
        asked, expected_s = rng.integers(0, 5, 2).astype(float), float(rng.integers(0, 20))
        found = changed(sky, host, begin_s, until_s, demand, sign, now_s, window, asked, expected_s)
        rest = np.array(plain[host].least(begin_s, until_s))
        assert (window[host] == rest).all()
        assert found[:2] == ((rest >= asked).all(), (rest < 0).any())
        assert found[2] == first_of(plain[host], asked, expected_s, now_s)
        assert plain[host].first_fit(asked, expected_s) == first_of(plain[host], asked, expected_s, 0.0)


def test_a_host_that_gets_no_room_for_more_steps_says_so_and_writes_nothing_behind_the_arrays():
    whole = with_more_room(empty_profile(1, 1, 1)._replace(many=np.ones(1, np.int64)), 20)
    room = len(whole.time_s) - 4
    whole.time_s[room:], whole.free[room:] = -1.0, -1.0
    sky = whole._replace(time_s=whole.time_s[:room], free=whole.free[:room])
    fits = [held(sky, 2.0 * n + 1.0, 2.0 * n + 2.0, np.ones(1)) for n in range(20)]
    assert fits[:7] == [True] * 7
    assert not fits[-1]
    assert fits == sorted(fits, reverse=True)
    assert (whole.time_s[room:] == -1.0).all()
    assert (whole.free[room:] == -1.0).all()
