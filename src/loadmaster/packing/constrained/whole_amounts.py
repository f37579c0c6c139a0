"""Amounts as whole numbers: what tasks request is rounded up to a unit, what hosts have down."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from loadmaster.model.arrays import Floats, Longs
from loadmaster.model.units import CORES, MEMORY

_MOST_SUM = float(1 << 52)
_BYTES = (MEMORY, "ephemeral-storage", "storage")
MOST_ASKED = 1e4
"""A demand is counted up to so many times what the largest host has."""


class WholeAmounts(NamedTuple):
    """int64[T, R], int64[H, R], and how much one unit of each resource is."""

    demand: Longs
    capacity: Longs
    units: tuple[float, ...]


def whole_amounts(resources: Sequence[str], demand: Floats, capacity: Floats) -> WholeAmounts:
    """float64[T, R] and float64[H, R] as whole numbers.

    Bytes count in ones, or in a power of two so large that their sum stays exact; all else in thousandths, or in
    whole ones where the sum is too large for that.

    Example:
        >>> whole_amounts(("cores",), np.array([[0.25]]), np.array([[4.0]])).demand.tolist()
        [[250]]
    """
    demand = np.minimum(demand, MOST_ASKED * capacity.max(axis=0, initial=1.0))
    most = np.maximum(demand.sum(axis=0), capacity.sum(axis=0))
    units = tuple(_unit(name, float(total)) for name, total in zip(resources, most, strict=True))
    whole = np.ceil(np.round(demand / units, 6)).astype(np.int64)
    return WholeAmounts(whole, np.floor(np.round(capacity / units, 6)).astype(np.int64), units)


def _unit(name: str, total: float) -> float:
    smallest = 1.0 if name in _BYTES or name.startswith("hugepages-") else 1e-3
    if name == CORES or total / smallest < _MOST_SUM:
        return smallest
    return 2.0 ** max(0, math.ceil(math.log2(total / _MOST_SUM)))
