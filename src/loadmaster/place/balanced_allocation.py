"""Balanced-allocation: the host whose resources would be used to like parts (Kubernetes)."""

import math
from collections.abc import Sequence

from loadmaster.model.arrays import Floats
from loadmaster.model.errors import InputError
from loadmaster.place.allocation import CORES_AND_MEMORY, NEARLY, checked_weights
from loadmaster.place.policy import Score

BALANCES = ("level", "gain")
"""What is rated: how balanced the host is with the task, or what the task gains in balance."""


def balanced_allocation(
    weights: Sequence[float] = CORES_AND_MEMORY, *, balance: str = "level", integer_scores: bool = True
) -> Score:
    """Rate by 100 (1 - deviation of the used fractions), negated.

    The deviation is that of the fractions themselves, not of a sample: |a - b| / 2 of two, 0 of one. A resource of
    which a host has nothing does not count.

    Args:
        weights: resources with a weight of 0, and those after the last weight, do not count; others count alike.
        balance: "level"; or "gain" as in the newest releases: 50 + (50 + score with the task - score without) / 2.
        integer_scores: scores are rounded down, as in Kubernetes; False keeps them as they are.

    Raises:
        InputError: bad weights, or no such balance.
    """
    weight = checked_weights(weights)
    if balance not in BALANCES:
        raise InputError(balance, "no such balance", fix="take level or gain")
    gain = balance == "gain"

    def score(demand: Floats, free: Floats, capacity: Floats) -> float:
        rated = 0.0
        for part in range(2 if gain else 1):  # with the task; for the gain also without it
            count = 0
            total = 0.0
            for r in range(min(len(weight), capacity.shape[0])):
                if weight[r] > 0.0 and capacity[r] > 0.0:
                    used = capacity[r] - free[r] + (demand[r] if part == 0 else 0.0)
                    total += min(used / capacity[r], 1.0)
                    count += 1
            squares = 0.0
            for r in range(min(len(weight), capacity.shape[0])):
                if weight[r] > 0.0 and capacity[r] > 0.0:
                    used = capacity[r] - free[r] + (demand[r] if part == 0 else 0.0)
                    off = min(used / capacity[r], 1.0) - total / count
                    squares += off * off
            level = 100.0 * (1.0 - math.sqrt(squares / count)) if count > 0 else 100.0
            if integer_scores:
                level = float(math.floor(level + NEARLY))
            rated += level if part == 0 else 50.0 - level
        if not gain:
            return -rated
        return -(50.0 + (float(math.floor(rated / 2.0)) if integer_scores else rated / 2.0))

    return score
