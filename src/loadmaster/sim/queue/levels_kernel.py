"""Hosts by their level of memory, and the reservations of a cycle (the rows themselves: `rows_kernel.py`).

The hosts with most free memory are reserved, so the reserved ones are those whose key reaches a limit. How many hosts
would be reserved before this one, and where the limit of so many reservations lies, is read from a count for each
level of memory; only the hosts of the level in which the answer falls are looked at.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.kernels import inlined, inner

ABOVE = np.int64(2**62)
"""More than any key: the limit when nothing is reserved."""
LEVEL = np.dtype([("hosts", np.int32), ("taken", np.int32), ("head", np.int32)])


@inlined
def host_of(rows, key):
    """The host that a key stands for."""
    index = (np.int64(1) << rows.bits) - 1
    return index - (key & index)


@inner
def enter(rows, host):
    """Put a host into the list of its level."""
    spot = rows.spot[host]
    level = rows.level[_level_of(rows, host)]
    level.hosts += 1
    spot.before, spot.after = -1, level.head
    if level.head >= 0:
        rows.spot[level.head].before = host
    level.head = host


@inner
def leave(rows, host):
    """Take a host out of the list of its level."""
    spot = rows.spot[host]
    level = rows.level[_level_of(rows, host)]
    level.hosts -= 1
    if spot.before >= 0:
        rows.spot[spot.before].after = spot.after
    else:
        level.head = spot.after
    if spot.after >= 0:
        rows.spot[spot.after].before = spot.before


@inner
def _level_of(rows, host):
    spot = rows.spot[host]
    return rows.kind[spot.kind].group * rows.levels + (rows.key[spot.slot] >> rows.bits >> rows.shift)


@inlined
def able(kinds, cores, memory):
    """The kinds of hosts that could hold the task when empty, as a mask of bits; where each is a group of its own."""
    mask = np.int64(0)
    for number in range(kinds.shape[0]):
        kind = kinds[number]
        mask |= np.int64((kind.cores >= cores) & (kind.memory >= memory)) << number
    return mask


@inner
def outranked(rows, host, many):
    """Whether at least `many` open hosts of its own group would be reserved before `host`."""
    spot = rows.spot[host]
    here = rows.kind[spot.kind]
    own = _level_of(rows, host)
    above = 0
    for at in range(np.uint64(own + 1), np.uint64((here.group + 1) * rows.levels)):
        above += rows.level[at].hosts - rows.level[at].taken
    other = rows.level[own].head
    key = rows.key[spot.slot]
    while other >= 0 and above < many:
        above += (rows.key[rows.spot[other].slot] > key) & (rows.key[rows.spot[other].slot] < here.limit)
        other = rows.spot[other].after
    return above >= many


@inner
def reserve(rows, many, mask):
    """Reserve the `many` open hosts with most free memory among the groups of `mask`, the lower index among equals.

    Whole levels of memory are taken first; within the last one the limit is found by bisection. Returns how many
    there were.
    """
    groups = rows.level.shape[0] // rows.levels
    there = 0
    level = rows.levels
    while level > 0 and there < many:
        level -= 1
        for group in range(groups):
            if (mask >> group) & 1:
                here = rows.level[group * rows.levels + level]
                there += here.hosts - here.taken
    many = min(many, there)
    if many == 0:
        return 0
    alike = _gather(rows, mask, level)
    limit = _highest_reached(rows, level, alike, many - (there - alike))
    for i in range(alike):
        if rows.scratch[i] >= limit:
            spot = rows.spot[host_of(rows, rows.scratch[i])]
            rows.level[rows.kind[spot.kind].group * rows.levels + level].taken += 1
    for kind in range(rows.kind.shape[0]):
        if (mask >> rows.kind[kind].group) & 1:
            rows.kind[kind].limit = min(rows.kind[kind].limit, limit)
    for group in range(groups):
        if (mask >> group) & 1:
            for higher in range(group * rows.levels + level + 1, (group + 1) * rows.levels):
                rows.level[higher].taken = rows.level[higher].hosts
    return many


@inner
def _gather(rows, mask, level):
    """Put the keys of the open hosts with this level of memory into `scratch`; returns how many."""
    found = 0
    for group in range(rows.level.shape[0] // rows.levels):
        if (mask >> group) & 1:
            host = rows.level[group * rows.levels + level].head
            while host >= 0:
                spot = rows.spot[host]
                key = rows.key[spot.slot]
                rows.scratch[found] = key
                found += key < rows.kind[spot.kind].limit
                host = spot.after
    return found


@inner
def _highest_reached(rows, level, alike, wanted):
    """The highest key that `wanted` of the keys in `scratch` reach, all of one level of memory."""
    low = np.int64(level) << rows.shift << rows.bits
    high = (np.int64(level + 1) << rows.shift << rows.bits) - 1
    while low < high:
        middle = low + (high - low + 1) // 2
        if _count(rows.scratch, alike, middle) >= wanted:
            low = middle
        else:
            high = middle - 1
    return low


@inner
def _count(keys, many, least):
    """How many of the first `many` keys are `least` or more."""
    found = 0
    for i in range(np.uint64(many)):
        found += keys[i] >= least
    return found


@inner
def release_reserved(rows):
    """No host is reserved any more."""
    for kind in range(rows.kind.shape[0]):
        here = rows.kind[kind]
        if here.limit < ABOVE:
            here.limit = ABOVE
            for number in range(kind, rows.row.shape[0], rows.kind.shape[0]):
                rows.version[number] += rows.row[number].size > 0  # an empty one answers the same as before
            for at in range(here.group * rows.levels, (here.group + 1) * rows.levels):
                rows.level[at].taken = 0
