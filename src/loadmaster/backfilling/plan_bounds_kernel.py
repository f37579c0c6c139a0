"""When rows could start at the soonest on each host of a pass's plan, compiled: lower bounds shared by a class of rows.

What is held makes starts later, so that a bound stays one. What is given back is listed, and a class that is asked next
lowers its bounds by what has been added since. Bounds stand in blocks of hosts with the least of each, so that hosts
which are busy for long are passed over by the block.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.availability_kernel import first_on
from loadmaster.backfilling.start_bounds_kernel import BLOCK
from loadmaster.jit.kernels import inner


@inner
def begin_bounds(outlook):
    """The plan is a new one: nothing is known of it."""
    outlook.soon.freed[0] += 2 * outlook.soon.freed_host.shape[0]


@inner
def note_freed(outlook, host, from_s):
    """Something was given back on a host from then on."""
    soon = outlook.soon
    at = soon.freed[0] % soon.freed_host.shape[0]
    soon.freed_host[at], soon.freed_s[at] = host, from_s
    soon.freed[0] += 1


@inner
def let_start(view, outlook, now, row, asker):
    """What the row is promised is free: rows of the class of `asker` may start sooner on those hosts."""
    kind, first = class_of(view.rows, view.hosts, outlook, now, asker), view.rows.of[row].first_host
    for at in range(first, first + view.rows.of[row].tasks):
        _lower(outlook.soon, kind, view.board.promised_host[at], view.board.promised[row].start_s, now)


@inner
def class_of(rows, hosts, outlook, now, row):
    """The class of the row, whose bounds are then true of the plan as it is."""
    soon, expected_s = outlook.soon, rows.of[row].expected_s / hosts.speed[0]
    kind = np.int64(soon.of[row])
    if expected_s < soon.short_s[kind] or expected_s > soon.long_s[kind]:  # what is expected of it has been corrected
        soon.short_s[kind] = min(soon.short_s[kind], expected_s)
        soon.long_s[kind] = max(soon.long_s[kind], expected_s)
        soon.known[kind] = -1
    if not _catch_up(soon, kind, now):
        _begin_class(outlook, kind, now)
    return kind


@inner
def _catch_up(soon, kind, now):
    """Lower the bounds of a class by what was given back since it was asked; False if that is too much, or all."""
    known, freed = soon.known[kind], soon.freed[0]
    soon.known[kind] = freed
    if known < 0 or freed - known > min(soon.freed_host.shape[0], soon.soon_s.shape[1]):
        return False
    for entry in range(known, freed):
        at = entry % soon.freed_host.shape[0]
        _lower(soon, kind, soon.freed_host[at], soon.freed_s[at], now)
    return True


@inner
def _lower(soon, kind, host, free_s, now):
    """What is free on a host from then on might let a row of the class start; a second off, for rounding."""
    time_s = max(now.now_s, free_s - soon.long_s[kind] - 1.0)
    soon.soon_s[kind, host] = min(soon.soon_s[kind, host], time_s)
    soon.block_s[kind, host // BLOCK] = min(soon.block_s[kind, host // BLOCK], time_s)


@inner
def _begin_class(outlook, kind, now):
    """Begin with the bounds of the next shorter rows of the same demand of which any are known.

    Those of the shortest are worked out for all hosts.
    """
    soon = outlook.soon
    shortest = kind
    while soon.shorter[shortest] >= 0:
        shortest = np.int64(soon.shorter[shortest])
    if shortest == kind or not _catch_up(soon, shortest, now):
        for host in range(soon.soon_s.shape[1]):
            soon.soon_s[shortest, host] = now.now_s
            bound_on(outlook, shortest, host, np.inf)
        for block in range(soon.block_s.shape[1]):
            renew_block(soon, shortest, block)
    if shortest == kind:
        return
    shorter = np.int64(soon.shorter[kind])
    while shorter >= 0 and (soon.known[shorter] != soon.freed[0] or soon.short_s[shorter] > soon.short_s[kind]):
        shorter = np.int64(soon.shorter[shorter])
    for host in range(soon.soon_s.shape[1]):
        soon.soon_s[kind, host] = soon.soon_s[shorter, host] if shorter >= 0 else now.now_s
    for block in range(soon.block_s.shape[1]):
        soon.block_s[kind, block] = soon.block_s[shorter, block] if shorter >= 0 else now.now_s


@inner
def likely_host(room, allowed, soon, kind):
    """The host with the lowest bound in the block with the lowest, of those that may be used, -1 if none; the block."""
    likely, block, least_s = np.int64(-1), np.int64(0), np.inf
    for each in range(soon.block_s.shape[1]):
        if soon.block_s[kind, each] < least_s:
            block, least_s = np.int64(each), soon.block_s[kind, each]
    least_s = np.inf
    for host in range(block * BLOCK, min((block + 1) * BLOCK, soon.soon_s.shape[1])):
        if soon.soon_s[kind, host] < least_s and room.open[host] and allowed[host]:
            likely, least_s = np.int64(host), soon.soon_s[kind, host]
    return likely, block


@inner
def bound_on(outlook, kind, host, latest_s):
    """The bound of a class on a host, made exact unless it is after `latest_s`."""
    soon = outlook.soon
    if soon.soon_s[kind, host] <= latest_s:
        need = soon.need[kind]
        soon.soon_s[kind, host] = first_on(
            outlook, host, need, need.shape[0], soon.short_s[kind], soon.soon_s[kind, host], latest_s
        )
    return soon.soon_s[kind, host]


@inner
def renew_block(soon, kind, block):
    """Make the least of a block exact."""
    least_s = np.inf
    for host in range(block * BLOCK, min((block + 1) * BLOCK, soon.soon_s.shape[1])):
        least_s = min(least_s, soon.soon_s[kind, host])
    soon.block_s[kind, block] = least_s
