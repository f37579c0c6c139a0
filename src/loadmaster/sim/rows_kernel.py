"""Hosts in rows: all hosts of one kind with equally many free cores lie together, each with its free memory.

Finding a host for one of the thesis' rules is then a scan of a few short rows of whole numbers, without a branch, and
moving a host to another row is a swap with the row's last. Reserved hosts need no mark: the most free memory is
reserved first and free memory only falls within a cycle, so the reserved hosts of a kind are those above a limit.

What a row answers to a question is remembered until the row changes: logs come in runs of equal jobs.
Slots are counted with unsigned numbers: signed ones may be negative, which stops the compiler from using vectors (nine
times slower).
"""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,untyped-decorator"

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.compiled import lean

FIRST_FIT, BEST_CORES, BEST_MEMORY, WORSE_CORES, WORSE_MEMORY, MIX_FIT = range(6)
"""The rules that `find` knows."""
WIDTH = 16
"""Rows are padded to a multiple of this, so that scans have no remainder."""
NONE = np.int32(2**31 - 1)
"""No host; also the limit when nothing is reserved."""
EMPTY = np.int32(-1)
"""The free memory of a slot without a host."""
QUESTIONS = 128
"""Demands whose answers are remembered for each rule."""


class Rows(NamedTuple):
    """H hosts of K kinds; the row of kind k and c free cores is number first[k] + c.

    Attributes:
        memory: int32[S], free memory of the host in a slot, `EMPTY` without a host; in the log's own unit.
        host: int32[S], the host in a slot, `NONE` without one.
        start: int32[N], first slot of every row.
        size: int32[N], hosts in every row.
        first: int32[K], the row of 0 free cores of every kind.
        cores, room: int32[K], capacity of every kind: cores and memory.
        limit_memory, limit_host: int32[K], reserved are hosts with more memory, or with as much and no higher index.
        kind_of, slot_of, free_cores: int32[H].
        version: int32[N], grows whenever a row or what is reserved in it changes.
        asked: int32[rules x Q, 2], cores and memory of the remembered questions.
        seen: int32[rules x Q x N], the version of a row when it was asked.
        value, holder: float64 and int32[rules x Q x N], its answer: the best score and the lowest host that has it.
    """

    memory: NDArray[np.int32]
    host: NDArray[np.int32]
    start: NDArray[np.int32]
    size: NDArray[np.int32]
    first: NDArray[np.int32]
    cores: NDArray[np.int32]
    room: NDArray[np.int32]
    limit_memory: NDArray[np.int32]
    limit_host: NDArray[np.int32]
    kind_of: NDArray[np.int32]
    slot_of: NDArray[np.int32]
    free_cores: NDArray[np.int32]
    version: NDArray[np.int32]
    asked: NDArray[np.int32]
    seen: NDArray[np.int32]
    value: NDArray[np.float64]
    holder: NDArray[np.int32]


