"""The age factor of a priority (rule O9)."""

import numpy as np

from loadmaster.model.arrays import Floats


def age_factor(accrue_s: Floats, now_s: Floats | float, max_age_s: float) -> Floats:
    """How much of `max_age_s` a job has waited, from 0 to 1.

    Args:
        accrue_s: float64[Q], since when waiting counts; later than now counts as not at all.
        now_s: the moment, for all or for each of them.
        max_age_s: the wait at which the factor is 1; 0 makes it 1 after any wait.

    Example:
        >>> age_factor(np.array([0.0, 50.0, 90.0, 120.0]), 100.0, 80.0).tolist()
        [1.0, 0.625, 0.125, 0.0]
    """
    waited_s = np.maximum(now_s - accrue_s, 0.0)
    if max_age_s <= 0.0:
        return np.where(waited_s > 0.0, 1.0, 0.0)
    return np.minimum(waited_s / max_age_s, 1.0)
