"""Norm-greedy: best fit in any dimension, the host with least left of all resources (Panigrahy et al. 2011)."""

from loadmaster.model.arrays import Floats


def norm_greedy(demand: Floats, free: Floats, capacity: Floats) -> float:
    """Rate by the squared length of what would be left, each resource as a fraction of the host's capacity.

    Best-fit looks at one resource; this is best-fit for all of them at once. A resource of which a host has nothing
    does not count.

    Differs from the paper, which fills one bin at a time and picks the item nearest to what is left of it, and weighs
    resources by what the whole set requests: here the task is given and hosts are rated, all resources alike.
    """
    total = 0.0
    for r in range(capacity.shape[0]):
        if capacity[r] > 0.0:
            left = (free[r] - demand[r]) / capacity[r]
            total += left * left
    return total
