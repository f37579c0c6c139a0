"""The scores of all hosts for the demands of a log: computed on demand, and again where hosts changed.

    scores = empty_scores(cluster.kinds, demand, often)      in Python, once
    changed(scores, host)                                    whenever what is free on a host has changed; no more
    slot, wrong = refresh(scores, scan, kind, demand, free, last_host, seed)
    host = lowest(scores, slot, usable, some_are_not)        or `lowest_open` (`host_index/lowest_kernel.py`)
    wrong = rate_all(scores, scan, demand, free, last_host, task, seed)        into slot 0, for scores that vary

`scan` is a policy from `scans.scanner`. Costs: `changed` is a store; a question is 10 ns for each host changed
since the last one, and then
- for a demand that owns its slot: a scan of the blocks of 16 hosts that changed since it was last read, 10 to 20 ns
  each, or only of their changed hosts where the score does not become vectors;
- for any other demand, and `rate_all`: a scan of all live hosts, 0.5 to 1.5 ns a host, 4 to 15 where the score is slow;
`lowest` reads the minima of H / 16 blocks, of H / 512 groups where hosts are very many; where hosts are not usable,
also those blocks that might hold a better one.

A host is live if it can hold the least of each resource that any demand requests. Only live hosts lie in lanes
(`host_index/lanes_kernel.py`), those of one kind together. The last host fills the gap that another leaves; if many
lanes hold hosts that are not live, these leave before a full scan. The most frequent demands have slots of their own;
the others share the remaining slots by number, so runs of equal jobs find theirs. Invariant: a slot is exact for its
owner up to change `known_at`, so only hosts that changed later are rated again.
"""
# mypy: disable-error-code="no-untyped-def"

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.host_index.core_rows_kernel import CoreRows, best_in_rows, settle_in_row
from loadmaster.host_index.groups_kernel import BlockGroups, empty_groups, renew_all_groups, renew_groups
from loadmaster.host_index.lanes_kernel import BLOCK, EMPTY, NEVER, NOBODY, Lanes, score_of
from loadmaster.host_index.open_minima_kernel import OpenMinima, block_changed, forget_minima, no_minima
from loadmaster.host_index.shut_kernel import Shut, all_open, come_into, move_from
from loadmaster.jit.kernels import inlined, inner
from loadmaster.model.arrays import Floats, Ints

SLOT_BYTES = 2**25
"""Memory for slots, about."""
SLOTS = 256
"""The most slots."""
SHARED = 16
"""Slots without an owner of their own, and one more for scores that are not remembered."""


class Scores(NamedTuple):
    """The memory of scores: H hosts of K kinds in M lanes, B blocks; S slots, D demands.

    Attributes:
        lanes: the hosts and the slots.
        groups: the lowest ranks of many blocks together.
        lane: int32[H], where a host lies, -1 if it is not live.
        kind: int32[H], its kind.
        first, taken: int32[K], the first lane of a kind, and how many of its lanes are taken.
        needed: float64[R], the least that any demand requests.
        block_changed_at: int64[B], when a block last changed.
        news: int32[N], the changed blocks, a ring by time.
        dirty, is_dirty: int32[H], bool[H], hosts that have changed since the last question.
        idle, is_idle: int32[H], bool[H], hosts in lanes that are not live, or were not when they were noted.
        clock: int64[4], changes so far, number of dirty hosts, number of idle ones, a lane that had room for a demand.
        slot_of: int32[D], the slot of a demand.
        owner: int32[S], the demand whose scores are in a slot, -1 if none.
        known_at: int64[S], the changes up to this one are in the slot.
        blocks: int32[B], scratch: blocks to scan.
        shut: the hosts that no demand may use.
        minima: the lowest ranks of the blocks without these hosts.
        rows: the hosts by free cores, for rules that need no scores; None where no run of the kind has such rules.

    Why the arrays suffice: a kind has as many lanes as hosts or more, and a host lies in one lane. `dirty` and `idle`
    hold each host once, by the flags beside them. `blocks` holds each block once: of the entries of `news` since a
    change, only the last of a block counts. If more entries than blocks have come since, all blocks are checked.
    """

    lanes: Lanes
    groups: BlockGroups
    lane: NDArray[np.int32]
    kind: NDArray[np.int32]
    first: NDArray[np.int32]
    taken: NDArray[np.int32]
    needed: NDArray[np.float64]
    block_changed_at: NDArray[np.int64]
    news: NDArray[np.int32]
    dirty: NDArray[np.int32]
    is_dirty: NDArray[np.bool_]
    idle: NDArray[np.int32]
    is_idle: NDArray[np.bool_]
    clock: NDArray[np.int64]
    slot_of: NDArray[np.int32]
    owner: NDArray[np.int32]
    known_at: NDArray[np.int64]
    blocks: NDArray[np.int32]
    shut: Shut
    minima: OpenMinima
    rows: CoreRows | None = None


