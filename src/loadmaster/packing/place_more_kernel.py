# mypy: disable-error-code="no-untyped-def"
"""Local search for a place for tasks that are left over: a few hosts are emptied and filled anew (rule K23); compiled.

tests/packing/place_more_plain.py is the plain reference.
"""

from typing import Any, NamedTuple

import numpy as np

from loadmaster.jit.kernels import cached_njit, inner
from loadmaster.model.arrays import Bools, Floats, Longs
from loadmaster.packing.cards_kernel import covers, fits_on_cards, has_room, take_cards
from loadmaster.packing.improve_kernel import draw

GROUP = 3
"""Hosts that are emptied at most."""
MOST_ON_HOST = 64
"""A host with more tasks is not emptied."""
OTHERS = 8
"""Other tasks that are left over and are tried with the first, at most."""
MOST_TASKS = GROUP * MOST_ON_HOST + 1 + OTHERS
TRIES = 8
"""Hosts that are drawn to find one that can hold the first task when it is empty."""


class HostLists(NamedTuple):
    """The tasks of each host, and the tasks that are left over; all is changed in place.

    Attributes:
        first: int64[H], a task on each host; -1 where there is none.
        following: int64[T], the next task on the same host; -1 behind the last.
        number: int64[H], tasks on each host.
        open: int64[T], the tasks that are left over, in front; `open_count` int64[1] says how many.
        size: float64[T], what each task requests, in parts of all hosts, summed over resources.
        random: uint64[1], the state of the random numbers.
    """

    first: Longs
    following: Longs
    number: Longs
    open: Longs
    open_count: Longs
    size: Floats
    random: Any


class Repacking(NamedTuple):
    """Scratch of one step: the hosts that are emptied, and the tasks that are placed on them anew.

    Attributes:
        hosts: int64[GROUP]
        task: int64[N], those of the hosts first, then some that are left over; N is `MOST_TASKS`.
        old, new: int64[N], the host before and after; -1 for none.
        key: float64[N], tasks are placed in descending order of it.
        order: int64[N]
        free: float64[GROUP, D], load: float64[GROUP, F], cards: float64[GROUP, C], of the hosts before.
        taken: bool[N, C], the cards of the tasks before.
    """

    hosts: Longs
    task: Longs
    old: Longs
    new: Longs
    key: Floats
    order: Longs
    free: Floats
    load: Floats
    cards: Floats
    taken: Bools


@cached_njit(nogil=True, error_model="numpy")
def place_more(requests, tasks, lists, scratch, steps, tolerance):
    """Make so many steps; returns how many in a row, at the end, placed no further task.

    A step that places as many tasks is kept if the tasks left over do not request more than before.

    Args:
        requests: `CardRequests`.
        tasks: `OpenTasks`.
        lists: `HostLists`.
        scratch: `Repacking`.
        steps: how many, unless no task is left over before that.
        tolerance: what hosts may be overdrawn by.
    """
    stuck = 0
    for _ in range(steps):
        if lists.open_count[0] == 0:
            break
        stuck = 0 if _step(requests, tasks, lists, scratch, tolerance) else stuck + 1
    return stuck


@inner
def _step(requests, tasks, lists, scratch, tolerance):
    """Empty a few hosts and fill them anew; whether more tasks have a host after that."""
    wanted = lists.open[draw(lists.random, lists.open_count[0])]
    hosts = _pick_hosts(tasks, lists, scratch, wanted, tolerance)
    if hosts == 0:
        return False
    removed = _gather(lists, scratch, hosts)
    number = _add_open(lists, scratch, removed, wanted)
    _rank(lists, scratch, number)
    _empty(requests, tasks, scratch, hosts, removed)
    placed, size = _fill(requests, tasks, lists, scratch, hosts, number, tolerance)
    before = 0.0
    for i in range(removed):
        before += lists.size[scratch.task[i]]
    if placed > removed or (placed == removed and size >= before - 1e-12):
        _accept(tasks, lists, scratch, hosts, number)
    else:
        _take_back(tasks, scratch, hosts, removed, number)
    return placed > removed


@inner
def _pick_hosts(tasks, lists, scratch, wanted, tolerance):
    """Draw a host that can hold the task when it is empty, and up to two others; returns how many there are."""
    hosts = tasks.free.shape[0]
    count = 0
    for _ in range(TRIES):
        h = draw(lists.random, hosts)
        if lists.number[h] <= MOST_ON_HOST and covers(tasks.hard_room[h], tasks.hard[wanted], tolerance):
            scratch.hosts[0] = h
            count = 1
            break
    if count == 0:
        return 0
    for _ in range(draw(lists.random, GROUP)):
        h = draw(lists.random, hosts)
        known = lists.number[h] > MOST_ON_HOST
        for g in range(count):
            known |= scratch.hosts[g] == h
        if not known:
            scratch.hosts[count] = h
            count += 1
    return count


