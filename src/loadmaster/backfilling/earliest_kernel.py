"""The first moment at which a row fits beside all that is held, compiled: the same as `earliest` of each plain plan."""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,untyped-decorator"

import numpy as np

from loadmaster.backfilling.board_arrays import STATUS
from loadmaster.backfilling.choice_kernel import choose, tasks_in
from loadmaster.backfilling.outlook_kernel import covering, end_of, first_on, has_room, hold, least
from loadmaster.backfilling.plan_kernel import hold_all, hold_count, place_at, shut_until
from loadmaster.heap_kernel import drop_first, push
from loadmaster.kernels import inner


@inner
def earliest(rows, hosts, calendar, room, board, outlook, rate, now, row):
    """Hold hosts for the row from the first moment on at which it fits; that moment, infinite if there is none."""
    if not has_room(board, outlook, 2 * rows.of[row].tasks, outlook.size[0]):
        return np.inf
    if now.as_pool:
        return _first_count(rows, hosts, outlook, now, row)
    if now.several_speeds:
        return _first_at_speed(rows, hosts, calendar, room, board, outlook, rate, now, row)
    if rows.of[row].tasks == 1:
        return _first_of_one(rows, hosts, calendar, room, board, outlook, rate, now, row)
    if calendar.time.shape[0] > 0:
        return _first_at_speed(rows, hosts, calendar, room, board, outlook, rate, now, row)
    return _first_of_several(rows, hosts, room, board, outlook, rate, now, row)


@inner
def _first_of_one(rows, hosts, calendar, room, board, outlook, rate, now, row):
    """The same for a single task on hosts of one speed: the first host in time is it."""
    demand, expected_s = rows.demand[rows.of[row].kind], rows.of[row].expected_s / hosts.speed[0]
    allowed = hosts.allowed[rows.of[row].hosts]
    best_s, able = np.inf, 0
    for host in range(room.open.shape[0]):
        if not room.open[host] or not allowed[host]:
            continue
        start_s = _first_open(calendar, outlook, row, host, demand, expected_s, now.now_s, best_s)
        if start_s < best_s:
            best_s, able = start_s, 0
        if start_s == best_s and start_s < np.inf:
            outlook.able[able] = host
            able += 1
    if best_s == np.inf:
        return np.inf
    end_s = end_of(best_s, expected_s)
    for i in range(able):
        least(outlook, outlook.able[i], best_s, end_s)
    if not choose(rows, hosts, room, board, outlook, rate, now, row, able):
        return np.inf
    hold(outlook, room.host[0], best_s, end_s, demand, demand.shape[0], 1.0)
    return best_s


@inner
def _first_open(calendar, outlook, row, host, demand, expected_s, from_s, latest_s):
    """As `first_on`, where closures keep the row from the host at times."""
    while True:
        start_s = first_on(outlook, host, demand, demand.shape[0], expected_s, from_s, latest_s)
        if start_s > latest_s or start_s == np.inf:
            return start_s
        until_s = shut_until(calendar, row, host, start_s, end_of(start_s, expected_s))
        if until_s == start_s:
            return start_s
        if until_s == np.inf:
            return np.inf
        from_s = until_s