def empty_scores(hosts: tuple[Floats, Ints], demand: Floats, often: Floats, members: int = 1) -> Scores:
    """A memory without scores: all hosts have changed.

    Args:
        hosts: capacities float64[K, R] of the kinds of hosts, and the kind int32[H] of every host.
        demand: float64[K, R], the distinct demands.
        often: float64[K], how often each comes.
        members: policies that rate them; demand k of member m has the number m * K + k.
    """
    kinds, kind = hosts
    blocks = -(-np.bincount(kind, minlength=len(kinds)) // BLOCK)
    many, size = max(int(blocks.sum()), 1), max(int(blocks.sum()), 1) * BLOCK
    own = min(SLOTS, len(demand) * members, max(SLOT_BYTES // (8 * size) - SHARED, 0))
    slots = 1 + own + SHARED
    order = np.empty(len(demand) * members, np.int64)
    order[np.argsort(-np.tile(often, members), kind="stable")] = np.arange(len(order))
    lanes = Lanes(
        free=np.full(kinds.shape[1] * size, EMPTY),
        host=np.full(size, NOBODY),
        changed_at=np.zeros(size, np.int64),
        capacity=np.array(kinds, np.float64).ravel(),
        kind=np.repeat(np.arange(len(kinds), dtype=np.int32), blocks),
        rank=np.empty(slots * size, np.int64),
        least=np.empty(slots * many, np.int64),
        holder=np.empty(slots * many, np.int32),
    )
    return Scores(
        lanes=lanes,
        groups=empty_groups(many, slots),
        lane=np.full(len(kind), -1, np.int32),
        kind=np.array(kind, np.int32),
        first=((np.cumsum(blocks) - blocks) * BLOCK).astype(np.int32),
        taken=np.zeros(len(kinds), np.int32),
        needed=demand.min(axis=0, initial=np.inf),
        block_changed_at=np.zeros(many, np.int64),
        news=np.zeros(many, np.int32),
        dirty=np.arange(len(kind), dtype=np.int32),
        is_dirty=np.ones(len(kind), np.bool_),
        idle=np.zeros(len(kind), np.int32),
        is_idle=np.zeros(len(kind), np.bool_),
        clock=np.array([0, len(kind), 0, 0], np.int64),
        slot_of=np.where(order < own, 1 + order, 1 + own + order % SHARED).astype(np.int32),
        owner=np.full(slots, -1, np.int32),
        known_at=np.zeros(slots, np.int64),
        blocks=np.zeros(many, np.int32),
        shut=all_open(len(kind), size),
        minima=no_minima(many, slots),
    )


CLOCK, DIRTY, IDLE, ROOMY = range(4)
FEW = 16
"""At a full scan, at most one lane in so many may hold a host that is not live."""


@inlined
def changed(scores, host):
    """Note that what is free on `host` has changed."""
    if not scores.is_dirty[host]:
        scores.is_dirty[host] = True
        scores.dirty[scores.clock[DIRTY]] = host
        scores.clock[DIRTY] += 1


@inlined
def refresh(scores, scan, kind, demand, free, last_host, seed):
    """Bring the scores for demand number `kind` up to date; return (slot, 1 if a score is not finite, else 0)."""
    settle(scores, free)
    slot = np.int64(scores.slot_of[kind])
    if scores.owner[slot] != kind:
        scores.owner[slot] = kind
        return slot, _scan_all(scores, scan, slot, demand, last_host, 0, seed)
    since = scores.known_at[slot]
    if since == scores.clock[CLOCK]:
        return slot, np.int64(0)
    scores.known_at[slot] = scores.clock[CLOCK]
    n = _blocks_since(scores, since)
    wrong = scan(scores.lanes, demand, scores.blocks, n, slot, since, scores.lane.shape[0], last_host, 0, seed)
    renew_groups(scores, slot, n)
    return slot, wrong


@inlined
def best_by_rule(scores, rule, kind, demand, free):
    """The open host that a rule of rows prefers for demand number `kind`; -1 if none fits."""
    settle(scores, free)
    return best_in_rows(scores.rows, rule, np.int64(scores.slot_of[kind]), kind, demand)


@inlined
def take_in_lane(scores, scan, slot, demand, host, last_host, seed):
    """Let a task take the host in its lane: its score in `slot`, which is up to date, changes at once.

    The caller takes the host afterwards, or gives it up, and calls `changed` in both cases.
    Returns 1 if a score is not finite, else 0.
    """
    size, lane, since = scores.lanes.host.shape[0], np.int64(scores.lane[host]), scores.clock[CLOCK]
    for r in range(demand.shape[0]):
        scores.lanes.free[r * size + lane] -= demand[r]
    _touch(scores, lane)
    scores.known_at[slot] = scores.clock[CLOCK]
    scores.blocks[0] = lane // BLOCK
    wrong = scan(scores.lanes, demand, scores.blocks, 1, slot, since, scores.lane.shape[0], last_host, 0, seed)
    renew_groups(scores, slot, 1)
    return wrong


@inlined
def is_remembered(scores, kind):
    """Whether a slot holds scores for demand number `kind`, so that only changed hosts are rated."""
    return scores.owner[scores.slot_of[kind]] == kind


@inner
def rate_all(scores, scan, demand, free, last_host, task, seed):
    """Rate each host again in slot 0, remembering nothing; return 1 if a score is not finite, else 0."""
    settle(scores, free)
    return _scan_all(scores, scan, 0, demand, last_host, task, seed)


@inner
def score_in(scores, slot, host):
    """The score of a host that fits in `slot`."""
    return score_of(scores.lanes.rank[slot * scores.lanes.host.shape[0] + scores.lane[host]])


@inner
def _scan_all(scores, scan, slot, demand, last_host, task, seed):
    """Rate all live hosts."""
    many = scores.blocks.shape[0]
    taken = 0
    for kind in range(scores.taken.shape[0]):
        taken += scores.taken[kind]
    if scores.clock[IDLE] * FEW > taken:
        _sweep(scores)
    for at in range(slot * many, (slot + 1) * many):
        scores.lanes.least[at] = NEVER
    n = 0
    for kind in range(scores.taken.shape[0]):
        first = scores.first[kind] // BLOCK
        for block in range(first, first + (scores.taken[kind] + BLOCK - 1) // BLOCK):
            scores.blocks[n] = block
            n += 1
    scores.known_at[slot] = scores.clock[CLOCK]
    wrong = scan(scores.lanes, demand, scores.blocks, n, slot, -1, scores.lane.shape[0], last_host, task, seed)
    renew_all_groups(scores, slot)
    forget_minima(scores.minima, slot)
    return wrong


@inner
def _blocks_since(scores, since):
    """Put the blocks that have changed after `since` into `blocks`; return how many."""
    many, now = scores.blocks.shape[0], scores.clock[CLOCK]
    n = 0
    if now - since < many:
        for at in range(since + 1, now + 1):
            block = scores.news[at % many]
            scores.blocks[n] = block
            n += scores.block_changed_at[block] == at
    else:
        for block in range(many):
            scores.blocks[n] = block
            n += scores.block_changed_at[block] > since
    return n


@inner
def settle(scores, free):
    """Bring the lanes and rows of all dirty hosts up to date."""
    for i in range(scores.clock[DIRTY]):
        host = scores.dirty[i]
        scores.is_dirty[host] = False
        if scores.rows is not None:
            if scores.rows.row.shape[0] > 0:
                settle_in_row(scores.rows, host, free, scores.shut.host[host])
            if scores.rows.alone:
                continue
        lane = np.int64(scores.lane[host])
        live = True
        for r in range(free.shape[1]):
            live &= free[host, r] >= scores.needed[r]
        if lane >= 0:
            _write(scores, lane, free, host)
            if not live and not scores.is_idle[host]:
                scores.is_idle[host] = True
                scores.idle[scores.clock[IDLE]] = host
                scores.clock[IDLE] += 1
        elif live:
            kind = scores.kind[host]
            lane = np.int64(scores.first[kind] + scores.taken[kind])
            scores.taken[kind] += 1
            scores.lane[host], scores.lanes.host[lane] = lane, host
            come_into(scores, lane, host)
            _write(scores, lane, free, host)
    scores.clock[DIRTY] = 0


@inner
def _sweep(scores):
    """Take hosts that are not live out of their lanes."""
    size = scores.lanes.host.shape[0]
    for i in range(scores.clock[IDLE]):
        host = scores.idle[i]
        scores.is_idle[host] = False
        lane = np.int64(scores.lane[host])
        live = True
        for r in range(scores.needed.shape[0]):
            live &= scores.lanes.free[r * size + lane] >= scores.needed[r]
        if not live:
            _leave(scores, lane)
    scores.clock[IDLE] = 0


@inlined
def _write(scores, lane, free, host):
    """Write the free capacity of `host` into its lane, if it has changed."""
    size = scores.lanes.host.shape[0]
    same = True
    for r in range(free.shape[1]):
        same &= scores.lanes.free[r * size + lane] == free[host, r]
        scores.lanes.free[r * size + lane] = free[host, r]
    if not same:
        _touch(scores, lane)


@inlined
def _leave(scores, lane):
    """Take the host out of its lane; the last one of its kind moves there."""
    size = scores.lanes.host.shape[0]
    kind = scores.lanes.kind[lane // BLOCK]
    scores.taken[kind] -= 1
    last = np.int64(scores.first[kind] + scores.taken[kind])
    host, moved = scores.lanes.host[lane], scores.lanes.host[last]
    scores.lanes.host[lane] = moved
    scores.lane[moved] = lane
    scores.lane[host] = -1
    move_from(scores, lane, last)
    for r in range(scores.needed.shape[0]):
        scores.lanes.free[r * size + lane] = scores.lanes.free[r * size + last]
        scores.lanes.free[r * size + last] = EMPTY
    _touch(scores, lane)
    if last // BLOCK != lane // BLOCK:
        _touch(scores, last)


@inlined
def _touch(scores, lane):
    scores.clock[CLOCK] += 1
    now, block = scores.clock[CLOCK], lane // BLOCK
    scores.lanes.changed_at[lane] = now
    scores.block_changed_at[block] = now
    scores.news[now % scores.news.shape[0]] = block
    block_changed(scores.minima, block)
