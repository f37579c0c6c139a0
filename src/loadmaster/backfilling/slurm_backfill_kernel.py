"""Slurm's backfill pass, compiled: the same as `loadmaster.backfilling.slurm_backfill`.

For a row that does not start now, time is swept once: what each host could hold follows the ends of running jobs, how
many reservations are in its way follows their beginnings and ends, and a moment is looked at more closely only if the
hosts without any could hold all tasks.
"""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,untyped-decorator"

import numpy as np

from loadmaster.backfilling.board_arrays import ODD, STARTED, STATUS
from loadmaster.backfilling.board_kernel import note_promise, start, write_promise
from loadmaster.backfilling.choice_kernel import choose, tasks_in
from loadmaster.backfilling.rows_kernel import next_row
from loadmaster.backfilling.slurm_arrays import ENDS, PLACES, RESERVATIONS, RESERVED_HOSTS
from loadmaster.kernels import inner


@inner
def backfill_pass(rows, hosts, calendar, room, board, outlook, scores, scan, rate, now, slurm):
    """Try the first rows; each is started, reserved whole hosts, or left."""
    tried, before = 0, board.tally[STARTED]
    row = next_row(rows, board, now, False, True)
    while row >= 0:
        if _is_counted(rows, slurm, row):
            if tried == slurm.test:
                return
            tried += 1
            _find_open(rows, calendar, now, slurm, row)
            if start(rows, hosts, calendar, room, board, None, outlook, scores, scan, rate, now, row, slurm.on):
                if 0 < slurm.start <= board.tally[STARTED] - before:
                    return
            elif not _is_for_now_only(rows, slurm, row):
                _note_started(rows, board, now, slurm)
                _reserve(rows, hosts, calendar, room, board, outlook, rate, now, slurm, row)
        row = next_row(rows, board, now, False, True)


@inner
def _is_counted(rows, slurm, row):
    """Whether the row is within every count of tries, in which it then counts."""
    claim, part = slurm.claim[row], rows.of[row].partition
    within = slurm.user == 0 or slurm.tried[claim.user].user < slurm.user
    within &= slurm.part == 0 or slurm.tried[part].part < slurm.part
    within &= slurm.user_part == 0 or slurm.tried[claim.user_part].user_part < slurm.user_part
    within &= slurm.assoc == 0 or slurm.tried[claim.assoc].assoc < slurm.assoc
    if within:
        slurm.tried[claim.user].user += 1
        slurm.tried[part].part += 1
        slurm.tried[claim.user_part].user_part += 1
        slurm.tried[claim.assoc].assoc += 1
    return within


@inner
def _is_for_now_only(rows, slurm, row):
    """Whether no host is to be kept for the row."""
    array = rows.of[row].array
    late = 0 < slurm.part_reserve <= slurm.tried[rows.of[row].partition].reserve
    many = array >= 0 and slurm.tried[max(array, 0)].array >= slurm.array_reserve
    return late or many or slurm.claim[row].now_only


@inner
def _find_open(rows, calendar, now, slurm, row):
    """Put the hosts into `on` that no reservation needs while the row would run from now on."""
    slurm.on[:] = True
    end_s = now.now_s + rows.of[row].expected_s
    for number in range(slurm.size[RESERVATIONS]):
        reserved = slurm.row[number]
        if reserved.to_s > now.now_s and reserved.from_s <= end_s and _is_shut(calendar, reserved, row):
            for at in range(reserved.first, reserved.first + reserved.many):
                slurm.on[slurm.host[at]] = False


@inner
def _is_shut(calendar, reserved, row):
    return reserved.closure < 0 or calendar.shut[max(reserved.closure, 0), row]


@inner
def _note_started(rows, board, now, slurm):
    """Put the ends of all that has started since the last time among those started, in the order of time."""
    for place in range(slurm.size[PLACES], board.tally[STARTED]):
        row = board.place[place].row
        end_s = now.now_s + rows.of[row].expected_s
        for at in range(board.place[place].first, board.place[place + 1].first):
            i = slurm.size[ENDS]
            while i > 0 and slurm.started[i - 1].end_s > end_s:
                slurm.started[i].end_s = slurm.started[i - 1].end_s
                slurm.started[i].host = slurm.started[i - 1].host
                slurm.started[i].kind = slurm.started[i - 1].kind
                i -= 1
            slurm.started[i].end_s = end_s
            slurm.started[i].host = board.started_host[at]
            slurm.started[i].kind = rows.of[row].kind
            slurm.size[ENDS] += 1
    slurm.size[PLACES] = board.tally[STARTED]