@inner
def _first_of_several(rows, hosts, room, board, outlook, rate, now, row):
    """The same for several tasks on hosts of one speed: those hosts in time that can hold any, until all are held.

    A host can hold more only from one of its own steps on.
    """
    demand, expected_s = rows.demand[rows.of[row].kind], rows.of[row].expected_s / hosts.speed[0]
    allowed = hosts.allowed[rows.of[row].hosts]
    turns = able = 0
    for host in range(room.open.shape[0]):
        if room.open[host] and allowed[host]:
            first_s = first_on(outlook, host, demand, demand.shape[0], expected_s, now.now_s, np.inf)
            if first_s < np.inf:
                turns = push(outlook.turn_s, outlook.turn_host, turns, first_s, host)
    next_s = np.inf
    while True:
        start_s = min(next_s, outlook.turn_s[0]) if turns > 0 else next_s
        if start_s == np.inf:
            return np.inf
        while turns > 0 and outlook.turn_s[0] <= start_s:
            outlook.able[able] = outlook.turn_host[0]
            turns = drop_first(outlook.turn_s, outlook.turn_host, turns)
            able += 1
        end_s, next_s = end_of(start_s, expected_s), np.inf
        total, i = np.int64(0), 0
        while i < able:
            host = outlook.able[i]
            least(outlook, host, start_s, end_s)
            held = tasks_in(outlook.window, host, rows.demand, rows.of[row].kind, rows.of[row].tasks)
            if held > 0:
                total, i = total + held, i + 1
                following = outlook.step[covering(outlook, host, start_s)].next
                if following >= 0:
                    next_s = min(next_s, outlook.step[following].start_s)
                continue
            able -= 1
            outlook.able[i] = outlook.able[able]
            first_s = first_on(outlook, host, demand, demand.shape[0], expected_s, start_s, np.inf)
            if first_s < np.inf:
                turns = push(outlook.turn_s, outlook.turn_host, turns, first_s, host)
        if total >= rows.of[row].tasks:
            break
    if not choose(rows, hosts, room, board, outlook, rate, now, row, able):
        return np.inf
    hold_all(rows, room.host, 0, outlook, row, start_s, end_s, 1.0)
    return start_s


@inner
def _first_at_speed(rows, hosts, calendar, room, board, outlook, rate, now, row):
    """The same for any row: moment after moment, those alone at which enough is free."""
    kind, tasks, many = rows.of[row].kind, rows.of[row].tasks, room.open.shape[0]
    allowed = hosts.allowed[rows.of[row].hosts]
    turns, free = 0, np.int64(0)
    for host in range(many):
        at = outlook.chain[host].first
        outlook.chain[host].last = at
        usable = room.open[host] and allowed[host]
        outlook.chain[host].held = tasks_in(outlook.step_free, at, rows.demand, kind, tasks) if usable else -1
        free += max(outlook.chain[host].held, 0)
        if outlook.step[at].next >= 0:
            turns = push(outlook.turn_s, outlook.turn_host, turns, outlook.step[outlook.step[at].next].start_s, host)
    start_s = now.now_s
    while True:
        if free >= tasks:
            if place_at(rows, hosts, calendar, room, board, outlook, rate, now, row, start_s, board.everywhere):
                return start_s
            if board.tally[STATUS]:
                return np.inf
        start_s = _next_change(calendar, start_s)
        if turns > 0:
            start_s = min(start_s, outlook.turn_s[0])
        if start_s == np.inf:
            return np.inf
        while turns > 0 and outlook.turn_s[0] == start_s:
            host = outlook.turn_host[0]
            turns = drop_first(outlook.turn_s, outlook.turn_host, turns)
            at = outlook.step[outlook.chain[host].last].next
            outlook.chain[host].last = at
            if outlook.chain[host].held >= 0:
                held = tasks_in(outlook.step_free, at, rows.demand, kind, tasks)
                free += held - outlook.chain[host].held
                outlook.chain[host].held = held
            if outlook.step[at].next >= 0:
                turns = push(
                    outlook.turn_s, outlook.turn_host, turns, outlook.step[outlook.step[at].next].start_s, host
                )


@inner
def _next_change(calendar, after_s):
    """The first moment after `after_s` at which a closure begins or ends; infinite if there is none."""
    next_s = np.inf
    for closure in range(calendar.time.shape[0]):
        if calendar.time[closure].from_s > after_s:
            next_s = min(next_s, calendar.time[closure].from_s)
        if calendar.time[closure].to_s > after_s:
            next_s = min(next_s, calendar.time[closure].to_s)
    return next_s


@inner
def _first_count(rows, hosts, outlook, now, row):
    """The same where hosts are counted."""
    tasks, expected_s = rows.of[row].tasks, rows.of[row].expected_s / hosts.speed[0]
    at = np.int64(outlook.chain[0].first)
    start_s, end_s = np.inf, np.inf
    while at >= 0 and outlook.step[at].start_s < end_s:
        if outlook.step_free[at, 0] < tasks:
            start_s, end_s = np.inf, np.inf
        elif start_s == np.inf:
            start_s = outlook.step[at].start_s
            end_s = end_of(start_s, expected_s)
        at = np.int64(outlook.step[at].next)
    if start_s < np.inf:
        hold_count(outlook, start_s, end_s, tasks)
    return start_s
