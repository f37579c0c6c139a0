"""The lowest rank among the open hosts of each block, remembered for each slot until something in the block changes.

    host = lowest_of_open_minima(scores, slot)      the lowest rated host that is not shut, -1 if none fits
    block_changed(minima, block)                    whenever a lane of the block changes, or is shut or opened
    forget_minima(minima, slot)                     whenever all hosts have been rated for the slot

A pass may shut hundreds of hosts, most of them those that a rule would take. Then most blocks have a shut host with
their lowest rank, and `lanes.least` does not give the lowest rank of its open hosts. Jobs come in runs of equal
demands, so within a pass the same slot is read many times, while only a few blocks change in between.
"""
# mypy: disable-error-code="no-untyped-def"

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.host_index.groups_kernel import least_of
from loadmaster.host_index.lanes_kernel import NEVER, NOBODY
from loadmaster.jit.kernels import inlined, inner

CHUNK = 32
"""Blocks that are checked for changes at once."""


class OpenMinima(NamedTuple):
    """B blocks, S slots.

    Attributes:
        version: int32[B], the number of changes of a block so far, from 1 on.
        known: int32[S * B], the version for which `least` and `holder` hold, 0 for none.
        least: int64[S * B], the lowest rank of an open host in a block, `NEVER` if none fits.
        holder: int32[S * B], the lowest open host that has it, `NOBODY` if none fits.
    """

    version: NDArray[np.int32]
    known: NDArray[np.int32]
    least: NDArray[np.int64]
    holder: NDArray[np.int32]


def no_minima(blocks: int, slots: int) -> OpenMinima:
    """Nothing is known; the arrays take memory once a pass shuts hosts."""
    rows = slots * blocks
    return OpenMinima(
        np.ones(blocks, np.int32), np.zeros(rows, np.int32), np.zeros(rows, np.int64), np.zeros(rows, np.int32)
    )


@inlined
def block_changed(minima, block):
    """Note that a lane of `block` has changed, or that a host there is shut or open again."""
    minima.version[block] += np.int32(1)


@inlined
def forget_minima(minima, slot):
    """Note that all scores of `slot` are new."""
    many = minima.version.shape[0]
    for at in range(np.uint64(slot * many), np.uint64((slot + 1) * many)):
        minima.known[at] = 0


@inner
def lowest_of_open_minima(scores, slot):
    """The lowest rated host in `slot` that is not shut, the lowest index among equals; -1 if none fits."""
    minima, many = scores.minima, scores.blocks.shape[0]
    start = slot * many
    for first in range(0, many, CHUNK):
        stop = min(first + CHUNK, many)
        if _has_changed(minima.version, minima.known, first, stop, start):
            for block in range(first, stop):
                if minima.known[start + block] != minima.version[block]:
                    _renew(scores, slot, block)
    best = least_of(minima.least, start, start + many)
    if best == NEVER:
        return np.int64(-1)
    low, least, holder = NOBODY, minima.least, minima.holder
    for at in range(np.uint64(start), np.uint64(start + many)):
        low = min(low, holder[at] if least[at] == best else NOBODY)
    return np.int64(low)


@inlined
def _has_changed(version, known, first, stop, start):
    """Whether a block from `first` to `stop` has changed since its minimum was found for the slot from `start` on."""
    change = np.int32(0)
    for block in range(np.uint64(first), np.uint64(stop)):
        change |= version[block] ^ known[np.uint64(start) + block]
    return change != 0


@inner
def _renew(scores, slot, block):
    """Find the minimum of a block again."""
    lanes, shut, minima = scores.lanes, scores.shut, scores.minima
    width = lanes.host.shape[0] // scores.blocks.shape[0]  # is `BLOCK`; a loop of constant length has no vectors
    first, at = block * width, slot * scores.blocks.shape[0] + block
    ranks = slot * lanes.host.shape[0] + first
    low = lanes.least[at]
    if shut.many[block] > 0 and low != NEVER:
        low = _least_open(lanes.rank, shut.least, ranks, first, width)
    minima.known[at], minima.least[at] = minima.version[block], low
    minima.holder[at] = NOBODY
    if low != NEVER:
        minima.holder[at] = _least_open_host(scores, ranks, first, width, low)


@inlined
def _least_open(ranks, least, at, first, width):
    """The lowest rank of a block from `at` on, in lanes from `first` on, without shut lanes."""
    low = NEVER
    for i in range(np.uint64(width)):
        low = min(low, max(ranks[np.uint64(at) + i], least[np.uint64(first) + i]))
    return low


@inlined
def _least_open_host(scores, at, first, width, rank):
    """The lowest host of a block that is not shut and has this rank, which is not `NEVER`."""
    hosts, ranks, least = scores.lanes.host, scores.lanes.rank, scores.shut.least
    low = NOBODY
    for i in range(np.uint64(width)):
        lane = np.uint64(first) + i
        low = min(low, hosts[lane] if max(ranks[np.uint64(at) + i], least[lane]) == rank else NOBODY)
    return low
