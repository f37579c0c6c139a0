"""What is stranded on hosts: free, and of no use to a typical task."""

import numpy as np

from loadmaster.model.arrays import Floats


def stranded_amounts(free: Floats, typical: Floats) -> Floats:
    """Of each resource what a host has left, where that is enough for a typical task and another resource is too short.

    Args:
        free: float64[H, R].
        typical: float64[R], what a typical task requests.

    Returns:
        float64[H, R].

    Example:
        >>> stranded_amounts(np.array([[0.0, 8.0], [4.0, 8.0]]), np.array([1.0, 2.0])).tolist()
        [[0.0, 8.0], [0.0, 0.0]]
    """
    enough = free >= typical
    return np.asarray(np.where(enough & ~enough.all(axis=1, keepdims=True), free, 0.0))
