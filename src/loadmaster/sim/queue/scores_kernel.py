"""Remembers the scores of demands seen before and re-rates only the hosts that changed since.

Logs repeat themselves: the same demand comes again and again, and between two such jobs only a few hosts change.
A demand owns a slot with the rank of every host and the minimum of every block of hosts. Each change of a host is
written to a log; a slot that is asked for re-rates the hosts logged since it was last asked. A rank is a whole number
in the order of the scores: the compiler uses vectors for minima of whole numbers, not of floating point ones.
"""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,untyped-decorator"

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.kernels import inlined, inner

BLOCK = 64
"""Hosts in a block."""
NEVER = np.float64(np.inf).view(np.int64)
"""The rank of a host that does not fit or does not exist."""


class Scores(NamedTuple):
    """The memory of scores. H hosts padded to a multiple of `BLOCK`, B blocks, S slots, K demands.

    Attributes:
        rank: int64[S * H].
        least: int64[S * B], the minimum of every block.
        slot_of: int32[K], the slot of a demand, -1 if it has none.
        owner: int32[S], the demand of a slot, -1 if free.
        seen: int64[S], how much of the log a slot knows.
        used: int64[S], when a slot was last asked for.
        log: int32[L], the hosts changed, a ring.
        clock: int64[2], entries ever written to the log; questions ever asked.
        batch: int32[H], scratch: hosts to rate.
        hosts: int32[H], 0..H-1.
        rated: float64[H], scratch: scores as a rater gives them.
    """

    rank: NDArray[np.int64]
    least: NDArray[np.int64]
    slot_of: NDArray[np.int32]
    owner: NDArray[np.int32]
    seen: NDArray[np.int64]
    used: NDArray[np.int64]
    log: NDArray[np.int32]
    clock: NDArray[np.int64]
    batch: NDArray[np.int32]
    hosts: NDArray[np.int32]
    rated: NDArray[np.float64]