@inner
def _gather(lists, scratch, hosts):
    """Write the tasks of the hosts into `scratch`; returns how many there are."""
    number = 0
    for g in range(hosts):
        task = lists.first[scratch.hosts[g]]
        while task >= 0:
            scratch.task[number], scratch.old[number] = task, scratch.hosts[g]
            number += 1
            task = lists.following[task]
    return number


@inner
def _add_open(lists, scratch, number, wanted):
    """Add the task that is wanted, and some others that are left over; returns how many tasks there are now."""
    removed = number
    scratch.task[number], scratch.old[number] = wanted, -1
    number += 1
    for _ in range(min(OTHERS, lists.open_count[0] - 1)):
        task = lists.open[draw(lists.random, lists.open_count[0])]
        known = False
        for i in range(removed, number):
            known |= scratch.task[i] == task
        if not known:
            scratch.task[number], scratch.old[number] = task, -1
            number += 1
    return number


@inner
def _rank(lists, scratch, number):
    """The order in which the tasks are placed: the largest first, of one step in four the smallest, with some noise."""
    sign = -1.0 if draw(lists.random, 4) == 0 else 1.0
    for i in range(number):
        noise = 0.75 + draw(lists.random, 1024) / 2048.0
        scratch.key[i] = sign * noise * lists.size[scratch.task[i]]
        k = i
        while k > 0 and scratch.key[scratch.order[k - 1]] < scratch.key[i]:
            scratch.order[k] = scratch.order[k - 1]
            k -= 1
        scratch.order[k] = i


@inner
def _empty(requests, tasks, scratch, hosts, removed):
    """Take all tasks off the hosts, and keep in `scratch` what was there."""
    for g in range(hosts):
        h = scratch.hosts[g]
        _copy(scratch.free, g, tasks.free, h)
        _copy(scratch.load, g, tasks.load, h)
        _copy(scratch.cards, g, tasks.cards, h)
        _copy(tasks.free, h, tasks.hard_room, h)
        for f in range(tasks.load.shape[1]):
            tasks.load[h, f] = 0.0
        for c in range(tasks.cards.shape[1]):
            tasks.cards[h, c] = 1.0 if requests.kind[h, c] >= 0 else -1.0
    for i in range(removed):
        _copy(scratch.taken, i, tasks.taken, scratch.task[i])
        _clear(tasks.taken, scratch.task[i])


@inner
def _fill(requests, tasks, lists, scratch, hosts, number, tolerance):
    """Place the tasks on the empty hosts by best fit; returns how many have a host, and their size in all."""
    placed, size = 0, 0.0
    for k in range(number):
        i = scratch.order[k]
        task = scratch.task[i]
        chosen, rest = -1, np.inf
        for g in range(hosts):
            h = scratch.hosts[g]
            if not has_room(tasks, h, task, tolerance) or not fits_on_cards(requests, tasks.cards, h, task):
                continue
            left = 0.0
            for d in range(tasks.free.shape[1]):
                left += tasks.free[h, d]
            if left < rest:
                chosen, rest = h, left
        scratch.new[i] = chosen
        if chosen < 0:
            continue
        take_cards(requests, tasks.cards, chosen, task, tasks.taken)
        for d in range(tasks.hard.shape[1]):
            tasks.free[chosen, d] -= tasks.hard[task, d]
        for f in range(tasks.need.shape[1]):
            tasks.load[chosen, f] += tasks.need[task, f]
        placed += 1
        size += lists.size[task]
    return placed, size


@inner
def _accept(tasks, lists, scratch, hosts, number):
    """Write the new hosts into the lists."""
    for g in range(hosts):
        lists.first[scratch.hosts[g]] = -1
        lists.number[scratch.hosts[g]] = 0
    for i in range(number):
        task, h = scratch.task[i], scratch.new[i]
        tasks.host[task] = h
        if h >= 0:
            lists.following[task] = lists.first[h]
            lists.first[h] = task
            lists.number[h] += 1
        elif scratch.old[i] >= 0:
            lists.open[lists.open_count[0]] = task
            lists.open_count[0] += 1
    kept = 0
    for k in range(lists.open_count[0]):
        if tasks.host[lists.open[k]] < 0:
            lists.open[kept] = lists.open[k]
            kept += 1
    lists.open_count[0] = kept


@inner
def _take_back(tasks, scratch, hosts, removed, number):
    """Put everything back as it was before the step."""
    for g in range(hosts):
        h = scratch.hosts[g]
        _copy(tasks.free, h, scratch.free, g)
        _copy(tasks.load, h, scratch.load, g)
        _copy(tasks.cards, h, scratch.cards, g)
    for i in range(number):
        if i < removed:
            _copy(tasks.taken, scratch.task[i], scratch.taken, i)
        else:
            _clear(tasks.taken, scratch.task[i])


@inner
def _copy(target, row, source, other):
    for k in range(target.shape[1]):
        target[row, k] = source[other, k]


@inner
def _clear(target, row):
    for k in range(target.shape[1]):
        target[row, k] = False
