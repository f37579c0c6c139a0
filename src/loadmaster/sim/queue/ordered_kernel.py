"""Very many hosts: the keys of each row in order, in blocks of up to 128 under a list of the blocks' lowest keys.

Best-fit-memory and Mix-Fit ask for the keys next to an amount of memory. In a row of thousands that takes two short
searches here; a host that comes or goes moves some of the keys of one block. Blocks that have lost keys are joined with
a neighbour where both hold 96 keys or fewer together, so that they stay few.
"""
# mypy: disable-error-code="no-untyped-def"

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.kernels import inlined, inner
from loadmaster.model.arrays import Ints, Longs
from loadmaster.sim.queue.levels_kernel import ABOVE

BLOCK = 128
FEW = 96
"""A block that loses a key is joined with a neighbour unless both hold more keys."""
LEAST = BLOCK // 2 + 1
"""Two neighbouring blocks hold at least so many keys: more than `FEW`, or one of them is half of a full block."""


class Ordered(NamedTuple):
    """N rows, P blocks; D entries of the rows' lists.

    Attributes:
        key: int64[P * BLOCK], the keys of a block from its lowest on.
        size: int32[P], how many they are.
        spare: int32[P], blocks that no row has; spares: int64[1], how many.
        first: int64[N], where the list of a row begins; blocks: int32[N], how many it has.
        block, lowest: int32[D], int64[D], the blocks of a row in order, and their lowest keys.
    """

    key: Longs
    size: Ints
    spare: Ints
    spares: Longs
    first: Longs
    blocks: Ints
    block: Ints
    lowest: Longs


def unordered() -> Ordered:
    """For rows that are searched from end to end."""
    return _empty(0, np.zeros(0, np.int64))


def ordered(width: Longs, row: NDArray[np.int32], key: Longs) -> Ordered:
    """All keys, each in its row: int32[H], int64[H]; `width` int64[N] says how many a row ever holds at most."""
    order = _empty(len(key), width)
    by_row = np.lexsort((key, row))
    for number in np.unique(row):
        here = key[by_row[np.searchsorted(row[by_row], number) : np.searchsorted(row[by_row], number, "right")]]
        for at, first in enumerate(range(0, len(here), FEW)):
            order.spares[0] -= 1
            block = order.spare[order.spares[0]]
            part = here[first : first + FEW]
            order.key[block * BLOCK : block * BLOCK + len(part)] = part
            order.size[block] = len(part)
            order.block[order.first[number] + at], order.lowest[order.first[number] + at] = block, part[0]
            order.blocks[number] = at + 1
    return order


