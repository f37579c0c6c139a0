"""Shadow times, compiled: the same as `loadmaster.backfilling.shadow_time`, for several that share no host."""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.host_choice_kernel import lacks
from loadmaster.backfilling.node_count_kernel import asks_for_hosts, fits_apart, keep_a_way, none_held
from loadmaster.backfilling.pass_arrays import STARTED
from loadmaster.jit.heap_kernel import drop_first, push
from loadmaster.jit.kernels import inner
from loadmaster.place.room_kernel import find, held_by

A_FEW = 8
"""Hosts that are looked at one after another, before all are."""


@inner
def forget_moments(moments):
    """Promise no moment to anybody."""
    if moments.many[0] > 0:
        for host in range(moments.counted.shape[0]):
            moments.counted[host].owner = -1
    moments.many[0] = 0


@inner
def counts_same_hosts(rows, hosts, moments, row):
    """Whether some moment counts a host that the row may use."""
    allowed = hosts.allowed[rows.of[row].hosts]
    same = False
    for host in range(moments.counted.shape[0]):
        same |= allowed[host] and moments.counted[host].owner >= 0
    return same


@inner
def promise_moment(view, moments, now, row):
    """Promise the row the first moment at which it fits if all ends come when expected; returns it, infinite if never.

    Nobody who was promised a moment before may count a host of this row.
    """
    number = moments.many[0]
    moments.many[0] += 1
    moments.promise[number].row = row
    allowed, tasks = view.hosts.allowed[view.rows.of[row].hosts], np.int64(view.rows.of[row].tasks)
    found = np.int64(0)
    for host in range(moments.counted.shape[0]):
        if allowed[host]:
            moments.counted[host].owner = number
            for r in range(view.room.free.shape[1]):
                moments.then[host, r] = view.room.free[host, r]
            moments.counted[host].held = _held(view.rows, moments, row, host)
            found += moments.counted[host].held
    shadow_s, soonest = now.now_s, np.nextafter(now.now_s, np.inf)
    started = _heap_of_started(view, now)
    running = 0
    while True:
        from_heap = started > 0 and (running == view.ends.many[0] or view.board.key_s[0] < view.ends.end[running].end_s)
        if not from_heap and running == view.ends.many[0]:
            break
        next_s = max(view.board.key_s[0] if from_heap else view.ends.end[running].end_s, soonest)
        if next_s > shadow_s and _are_enough(view.rows, view.room, moments, number, row, found):
            break
        shadow_s = next_s
        if from_heap:
            place = view.board.heap[0]
            started = drop_first(view.board.key_s, view.board.heap, started)
            kind = view.rows.of[view.board.place[place].row].kind
            for at in range(view.board.place[place].first, view.board.place[place + 1].first):
                found += _returned(view.rows, moments, number, row, kind, view.board.started_host[at])
        else:
            found += _returned(
                view.rows, moments, number, row, view.ends.end[running].kind, view.ends.end[running].host
            )
            running += 1
    moments.promise[number].slack = found - tasks
    moments.promise[number].shadow_s = (
        shadow_s if _are_enough(view.rows, view.room, moments, number, row, found) else np.inf
    )
    return moments.promise[number].shadow_s


@inner
def _are_enough(rows, room, moments, number, row, found):
    """Whether the row fits on hosts that hold `found` tasks of it."""
    if found < rows.of[row].tasks or not asks_for_hosts(rows, row):
        return found >= rows.of[row].tasks
    _count_held(rows, room, moments, number, row)
    return fits_apart(rows, room, row)


@inner
def _heap_of_started(view, now):
    size = 0
    for place in range(view.board.tally[STARTED]):
        slowest = np.inf
        for at in range(view.board.place[place].first, view.board.place[place + 1].first):
            slowest = min(slowest, view.hosts.speed[view.board.started_host[at]])
        end_s = now.now_s + view.rows.of[view.board.place[place].row].expected_s / slowest
        size = push(view.board.key_s, view.board.heap, size, end_s, place)
    return size


@inner
def _returned(rows, moments, number, row, kind, host):
    """A task of demand number `kind` ends on a host; returns how many tasks of the row it holds more."""
    if moments.counted[host].owner != number:
        return np.int64(0)
    before = moments.counted[host].held
    for r in range(rows.demand.shape[1]):
        moments.then[host, r] += rows.demand[kind, r]
    if before < rows.of[row].tasks:
        moments.counted[host].held = _held(rows, moments, row, host)
    return moments.counted[host].held - before


