"""Free profile: the free capacity of each host from now on, kept from event to event as steps in the order of time.

A step lasts until the next one begins, the last one for ever. Invariant: the steps of a host are sorted, and
neighbours differ in free capacity. So a host has at most one step more than twice its running and reserved tasks. Its
steps lie side by side, and a search is by halves. Amounts are exact, so capacity that is given back restores the old
steps. A host that needs more room moves to the end of the arrays.
"""
# mypy: disable-error-code="no-untyped-def"

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.jit.kernels import inlined, inner

LEAST_ROOM = 8
"""Steps for which each host has room."""

FEW = 8
"""Up to so many steps are searched one by one, more by halves."""


class FreeProfile(NamedTuple):
    """H hosts, M steps of room.

    Attributes:
        time_s: float64[M], when a step begins; free: float64[M, R], what is free from then on.
        flat: float64[M * R], the same memory as `free`: many steps move in one loop.
        base, room: int64[H], the part of the arrays that a host has; first, many: int64[H], its steps there.
        used: int64[1], how much of the arrays belongs to hosts; more than there is once a host found no room
            (`is_out_of_room`): the profile is then wrong.
    """

    time_s: NDArray[np.float64]
    free: NDArray[np.float64]
    flat: NDArray[np.float64]
    base: NDArray[np.int64]
    room: NDArray[np.int64]
    first: NDArray[np.int64]
    many: NDArray[np.int64]
    used: NDArray[np.int64]


def empty_profile(hosts: int, resources: int, steps: int) -> FreeProfile:
    """Room for so many steps; no host has any."""
    base, room, first, many = (np.zeros(hosts, np.int64) for _ in range(4))
    free = np.zeros((steps, resources))
    return FreeProfile(np.zeros(steps), free, free.reshape(-1), base, room, first, many, np.zeros(1, np.int64))


def profile_at_start(capacity: NDArray[np.float64]) -> FreeProfile:
    """All hosts are free, and always were."""
    hosts, resources = capacity.shape
    one = empty_profile(hosts, resources, hosts)
    one.time_s[:], one.free[:], one.first[:], one.many[:] = -np.inf, capacity, np.arange(hosts), 1
    return with_more_room(one, 0)


def with_more_room(sky: FreeProfile, steps: int) -> FreeProfile:
    """The same with room for that many steps beside twice the present ones."""
    room = np.maximum(LEAST_ROOM, 2 * sky.many)
    base, used = np.cumsum(room) - room, int(room.sum())
    free = np.zeros((used + steps, sky.free.shape[1]))
    new = FreeProfile(
        np.zeros(used + steps),
        free,
        free.reshape(-1),
        base,
        room,
        base.copy(),
        sky.many.copy(),
        np.full(1, used, np.int64),
    )
    number = np.arange(int(sky.many.sum())) - np.repeat(np.cumsum(sky.many) - sky.many, sky.many)
    old, at = np.repeat(sky.first, sky.many) + number, np.repeat(base, sky.many) + number
    new.time_s[at], new.free[at] = sky.time_s[old], sky.free[old]
    return new


@inner
def begin_profile(sky, capacity, now_s):
    """Let each host be free from now on."""
    for host in range(capacity.shape[0]):
        at = host * LEAST_ROOM
        sky.base[host], sky.first[host], sky.many[host], sky.room[host] = at, at, 1, LEAST_ROOM
        sky.time_s[at] = now_s
        for r in range(capacity.shape[1]):
            sky.free[at, r] = capacity[host, r]
    sky.used[0] = LEAST_ROOM * capacity.shape[0]


@inner
def is_out_of_room(sky):
    """Whether some host needed more steps than there was room for; these were not written."""
    return sky.used[0] > sky.time_s.shape[0]


@inner
def covering(sky, host, time_s):
    """The last step of a host that begins at or before `time_s`, or its first."""
    if sky.many[host] == 1 or sky.time_s[sky.first[host] + 1] > time_s:
        return sky.first[host]
    return sky.first[host] + _from_there(sky, host, 0, time_s)


@inner
def until(start_s, expected_s):
    """The expected end of a job that starts at `start_s`: always after it."""
    end_s = start_s + expected_s
    return end_s if end_s > start_s else np.nextafter(start_s, np.inf)


@inner
def hold(sky, host, from_s, until_s, demand, sign, now_s):
    """Take (`sign` 1.0) or give back (-1.0) `demand` on a host from `from_s` until `until_s`, or a multiple of it.

    There should be room for two steps, see `is_out_of_room`; steps that are over by `now_s` are dropped.
    """
    _trim(sky, host, now_s)
    begin = covering(sky, host, from_s) - sky.first[host]
    end = _from_there(sky, host, begin, until_s)
    before, behind = sky.time_s[sky.first[host] + begin] != from_s, sky.time_s[sky.first[host] + end] != until_s
    if (before or behind) and not _has_room(sky, host, np.int64(before) + np.int64(behind)):
        return
    # insert a step at each end of the span where none begins
    time_s, free, first, more = sky.time_s, sky.free, sky.first[host], np.int64(before) + np.int64(behind)
    if more > 0:
        _move_back(sky, first + end + 1 - np.int64(behind), first + sky.many[host], more)
        if behind:
            time_s[first + end + more] = until_s
        if before:
            _move_back(sky, first + begin, first + end + 1, 1)
            time_s[first + begin + 1] = from_s
        sky.many[host] += more
    begin, end = begin + before, end + more
    for at in range(first + begin, first + end):
        for r in range(demand.shape[0]):
            free[at, r] -= sign * demand[r]
    # only at the two ends can neighbours have become equal
    _merge(sky, host, end)
    _merge(sky, host, begin)