def _empty(keys: int, width: Longs) -> Ordered:
    # So n keys of a row stand in at most 2 n / LEAST + 1 blocks.
    room = np.where(width > 0, 2 * width // LEAST + 2, 0)
    pool = 2 * keys // LEAST + min(keys, len(width)) + 1
    return Ordered(
        key=np.zeros(pool * BLOCK, np.int64),
        size=np.zeros(pool, np.int32),
        spare=np.arange(pool, dtype=np.int32),
        spares=np.array([pool]),
        first=np.cumsum(room) - room,
        blocks=np.zeros(len(width), np.int32),
        block=np.zeros(int(room.sum()), np.int32),
        lowest=np.zeros(int(room.sum()), np.int64),
    )


@inner
def insert(order, row, key):
    """A key that is not there comes into a row."""
    first = order.first[row]
    at = first + max(_last_under(order, row, key + 1), 0)
    if order.blocks[row] == 0:
        _open(order, row, at)
    elif order.size[order.block[at]] == BLOCK:
        _halve(order, row, at)
        at += key >= order.lowest[at + 1]
    block = np.int64(order.block[at])
    start = block * BLOCK
    place = start + _under(order, block, key)
    for i in range(start + order.size[block], place, -1):
        order.key[i] = order.key[i - 1]
    order.key[place] = key
    order.size[block] += 1
    order.lowest[at] = order.key[start]


@inner
def remove(order, row, key):
    """A key that is there leaves a row."""
    at = order.first[row] + _last_under(order, row, key + 1)
    block = np.int64(order.block[at])
    start = block * BLOCK
    order.size[block] -= 1
    stop = start + order.size[block]
    for i in range(start + _under_full(order, block, key), stop):
        order.key[i] = order.key[i + 1]
    order.lowest[at] = order.key[start]
    if stop == start:
        _close(order, row, at)
    elif at + 1 < order.first[row] + order.blocks[row] and _together(order, at) <= FEW:
        _join(order, row, at)
    elif at > order.first[row] and _together(order, at - 1) <= FEW:
        _join(order, row, at - 1)


@inner
def lowest_from(order, row, least):
    """The lowest key of a row from `least` on, `ABOVE` if there is none."""
    if order.blocks[row] == 0:
        return ABOVE
    at = order.first[row] + max(_last_under(order, row, least), 0)
    block = np.int64(order.block[at])
    place = _under(order, block, least)
    if place < order.size[block]:
        return order.key[block * BLOCK + place]
    at += 1
    return order.lowest[at] if at < order.first[row] + order.blocks[row] else ABOVE


@inner
def highest_under(order, row, limit):
    """The highest key of a row under `limit`, -1 if there is none."""
    at = _last_under(order, row, limit)
    if at < 0:
        return np.int64(-1)
    block = np.int64(order.block[order.first[row] + at])
    return order.key[block * BLOCK + _under(order, block, limit) - 1]


@inlined
def _last_under(order, row, limit):
    """Which of the blocks of a row is the last whose lowest key is under `limit`, -1 if none is."""
    low, high = order.first[row] - 1, order.first[row] + order.blocks[row] - 1
    while low < high:
        middle = (low + high + 1) >> 1
        if order.lowest[middle] < limit:
            low = middle
        else:
            high = middle - 1
    return low - order.first[row]


@inlined
def _under(order, block, limit):
    """How many keys of a block are under `limit`."""
    return _count(order.key, block * BLOCK, order.size[block], limit)


@inlined
def _under_full(order, block, limit):
    """The same for a block of which one key too few is counted."""
    return _count(order.key, block * BLOCK, order.size[block] + 1, limit)


@inner
def _count(keys, start, many, limit):
    under = np.int64(0)
    for i in range(np.uint64(start), np.uint64(start + many)):
        under += keys[i] < limit
    return under


@inlined
def _together(order, at):
    return order.size[order.block[at]] + order.size[order.block[at + 1]]


@inner
def _open(order, row, at):
    """A new block, empty as yet, in place `at` of the list of a row."""
    for i in range(order.first[row] + order.blocks[row], at, -1):
        order.block[i], order.lowest[i] = order.block[i - 1], order.lowest[i - 1]
    order.spares[0] -= 1
    order.block[at] = order.spare[order.spares[0]]
    order.size[order.block[at]] = 0
    order.blocks[row] += 1


@inner
def _close(order, row, at):
    """The block in place `at` is empty: the row does without."""
    order.spare[order.spares[0]] = order.block[at]
    order.spares[0] += 1
    order.blocks[row] -= 1
    for i in range(at, order.first[row] + order.blocks[row]):
        order.block[i], order.lowest[i] = order.block[i + 1], order.lowest[i + 1]


@inner
def _halve(order, row, at):
    """The upper half of a full block goes into a block of its own behind it."""
    _open(order, row, at + 1)
    from_block, to_block = np.int64(order.block[at]), np.int64(order.block[at + 1])
    half = BLOCK // 2
    for i in range(half):
        order.key[to_block * BLOCK + i] = order.key[from_block * BLOCK + half + i]
    order.size[from_block] = order.size[to_block] = half
    order.lowest[at + 1] = order.key[to_block * BLOCK]


@inner
def _join(order, row, at):
    """The keys of the next block come into this one."""
    to_block, from_block = np.int64(order.block[at]), np.int64(order.block[at + 1])
    for i in range(order.size[from_block]):
        order.key[to_block * BLOCK + order.size[to_block] + i] = order.key[from_block * BLOCK + i]
    order.size[to_block] += order.size[from_block]
    _close(order, row, at + 1)
