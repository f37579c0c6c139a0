"""Least-allocated: the host with the largest part left of its resources (Kubernetes, NodeResourcesFit)."""

import math
from collections.abc import Sequence

from loadmaster.model.arrays import Floats
from loadmaster.place.allocation import CORES_AND_MEMORY, checked_weights
from loadmaster.place.policy import Score


def least_allocated(
    weights: Sequence[float] = CORES_AND_MEMORY, *, integer_scores: bool = True, zero_counts: bool = False
) -> Score:
    """Rate by the mean percentage that would be left, negated: Kubernetes takes the highest, we the lowest.

    Args:
        weights: of the resources, from the first on; those after the last do not count.
        integer_scores: percentages and their mean are rounded down, as in Kubernetes; False keeps them as they are.
        zero_counts: a resource of which a host has nothing counts as none left, as in old releases; it is skipped in
            new ones.

    Raises:
        InputError: bad weights.
    """
    weight = checked_weights(weights)

    def score(demand: Floats, free: Floats, capacity: Floats) -> float:
        total = 0.0
        counted = 0.0
        for r in range(min(len(weight), capacity.shape[0])):
            if capacity[r] > 0.0:
                percent = 100.0 * max(free[r] - demand[r], 0.0) / capacity[r]
                total += weight[r] * (math.floor(percent) if integer_scores else percent)
                counted += weight[r]
            elif zero_counts:
                counted += weight[r]
        if counted == 0.0:
            return 0.0
        mean = total / counted
        return -float(math.floor(mean)) if integer_scores else -mean

    return score
