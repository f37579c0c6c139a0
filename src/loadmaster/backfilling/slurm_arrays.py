"""The arrays of Slurm's two loops, compiled, beside those of the scheduling pass."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.model.arrays import Bools, Floats, Ints, Longs

Records = NDArray[np.void]
Bits = NDArray[np.uint64]
"""A bit for every host, 64 of them in a word."""


def _layout(**fields: str) -> np.dtype[Any]:
    return np.dtype(list(fields.items()), align=True)


CLAIM = _layout(rank="f8", user="i4", user_part="i4", assoc="i4", no_reserve="?")
"""Of a row: its rank, minus infinity where there are none; the numbers of its user, of that user in the partition,
and in the account; and whether nothing is ever reserved for it."""
TRIED = _layout(user="i8", user_part="i8", assoc="i8", part="i8", reserve="i8", array="i8", seen="i8", blocked="?")
"""By each of these numbers: rows tried in the backfill pass, and reservations made; rows of a partition seen in the
main pass, and whether it is blocked there."""
STEP = _layout(start_s="f8", line="i8", many="i8")
"""A span of time up to the next step: the hosts reserved all through it, a line of `bits`, and their number."""
STEP_BLOCK = _layout(start_s="f8", first="i8", steps="i8", fullest="i8")
"""Steps one behind the other: where they stand, how many, and the most hosts that are reserved in one of them."""
BLOCK = 16
"""Steps in a block at most; one that is full is cut in two."""
WINDOW = _layout(from_s="f8", until_s="f8", over_s="f8")
"""A window of ends: the first of them, until when one may belong to it, and the last of them."""
LOOK = _layout(group="i8", built="i8", windows="i8")
"""A set of hosts, the number of the table for which its windows stand, and how many there are."""
END = _layout(end_s="f8", host="i4", kind="i4", tasks="i8")
"""The end of like tasks on one host: when, their kind of demand, and how many they are."""
LATER = _layout(end_s="f8", kind="i4", next="i4", tasks="i8")
"""The same in the list of a host, and the number of the entry that follows there, -1 if none does."""
ABLE = _layout(key="i8", built="i8", wide="i8")
"""A remembered demand on a set of hosts, the table for which that stands, and the most tasks that one host may hold."""


class SlurmRules(NamedTuple):
    """Slurm's parameters, as the passes take them.

    Attributes:
        window_s, resolution_s: a reservation begins at most `window_s` after now, on a multiple of `resolution_s`.
        window_linear_s: each window is longer than the last by so much; 0: windows double.
        late_s: a task is over so long after its limit; forgives: such a task runs as long again.
        depth, max_start, test, user, part, user_part, assoc, start, part_reserve, array_reserve, min_age_s, min_prio:
            as `SlurmParameters` names them.
        limit_stop: a row beyond a limit blocks its partition.
        once: a job has one reservation; running: tasks on whole hosts are entered into the table.
    """

    window_s: float
    resolution_s: float
    window_linear_s: float
    late_s: float
    forgives: bool
    depth: int
    max_start: int
    test: int
    user: int
    part: int
    user_part: int
    assoc: int
    start: int
    part_reserve: int
    array_reserve: int
    min_age_s: float
    min_prio: float
    limit_stop: bool
    once: bool
    running: bool


class SlurmPass(NamedTuple):
    """H hosts in W words, E rows, N ends of tasks, V reservations, L closures, F windows, B sets of hosts, C demands.

    N is all that run and all that start in one pass. V is the rows that may be tried, each once, and the running tasks
    where these are reserved too. A reservation begins at most two steps, each with a line; a full block is halved, so
    that none but the first has fewer than 8 steps.

    Attributes:
        rules: SlurmRules.
        due: int64[3]: the main pass tries so many rows, -1 all, -2 it is not due; the backfill pass is due; it makes
            all reservations, for a reader of the decision, not only those that decide about a start.
        partitions: bool[P, H], the hosts of every partition; empty where these are the row's own.
        claim: CLAIM[E]; tried: TRIED by every such number.
        end: END[N], of running tasks and of those started in this pass, by the end that Slurm guesses.
        later: LATER[N], the same host by host; first_end: int32[H], the number of the first on each, -1 for none.
        end_cards, later_cards: int64[N], beside `end` and `later`, the cards of a task, as bits: tasks with cards stand
            alone. None where GPUs are no cards (rule Q22).
        key_s, number: float64[N], int32[N], heap of tasks that have outlived their limits.
        step: STEP[16 K], in K blocks; block: STEP_BLOCK[K], in the order of time; bits: uint64[2 V + 1, W], lines of
            steps; block_bits: uint64[K, W], hosts reserved in any step of the block that stands from 16 times that on.
        over_s: float64[V + L], when reservations and closures are over, in that order.
        closed: uint64[L, W], the hosts of each closure.
        look: LOOK[B]; window: WINDOW[B, F]; free: float64[B, F, R, H], what hosts have free behind each,
            window 0 being now; where GPUs are cards, R + 2 + C columns (`PassCards`).
        able: ABLE[C]; fits: uint64[C, F, W], hosts that hold a task then; how_many: int64[C, F], -1 where not known.
        most: float64[R], the largest capacity of any host.
        holds, eights: bool[64 W], and uint64[8 W] of the same memory, hosts that hold a task, scratch.
        usable: uint64[W], scratch; on: bool[H], hosts for a start.
        size: int64[16], see below.
    """

    rules: SlurmRules
    due: Longs
    partitions: Bools
    claim: Records
    tried: Records
    end: Records
    later: Records
    first_end: Ints
    end_cards: Longs | None
    later_cards: Longs | None
    key_s: Floats
    number: Ints
    step: Records
    block: Records
    bits: Bits
    block_bits: Bits
    over_s: Floats
    closed: Bits
    look: Records
    window: Records
    free: Floats
    able: Records
    fits: Bits
    how_many: Longs
    most: Floats
    holds: Bools
    eights: Bits
    usable: Bits
    on: Bools
    size: Longs


MAIN_MOST, BACKFILL, RESERVE_ALL = range(3)
ENDS, PLACES, STEPS, OVER, TABLE, BLOCKS, FRESH, DEFERRED, HANDLED = range(9)
"""Entries of `end`; places of the pass whose ends are among them; steps; entries of `over_s`; the number of the table,
one more after every start; blocks of steps; the number of the table with which the pass began;
rows that did not start, in `PassArrays.listed`, and how many of these have had their reservation made."""
