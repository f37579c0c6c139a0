"""The lowest rated host that may be used, from the ranks that a slot remembers (`host_index/scores_kernel.py`).

    host = lowest(scores, slot, usable, some_are_not)        usable: bool[H], looked at only if `some_are_not`
    host = lowest_open(scores, slot, some_are_shut)          shut hosts (`shut_kernel.py`) do not count

Both read the minima of H / 16 blocks, 0.1 to 1 ns each, or of H / 512 groups where hosts are very many, and name the
host of the lowest. If that host is shut, the minima over open hosts count (`open_minima_kernel.py`): 3 ns for each
block that has changed since the slot was last read. If it is not in `usable`, also the lanes of the blocks are read
that might hold a better one than found so far, host by host: 15 to 30 ns a block.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.host_index.groups_kernel import GROUP, least_of
from loadmaster.host_index.lanes_kernel import BLOCK, NEVER, NOBODY, UNKNOWN
from loadmaster.host_index.open_minima_kernel import lowest_of_open_minima
from loadmaster.jit.kernels import inlined, inner


@inlined
def lowest(scores, slot, usable, some_are_not):
    """The usable host with the lowest score in `slot`, the lowest index among equals; -1 if none fits."""
    host = _lowest_of_all(scores, slot)
    if host < 0 or not some_are_not or usable[host]:
        return host
    return _lowest_usable(scores.lanes, slot, scores.blocks.shape[0], usable)


@inlined
def lowest_open(scores, slot, some_are_shut):
    """The lowest rated host in `slot` among those not shut, the lowest index among equals; -1 if none fits."""
    host = _lowest_of_all(scores, slot)
    if host < 0 or not some_are_shut or not scores.shut.host[host]:
        return host
    return lowest_of_open_minima(scores, slot)


@inlined
def _lowest_of_all(scores, slot):
    """The host with the lowest score in `slot`, whether it may be used or not, -1 if none fits."""
    if scores.groups.many > 0:
        return _lowest_of_groups(scores, slot)
    many = scores.blocks.shape[0]
    best = least_of(scores.lanes.least, slot * many, (slot + 1) * many)
    return np.int64(-1) if best == NEVER else _first_holder(scores.lanes, slot, many, best)


@inner
def _lowest_of_groups(scores, slot):
    """The same where blocks lie in groups: only groups with the lowest rank are searched for a host, once."""
    groups, many = scores.groups, scores.blocks.shape[0]
    start = slot * groups.many
    best = least_of(groups.least, start, start + groups.many)
    if best == NEVER:
        return np.int64(-1)
    host = _least_host(groups.holder, groups.least, start, start, groups.many, best)
    if host == UNKNOWN:
        for group in range(groups.many):
            if groups.least[start + group] == best and groups.holder[start + group] == UNKNOWN:
                first = group * GROUP
                stop = min(first + GROUP, many)
                groups.holder[start + group] = _first_holder_in(scores.lanes, slot, many, first, stop, best)
        host = _least_host(groups.holder, groups.least, start, start, groups.many, best)
    return np.int64(host)


@inlined
def _first_holder(lanes, slot, many, rank):
    """The lowest host among the blocks whose lowest rank is `rank`."""
    start = slot * many
    host = _least_host(lanes.holder, lanes.least, start, start, many, rank)
    if host == UNKNOWN:
        for first in range(0, many, BLOCK):
            _first_holder_in(lanes, slot, many, first, min(first + BLOCK, many), rank)
        host = _least_host(lanes.holder, lanes.least, start, start, many, rank)
    return np.int64(host)


@inlined
def _first_holder_in(lanes, slot, many, first, stop, rank):
    """The same of the blocks from `first` to `stop`."""
    start = slot * many + first
    host = _least_host(lanes.holder, lanes.least, start, start, stop - first, rank)
    if host == UNKNOWN:
        for block in range(first, stop):
            if lanes.least[slot * many + block] == rank:
                _holder(lanes, slot, many, block)
        host = _least_host(lanes.holder, lanes.least, start, start, stop - first, rank)
    return host


@inlined
def _holder(lanes, slot, many, block):
    """The lowest host of a block with its lowest rank."""
    at = slot * many + block
    if lanes.holder[at] == UNKNOWN:
        first = block * BLOCK
        ranks = slot * lanes.host.shape[0] + first
        lanes.holder[at] = _least_host(lanes.host, lanes.rank, first, ranks, BLOCK, lanes.least[at])
    return lanes.holder[at]


@inner
def _least_host(hosts, ranks, first, at, n, rank):
    """The lowest of n hosts from `first` on whose rank, from `at` on, is `rank`."""
    low = NOBODY
    for i in range(np.uint64(n)):
        low = min(low, hosts[np.uint64(first) + i] if ranks[np.uint64(at) + i] == rank else NOBODY)
    return low


@inner
def _lowest_usable(lanes, slot, many, usable):
    """As `lowest`, where the best host of all may not be used."""
    best, found = NEVER, np.int64(NOBODY)
    ranks = slot * lanes.host.shape[0]
    for block in range(many):
        least = lanes.least[slot * many + block]
        # no lane of the block is better
        if least > best or least == NEVER:
            continue
        holder = np.int64(_holder(lanes, slot, many, block))
        if least == best and holder > found:
            continue
        if usable[holder]:
            best, found = least, holder
            continue
        for lane in range(block * BLOCK, (block + 1) * BLOCK):
            rank = lanes.rank[ranks + lane]
            if rank <= best and rank < NEVER:
                host = np.int64(lanes.host[lane])
                if (rank < best or host < found) and usable[host]:
                    best, found = rank, host
    return found if best < NEVER else np.int64(-1)
