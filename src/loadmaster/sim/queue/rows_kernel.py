"""Hosts in rows: all hosts of one kind with equally many free cores lie together, each as one whole number, its key.

A key is the free memory followed by the host's index counted from the back, so a higher key means more memory, or as
much and a lower index. That is the order in which hosts are reserved: the reserved hosts are those from a limit on,
and since free memory only falls within a cycle they need no other mark. Finding a host for one of the thesis' rules is
a scan of a few short rows of keys without a branch, and moving a host to another row is a swap with the row's last.

What a row answers to a question is remembered until the row changes: logs come in runs of equal jobs.
Slots are counted with unsigned numbers: signed ones may be negative, which stops the compiler from using vectors (nine
times slower). Columns that are read one entry at a time lie together as records: every array that a kernel hands on
to another costs seven words.
"""
# mypy: disable-error-code="no-untyped-def"

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.kernels import LEAN, inlined, inner, kept_njit
from loadmaster.model.arrays import Ints, Longs
from loadmaster.sim.queue.every_host_kernel import (
    BEST_CORES,
    BEST_MEMORY,
    MIX_FIT,
    OPPORTUNITY,
    ROUND_ROBIN,
    WORSE_CORES,
    WORSE_MEMORY,
    among_all,
)
from loadmaster.sim.queue.keys_kernel import (
    EMPTY,
    NOBODY,
    WIDTH,
    least_memory,
    lowest_host,
    most_memory_under,
)
from loadmaster.sim.queue.levels_kernel import ABOVE, LEVEL, enter, host_of, leave
from loadmaster.sim.queue.ordered_kernel import Ordered, insert, ordered, remove, unordered
from loadmaster.sim.queue.ratings_kernel import LATER, balanced, cheapest
from loadmaster.sim.queue.tree_kernel import (
    HostTree,
    change,
    first_from,
    full_tree,
    least_cores,
    most_cores,
    most_memory,
    no_tree,
)

WORST_BALANCE = np.float64(1.0).view(np.int64)
"""The rank of the worst score of Mix-Fit."""
BITS_OF_TWO = np.float64(2.0).view(np.int64)
"""Bits of numbers from zero up have the order of the numbers; less this, they are all below `ABOVE`."""
FEW_HOSTS, FEW_LEVELS, MANY_LEVELS = 512, 32, 256
"""With few hosts a level is soon looked through, and going over all levels is what takes time."""
QUESTIONS = 128
ANSWERS = 2**18
"""At most so many demands are remembered for each rule, and about so many answers of rows."""
Records = NDArray[Any]
ROW = np.dtype([("start", np.int32), ("size", np.int32)])
SPOT = np.dtype([(name, np.int32) for name in ("kind", "slot", "free", "before", "after")])
KIND = np.dtype([("memory", np.int64), ("limit", np.int64), ("cores", np.int32), ("group", np.int32)])
TOP = np.dtype([("key", np.int64), ("version", np.int32)], align=True)
QUESTION = np.dtype([("memory", np.int64), ("cores", np.int64)])


class HostRows(NamedTuple):
    """H hosts of K kinds in N rows; row c * K + k holds the hosts of kind k with c free cores.

    Reservations are kept by group of kinds: one group if every job could run on every host, else one a kind.

    Attributes:
        bits: how many bits of a key the host takes.
        shift: memory without these last bits is its level, less than L.
        levels: L, the steps of memory in which hosts are counted; a power of two.
        few: all hosts are looked at to know what fits anywhere; of many each demand is looked for by itself.
        by_host: hosts are fewer than rows, so a host is found by a look at each.
        key: int64[S], the hosts in their rows, `EMPTY` where there is none.
        row: N records: first slot and number of hosts.
        version: int32[N], grows whenever a row changes.
        top: N records: the highest key of an open host, and the version of the row when it was looked for.
        spot: H records: kind, slot and free cores of a host, its neighbours in the list of its level (-1: none).
        kind: K records: capacity and group; hosts with `limit` or more are reserved.
        level: records[G x L]: hosts of a group and level, how many of them are reserved, the first of their list.
        question: records[rules x Q], the demands remembered, -1 before the first.
        seen: int32[rules x Q x N], the version of a row when it was asked.
        rank, holder: int64[rules x Q x N], its answer: the best score, as a number that grows with it, and
            the lowest host that has it; `ABOVE` and `NOBODY` if no host fits.
        scratch: int64[H].
        tree: the hosts by index; empty where rows are faster.
        order: the keys of each row in order; empty where a look at the whole row is faster.
    """

    bits: int
    shift: int
    levels: int
    few: bool
    by_host: bool
    key: Longs
    row: Records
    version: Ints
    top: Records
    spot: Records
    kind: Records
    level: Records
    question: Records
    seen: Ints
    rank: Longs
    holder: Longs
    scratch: Longs
    tree: HostTree
    order: Ordered


