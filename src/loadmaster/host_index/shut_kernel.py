"""Hosts that are shut for a while, noted by lane: a search that compares several hosts at once leaves them out.

The notes stand beside the lanes (`host_index/lanes_kernel.py`), where hosts move about. A host without a lane can be
shut too, and stays shut when it gets a lane. Rows (`host_index/core_rows_kernel.py`) leave shut hosts out as well.
"""
# mypy: disable-error-code="no-untyped-def"

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.host_index.core_rows_kernel import open_in_row, shut_in_row
from loadmaster.host_index.lanes_kernel import BLOCK, NEVER
from loadmaster.host_index.open_minima_kernel import block_changed
from loadmaster.jit.kernels import inlined

OPEN = np.int64(-(2**63))
"""The least rank that counts in an open lane: any."""


class Shut(NamedTuple):
    """H hosts in M lanes of B blocks.

    Attributes:
        host: bool[H], whether a host is shut.
        least: int64[M], the least rank that counts in a lane: `OPEN`, or `NEVER` where the host is shut.
        many: int32[B], lanes of shut hosts in a block.
    """

    host: NDArray[np.bool_]
    least: NDArray[np.int64]
    many: NDArray[np.int32]


def all_open(hosts: int, lanes: int) -> Shut:
    """The arrays of `Shut` with every host open."""
    return Shut(np.zeros(hosts, np.bool_), np.full(lanes, OPEN), np.zeros(lanes // BLOCK, np.int32))


@inlined
def shut(scores, host):
    """Shut `host`: it cannot be taken until it is opened."""
    scores.shut.host[host] = True
    if scores.rows is not None and scores.rows.row.shape[0] > 0:
        shut_in_row(scores.rows, host)
    if scores.lane[host] >= 0:
        _note_in_block(scores, np.int64(scores.lane[host]), NEVER)


@inlined
def open_again(scores, host):
    """Open `host` again."""
    scores.shut.host[host] = False
    if scores.rows is not None and scores.rows.row.shape[0] > 0:
        open_in_row(scores.rows, host)
    if scores.lane[host] >= 0:
        _note_in_block(scores, np.int64(scores.lane[host]), OPEN)


@inlined
def come_into(scores, lane, host):
    """Note that `host` comes into an empty lane."""
    if scores.shut.host[host]:
        _note(scores.shut, lane, NEVER)


@inlined
def move_from(scores, lane, last):
    """Move the host in lane `last` to `lane`, whose host has left; the two may be one."""
    least = scores.shut.least[last]
    _note(scores.shut, last, OPEN)
    if lane != last:
        _note(scores.shut, lane, least)


@inlined
def _note_in_block(scores, lane, least):
    _note(scores.shut, lane, least)
    block_changed(scores.minima, lane // BLOCK)


@inlined
def _note(shut, lane, least):
    shut.many[lane // BLOCK] += np.int32(least == NEVER) - np.int32(shut.least[lane] == NEVER)
    shut.least[lane] = least
