"""Hosts in lanes: free capacity as one column a resource, in blocks of hosts of one kind, and ranks by score.

A policy compiled as a scan (`compiled_rules/scans.py`) walks over these blocks, so one instruction rates several hosts.
Hosts of one kind have the same capacity: within a block it is a constant, and terms of it alone are computed once.
"""
# mypy: disable-error-code="no-untyped-def"

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.jit.kernels import inlined

BLOCK = 16
"""Lanes in a block."""
NEVER = np.float64(np.inf).view(np.int64)
"""The rank of a host that does not fit, and of a lane without a host."""
LOWEST = np.int64(-(2**63) + 2**52 - 1)
"""The rank of minus infinity: finite scores rank between it and `NEVER`, a NaN does not."""
NOBODY = np.int32(2**31 - 1)
"""No host: a number after all hosts."""
UNKNOWN = np.int32(-1)
"""The holder of a block's lowest rank before it has been searched."""
EMPTY = -1.0
"""The free capacity of a lane without a host: nothing fits there."""


class Lanes(NamedTuple):
    """M lanes in B blocks, R resources, K kinds of hosts, S slots of scores.

    Attributes:
        free: float64[R * M], the free capacity of every lane, a column for each resource.
        host: int32[M], the host in a lane.
        changed_at: int64[M], when a lane last changed.
        capacity: float64[K * R], of a host of each kind.
        kind: int32[B], the kind of the hosts in a block.
        rank: int64[S * M], the scores of a slot, as whole numbers in their order.
        least: int64[S * B], the lowest rank in every block.
        holder: int32[S * B], the lowest host that has it, or `UNKNOWN`.
    """

    free: NDArray[np.float64]
    host: NDArray[np.int32]
    changed_at: NDArray[np.int64]
    capacity: NDArray[np.float64]
    kind: NDArray[np.int32]
    rank: NDArray[np.int64]
    least: NDArray[np.int64]
    holder: NDArray[np.int32]


@inlined
def rank_of(score):
    """A whole number in the order of the scores; -0 counts as 0. Vector instructions find minima of these only."""
    bits = np.float64(score + 0.0).view(np.int64)
    return bits ^ ((bits >> 63) & np.int64(2**63 - 1))


@inlined
def score_of(rank):
    """The score that has this rank."""
    return np.int64(rank ^ ((rank >> 63) & np.int64(2**63 - 1))).view(np.float64)
