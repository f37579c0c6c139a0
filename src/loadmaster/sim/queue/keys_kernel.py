"""What one row of hosts answers: the keys next to an amount of memory, and the lowest host beyond it.

Where rows are short, by a look at all of its keys at once; where they are long and kept in order, by a search.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.kernels import inlined, inner
from loadmaster.sim.queue.levels_kernel import ABOVE, host_of
from loadmaster.sim.queue.ordered_kernel import highest_under, lowest_from

WIDTH = 16
"""Rows are padded to a multiple of this, so that scans have no remainder."""
EMPTY = np.int64(-1)
"""The key of a slot without a host."""
NOBODY = np.int64(2**62)
"""No host."""


@inlined
def least_memory(rows, number, least, limit):
    """The least memory of the keys from `least` to under `limit`, with the lowest host that has it; `ABOVE` if none."""
    index = (np.int64(1) << rows.bits) - 1
    if rows.order.blocks.shape[0] == 0:
        row = rows.row[number]
        return _lowest_key(rows.key, row.start, _end_of(row), least, limit, index)
    key = lowest_from(rows.order, number, least)
    if key >= limit:
        return ABOVE
    return highest_under(rows.order, number, min(((key >> rows.bits) + 1) << rows.bits, limit)) ^ index


@inlined
def most_memory_under(rows, number, limit):
    """The highest key of a row under `limit`, -1 if there is none."""
    if rows.order.blocks.shape[0] == 0:
        row = rows.row[number]
        return _highest_key(rows.key, row.start, _end_of(row), limit)
    return highest_under(rows.order, number, limit)


@inlined
def around(rows, number, split, limit):
    """The highest key under `split`, -1 if there is none, and what `least_memory` says of those from `split` on."""
    if rows.order.blocks.shape[0] == 0:
        row = rows.row[number]
        index = (np.int64(1) << rows.bits) - 1
        return _around(rows.key, row.start, _end_of(row), split, limit, index)
    return highest_under(rows.order, number, min(split, limit)), least_memory(rows, number, split, limit)


@inlined
def lowest_host(rows, number, least, limit):
    """The lowest host of a row with a key from `least` to under `limit`, `NOBODY` if there is none."""
    row = rows.row[number]
    index = (np.int64(1) << rows.bits) - 1
    back = _back_of_lowest_host(rows.key, row.start, _end_of(row), least, limit, index)
    return host_of(rows, back) if back >= 0 else NOBODY


@inlined
def _end_of(row):
    return row.start + (row.size + WIDTH - 1) // WIDTH * WIDTH


@inner
def _back_of_lowest_host(keys, start, stop, least, limit, index):
    """The last bits of the key of the lowest host with a key from `least` to under `limit`, -1 if there is none."""
    best = EMPTY
    for slot in range(np.uint64(start), np.uint64(stop)):
        key = keys[slot]
        best = max(best, key & index if (key >= least) & (key < limit) else EMPTY)
    return best


@inner
def _highest_key(keys, start, stop, limit):
    best = EMPTY
    for slot in range(np.uint64(start), np.uint64(stop)):
        key = keys[slot]
        best = max(best, key if key < limit else EMPTY)
    return best


@inner
def _lowest_key(keys, start, stop, least, limit, index):
    best = ABOVE
    for slot in range(np.uint64(start), np.uint64(stop)):
        key = keys[slot]
        best = min(best, key ^ index if (key >= least) & (key < limit) else ABOVE)
    return best


@inner
def _around(keys, start, stop, split, limit, index):
    low, high = EMPTY, ABOVE
    for slot in range(np.uint64(start), np.uint64(stop)):
        key = keys[slot]
        low = max(low, key if (key < split) & (key < limit) else EMPTY)
        high = min(high, key ^ index if (key >= split) & (key < limit) else ABOVE)
    return low, high
