"""The common unit of demands: if every demand is a whole multiple of it, so is every load."""

import math

import numpy as np

from loadmaster.model.arrays import Floats, Longs

_SCALES = (1.0, 10.0, 100.0, 1e3, 1e4, 1e5, 1e6, 2.0**24)
"""Numbers that may turn all values into whole ones: decimals, then the grid of exact amounts."""
_CLOSE = 1e-12
"""A value is a whole multiple if it differs from one by no more than this part of itself."""
_MOST = 2**50


def common_unit(values: Floats) -> float:
    """The largest unit of which every value is a whole multiple; 0 if no such unit is known.

    Args:
        values: float64[N], zero or more.

    Example:
        >>> common_unit(np.array([2.0, 6.0, 0.0])), common_unit(np.array([0.5, 0.75])), common_unit(np.array([np.pi]))
        (2.0, 0.25, 0.0)
    """
    values = np.unique(values[values > 0])
    if not len(values):
        return 0.0
    for scale in _SCALES:
        scaled = values * scale
        whole = np.rint(scaled)
        if scaled[-1] < _MOST and (np.abs(scaled - whole) <= _CLOSE * scaled).all():
            return math.gcd(*whole.astype(np.int64).tolist()) / scale
    return 0.0


def multiples(values: Floats, unit: float) -> Longs:
    """int64[N]: how often `unit` is in each value; the values are whole multiples of it."""
    return np.rint(values / unit).astype(np.int64)


def rounded_up(value: float, unit: float) -> float:
    """The least whole multiple of `unit` that is not below `value`, which may be too large by a rounding error."""
    return value if unit <= 0 or math.isinf(value) else math.ceil(value / unit - 1e-6) * unit