@inner
def fits(sky, at, demand):
    """Whether `demand` is free in a step."""
    enough = True
    for r in range(demand.shape[0]):
        enough &= sky.free[at, r] >= demand[r]
    return enough


@inner
def is_free(sky, host, from_s, until_s, demand):
    """Whether a host has `demand` free for the whole time."""
    return is_free_from(sky, host, covering(sky, host, from_s), until_s, demand)


@inner
def is_free_from(sky, host, at, until_s, demand):
    """Whether a host has `demand` free from its step `at` on until that time."""
    end = sky.first[host] + sky.many[host]
    while True:
        if not fits(sky, at, demand):
            return False
        at += 1
        if at == end or sky.time_s[at] >= until_s:
            return True


@inner
def is_overfull(sky, host, from_s, until_s):
    """Whether more is held than the host has, at some time in between."""
    end = sky.first[host] + sky.many[host]
    for at in range(covering(sky, host, from_s), end):
        if sky.time_s[at] >= until_s:
            break
        for r in range(sky.free.shape[1]):
            if sky.free[at, r] < 0.0:
                return True
    return False


@inner
def least(sky, host, from_s, until_s, window):
    """Write the least free capacity of a host in that time into its row of `window`."""
    at = covering(sky, host, from_s)
    end = sky.first[host] + sky.many[host]
    for r in range(window.shape[1]):
        window[host, r] = sky.free[at, r]
    at += 1
    while at < end and sky.time_s[at] < until_s:
        for r in range(window.shape[1]):
            window[host, r] = min(window[host, r], sky.free[at, r])
        at += 1


@inner
def first_on(sky, host, demand, expected_s, from_s, latest_s):
    """The first moment from `from_s` on from which a host has `demand` free for so long.

    If it is after `latest_s`, the result may be any moment after `latest_s` that is no later than the first one.
    """
    return first_until(sky, host, demand, expected_s, from_s, latest_s, np.inf)


@inner
def first_until(sky, host, demand, expected_s, from_s, latest_s, enough_s):
    """The same, where free capacity until `enough_s` is enough."""
    start_s, end_s = np.inf, np.inf
    end = sky.first[host] + sky.many[host]
    for at in range(covering(sky, host, from_s), end):
        if sky.time_s[at] >= end_s:
            break
        if not fits(sky, at, demand):
            start_s, end_s = np.inf, np.inf
            if sky.time_s[at] > latest_s:
                return sky.time_s[at]
        elif start_s == np.inf:
            start_s = max(sky.time_s[at], from_s)
            if start_s > latest_s:
                return start_s
            end_s = min(until(start_s, expected_s), enough_s)
    return start_s


@inner
def next_step_s(sky, host, now_s):
    """The end of the present step of a host, infinite if it never ends."""
    at = covering(sky, host, now_s) + 1
    return sky.time_s[at] if at < sky.first[host] + sky.many[host] else np.inf


@inner
def _trim(sky, host, now_s):
    """Drop the steps that are over."""
    while sky.many[host] > 1 and sky.time_s[sky.first[host] + 1] <= now_s:
        sky.first[host] += 1
        sky.many[host] -= 1


@inner
def _from_there(sky, host, number, time_s):
    """The number of the last step of a host, from step `number` on, that begins at or before `time_s`."""
    low, high = sky.first[host] + number, sky.first[host] + sky.many[host] - 1
    while high - low > FEW:
        middle = (low + high + 1) >> 1
        if sky.time_s[middle] <= time_s:
            low = middle
        else:
            high = middle - 1
    while low < high and sky.time_s[low + 1] <= time_s:
        low += 1
    return low - sky.first[host]


@inlined
def _move_back(sky, first, end, by):
    """Move the steps from `first` to before `end` so many places towards the end of the arrays."""
    resources = sky.free.shape[1]
    for at in range(end - 1, first - 1, -1):
        sky.time_s[at + by] = sky.time_s[at]
    for at in range(end * resources - 1, first * resources - 1, -1):
        sky.flat[at + by * resources] = sky.flat[at]


@inlined
def _move_to(sky, first, end, to):
    """Move the steps from `first` to before `end` to an earlier place, or one that is free."""
    resources = sky.free.shape[1]
    for at in range(end - first):
        sky.time_s[to + at] = sky.time_s[first + at]
    for at in range((end - first) * resources):
        sky.flat[to * resources + at] = sky.flat[first * resources + at]


@inner
def _has_room(sky, host, steps):
    """Make room for so many more steps: in place of dropped ones, or with twice the room behind all used places.

    Returns whether there is room.
    """
    many, old, new = sky.many[host], sky.first[host], sky.base[host]
    if old + many + steps <= new + sky.room[host]:
        return True
    if old - new < steps:
        new = sky.used[0]
        if new + 2 * sky.room[host] > sky.time_s.shape[0]:
            sky.used[0] = sky.time_s.shape[0] + 1
            return False
        sky.base[host], sky.room[host] = new, 2 * sky.room[host]
        sky.used[0] = new + sky.room[host]
    _move_to(sky, old, old + many, new)
    sky.first[host] = new
    return True


@inner
def _merge(sky, host, number):
    """Drop a step that equals the one before it."""
    at = sky.first[host] + number
    if number == 0:
        return
    for r in range(sky.free.shape[1]):
        if sky.free[at, r] != sky.free[at - 1, r]:
            return
    _move_to(sky, at + 1, sky.first[host] + sky.many[host], at)
    sky.many[host] -= 1
