"""Remembers the scores of demands seen before and re-rates only the hosts that changed since.

Logs repeat themselves: the same demand comes again and again, and between two such jobs only a few hosts change.
A demand owns a slot with the score of every host and the minimum of every block of hosts. Each change of a host is
written to a log; a slot that is asked for re-rates the hosts logged since it was last asked.
"""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,untyped-decorator"

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.compiled import lean

BLOCK = 64
"""Hosts in a block."""


class Scores(NamedTuple):
    """The memory of scores. H hosts padded to a multiple of `BLOCK`, B blocks, S slots, K demands.

    Attributes:
        value: float64[S * H], infinity where the host does not fit or does not exist.
        least: float64[S * B], the minimum of every block.
        slot_of: int32[K], the slot of a demand, -1 if it has none.
        owner: int32[S], the demand of a slot, -1 if free.
        seen: int64[S], how much of the log a slot knows.
        used: int64[S], when a slot was last asked for.
        log: int32[L], the hosts changed, a ring.
        clock: int64[2], entries ever written to the log; questions ever asked.
        batch: int32[H], scratch: hosts to rate.
        hosts: int32[H], 0..H-1.
    """

    value: NDArray[np.float64]
    least: NDArray[np.float64]
    slot_of: NDArray[np.int32]
    owner: NDArray[np.int32]
    seen: NDArray[np.int64]
    used: NDArray[np.int64]
    log: NDArray[np.int32]
    clock: NDArray[np.int64]
    batch: NDArray[np.int32]
    hosts: NDArray[np.int32]


def empty_scores(hosts: int, demands: int, slots: int) -> Scores:
    """A memory that knows nothing yet."""
    padded = -(-hosts // BLOCK) * BLOCK
    return Scores(
        value=np.full(slots * padded, np.inf),
        least=np.full(slots * (padded // BLOCK), np.inf),
        slot_of=np.full(demands, -1, np.int32),
        owner=np.full(slots, -1, np.int32),
        seen=np.zeros(slots, np.int64),
        used=np.zeros(slots, np.int64),
        log=np.zeros(max(hosts, 16), np.int32),
        clock=np.zeros(2, np.int64),
        batch=np.zeros(hosts, np.int32),
        hosts=np.arange(hosts, dtype=np.int32),
    )


@lean
def changed(scores, host):
    """Note that what is free on `host` has changed."""
    scores.log[scores.clock[0] % scores.log.shape[0]] = host
    scores.clock[0] += 1


@lean
def refresh(scores, rate, kind, demand, free, capacity, last_host, seed):
    """Bring the slot of demand number `kind` up to date; return (slot, number of scores that are not finite)."""
    hosts = free.shape[0]
    padded = scores.value.shape[0] // scores.owner.shape[0]
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
        wrong = rate(demand, free, capacity, scores.hosts, hosts, last_host, 0, seed, scores.value, slot * padded)
        for block in range(padded // BLOCK):
            settle(scores.value, scores.least, slot * padded, block, slot * (padded // BLOCK))
    elif behind > 0:
        size = scores.log.shape[0]
        for i in range(behind):
            scores.batch[i] = scores.log[(scores.seen[slot] + i) % size]
        wrong = rate(demand, free, capacity, scores.batch, behind, last_host, 0, seed, scores.value, slot * padded)
        for i in range(behind):
            block = scores.batch[i] // BLOCK
            settle(scores.value, scores.least, slot * padded, block, slot * (padded // BLOCK))
    scores.seen[slot] = scores.clock[0]
    return slot, wrong


@lean
def lowest(scores, slot, open_hosts, any_closed):
    """The open host with the lowest score in `slot`, the lowest index among equals; -1 if none fits."""
    padded = scores.value.shape[0] // scores.owner.shape[0]
    blocks = padded // BLOCK
    base = slot * padded
    best = np.inf
    where = -1
    for block in range(blocks):
        value = scores.least[slot * blocks + block]
        if value < best:
            best = value
            where = block
    if where < 0:
        return -1
    host = where * BLOCK
    while scores.value[base + host] != best:
        host += 1
    if not any_closed or open_hosts[host]:
        return host
    best = np.inf
    host = -1
    for block in range(blocks):
        if scores.least[slot * blocks + block] < best:
            for h in range(block * BLOCK, min((block + 1) * BLOCK, open_hosts.shape[0])):
                if open_hosts[h] and scores.value[base + h] < best:
                    best = scores.value[base + h]
                    host = h
    return host


@lean
def rate_all(scores, rate, demand, free, capacity, last_host, task, seed):
    """Rate every host anew in slot 0, remembering nothing; return the number of scores that are not finite."""
    hosts = free.shape[0]
    wrong = rate(demand, free, capacity, scores.hosts, hosts, last_host, task, seed, scores.value, 0)
    for block in range(scores.least.shape[0] // scores.owner.shape[0]):
        settle(scores.value, scores.least, 0, block, 0)
    return wrong


@lean
def settle(value, least, base, block, least_base):
    """Find the minimum of a block anew."""
    low = np.inf
    for i in range(base + block * BLOCK, base + (block + 1) * BLOCK):
        low = min(low, value[i])
    least[least_base + block] = low