@inner
def _held(rows, moments, row, host):
    """Tasks of the row that the host holds then, at most all of them."""
    held = held_by(moments.then, host, rows.demand, rows.of[row].kind)
    return np.int64(min(float(rows.of[row].tasks), max(held, 0.0)))


@inner
def is_outlasted(moments, until_s):
    """Whether some promised moment comes before `until_s`."""
    outlasted = False
    for number in range(moments.many[0]):
        outlasted |= moments.promise[number].row >= 0 and until_s > moments.promise[number].shadow_s
    return outlasted


@inner
def find_for_long(view, moments, scan, now, row, k, until_s):
    """As `find`, for a task that goes on until then: no promised moment before may suffer."""
    apart = asks_for_hosts(view.rows, row)
    if not (now.varies or apart):
        for _ in range(A_FEW):
            host = find(view, scan, now, row, k, True)
            if host < 0 or _may_have(view.rows, view.room, moments, row, host, until_s):
                return host
            view.room.usable[host] = False
    for host in range(view.room.usable.shape[0]):
        if view.room.usable[host] and not lacks(view.room.free, host, view.rows.demand, view.rows.of[row].kind):
            view.room.usable[host] = _may_have(view.rows, view.room, moments, row, host, until_s)
    if apart:
        keep_a_way(view.rows, view.room, view.room.free, row, k)
    return find(view, scan, now, row, k, True)


@inner
def _may_have(rows, room, moments, row, host, until_s):
    """Whether a task of the row may have the host, which has room for it now, until then."""
    number = moments.counted[host].owner
    if number < 0 or until_s <= moments.promise[number].shadow_s:
        return True
    cost = _cost(rows, moments, number, rows.of[row].kind, host)
    if not asks_for_hosts(rows, moments.promise[number].row):
        return cost <= moments.promise[number].slack
    return cost == 0 or _leaves_enough(rows, room, moments, number, host, cost)


@inner
def _leaves_enough(rows, room, moments, number, host, cost):
    """Whether the promised row, which asks for a number of hosts, fits if one of them holds so many tasks less."""
    head = np.int64(moments.promise[number].row)
    _count_held(rows, room, moments, number, head)
    held = moments.counted[host].held
    room.count[held] -= 1
    room.count[held - cost] += 1
    return fits_apart(rows, room, head)


@inner
def _count_held(rows, room, moments, number, row):
    """Count the hosts that the promise counts by how many tasks of the row they hold then."""
    none_held(room, rows.of[row].tasks)
    for host in range(moments.counted.shape[0]):
        if moments.counted[host].owner == number:
            room.count[moments.counted[host].held] += 1


@inner
def _cost(rows, moments, number, kind, host):
    """How many tasks of the promised row the host would hold less with a task of demand number `kind`."""
    if moments.counted[host].held == 0:
        return np.int64(0)
    for r in range(moments.then.shape[1]):
        moments.then[host, r] -= rows.demand[kind, r]
    cost = moments.counted[host].held - _held(rows, moments, moments.promise[number].row, host)
    for r in range(moments.then.shape[1]):
        moments.then[host, r] += rows.demand[kind, r]
    return cost


@inner
def take_for_long(rows, moments, kind, host, until_s, sign):
    """A task that goes on until then takes the host (`sign` 1), or gives it back (-1)."""
    number = moments.counted[host].owner
    if number < 0 or until_s <= moments.promise[number].shadow_s:
        return
    for r in range(moments.then.shape[1]):
        moments.then[host, r] -= sign * rows.demand[kind, r]
    held = _held(rows, moments, moments.promise[number].row, host)
    moments.promise[number].slack -= moments.counted[host].held - held
    moments.counted[host].held = held


@inner
def forget_moment(moments, row):
    """Promise the row its moment no more."""
    for number in range(moments.many[0]):
        if moments.promise[number].row == row:
            moments.promise[number].row = -1
            for host in range(moments.counted.shape[0]):
                if moments.counted[host].owner == number:
                    moments.counted[host].owner = -1


@inner
def forget_last_moment(moments):
    """The last moment was promised to nobody."""
    number = moments.many[0] - 1
    for host in range(moments.counted.shape[0]):
        if moments.counted[host].owner == number:
            moments.counted[host].owner = -1
    moments.many[0] = number


@inner
def put_off_moment(moments, row, until_s):
    """Let the moment promised to the row be another; returns which it was, infinite if it is promised none."""
    for number in range(moments.many[0]):
        if moments.promise[number].row == row:
            before_s = moments.promise[number].shadow_s
            moments.promise[number].shadow_s = until_s
            return before_s
    return np.inf
