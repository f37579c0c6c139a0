"""When tasks end as Slurm guesses, compiled: in windows, and what hosts have free behind each (rule Q15).

All of it stands for every row until something starts: windows by set of hosts, hosts that hold a task by demand.
"""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,untyped-decorator,assignment"

import numpy as np

from loadmaster.backfilling.board_arrays import STARTED
from loadmaster.backfilling.slurm_arrays import ENDS, PLACES, TABLE
from loadmaster.backfilling.slurm_table_kernel import count_bits
from loadmaster.heap_kernel import drop_first, push
from loadmaster.kernels import inner


@inner
def guess_ends(ends, now, slurm):
    """List the running tasks by the end that Slurm guesses; of equal ones, as they stand in `ends`."""
    many, late = ends.many[0], 0
    while late < many and ends.end[late].end_s <= now.now_s:
        late += 1
    heaped = 0
    for i in range(late):
        heaped = push(slurm.key_s, slurm.number, heaped, _guess(ends, now, slurm.rules, i), i)
    at, i = 0, late
    while heaped > 0 or i < many:
        if heaped > 0 and (i == many or slurm.key_s[0] <= ends.end[i].end_s):
            _write(slurm, at, slurm.key_s[0], ends.end[slurm.number[0]].host, ends.end[slurm.number[0]].kind)
            heaped = drop_first(slurm.key_s, slurm.number, heaped)
        else:
            _write(slurm, at, ends.end[i].end_s, ends.end[i].host, ends.end[i].kind)
            i += 1
        at += 1
    slurm.size[ENDS], slurm.size[PLACES] = many, 0
    slurm.size[TABLE] += 1


@inner
def _guess(ends, now, rules, i):
    """When a task that has outlived its limit is over."""
    limit_s, start_s = ends.end[i].end_s, ends.end[i].start_s
    if rules.forgives:
        return now.now_s + 1.0 if np.isnan(start_s) else now.now_s + (limit_s - start_s)
    return max(limit_s + rules.late_s, now.now_s + 1.0)


@inner
def _write(slurm, at, end_s, host, kind):
    slurm.end[at].end_s, slurm.end[at].host, slurm.end[at].kind = end_s, host, kind


@inner
def note_started(rows, board, now, slurm):
    """Put the ends of all that has started since the last time among the others, behind equal ones."""
    for place in range(slurm.size[PLACES], board.tally[STARTED]):
        row = board.place[place].row
        end_s = now.now_s + rows.of[row].expected_s
        first, last = board.place[place].first, board.place[place + 1].first
        i, more = slurm.size[ENDS], last - first
        while i > 0 and slurm.end[i - 1].end_s > end_s:
            i -= 1
            _write(slurm, i + more, slurm.end[i].end_s, slurm.end[i].host, slurm.end[i].kind)
        for at in range(first, last):
            _write(slurm, i + at - first, end_s, board.started_host[at], rows.of[row].kind)
        slurm.size[ENDS] += more
        slurm.size[TABLE] += 1
    slurm.size[PLACES] = board.tally[STARTED]


@inner
def windows_of(rows, hosts, room, now, slurm, row):
    """The place of the windows of the row's hosts, made where they do not stand."""
    group = np.int64(rows.of[row].hosts)
    place = group % slurm.look.shape[0]
    built = slurm.size[TABLE] * np.int64(hosts.allowed.shape[0]) + group
    if slurm.look[place].built != built:
        slurm.look[place].built = built
        slurm.look[place].windows = _lay_out(rows, hosts, room, now, slurm, group, place)
    return place


@inner
def _lay_out(rows, hosts, room, now, slurm, group, place):
    """Window after window up to the horizon; returns how many there are, now among them."""
    allowed, window_s, resources = hosts.allowed[group], 30.0, room.free.shape[1]
    for host in range(room.free.shape[0]):
        for r in range(resources):
            slurm.free[place, 0, r, host] = room.free[host, r]
    slurm.window_s[place, 0] = now.now_s
    n, at = 0, _next(slurm, 0, allowed)
    while at < slurm.size[ENDS] and n + 1 < slurm.window_s.shape[1]:
        n += 1
        until_s = slurm.end[at].end_s + window_s
        for r in range(resources):
            for host in range(allowed.shape[0]):
                slurm.free[place, n, r, host] = slurm.free[place, n - 1, r, host]
        while at < slurm.size[ENDS] and slurm.end[at].end_s <= until_s:
            end = slurm.end[at]
            slurm.window_s[place, n] = end.end_s
            for r in range(resources):
                slurm.free[place, n, r, end.host] += rows.demand[end.kind, r]
            at = _next(slurm, at + 1, allowed)
        window_s = window_s + slurm.rules.window_linear_s if slurm.rules.window_linear_s > 0.0 else 2.0 * window_s
    return n + 1


@inner
def _next(slurm, at, allowed):
    """The first end from `at` on that is on one of these hosts."""
    while at < slurm.size[ENDS] and not allowed[slurm.end[at].host]:
        at += 1
    return at


@inner
def demand_of(rows, slurm, row):
    """The place at which it is remembered which hosts hold a task of the row."""
    key = np.int64(rows.of[row].hosts) * rows.demand.shape[0] + rows.of[row].kind
    place = key % slurm.able.shape[0]
    if slurm.able[place].key != key:
        slurm.able[place].key = key
        slurm.able[place].built = -1
        slurm.able[place].wide = _most_on_one(rows, slurm, row)
    if slurm.able[place].built != slurm.size[TABLE]:
        slurm.able[place].built = slurm.size[TABLE]
        slurm.how_many[place, :] = -1
    return place


@inner
def _most_on_one(rows, slurm, row):
    """No host holds more tasks of the row than that, however they are counted."""
    kind, most = rows.of[row].kind, np.int64(2**31)
    for r in range(rows.demand.shape[1]):
        asked = rows.demand[kind, r]
        if 1.5 * asked > slurm.most[r]:
            most = min(most, np.int64(1))
        elif asked > 0.0:
            most = min(most, np.int64(min(slurm.most[r] / asked, 2.0**30)) + 1)
    return most


@inner
def hosts_needed(rows, slurm, place, row):
    """So many hosts at least are needed for all tasks of the row."""
    wide = slurm.able[place].wide
    return (np.int64(rows.of[row].tasks) + wide - 1) // wide


@inner
def hosts_with_room(rows, hosts, slurm, row, group, place, window):
    """How many of the row's hosts hold a task of it behind that window; their bits stand in `fits`."""
    if slurm.how_many[place, window] < 0:
        kind, resources = rows.of[row].kind, rows.demand.shape[1]
        allowed, bits = hosts.allowed[rows.of[row].hosts], slurm.fits[place, window]
        free = slurm.free[group, window]
        for word in range(bits.shape[0]):
            found = np.uint64(0)
            for bit in range(min(64, allowed.shape[0] - 64 * word)):
                fits = allowed[64 * word + bit]
                for r in range(resources):
                    fits &= free[r, 64 * word + bit] >= rows.demand[kind, r]
                found |= np.uint64(fits) << np.uint64(bit)
            bits[word] = found
        slurm.how_many[place, window] = count_bits(bits)
    return slurm.how_many[place, window]