def empty_scores(hosts: int, demands: int, slots: int) -> Scores:
    """A memory that knows nothing yet."""
    padded = -(-hosts // BLOCK) * BLOCK
    return Scores(
        rank=np.full(slots * padded, NEVER),
        least=np.full(slots * (padded // BLOCK), NEVER),
        slot_of=np.full(demands, -1, np.int32),
        owner=np.full(slots, -1, np.int32),
        seen=np.zeros(slots, np.int64),
        used=np.zeros(slots, np.int64),
        log=np.zeros(max(hosts, 16), np.int32),
        clock=np.zeros(2, np.int64),
        batch=np.zeros(hosts, np.int32),
        hosts=np.arange(hosts, dtype=np.int32),
        rated=np.zeros(hosts),
    )


@inlined
def changed(scores, host):
    """Note that what is free on `host` has changed."""
    scores.log[scores.clock[0] % scores.log.shape[0]] = host
    scores.clock[0] += 1


@inlined
def refresh(scores, rate, kind, demand, free, capacity, last_host, seed):
    """Bring the slot of demand number `kind` up to date; return (slot, number of scores that are not finite)."""
    hosts = free.shape[0]
    padded = scores.rank.shape[0] // scores.owner.shape[0]
    slot = scores.slot_of[kind]
    scores.clock[1] += 1
    behind = np.int64(hosts)
    if slot < 0:
        slot = 0
        for other in range(scores.used.shape[0]):
            if scores.used[other] < scores.used[slot]:
                slot = other
        if scores.owner[slot] >= 0:
            scores.slot_of[scores.owner[slot]] = -1
        scores.owner[slot] = kind
        scores.slot_of[kind] = slot
    else:
        behind = scores.clock[0] - scores.seen[slot]
    scores.used[slot] = scores.clock[1]
    wrong = 0
    if 2 * behind >= hosts:
        wrong = rate(demand, free, capacity, scores.hosts, hosts, last_host, 0, seed, scores.rated, 0)
        _keep_all(scores, slot)
    elif behind > 0:
        size = scores.log.shape[0]
        for i in range(behind):
            scores.batch[i] = scores.log[(scores.seen[slot] + i) % size]
        wrong = rate(demand, free, capacity, scores.batch, behind, last_host, 0, seed, scores.rated, 0)
        for i in range(behind):
            host = scores.batch[i]
            scores.rank[slot * padded + host] = _rank(scores.rated[host])
        for i in range(behind):
            _settle(scores, slot * (padded // BLOCK) + scores.batch[i] // BLOCK)
    scores.seen[slot] = scores.clock[0]
    return slot, wrong


@inlined
def lowest(scores, slot, open_hosts, any_closed):
    """The open host with the lowest score in `slot`, the lowest index among equals; -1 if none fits."""
    padded = scores.rank.shape[0] // scores.owner.shape[0]
    blocks = padded // BLOCK
    base = slot * padded
    best = _least(scores.least, slot * blocks, (slot + 1) * blocks)
    if best == NEVER:
        return -1
    host = 0
    while scores.least[slot * blocks + host // BLOCK] != best:
        host += BLOCK
    while scores.rank[base + host] != best:
        host += 1
    if not any_closed or open_hosts[host]:
        return host
    best = NEVER
    for first in range(0, open_hosts.shape[0], BLOCK):
        if scores.least[slot * blocks + first // BLOCK] < best:
            low = _least_open(scores.rank, base, open_hosts, first, min(first + BLOCK, open_hosts.shape[0]))
            if low < best:
                best = low
                host = first
    if best == NEVER:
        return -1
    while scores.rank[base + host] != best or not open_hosts[host]:
        host += 1
    return host


@inner
def rate_all(scores, rate, demand, free, capacity, last_host, task, seed):
    """Rate every host anew in slot 0, remembering nothing; return the number of scores that are not finite."""
    hosts = free.shape[0]
    wrong = rate(demand, free, capacity, scores.hosts, hosts, last_host, task, seed, scores.rated, 0)
    _keep_all(scores, 0)
    return wrong


@inner
def rate_again(scores, rate, demand, free, capacity, last_host, task, seed):
    """Rate `last_host` alone anew in slot 0; return the number of scores that are not finite."""
    scores.batch[0] = last_host
    wrong = rate(demand, free, capacity, scores.batch, 1, last_host, task, seed, scores.rated, 0)
    scores.rank[last_host] = _rank(scores.rated[last_host])
    _settle(scores, last_host // BLOCK)
    return wrong


@inner
def score_in(scores, slot, host):
    """The score of a host in `slot`."""
    rank = scores.rank[slot * (scores.rank.shape[0] // scores.owner.shape[0]) + host]
    return np.int64(rank ^ ((rank >> 63) & np.int64(2**63 - 1))).view(np.float64)


@inner
def _keep_all(scores, slot):
    padded = scores.rank.shape[0] // scores.owner.shape[0]
    for host in range(scores.rated.shape[0]):
        scores.rank[slot * padded + host] = _rank(scores.rated[host])
    for block in range(slot * (padded // BLOCK), (slot + 1) * (padded // BLOCK)):
        _settle(scores, block)


@inlined
def _rank(score):
    """A whole number in the order of the scores; -0 counts as 0."""
    bits = np.float64(score + 0.0).view(np.int64)
    return bits ^ ((bits >> 63) & np.int64(2**63 - 1))


@inlined
def _settle(scores, block):
    """Find the minimum of a block anew."""
    scores.least[block] = _least(scores.rank, block * BLOCK, (block + 1) * BLOCK)


@inner
def _least(ranks, start, stop):
    low = NEVER
    for i in range(np.uint64(start), np.uint64(stop)):
        low = min(low, ranks[i])
    return low


@inner
def _least_open(ranks, base, open_hosts, start, stop):
    low = NEVER
    for host in range(np.uint64(start), np.uint64(stop)):
        low = min(low, ranks[np.uint64(base) + host] if open_hosts[host] else NEVER)
    return low