def full_rows(cores: NDArray[np.int32], room: NDArray[np.int32], kind_of: NDArray[np.int32]) -> Rows:
    """All hosts empty of tasks; `cores` and `room` int32[K] by kind, `kind_of` int32[H]."""
    hosts = np.bincount(kind_of, minlength=len(cores))
    padded = -(-hosts // WIDTH) * WIDTH
    first = np.concatenate(([0], np.cumsum(cores + 1)[:-1])).astype(np.int32)
    width = np.repeat(padded, cores + 1)
    start = np.concatenate(([0], np.cumsum(width)[:-1])).astype(np.int32)
    questions = (MIX_FIT + 1) * QUESTIONS
    rows = Rows(
        memory=np.full(int(width.sum()), EMPTY),
        host=np.full(int(width.sum()), NONE),
        start=start,
        size=np.zeros(len(start), np.int32),
        first=first,
        cores=cores.astype(np.int32),
        room=room.astype(np.int32),
        limit_memory=np.full(len(cores), NONE),
        limit_host=np.full(len(cores), EMPTY),
        kind_of=kind_of.astype(np.int32),
        slot_of=np.zeros(len(kind_of), np.int32),
        free_cores=cores[kind_of].astype(np.int32),
        version=np.ones(len(start), np.int32),
        asked=np.full((questions, 2), -1, np.int32),
        seen=np.zeros(questions * len(start), np.int32),
        value=np.zeros(questions * len(start)),
        holder=np.zeros(questions * len(start), np.int32),
    )
    for host, kind in enumerate(kind_of):
        row = first[kind] + cores[kind]
        slot = start[row] + rows.size[row]
        rows.memory[slot], rows.host[slot], rows.slot_of[host] = room[kind], host, slot
        rows.size[row] += 1
    return rows


@lean
def move(rows, host, cores, memory):
    """Take `cores` and `memory` from `host`, or give them back where negative."""
    row = rows.first[rows.kind_of[host]] + rows.free_cores[host]
    slot = rows.slot_of[host]
    left = np.int32(rows.memory[slot] - memory)
    rows.version[row] += 1
    last = rows.start[row] + rows.size[row] - 1
    moved = rows.host[last]
    rows.memory[slot] = rows.memory[last]
    rows.host[slot] = moved
    rows.slot_of[moved] = slot
    rows.memory[last] = EMPTY
    rows.host[last] = NONE
    rows.size[row] -= 1
    row -= cores
    rows.version[row] += 1
    rows.free_cores[host] -= cores
    slot = rows.start[row] + rows.size[row]
    rows.memory[slot] = left
    rows.host[slot] = host
    rows.slot_of[host] = slot
    rows.size[row] += 1


@lean
def find(rows, rule, cores, memory):
    """The host that `rule` takes for a task, -1 if none fits; reserved hosts do not count."""
    question = _question(rows, rule, cores, memory)
    most = 0
    for kind in range(rows.cores.shape[0]):
        most = max(most, rows.cores[kind])
    best = np.inf
    found = NONE
    for step in range(most - cores + 1):
        free = most - step if rule == WORSE_CORES else cores + step
        if found != NONE and rule in (BEST_CORES, WORSE_CORES):
            break
        for kind in range(rows.cores.shape[0]):
            row = rows.first[kind] + free
            if free > rows.cores[kind] or rows.size[row] == 0:
                continue
            at = question * rows.start.shape[0] + row
            if rows.seen[at] != rows.version[row]:
                rows.seen[at] = rows.version[row]
                rows.value[at], rows.holder[at] = _answer(rows, rule, kind, free, cores, memory)
            if rows.value[at] < best or (rows.value[at] == best and rows.holder[at] < found):
                best, found = rows.value[at], rows.holder[at]
    return -1 if found == NONE else np.int64(found)


@lean
def _question(rows, rule, cores, memory):
    """Where answers for this demand are kept; what another demand left there is forgotten."""
    mixed = (np.uint64(cores) * np.uint64(0x9E3779B97F4A7C15)) ^ (np.uint64(memory) * np.uint64(0xD1B54A32D192ED03))
    question = rule * QUESTIONS + np.int64((mixed >> np.uint64(40)) % np.uint64(QUESTIONS))
    if rows.asked[question, 0] != cores or rows.asked[question, 1] != memory:
        rows.asked[question, 0], rows.asked[question, 1] = cores, memory
        width = rows.start.shape[0]
        for at in range(question * width, (question + 1) * width):
            rows.seen[at] = 0
    return question


@lean
def _answer(rows, rule, kind, free, cores, memory):
    """The best score among the open hosts of a row, and the lowest host that has it; (inf, NONE) if none fits."""
    row = rows.first[kind] + free
    if rule == MIX_FIT:
        return _balanced(rows, kind, free, cores, memory)
    if rule == BEST_MEMORY:
        low = _around(rows, kind, row, memory, np.int32(memory - 1))[1]
        return (float(low), _lowest_host(rows, kind, row, low, low)) if low != NONE else (np.inf, NONE)
    if rule == WORSE_MEMORY:
        high = _around(rows, kind, row, memory, np.int32(NONE - 1))[0]
        return (-float(high), _lowest_host(rows, kind, row, high, high)) if high != EMPTY else (np.inf, NONE)
    host = _lowest_host(rows, kind, row, memory, NONE)
    return (0.0, host) if host != NONE else (np.inf, NONE)


@lean
def _balanced(rows, kind, free, cores, memory):
    """Mix-Fit. In a row the score falls with free memory up to the point of balance and grows after it.

    So a row's best hosts are those with the most memory up to that point or those with the least beyond it, and
    only these two amounts are rated. With no core left over every host beyond the point rates 1.
    """
    row = rows.first[kind] + free
    balance = memory + np.int64(free - cores) * rows.room[kind] // rows.cores[kind]
    low, high = _around(rows, kind, row, memory, np.int32(min(balance, np.int64(NONE) - 1)))
    below = _rate(rows, kind, free - cores, low - memory) if low != EMPTY else np.inf
    above = _rate(rows, kind, free - cores, high - memory) if high != NONE else np.inf
    host = NONE
    if low != EMPTY and below <= above:
        host = _lowest_host(rows, kind, row, low, low)
    if high != NONE and above <= below:
        host = min(host, _lowest_host(rows, kind, row, high, NONE if free == cores else high))
    return min(below, above), host


@lean
def _rate(rows, kind, cores_left, memory_left):
    """The score of place/mix_fit.py for what would be left, to the bit."""
    x = float(cores_left) * rows.room[kind]
    y = float(memory_left) * rows.cores[kind]
    return abs(x - y) / (x + y) if x + y > 0.0 else 0.0


@lean
def _stop(rows, row):
    return rows.start[row] + (rows.size[row] + WIDTH - 1) // WIDTH * WIDTH


@lean
def _lowest_host(rows, kind, row, least, most):
    """The lowest open host of a row with `least` to `most` memory, `NONE` if there is none."""
    memory, host = rows.memory, rows.host
    limit, after = rows.limit_memory[kind], rows.limit_host[kind]
    best = NONE
    for slot in range(np.uint64(rows.start[row]), np.uint64(_stop(rows, row))):
        amount = memory[slot]
        index = host[slot]
        fits = (amount >= least) & (amount <= most) & ((amount < limit) | ((amount == limit) & (index > after)))
        best = np.int32(min(best, index if fits else NONE))
    return best


@lean
def _around(rows, kind, row, least, split):
    """The most memory from `least` to `split` of an open host, and the least beyond; `EMPTY`, `NONE` if none."""
    memory, host = rows.memory, rows.host
    limit, after = rows.limit_memory[kind], rows.limit_host[kind]
    low, high = EMPTY, NONE
    for slot in range(np.uint64(rows.start[row]), np.uint64(_stop(rows, row))):
        amount = memory[slot]
        is_open = (amount < limit) | ((amount == limit) & (host[slot] > after))
        low = np.int32(max(low, amount if is_open & (amount >= least) & (amount <= split) else EMPTY))
        high = np.int32(min(high, amount if is_open & (amount > split) else NONE))
    return low, high


@lean
def able(rows, cores, memory):
    """The kinds of hosts that could hold the task when empty, as a mask of bits."""
    mask = np.int64(0)
    for kind in range(rows.cores.shape[0]):
        if rows.cores[kind] >= cores and rows.room[kind] >= memory:
            mask |= np.int64(1) << kind
    return mask


@lean
def outranked(rows, host, many, any_kind):
    """Whether at least `many` open hosts would be reserved before `host`: of any kind, or of its own only."""
    amount = rows.memory[rows.slot_of[host]]
    above = 0
    for kind in range(rows.cores.shape[0]):
        if not any_kind and kind != rows.kind_of[host]:
            continue
        for row in range(rows.first[kind], rows.first[kind] + rows.cores[kind] + 1):
            if rows.size[row] > 0:
                above += _count_row(rows, kind, row, np.int32(amount + 1), NONE, NONE)
                above += _count_row(rows, kind, row, amount, amount, np.int32(host - 1))
                if above >= many:
                    return True
    return False


@lean
def reserve(rows, many, mask):
    """Reserve the `many` open hosts with most free memory among the kinds of `mask`, the lower index among equals.

    The limit that lets through just so many is found by bisection. Returns how many there were.
    """
    there = _count(rows, mask, np.int32(0), NONE, NONE)
    many = min(many, there)
    if many == 0:
        return 0
    low, high = np.int32(0), np.int32(0)
    for kind in range(rows.room.shape[0]):
        if (mask >> kind) & 1:
            high = max(high, rows.room[kind])
    while low < high:  # the largest memory that at least `many` open hosts have
        middle = np.int32(low + (high - low + 1) // 2)
        if _count(rows, mask, middle, NONE, NONE) >= many:
            low = middle
        else:
            high = np.int32(middle - 1)
    wanted = many - _count(rows, mask, np.int32(low + 1), NONE, NONE)
    first, last = np.int32(0), np.int32(rows.kind_of.shape[0] - 1)
    while first < last:  # the lowest host index at which the last ones are found
        middle = np.int32((first + last) // 2)
        if _count(rows, mask, low, low, middle) >= wanted:
            last = middle
        else:
            first = np.int32(middle + 1)
    for kind in range(rows.cores.shape[0]):
        limit = rows.limit_memory[kind]
        if (mask >> kind) & 1 and (low < limit or (low == limit and first > rows.limit_host[kind])):
            rows.limit_memory[kind], rows.limit_host[kind] = low, first
            _outdate(rows, kind)
    return many


@lean
def _count(rows, mask, least, most, last_host):
    """Open hosts of the kinds of `mask` with `least` to `most` memory and an index up to `last_host`."""
    total = 0
    for kind in range(rows.cores.shape[0]):
        if (mask >> kind) & 1:
            for row in range(rows.first[kind], rows.first[kind] + rows.cores[kind] + 1):
                if rows.size[row] > 0:
                    total += _count_row(rows, kind, row, least, most, last_host)
    return total


@lean
def _count_row(rows, kind, row, least, most, last_host):
    memory, host = rows.memory, rows.host
    limit, after = rows.limit_memory[kind], rows.limit_host[kind]
    found = np.int32(0)
    for slot in range(np.uint64(rows.start[row]), np.uint64(_stop(rows, row))):
        amount = memory[slot]
        index = host[slot]
        fits = (
            (amount >= least) & (amount <= most) & (index <= last_host)
            & ((amount < limit) | ((amount == limit) & (index > after)))
        )  # fmt: skip
        found = np.int32(found + np.int32(fits))
    return found


@lean
def release_reserved(rows):
    """No host is reserved any more."""
    for kind in range(rows.cores.shape[0]):
        if rows.limit_memory[kind] != NONE:
            rows.limit_memory[kind], rows.limit_host[kind] = NONE, EMPTY
            _outdate(rows, kind)


@lean
def _outdate(rows, kind):
    for row in range(rows.first[kind], rows.first[kind] + rows.cores[kind] + 1):
        rows.version[row] += 1