@inner
def _reserve(rows, hosts, calendar, room, board, outlook, rate, now, slurm, row):
    """Reserve whole hosts for the row from the first moment at which it fits, if that is within the window."""
    of, allowed = rows.of[row], hosts.allowed[rows.of[row].hosts]
    total = _lay_out(rows, room, outlook, slurm, row, allowed)
    running = started = began = ended = 0
    window_s, last_s = 30.0, now.now_s
    freed_s, running, started = _next_window(slurm, allowed, running, started, window_s)
    taken_running = taken_started = 0
    while True:
        while ended < slurm.size[RESERVATIONS] and slurm.row[slurm.by_to[ended]].to_s <= last_s:
            total -= _leave_way(rows, slurm, row, slurm.by_to[ended], allowed)
            ended += 1
        next_end_s = slurm.row[slurm.by_to[ended]].to_s if ended < slurm.size[RESERVATIONS] else np.inf
        time_s = min(freed_s, next_end_s)
        if time_s == np.inf or time_s > slurm.horizon_s:
            return
        while freed_s <= time_s:
            total += _give(rows, outlook, slurm, row, slurm.end, taken_running, running, allowed)
            total += _give(rows, outlook, slurm, row, slurm.started, taken_started, started, allowed)
            taken_running, taken_started = running, started
            window_s = window_s + slurm.window_linear_s if slurm.window_linear_s > 0.0 else 2.0 * window_s
            freed_s, running, started = _next_window(slurm, allowed, running, started, window_s)
        while ended < slurm.size[RESERVATIONS] and slurm.row[slurm.by_to[ended]].to_s <= time_s:
            total -= _leave_way(rows, slurm, row, slurm.by_to[ended], allowed)
            ended += 1
        while began < slurm.size[RESERVATIONS] and slurm.row[slurm.by_from[began]].from_s <= time_s + of.expected_s:
            total -= _stand_in_way(calendar, slurm, row, slurm.by_from[began], time_s, allowed)
            began += 1
        if total >= of.tasks:
            if _choose(rows, hosts, room, board, outlook, rate, now, slurm, row, allowed):
                _write_reservation(rows, room, board, now, slurm, row, time_s)
            return
        last_s = time_s


@inner
def _lay_out(rows, room, outlook, slurm, row, allowed):
    """What every host has free now, and how many tasks of the row it holds; returns how many all hold."""
    total = np.int64(0)
    for host in range(allowed.shape[0]):
        slurm.blocked[host] = 0
        for r in range(room.free.shape[1]):
            outlook.window[host, r] = room.free[host, r]
        slurm.held[host] = 0
        if allowed[host]:
            slurm.held[host] = tasks_in(outlook.window, host, rows.demand, rows.of[row].kind, rows.of[row].tasks)
            total += slurm.held[host]
    for number in range(slurm.size[RESERVATIONS]):
        slurm.row[number].until = -1
    return total


@inner
def _next_window(slurm, allowed, running, started, window_s):
    """The last end of the window that begins with the next end on a host of the row, and where it is over.

    Infinite if nothing ends any more.
    """
    running = _skip(slurm.end, slurm.end.shape[0], running, allowed)
    started = _skip(slurm.started, slurm.size[ENDS], started, allowed)
    first_s = slurm.end[running].end_s if running < slurm.end.shape[0] else np.inf
    if started < slurm.size[ENDS]:
        first_s = min(first_s, slurm.started[started].end_s)
    if first_s == np.inf:
        return np.inf, running, started
    until_s, last_s = first_s + window_s, first_s
    while running < slurm.end.shape[0] and slurm.end[running].end_s <= until_s:
        last_s = max(last_s, slurm.end[running].end_s)
        running = _skip(slurm.end, slurm.end.shape[0], running + 1, allowed)
    while started < slurm.size[ENDS] and slurm.started[started].end_s <= until_s:
        last_s = max(last_s, slurm.started[started].end_s)
        started = _skip(slurm.started, slurm.size[ENDS], started + 1, allowed)
    return last_s, running, started


