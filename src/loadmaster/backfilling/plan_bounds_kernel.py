"""Start bounds of a pass's plan, compiled: the earliest possible start on each host, shared by a class of rows.

A bound is never later than the true earliest start on the host. Holding capacity only makes starts later, so a bound
stays valid, in later plans too. Capacity that is given back goes into a list, and so does each host whose chain is made
anew for a plan. When a class is asked next, it lowers its bounds by the new entries. Bounds stand in blocks of hosts
with the least of each, so hosts that are busy for long are skipped by block.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.availability_kernel import first_on
from loadmaster.backfilling.start_bounds_kernel import BLOCK, SEVERAL
from loadmaster.jit.kernels import inner


@inner
def let_start(view, availability, now, row, asker):
    """Lower the bounds of `asker`'s class on the hosts of `row`'s reservation, which was lifted."""
    kind, first = class_of(view.rows, view.hosts, availability, now, asker), view.rows.of[row].first_host
    for at in range(first, first + view.rows.of[row].tasks):
        _lower(availability.bounds, kind, view.this_pass.promised_host[at], view.this_pass.promised[row].start_s, now)


@inner
def class_of(rows, hosts, availability, now, row):
    """The class of the row, with bounds that are valid for the present plan."""
    bounds, expected_s = availability.bounds, rows.of[row].expected_s / hosts.speed[0]
    kind = np.int64(bounds.of[row])
    if expected_s < bounds.short_s[kind] or expected_s > bounds.long_s[kind]:  # its estimate was corrected
        bounds.short_s[kind] = min(bounds.short_s[kind], expected_s)
        bounds.long_s[kind] = max(bounds.long_s[kind], expected_s)
        bounds.known[kind] = -1
    if not _catch_up(bounds, kind, now):
        _begin_class(availability, kind, now)
    return kind


@inner
def _catch_up(bounds, kind, now):
    """Lower the bounds of a class by the new entries of the list; False if they are too many, or unknown."""
    known, freed = bounds.known[kind], bounds.freed[0]
    bounds.known[kind] = freed
    if known < 0 or freed - known > min(bounds.freed_host.shape[0], SEVERAL * bounds.soon_s.shape[1]):
        return False
    for entry in range(known, freed):
        at = entry % bounds.freed_host.shape[0]
        _lower(bounds, kind, bounds.freed_host[at], bounds.freed_s[at], now)
    return True


@inner
def _lower(bounds, kind, host, free_s, now):
    """Lower the bound on a host that is free from `free_s` on; one second less, to allow for rounding."""
    time_s = max(now.now_s, free_s - bounds.long_s[kind] - 1.0)
    bounds.soon_s[kind, host] = min(bounds.soon_s[kind, host], time_s)
    bounds.block_s[kind, host // BLOCK] = min(bounds.block_s[kind, host // BLOCK], time_s)


@inner
def _begin_class(availability, kind, now):
    """Begin with the bounds of the next class of the same demand with shorter rows and valid bounds.

    The bounds of the shortest class are computed on all hosts.
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
    """The usable host with the lowest bound in the block with the lowest bound, -1 if there is none.

    Also the block, and the least bound of its other hosts.
    """
    likely, block, least_s = np.int64(-1), np.int64(0), np.inf
    for each in range(bounds.block_s.shape[1]):
        if bounds.block_s[kind, each] < least_s:
            block, least_s = np.int64(each), bounds.block_s[kind, each]
    least_s = others_s = np.inf
    for host in range(block * BLOCK, min((block + 1) * BLOCK, bounds.soon_s.shape[1])):
        bound_s = bounds.soon_s[kind, host]
        if bound_s < least_s and room.open[host] and allowed[host]:
            likely, bound_s, least_s = np.int64(host), least_s, bound_s
        others_s = min(others_s, bound_s)
    return likely, block, others_s


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
