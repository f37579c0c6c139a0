"""Hosts in rows by free cores, for rules that look at free cores or free memory alone.

    settle_in_row(rows, host, free, is_shut)                      whenever a host has changed
    shut_in_row(rows, host), open_in_row(rows, host)              whenever a host is shut, or opened again
    host = best_in_rows(rows, rule, slot, number, demand)         -1 if no open host fits

`scores_kernel.py` and `shut_kernel.py` call the first three. A row has the hosts with equally many free cores, in any
order: where a host leaves, the last one fills the gap. Best-fit by cores reads the rows from the demanded number of
cores on, up to the first row with a host that fits; worse-fit reads them from the other end. By memory all these rows
count. The best host of a row is remembered for a demand until the row changes. A job changes two rows, and 3,000 hosts
of 16 cores have rows of 200 hosts, each read in 40 ns.

Where hosts have one resource, it stands for memory too. Numbers that are not negative have the order of their bits, and
vector instructions find the least of whole numbers: so a row has the bits of free memory. Invariant: a place of a row
says `NOTHING` unless an open host stands there.
"""
# mypy: disable-error-code="no-untyped-def"

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.host_index.lanes_kernel import NEVER, NOBODY
from loadmaster.jit.kernels import inlined, inner

RATED, BEST_CORES, WORSE_CORES, BEST_MEMORY, WORSE_MEMORY = range(5)
"""The rules; RATED stands for a rule of which rows know nothing."""
NOTHING = np.int64(-1)
"""Less than the bits of any free memory."""
PLACES = 16
"""Places of a row come in so many, so that loops over them have no remainder."""
SPOT = np.dtype([("memory", np.int64), ("row", np.int32), ("place", np.int32)])
ROW = np.dtype([("hosts", np.int32), ("version", np.int32)])
ANSWER = np.dtype([("rank", np.int64), ("host", np.int32), ("version", np.int32)])


class CoreRows(NamedTuple):
    """N rows of W places, one for each number of free cores; H hosts, S slots. All are empty where no rule uses them.

    Attributes:
        rule: int32[M], of each member of a meta-rule.
        alone: no member is `RATED`.
        width: W.
        memory: int64[N * W], the bits of the free memory of the host at a place, else `NOTHING`; host: int32[N * W].
        spot: SPOT[H], where a host stands, place -1 if nowhere yet, and the bits of its free memory, open or not.
        row: ROW[N], its hosts, and how often it has changed.
        owner: int32[S], the demand whose answers are in a slot, -1 if none.
        answer: ANSWER[S * N], the best host of a row, or `NOBODY`, for the version of the row; by memory also its rank.
    """

    rule: NDArray[np.int32]
    alone: bool
    width: int
    memory: NDArray[np.int64]
    host: NDArray[np.int32]
    spot: NDArray[Any]
    row: NDArray[Any]
    owner: NDArray[np.int32]
    answer: NDArray[Any]


