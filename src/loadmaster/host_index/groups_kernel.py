"""The lowest rank in each group of blocks of hosts, for so many blocks that reading all their minima is slow.

    renew_groups(scores, slot, n)       the first n of `scores.blocks` have been scanned for a slot
    renew_all_groups(scores, slot)      many have been

A search for the lowest host (`host_index/lowest_kernel.py`) then reads H / 512 minima instead of H / 16. Invariant: the
least of a group is the least of its blocks, so the search still finds the lowest host of all.
"""
# mypy: disable-error-code="no-untyped-def"

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.host_index.lanes_kernel import NEVER, UNKNOWN
from loadmaster.jit.kernels import inlined, inner

GROUP = 32
"""Blocks in a group."""
MANY_BLOCKS = 512
"""With fewer blocks there are no groups: their minima are read as quickly."""


class BlockGroups(NamedTuple):
    """G groups, S slots; no groups where there are few blocks.

    Attributes:
        many: G.
        least: int64[S * G], the lowest rank in every group.
        holder: int32[S * G], the lowest host that has it, or `UNKNOWN`.
    """

    many: int
    least: NDArray[np.int64]
    holder: NDArray[np.int32]


def empty_groups(blocks: int, slots: int) -> BlockGroups:
    """Groups before any block has been scanned."""
    many = -(-blocks // GROUP) if blocks >= MANY_BLOCKS else 0
    return BlockGroups(many, np.full(slots * many, NEVER), np.full(slots * many, UNKNOWN))


@inlined
def renew_groups(scores, slot, n):
    """Make the groups of the first n of `scores.blocks` exact."""
    if scores.groups.many > 0:
        _renew(scores, slot, n)


@inlined
def renew_all_groups(scores, slot):
    """Make all groups exact."""
    for group in range(scores.groups.many):
        _renew_one(scores, slot, group)


@inner
def least_of(ranks, start, stop):
    """The lowest of the ranks from `start` to `stop`."""
    low = NEVER
    for i in range(np.uint64(start), np.uint64(stop)):
        low = min(low, ranks[i])
    return low


@inner
def _renew(scores, slot, n):
    last = np.int64(-1)
    for i in range(n):
        group = np.int64(scores.blocks[i]) // GROUP
        if group != last:
            _renew_one(scores, slot, group)
            last = group


@inlined
def _renew_one(scores, slot, group):
    many = scores.blocks.shape[0]
    start, at = slot * many, slot * scores.groups.many + group
    stop = start + min((group + 1) * GROUP, many)
    scores.groups.least[at] = least_of(scores.lanes.least, start + group * GROUP, stop)
    scores.groups.holder[at] = UNKNOWN
