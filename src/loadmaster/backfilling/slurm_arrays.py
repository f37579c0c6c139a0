"""What the compiled twin of Slurm's two loops works on beside the board."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.model.arrays import Bools, Ints, Longs

Records = NDArray[np.void]


def _layout(**fields: str) -> np.dtype[Any]:
    return np.dtype(list(fields.items()), align=True)


CLAIM = _layout(user="i4", user_part="i4", assoc="i4", now_only="?")
"""Of a row: the numbers of its user, of that user in the partition, and in the account; and nothing is kept for it."""
TRIED = _layout(user="i8", user_part="i8", assoc="i8", part="i8", reserve="i8", array="i8", seen="i8", blocked="?")
"""By each of these numbers: rows tried in the backfill pass, and reservations made; rows of a partition seen in the
main pass, and whether it is blocked there."""
RESERVED = _layout(from_s="f8", to_s="f8", first="i8", many="i8", closure="i8", until="i8")
"""Hosts out of the table for some time, both ends included: where they stand in `host`, and the closure that it is, -1
for none, which shuts out everybody; `until` is scratch: the row that it has stood in the way of."""


class SlurmPass(NamedTuple):
    """H hosts, E rows, N running tasks, V reservations with room for those to come.

    Attributes:
        main_most: the main pass tries so many rows, -1 all, -2 it is not due; backfill: the backfill pass is due.
        horizon_s: no reservation begins later; resolution_s: reservations begin and end on multiples of it.
        window_linear_s: windows grow by so much; 0: they double.
        depth, max_start, test, user, part, user_part, assoc, start, part_reserve, array_reserve: counts, as
            `SlurmParameters` names them.
        limit_stop: a row beyond a limit blocks its partition.
        partitions: bool[P, H], the hosts of every partition; empty where these are the row's own.
        claim: CLAIM[E]; tried: TRIED by every such number.
        end: END[N], running tasks by the end that Slurm guesses; started: END[T], those started in this pass, likewise.
        row: RESERVED[V]; by_from, by_to: int32[V], their numbers in these orders; host: int32[W].
        blocked: int64[H], reservations in the way; held: int64[H], tasks of the row at hand.
        on: bool[H], hosts that no reservation needs.
        size: int64[4], see below.
    """

    main_most: int
    backfill: bool
    horizon_s: float
    resolution_s: float
    window_linear_s: float
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
    limit_stop: bool
    partitions: Bools
    claim: Records
    tried: Records
    end: Records
    started: Records
    row: Records
    by_from: Ints
    by_to: Ints
    host: Ints
    blocked: Longs
    held: Longs
    on: Bools
    size: Longs


PLACES, ENDS, RESERVATIONS, RESERVED_HOSTS = range(4)
"""Places of the board whose ends are in `started`; entries there; reservations; hosts of them."""
