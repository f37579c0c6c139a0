"""What is stranded on hosts: free, and of no use to a typical task."""

import numpy as np

from loadmaster.model.arrays import Floats


def stranded_amounts(free: Floats, typical: Floats, wanted: int = 0, share: float = 0.0) -> Floats:
    """Of each resource what a host has left, where that is enough for a typical task but the task does not fit.

    Another resource of the host is too short then, or the free parts of its GPUs lie on too many cards (rule Q22).

    Args:
        free: float64[H, R], or float64[H, R + C] with what is free of each card behind.
        typical: float64[R], what a typical task requests.
        wanted: cards that it takes; 0 where GPUs are no cards.
        share: of each of them.

    Returns:
        float64[H, R].

    Example:
        >>> stranded_amounts(np.array([[0.0, 8.0], [4.0, 8.0]]), np.array([1.0, 2.0])).tolist()
        [[0.0, 8.0], [0.0, 0.0]]
        >>> stranded_amounts(np.array([[0.8, 0.4, 0.4], [0.8, 0.8, 0.0]]), np.array([0.7]), 1, 0.7).tolist()
        [[0.8], [0.0]]
    """
    amounts, cards = np.split(free, [len(typical)], axis=1)
    enough = amounts >= typical
    fits = enough.all(axis=1) & ((cards >= share).sum(axis=1) >= wanted)
    return np.asarray(np.where(enough & ~fits[:, None], amounts, 0.0))