@inner
def _skip(ends, many, at, allowed):
    """The first of the ends from `at` on that is on a host of the row."""
    while at < many and not allowed[ends[at].host]:
        at += 1
    return at


@inner
def _give(rows, outlook, slurm, row, ends, first, last, allowed):
    """Give back what tasks `first` to `last` hold; returns how many more tasks of the row fit."""
    more = np.int64(0)
    for i in range(first, last):
        host = ends[i].host
        if allowed[host]:
            for r in range(rows.demand.shape[1]):
                outlook.window[host, r] += rows.demand[ends[i].kind, r]
            held = slurm.held[host]
            if held < rows.of[row].tasks:
                held = tasks_in(outlook.window, host, rows.demand, rows.of[row].kind, rows.of[row].tasks)
            if slurm.blocked[host] == 0:
                more += held - slurm.held[host]
            slurm.held[host] = held
    return more


@inner
def _stand_in_way(calendar, slurm, row, number, time_s, allowed):
    """A reservation is in the row's way from now on, if it is not over; returns how many tasks fit no more."""
    less, reserved = np.int64(0), slurm.row[number]
    if reserved.to_s <= time_s or not _is_shut(calendar, reserved, row):
        return less
    reserved.until = row
    for at in range(reserved.first, reserved.first + reserved.many):
        host = slurm.host[at]
        if slurm.blocked[host] == 0 and allowed[host]:
            less += slurm.held[host]
        slurm.blocked[host] += 1
    return less


@inner
def _leave_way(rows, slurm, row, number, allowed):
    """A reservation is over; returns minus how many tasks fit again."""
    less, reserved = np.int64(0), slurm.row[number]
    if reserved.until != row:
        return less
    for at in range(reserved.first, reserved.first + reserved.many):
        host = slurm.host[at]
        slurm.blocked[host] -= 1
        if slurm.blocked[host] == 0 and allowed[host]:
            less -= slurm.held[host]
    return less


@inner
def _choose(rows, hosts, room, board, outlook, rate, now, slurm, row, allowed):
    able = 0
    for host in range(allowed.shape[0]):
        if allowed[host] and slurm.blocked[host] == 0 and slurm.held[host] > 0:
            outlook.able[able] = host
            able += 1
    if choose(rows, hosts, room, board, outlook, rate, now, row, able):
        return True
    board.tally[STATUS] = max(board.tally[STATUS], ODD)
    return False


@inner
def _write_reservation(rows, room, board, now, slurm, row, start_s):
    """Take the hosts at hand out of the table, whole, from one multiple of the resolution to another."""
    slot_s, number = slurm.resolution_s, slurm.size[RESERVATIONS]
    begin_s = np.floor(start_s / slot_s) * slot_s
    end_s = np.floor((start_s + rows.of[row].expected_s) / slot_s) * slot_s
    reserved = slurm.row[number]
    reserved.from_s, reserved.to_s, reserved.closure = begin_s, max(end_s, begin_s + slot_s), -1
    reserved.first, reserved.many = slurm.size[RESERVED_HOSTS], rows.of[row].tasks
    for k in range(rows.of[row].tasks):
        slurm.host[reserved.first + k] = room.host[k]
    slurm.size[RESERVED_HOSTS] += rows.of[row].tasks
    i = number
    while i > 0 and slurm.row[slurm.by_from[i - 1]].from_s > reserved.from_s:
        slurm.by_from[i] = slurm.by_from[i - 1]
        i -= 1
    slurm.by_from[i] = number
    i = number
    while i > 0 and slurm.row[slurm.by_to[i - 1]].to_s > reserved.to_s:
        slurm.by_to[i] = slurm.by_to[i - 1]
        i -= 1
    slurm.by_to[i] = number
    slurm.size[RESERVATIONS] += 1
    write_promise(rows, room, board, now, row, start_s)
    note_promise(board, row)
    slurm.tried[rows.of[row].partition].reserve += 1
    if rows.of[row].array >= 0:
        slurm.tried[rows.of[row].array].array += 1
