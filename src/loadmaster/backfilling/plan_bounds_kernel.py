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
def begin_bounds(availability):
    """The plan is a new one: nothing is known of it."""
    availability.bounds.freed[0] += 2 * availability.bounds.freed_host.shape[0]


@inner
def note_freed(availability, host, from_s):
    """Something was given back on a host from then on."""
    bounds = availability.bounds
    at = bounds.freed[0] % bounds.freed_host.shape[0]
    bounds.freed_host[at], bounds.freed_s[at] = host, from_s
    bounds.freed[0] += 1


@inner
def let_start(view, availability, now, row, asker):
    """What the row is promised is free: rows of the class of `asker` may start sooner on those hosts."""
    kind, first = class_of(view.rows, view.hosts, availability, now, asker), view.rows.of[row].first_host
    for at in range(first, first + view.rows.of[row].tasks):
        _lower(availability.bounds, kind, view.this_pass.promised_host[at], view.this_pass.promised[row].start_s, now)


@inner
def class_of(rows, hosts, availability, now, row):
    """The class of the row, whose bounds are then true of the plan as it is."""
    bounds, expected_s = availability.bounds, rows.of[row].expected_s / hosts.speed[0]
    kind = np.int64(bounds.of[row])
    if (
        expected_s < bounds.short_s[kind] or expected_s > bounds.long_s[kind]
    ):  # what is expected of it has been corrected
        bounds.short_s[kind] = min(bounds.short_s[kind], expected_s)
        bounds.long_s[kind] = max(bounds.long_s[kind], expected_s)
        bounds.known[kind] = -1
    if not _catch_up(bounds, kind, now):
        _begin_class(availability, kind, now)
    return kind


@inner
def _catch_up(bounds, kind, now):
    """Lower the bounds of a class by what was given back since it was asked; False if that is too much, or all."""
    known, freed = bounds.known[kind], bounds.freed[0]
    bounds.known[kind] = freed
    if known < 0 or freed - known > min(bounds.freed_host.shape[0], bounds.soon_s.shape[1]):
        return False
    for entry in range(known, freed):
        at = entry % bounds.freed_host.shape[0]
        _lower(bounds, kind, bounds.freed_host[at], bounds.freed_s[at], now)
    return True


@inner
def _lower(bounds, kind, host, free_s, now):
    """What is free on a host from then on might let a row of the class start; a second off, for rounding."""
    time_s = max(now.now_s, free_s - bounds.long_s[kind] - 1.0)
    bounds.soon_s[kind, host] = min(bounds.soon_s[kind, host], time_s)
    bounds.block_s[kind, host // BLOCK] = min(bounds.block_s[kind, host // BLOCK], time_s)


@inner
def _begin_class(availability, kind, now):
    """Begin with the bounds of the next shorter rows of the same demand of which any are known.

    Those of the shortest are worked out for all hosts.
    """
    bounds = availability.bounds
    shortest = kind
    while bounds.shorter[shortest] >= 0:
        shortest = np.int64(bounds.shorter[shortest])
    if shortest == kind or not _catch_up(bounds, shortest, now):
        for host in range(bounds.soon_s.shape[1]):
            bounds.soon_s[shortest, host] = now.now_s
            bound_on(availability, shortest, host, np.inf)
        for block in range(bounds.block_s.shape[1]):
            renew_block(bounds, shortest, block)
    if shortest == kind:
        return
    shorter = np.int64(bounds.shorter[kind])
    while shorter >= 0 and (bounds.known[shorter] != bounds.freed[0] or bounds.short_s[shorter] > bounds.short_s[kind]):
        shorter = np.int64(bounds.shorter[shorter])
    for host in range(bounds.soon_s.shape[1]):
        bounds.soon_s[kind, host] = bounds.soon_s[shorter, host] if shorter >= 0 else now.now_s
    for block in range(bounds.block_s.shape[1]):
        bounds.block_s[kind, block] = bounds.block_s[shorter, block] if shorter >= 0 else now.now_s


@inner
def likely_host(room, allowed, bounds, kind):
    """The host with the lowest bound in the block with the lowest, of those that may be used, -1 if none; the block."""
    likely, block, least_s = np.int64(-1), np.int64(0), np.inf
    for each in range(bounds.block_s.shape[1]):
        if bounds.block_s[kind, each] < least_s:
            block, least_s = np.int64(each), bounds.block_s[kind, each]
    least_s = np.inf
    for host in range(block * BLOCK, min((block + 1) * BLOCK, bounds.soon_s.shape[1])):
        if bounds.soon_s[kind, host] < least_s and room.open[host] and allowed[host]:
            likely, least_s = np.int64(host), bounds.soon_s[kind, host]
    return likely, block


@inner
def bound_on(availability, kind, host, latest_s):
    """The bound of a class on a host, made exact unless it is after `latest_s`."""
    bounds = availability.bounds
    if bounds.soon_s[kind, host] <= latest_s:
        need = bounds.need[kind]
        bounds.soon_s[kind, host] = first_on(
            availability, host, need, need.shape[0], bounds.short_s[kind], bounds.soon_s[kind, host], latest_s
        )
    return bounds.soon_s[kind, host]


@inner
def renew_block(bounds, kind, block):
    """Make the least of a block exact."""
    least_s = np.inf
    for host in range(block * BLOCK, min((block + 1) * BLOCK, bounds.soon_s.shape[1])):
        least_s = min(least_s, bounds.soon_s[kind, host])
    bounds.block_s[kind, block] = least_s