def empty_rows(rule: list[int], hosts: int, most_cores: int, slots: int) -> CoreRows:
    """Rows without hosts, for hosts of at most so many cores; no rows if all rules are `RATED`."""
    if set(rule) == {RATED}:
        hosts = slots = rows = 0
    else:
        rows = most_cores + 1
    width = -(-hosts // PLACES) * PLACES
    spot = np.full(hosts, -1, SPOT).view(np.recarray)
    answer = np.zeros(slots * rows, ANSWER).view(np.recarray)
    return CoreRows(
        np.array(rule, np.int32),
        RATED not in rule,
        width,
        np.full(rows * width, NOTHING),
        np.zeros(rows * width, np.int32),
        spot,
        np.zeros(rows, ROW).view(np.recarray),
        np.full(slots, -1, np.int32),
        answer,
    )


@inlined
def settle_in_row(rows, host, free, is_shut):
    """Let `host` stand in the row of its free cores, with its free memory."""
    spot, cores = rows.spot[host], np.int64(free[host, 0])
    spot.memory = np.float64(free[host, min(1, free.shape[1] - 1)]).view(np.int64)
    if spot.place < 0 or spot.row != cores:
        if spot.place >= 0:
            _leave(rows, spot)
        row = rows.row[cores]
        spot.row, spot.place = cores, cores * rows.width + row.hosts
        row.hosts += 1
        rows.host[spot.place] = host
    _write(rows, spot, NOTHING if is_shut else spot.memory)


@inlined
def shut_in_row(rows, host):
    """Let no demand find `host`."""
    if rows.spot[host].place >= 0:
        _write(rows, rows.spot[host], NOTHING)


@inlined
def open_in_row(rows, host):
    """Let demands find `host` again."""
    if rows.spot[host].place >= 0:
        _write(rows, rows.spot[host], rows.spot[host].memory)


@inlined
def _write(rows, spot, memory):
    if rows.memory[spot.place] != memory:
        rows.memory[spot.place] = memory
        rows.row[spot.row].version += 1


@inlined
def _leave(rows, spot):
    """Take the host of `spot` out of its row; the last one of the row moves there."""
    row = rows.row[spot.row]
    row.hosts -= 1
    row.version += 1
    last = spot.row * rows.width + row.hosts
    moved = np.int64(rows.host[last])
    rows.host[spot.place], rows.memory[spot.place] = moved, rows.memory[last]
    rows.spot[moved].place = spot.place
    rows.memory[last] = NOTHING


@inner
def best_in_rows(rows, rule, slot, number, demand):
    """The open host that the rule prefers for `demand`, the lowest index among equals; -1 if none fits.

    All hosts have been settled. `number` is that of the demand. Under `WORSE_MEMORY` all demands of a member have one:
    the host of a row with most memory is the same for all.
    """
    least, first = np.float64(demand[min(1, demand.shape[0] - 1)]).view(np.int64), np.int64(demand[0])
    many, start = rows.row.shape[0], slot * rows.row.shape[0]
    if rows.owner[slot] != number:
        rows.owner[slot] = number
        for at in range(start, start + many):
            rows.answer[at].version = -1
    low, best = NEVER, NOBODY
    for step in range(many - first):
        row = many - 1 - step if rule == WORSE_CORES else first + step
        answer = rows.answer[start + row]
        if answer.version != rows.row[row].version:
            answer.version = rows.row[row].version
            answer.rank, answer.host = _best_of_row(rows, rule, row, least)
        if rule == WORSE_MEMORY and -answer.rank < least:
            continue
        if answer.rank < low or (answer.rank == low and answer.host < best):
            low, best = answer.rank, answer.host
            if rule in (BEST_CORES, WORSE_CORES):
                break
    return np.int64(best) if best != NOBODY else np.int64(-1)


@inlined
def _best_of_row(rows, rule, row, least):
    """(rank, host): the best host of a row with so much memory or more; (`NEVER`, `NOBODY`) if there is none.

    Under `WORSE_MEMORY` it may have less.
    """
    first = row * rows.width
    stop = first + (rows.row[row].hosts + PLACES - 1) // PLACES * PLACES
    if rule in (BEST_CORES, WORSE_CORES):
        host = _lowest_host(rows, first, stop, least)
        return np.int64(0) if host != NOBODY else NEVER, host
    if rule == BEST_MEMORY:
        memory = _least_memory(rows.memory, first, stop, least)
        return memory, NOBODY if memory == NEVER else _lowest_host_with(rows, first, stop, memory)
    memory = _most_memory(rows.memory, first, stop)  # whether that is enough is asked later
    if memory == NOTHING:
        return NEVER, NOBODY
    return -memory, _lowest_host_with(rows, first, stop, memory)


@inner
def _lowest_host(rows, first, stop, least):
    hosts, memories, low = rows.host, rows.memory, NOBODY
    for place in range(np.uint64(first), np.uint64(stop)):
        host = hosts[place]  # read in any case: a read that depends on memory takes no vectors
        low = min(low, host if memories[place] >= least else NOBODY)
    return low


@inner
def _lowest_host_with(rows, first, stop, memory):
    hosts, memories, low = rows.host, rows.memory, NOBODY
    for place in range(np.uint64(first), np.uint64(stop)):
        host = hosts[place]
        low = min(low, host if memories[place] == memory else NOBODY)
    return low


@inner
def _least_memory(memories, first, stop, least):
    low = NEVER
    for place in range(np.uint64(first), np.uint64(stop)):
        low = min(low, memories[place] if memories[place] >= least else NEVER)
    return low


@inner
def _most_memory(memories, first, stop):
    most = NOTHING
    for place in range(np.uint64(first), np.uint64(stop)):
        most = max(most, memories[place])
    return most