def full_rows(
    cores: Longs, memory: Longs, kind_of: NDArray[np.int32], one_group: bool, with_tree: bool, in_order: bool
) -> HostRows:
    """All hosts empty of tasks; `cores` and `memory` int64[K] by kind, `kind_of` int32[H]."""
    hosts, kinds = len(kind_of), len(cores)
    bits = hosts.bit_length()
    few = hosts <= FEW_HOSTS
    levels = FEW_LEVELS if few else MANY_LEVELS
    shift = max(0, int(memory.max()).bit_length() - (levels.bit_length() - 1))
    padded = -(-np.bincount(kind_of, minlength=kinds) // WIDTH) * WIDTH
    width = np.where(np.arange(cores.max() + 1)[:, None] <= cores, padded, 0).ravel()
    groups = 1 if one_group else kinds
    questions = ROUND_ROBIN * min(max(ANSWERS // ROUND_ROBIN // len(width), 4), QUESTIONS)
    answers = questions * len(width)
    number = cores[kind_of] * kinds + kind_of
    key = (memory[kind_of] << bits) + (1 << bits) - 1 - np.arange(hosts)
    rows = HostRows(
        bits=bits,
        shift=shift,
        levels=levels,
        few=few,
        by_host=few and hosts <= len(width),
        key=np.full(int(width.sum()), EMPTY),  # a row has a slot for each host of its kind
        row=np.zeros(len(width), ROW),
        version=np.ones(len(width), np.int32),
        top=np.zeros(len(width), TOP),
        spot=np.zeros(hosts, SPOT),
        kind=np.zeros(kinds, KIND),
        level=np.zeros(groups * levels, LEVEL),
        question=np.full(questions, -1, QUESTION),
        seen=np.zeros(answers, np.int32),
        rank=np.zeros(answers, np.int64),
        holder=np.zeros(answers, np.int64),
        scratch=np.zeros(hosts, np.int64),  # each host is in the list of one level
        tree=full_tree(cores[kind_of], memory[kind_of]) if with_tree else no_tree(),
        order=ordered(width, number, key) if in_order else unordered(),
    )
    rows.row["start"] = np.concatenate(([0], np.cumsum(width)[:-1]))
    rows.kind["cores"], rows.kind["memory"], rows.kind["limit"] = cores, memory, ABOVE
    rows.kind["group"] = 0 if one_group else np.arange(kinds)
    rows.level["head"] = -1
    order = np.argsort(kind_of, kind="stable")
    rows.row["size"] = np.bincount(number, minlength=len(width))
    place = np.arange(hosts) - np.searchsorted(kind_of[order], kind_of[order])
    rows.spot["kind"], rows.spot["free"] = kind_of, cores[kind_of]
    rows.spot["slot"][order] = rows.row["start"][number[order]] + place
    rows.key[rows.spot["slot"]] = key
    _enter_all(rows)
    return rows


@kept_njit(**LEAN)
def _enter_all(rows):
    for host in range(rows.spot.shape[0]):
        enter(rows, host)


@inner
def move(rows, host, cores, memory):
    """Take `cores` and `memory` from `host`, or give them back where negative."""
    leave(rows, host)
    spot = rows.spot[host]
    number = spot.free * rows.kind.shape[0] + spot.kind
    rows.version[number] += 1
    row = rows.row[number]
    row.size -= 1
    slot = spot.slot
    last = row.start + row.size
    key = rows.key[slot]
    rows.key[slot] = rows.key[last]
    rows.spot[host_of(rows, rows.key[last])].slot = slot
    rows.key[last] = EMPTY
    spot.free -= cores
    number -= cores * rows.kind.shape[0]
    rows.version[number] += 1
    row = rows.row[number]
    spot.slot = row.start + row.size
    rows.key[spot.slot] = key - (memory << rows.bits)
    row.size += 1
    enter(rows, host)
    if rows.order.blocks.shape[0] > 0:
        remove(rows.order, number + cores * rows.kind.shape[0], key)
        insert(rows.order, number, rows.key[spot.slot])
    if rows.tree.memory.shape[0] > 0:
        change(rows.tree, host, cores, memory)


@inlined
def find(rows, rule, cores, memory, last):
    """The host that `rule` takes for a task, -1 if none fits; reserved hosts do not count. `last` is the last taken."""
    if rule == ROUND_ROBIN:
        return _next(rows, cores, memory, last)
    if rows.by_host and rule != OPPORTUNITY:
        return among_all(rows, rule, cores, memory)
    if rows.tree.memory.shape[0] > 0 and rule not in (BEST_MEMORY, MIX_FIT, OPPORTUNITY):
        host = _by_index(rows.tree, rule, cores, memory)
        if host < 0 or _is_open(rows, host):
            return host
    return _in_rows(rows, rule, cores, memory)


@inlined
def _is_open(rows, host):
    spot = rows.spot[host]
    return rows.key[spot.slot] < rows.kind[spot.kind].limit


@inlined
def _by_index(tree, rule, cores, memory):
    """The host that `rule` takes if none is reserved, found in the tree."""
    low, high = cores, np.int64(tree.most.shape[1])
    if rule == BEST_CORES:
        low = least_cores(tree, cores, memory)
        high = low + 1
    elif rule == WORSE_CORES:
        low = most_cores(tree, cores, memory)
        high = low + 1
    elif rule == WORSE_MEMORY:
        memory = max(memory, most_memory(tree, cores))
    return first_from(tree, 0, low, high, memory) if 0 <= low < high else np.int64(-1)


@inner
def _next(rows, cores, memory, last):
    """The first open host that fits after `last`, going up and around; -1 if there is none."""
    tree = rows.tree
    high, hosts = np.int64(tree.most.shape[1]), tree.memory.shape[0]
    start, around = last + 1, last + 1 == 0
    while True:
        host = first_from(tree, start, cores, high, memory) if start < hosts else np.int64(-1)
        if host < 0 and not around:
            around, start = True, np.int64(0)
        elif host < 0 or (around and last >= 0 and host > last):
            return np.int64(-1)
        elif _is_open(rows, host):
            return host
        else:
            start = host + 1


@inner
def _in_rows(rows, rule, cores, memory):
    """The same, found in the rows."""
    offset = _question(rows, rule, cores, memory) * rows.row.shape[0]
    while True:
        if rule in (BEST_CORES, WORSE_CORES):
            at = _by_cores(rows, rule, offset, cores, memory)
        else:
            at = _by_score(rows, rule, offset, cores, memory)
        if at < 0:
            return np.int64(-1)
        host = rows.holder[at]
        if _is_open(rows, host):
            return host
        rows.seen[at] = 0  # it was reserved after it had been remembered


@inlined
def _by_score(rows, rule, offset, cores, memory):
    """The answer with the best score of all rows, the lower host among equals; -1 if none fits."""
    first = cores * rows.kind.shape[0]
    for row in range(np.uint64(first), np.uint64(rows.row.shape[0])):
        if rows.seen[np.uint64(offset) + row] != rows.version[row]:
            _ask(rows, rule, offset, row, cores, memory)
    rank, host = _best_rank(rows, offset + first, offset + rows.row.shape[0]), NOBODY
    while rule == MIX_FIT and rank == WORST_BALANCE and not _find_later(rows, offset, first, memory):
        rank = _best_rank(rows, offset + first, offset + rows.row.shape[0])
    if rank == ABOVE:
        return np.int64(-1)
    holders, ranks = rows.holder, rows.rank  # fetched before the loop, which uses no vectors otherwise
    for at in range(np.uint64(offset + first), np.uint64(offset + rows.row.shape[0])):
        host = min(host, holders[at] if ranks[at] == rank else NOBODY)
    spot = rows.spot[host]
    return offset + spot.free * rows.kind.shape[0] + spot.kind


@inner
def _best_rank(rows, start, stop):
    rank = ABOVE
    for at in range(np.uint64(start), np.uint64(stop)):
        rank = min(rank, rows.rank[at])
    return rank


@inlined
def _find_later(rows, offset, first, memory):
    """Name the hosts that stand for `LATER`; False if one of them was reserved after it had been remembered."""
    all_there = True
    for number in range(first, first + rows.kind.shape[0]):
        at = offset + number
        if rows.holder[at] == LATER:
            limit = rows.kind[number - first].limit
            rows.holder[at] = lowest_host(rows, np.int64(number), (memory + 1) << rows.bits, limit)
            if rows.holder[at] == NOBODY:
                rows.rank[at] = ABOVE
                all_there = False
    return all_there


@inlined
def _by_cores(rows, rule, offset, cores, memory):
    """The answer of the rows with fewest (or most) free cores that have one, the lower host among equals; or -1."""
    kinds = rows.kind.shape[0]
    levels = rows.row.shape[0] // kinds - cores
    for step in range(levels):
        first = (cores + (levels - 1 - step if rule == WORSE_CORES else step)) * kinds
        host, found = NOBODY, np.int64(-1)
        for row in range(np.uint64(first), np.uint64(first + kinds)):
            at = np.uint64(offset) + row
            if rows.seen[at] != rows.version[row]:
                _ask(rows, rule, offset, row, cores, memory)
            if rows.holder[at] < host:
                host, found = rows.holder[at], np.int64(at)
        if found >= 0:
            return found
    return np.int64(-1)


@inlined
def _question(rows, rule, cores, memory):
    """Where answers for this demand are kept; what another demand left there is forgotten."""
    mixed = (np.uint64(cores) * np.uint64(0x9E3779B97F4A7C15)) ^ (np.uint64(memory) * np.uint64(0xD1B54A32D192ED03))
    many = rows.question.shape[0] // ROUND_ROBIN
    at = rule * many + np.int64((mixed >> np.uint64(40)) % np.uint64(many))
    question = rows.question[at]
    if question.cores != cores or question.memory != memory:
        question.cores, question.memory = cores, memory
        width = rows.row.shape[0]
        for i in range(at * width, (at + 1) * width):
            rows.seen[i] = 0
    return at


@inner
def _ask(rows, rule, offset, number, cores, memory):
    """Remember the best score among the open hosts of a row, and the lowest host that has it."""
    at = np.uint64(offset) + number
    rows.seen[at] = rows.version[number]
    row = rows.row[number]
    rank, host = ABOVE, NOBODY
    if row.size > 0:
        kinds = rows.kind.shape[0]
        kind = rows.kind[np.int64(number) % kinds]
        least = memory << rows.bits
        index = (np.int64(1) << rows.bits) - 1
        if rule == BEST_MEMORY:
            key = least_memory(rows, np.int64(number), least, kind.limit)
            if key < ABOVE:
                rank, host = key >> rows.bits, key & index
        elif rule == WORSE_MEMORY:
            key = most_memory_under(rows, np.int64(number), kind.limit)
            if key >= least:
                rank, host = -(key >> rows.bits), host_of(rows, key)
        elif rule == MIX_FIT:
            score, host = balanced(rows, kind, np.int64(number), np.int64(number) // kinds - cores, memory)
            if host < NOBODY:
                # At most the bits of 1; such bits have the order of the numbers.
                rank = np.float64(score).view(np.int64)
        elif rule == OPPORTUNITY:
            score, host = cheapest(rows, kind, np.int64(number), np.int64(number) // kinds, cores, memory)
            if host < NOBODY:
                rank = np.float64(score).view(np.int64) - BITS_OF_TWO
        else:
            host = lowest_host(rows, np.int64(number), least, kind.limit)
            if host < NOBODY:
                rank = np.int64(0)
    rows.rank[at], rows.holder[at] = rank, host
