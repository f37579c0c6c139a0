"""The promise of a moment, compiled: the same as `loadmaster.backfilling.moment`, for several that share no host."""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,untyped-decorator"

import numpy as np

from loadmaster.backfilling.board_arrays import STARTED
from loadmaster.heap_kernel import drop_first, push
from loadmaster.kernels import inner
from loadmaster.place.room_kernel import held_by


@inner
def forget_moments(moments):
    """Promise no moment to anybody."""
    if moments.many[0] > 0:
        moments.owner[:] = -1
    moments.many[0] = 0


@inner
def counts_same_hosts(rows, hosts, moments, row):
    """Whether some moment counts a host that the row may use."""
    allowed = hosts.allowed[rows.hosts[row]]
    same = False
    for host in range(moments.owner.shape[0]):
        same |= allowed[host] and moments.owner[host] >= 0
    return same


@inner
def promise_moment(rows, hosts, room, ends, board, moments, now, row):
    """Promise the row the first moment at which it fits if all ends come when expected; returns it, infinite if never.

    Nobody who was promised a moment before may count a host of this row.
    """
    number = moments.many[0]
    moments.many[0] += 1
    moments.row[number] = row
    allowed, tasks = hosts.allowed[rows.hosts[row]], np.int64(rows.tasks[row])
    found = np.int64(0)
    for host in range(moments.owner.shape[0]):
        if allowed[host]:
            moments.owner[host] = number
            for r in range(room.free.shape[1]):
                moments.then[host, r] = room.free[host, r]
            moments.held[host] = _held(rows, moments, row, host)
            found += moments.held[host]
    shadow_s, soonest = now.now_s, np.nextafter(now.now_s, np.inf)
    started = _heap_of_started(rows, hosts, board, moments, now)
    running = 0
    while True:
        from_heap = started > 0 and (running == ends.many[0] or moments.end_s[0] < ends.end_s[running])
        if not from_heap and running == ends.many[0]:
            break
        next_s = max(moments.end_s[0] if from_heap else ends.end_s[running], soonest)
        if found >= tasks and next_s > shadow_s:
            break
        shadow_s = next_s
        if from_heap:
            place = moments.ending[0]
            started = drop_first(moments.end_s, moments.ending, started)
            kind = rows.kind[board.started[place]]
            for at in range(board.started_first[place], board.started_first[place + 1]):
                found += _returned(rows, moments, number, row, kind, board.started_host[at])
        else:
            found += _returned(rows, moments, number, row, ends.kind[running], ends.host[running])
            running += 1
    moments.slack[number] = found - tasks
    moments.shadow_s[number] = shadow_s if found >= tasks else np.inf
    return moments.shadow_s[number]


@inner
def _heap_of_started(rows, hosts, board, moments, now):
    size = 0
    for place in range(board.tally[STARTED]):
        slowest = np.inf
        for at in range(board.started_first[place], board.started_first[place + 1]):
            slowest = min(slowest, hosts.speed[board.started_host[at]])
        end_s = now.now_s + rows.expected_s[board.started[place]] / slowest
        size = push(moments.end_s, moments.ending, size, end_s, place)
    return size


@inner
def _returned(rows, moments, number, row, kind, host):
    """A task of demand number `kind` ends on a host; returns how many tasks of the row it holds more."""
    if moments.owner[host] != number:
        return np.int64(0)
    before = moments.held[host]
    for r in range(rows.demand.shape[1]):
        moments.then[host, r] += rows.demand[kind, r]
    if before < rows.tasks[row]:
        moments.held[host] = _held(rows, moments, row, host)
    return moments.held[host] - before


@inner
def _held(rows, moments, row, host):
    """Tasks of the row that the host holds then, at most all of them."""
    held = held_by(moments.then, host, rows.demand, rows.kind[row])
    return np.int64(min(float(rows.tasks[row]), max(held, 0.0)))


@inner
def is_outlasted(moments, until_s):
    """Whether some promised moment comes before `until_s`."""
    outlasted = False
    for number in range(moments.many[0]):
        outlasted |= moments.row[number] >= 0 and until_s > moments.shadow_s[number]
    return outlasted


@inner
def close_to_long(rows, room, moments, row, until_s):
    """Take hosts out of `usable` that a task of the row may not have beyond the promised moments."""
    kind = rows.kind[row]
    for host in range(room.usable.shape[0]):
        number = moments.owner[host]
        if not room.usable[host] or number < 0 or until_s <= moments.shadow_s[number]:
            continue
        fits = True
        for r in range(room.free.shape[1]):
            fits &= room.free[host, r] >= rows.demand[kind, r]
        room.usable[host] = fits and _cost(rows, moments, number, kind, host) <= moments.slack[number]


@inner
def _cost(rows, moments, number, kind, host):
    """How many tasks of the promised row the host would hold less with a task of demand number `kind`."""
    if moments.held[host] == 0:
        return np.int64(0)
    for r in range(moments.then.shape[1]):
        moments.then[host, r] -= rows.demand[kind, r]
    cost = moments.held[host] - _held(rows, moments, moments.row[number], host)
    for r in range(moments.then.shape[1]):
        moments.then[host, r] += rows.demand[kind, r]
    return cost


@inner
def take_for_long(rows, moments, kind, host, until_s, sign):
    """A task that goes on until then takes the host (`sign` 1), or gives it back (-1)."""
    number = moments.owner[host]
    if number < 0 or until_s <= moments.shadow_s[number]:
        return
    for r in range(moments.then.shape[1]):
        moments.then[host, r] -= sign * rows.demand[kind, r]
    held = _held(rows, moments, moments.row[number], host)
    moments.slack[number] -= moments.held[host] - held
    moments.held[host] = held


@inner
def forget_moment(moments, row):
    """Promise the row its moment no more."""
    for number in range(moments.many[0]):
        if moments.row[number] == row:
            moments.row[number] = -1
            for host in range(moments.owner.shape[0]):
                if moments.owner[host] == number:
                    moments.owner[host] = -1
