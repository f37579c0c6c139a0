"""Weighted water-filling: how much CPU each task on a host gets, between a floor and a limit, by its share."""

from dataclasses import dataclass

import numpy as np

from loadmaster.model.arrays import Floats
from loadmaster.model.errors import InputError
from loadmaster.sharing.model import Claims


def water_fill(limit: Floats, floor: Floats, share: Floats, capacity: float) -> Floats:
    """Divide `capacity` among n tasks; nothing is left over that a task could still use (rule S8).

    Every task gets its limit if that fits; if not even the floors fit, the floors are scaled down; else task i gets
    min(limit_i, max(floor_i, share_i x level)) with the one level at which the sum is the capacity. The level is
    found by walking the 2n points at which a task leaves its floor or meets its limit, in rising order.

    Args:
        limit: float64[n], the most that each can use, 0 or more.
        floor: float64[n], what each is guaranteed as far as it can use it (never above the limit).
        share: float64[n], relative claim on what is left, more than 0.
        capacity: what there is to divide, 0 or more.

    Returns:
        float64[n], the allotment.

    Raises:
        InputError: a share that is not more than zero, or a negative amount.

    Example:
        >>> water_fill(np.array([1.0, 1.0, 0.1]), np.zeros(3), np.array([1.0, 2.0, 1.0]), 1.0).round(3).tolist()
        [0.3, 0.6, 0.1]
    """
    limit, floor, share = (np.asarray(column, dtype=np.float64) for column in (limit, floor, share))
    _check(limit, floor, share, capacity)
    floor = np.minimum(floor, limit)
    if limit.sum() <= capacity:
        return limit.copy()
    if capacity <= 0:
        return np.zeros_like(limit)
    if floor.sum() >= capacity:
        return np.asarray(floor * (capacity / floor.sum()))
    level = _level(limit, floor, share, capacity)
    return np.asarray(np.minimum(limit, np.maximum(floor, share * level)))


@dataclass(frozen=True)
class WaterFilling:
    """The sharing model of virtual machines: minima, maxima and shares of the tasks, by `water_fill` (rule S8).

    Tasks with equal claims get the same CPU, whatever their demands; CPU that small tasks do not need goes to large
    ones (max-min fairness). A host on which every job is a control group of equal weight divides its CPU so.

    Example:
        >>> demand = np.array([[0.25], [4.0], [1.0]])
        >>> WaterFilling().yields(demand, np.array([2.0]), Claims.alike(demand)).tolist()
        [1.0, 0.21875, 0.875]
    """

    name: str = "water-filling"

    def yields(self, demand: Floats, capacity: Floats, claims: Claims) -> Floats:
        """What `water_fill` allots over what is requested; 1 for tasks that request no CPU (see `SharingModel`)."""
        asked = demand[:, 0]
        limit = np.minimum(asked, claims.high)
        allotted = water_fill(limit, np.minimum(claims.low, limit), claims.share, float(capacity[0]))
        return np.divide(allotted, asked, out=np.ones(len(asked)), where=asked > 0.0)


def _level(limit: Floats, floor: Floats, share: Floats, capacity: float) -> float:
    """The level at which the allotments sum to `capacity`, which lies between the floors' sum and the limits'."""
    level, total, slope = 0.0, float(floor.sum()), 0.0
    steps = [(f / s, s) for f, s in zip(floor, share, strict=True)]
    steps += [(u / s, -s) for u, s in zip(limit, share, strict=True)]
    for point, change in sorted(steps, key=lambda step: step[0]):
        if total + slope * (point - level) >= capacity:
            break
        total += slope * (point - level)
        level = point
        slope += change
    return level + (capacity - total) / slope if slope > 0 else level


def _check(limit: Floats, floor: Floats, share: Floats, capacity: float) -> None:
    if not capacity >= 0:
        raise InputError(capacity, "a capacity must be zero or more")
    for name, column, bad in (
        ("limit", limit, ~(limit >= 0)),
        ("floor", floor, ~(floor >= 0)),
        ("share", share, ~(share > 0)),
    ):
        if bad.any():
            rule = "must be more than zero" if name == "share" else "must be zero or more"
            raise InputError(column[np.argmax(bad)], f"{name} of task {int(np.argmax(bad))} {rule}")
