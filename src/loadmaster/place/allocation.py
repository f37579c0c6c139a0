"""What the scores taken from Kubernetes have in common (rule P13): weights, and when a percentage is whole."""

import math
from collections.abc import Sequence

from loadmaster.model.errors import InputError

CORES_AND_MEMORY = (1.0, 1.0)
"""The weights that Kubernetes takes by default; resources after the last weight do not count."""

NEARLY = 1e-4
"""Percent by which a used share may miss a whole number and still count as it.

Kubernetes counts thousandths of a core, which are rounded down here (rule A1): ten tasks of a tenth use a hair less
than one core, and would lose a whole point.
"""


def checked_weights(weights: Sequence[float]) -> tuple[float, ...]:
    """`weights` as floats, one for each resource from the first on.

    Raises:
        InputError: one is negative or no finite number, or none is above 0.
    """
    for weight in weights:
        if not (math.isfinite(weight) and weight >= 0):
            raise InputError(weight, "the weight of a resource must be zero or more")
    if not any(weight > 0 for weight in weights):
        raise InputError(tuple(weights), "some resource must have a weight above 0")
    return tuple(float(weight) for weight in weights)
