"""Requested-to-capacity ratio: the host that a curve over used percentages rates highest (Kubernetes)."""

import math
from collections.abc import Sequence
from itertools import pairwise

from loadmaster.model.arrays import Floats
from loadmaster.model.errors import InputError
from loadmaster.place.allocation import CORES_AND_MEMORY, NEARLY, checked_weights
from loadmaster.place.policy import Score

FULLEST_FIRST = ((0, 0), (100, 10))
"""The shape of Kubernetes' own example of packing: the fuller the better."""


def requested_to_capacity_ratio(
    shape: Sequence[tuple[int, int]] = FULLEST_FIRST,
    weights: Sequence[float] = CORES_AND_MEMORY,
    *,
    integer_scores: bool = True,
    round_up: bool = False,
) -> Score:
    """Rate by the weighted mean of a curve over the percentage in use after, negated.

    Only resources that the curve rates above 0 are in the mean; those of which a host has nothing do not count.

    Args:
        shape: points (percent used 0..100, score 0..10) of the curve, by rising percent; linear between them, flat
            outside.
        weights: of the resources, from the first on; those after the last do not count.
        integer_scores: percentages and points of the curve are whole, and the mean is rounded, halves up, as in
            Kubernetes; False keeps them as they are.
        round_up: percentages are rounded up, as in old releases, which counted what is left.

    Raises:
        InputError: bad weights, or a shape that is no curve.
    """
    weight = checked_weights(weights)
    percents, points = _curve(shape)

    def score(demand: Floats, free: Floats, capacity: Floats) -> float:
        total = 0.0
        counted = 0.0
        for r in range(min(len(weight), capacity.shape[0])):
            if capacity[r] <= 0.0:
                continue
            used = 100.0 * min(capacity[r] - free[r] + demand[r], capacity[r]) / capacity[r]
            if integer_scores:
                used = float(math.ceil(used - NEARLY) if round_up else math.floor(used + NEARLY))
            k = 0
            while k < len(percents) and used > percents[k]:
                k += 1
            if k == 0 or k == len(percents):
                rated = points[min(k, len(percents) - 1)]
            else:
                rise = (points[k] - points[k - 1]) * (used - percents[k - 1]) / (percents[k] - percents[k - 1])
                rated = points[k - 1] + (math.trunc(rise) if integer_scores else rise)  # its / rounds towards 0
            if rated > 0.0:
                total += weight[r] * rated
                counted += weight[r]
        if counted == 0.0:
            return 0.0
        mean = total / counted
        return -float(math.floor(mean + 0.5)) if integer_scores else -mean

    return score


def _curve(shape: Sequence[tuple[int, int]]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The percentages of the points of `shape`, and their scores times 10."""
    if not shape:
        raise InputError("shape", "a curve has at least one point", fix="write ((0, 0), (100, 10))")
    percents = tuple(float(percent) for percent, _ in shape)
    points = tuple(10.0 * score for _, score in shape)
    if not all(0 <= percent <= 100 for percent in percents) or any(
        after <= before for before, after in pairwise(percents)
    ):
        raise InputError(tuple(shape), "the percentages of a curve must rise, from 0 to 100")
    if not all(0 <= point <= 100 for point in points):
        raise InputError(tuple(shape), "the scores of a curve must be from 0 to 10")
    return percents, points
