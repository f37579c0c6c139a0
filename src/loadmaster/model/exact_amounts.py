"""Amounts on a grid on which adding and subtracting is exact: a host is full when what is free is exactly nothing.

Why, and what was turned down: docs/decisions/exact-amounts.md.
"""

import numpy as np

from loadmaster.model.arrays import Floats

STEP = 2.0**-24
"""Amounts are multiples of this."""
WHOLE_FROM = 2.0**20
"""A column of demands with an amount of this or more is whole: bytes, not shares of something."""
MOST_BESIDE_FRACTIONS = 2.0**53 * STEP
"""A host that has more of a resource counts it in whole numbers only."""
MOST = 2.0**53
"""No host has more of anything: above it not even whole numbers can be told apart."""
_BLOCK = 1 << 15
_CLOSE = 2.0**-50
"""What computing leaves, as a part of the amount; ..."""
_CLOSEST = 2.0**-6
"""... and of a step, so that half a byte of a petabyte is not taken for it."""


def exact_demand(demand: Floats) -> Floats:
    """`demand` rounded down to multiples of `STEP`, in a column with large amounts to whole numbers.

    An amount that was requested stays requested: one step at least.

    Args:
        demand: float64[J, R], finite, zero or more.

    Returns:
        `demand` itself where all of it is on the grid.

    Example:
        >>> tenth, fifth = exact_demand(np.array([[0.1], [0.2]]))[:, 0].tolist()
        >>> 1.0 - tenth - fifth + tenth + fifth == 1.0
        True
    """
    if is_whole(demand):
        return demand
    rounded = np.empty_like(demand)
    for resource in range(demand.shape[1]):  # along whole columns NumPy is ten times as fast
        column = np.ascontiguousarray(demand[:, resource])
        rounded[:, resource] = _down(column, 1.0 if column.max() >= WHOLE_FROM else STEP)
    return demand if np.array_equal(rounded, demand) else rounded


def exact_capacity(capacity: Floats) -> Floats:
    """`capacity` rounded down to multiples of `STEP`: what fills a host on paper still fills it, and no more.

    The sum of what is rounded down never exceeds the sum rounded down; so demands whose fractions add up to the
    capacity fit together.

    Args:
        capacity: float64[H, R], finite, from zero to `MOST`.

    Returns:
        `capacity` itself where all of it is on the grid.
    """
    if is_whole(capacity):
        return capacity
    rounded = _down(capacity, STEP)
    return capacity if np.array_equal(rounded, capacity) else rounded


def is_whole(amounts: Floats) -> bool:
    """Whether all of float64[N, R] are whole numbers; ends at the first rows that are not."""
    rows = (amounts[k : k + _BLOCK] for k in range(0, len(amounts), _BLOCK))
    return all(bool((block == np.floor(block)).all()) for block in rows)


def _down(amounts: Floats, step: float) -> Floats:
    steps = amounts / step
    nearest = np.rint(steps)
    # what computing left an unmeasurable bit below a step (1 - 0.9 - 0.1) is that step
    unmeasurable = np.minimum(steps * _CLOSE, _CLOSEST)
    rounded = np.where(np.abs(steps - nearest) <= unmeasurable, nearest, np.floor(steps))
    return np.asarray(np.where(amounts > 0, np.maximum(rounded, 1.0), 0.0) * step)
