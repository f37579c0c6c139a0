"""Dot product: the host whose free resources are most like the demand of the task (VectorDot; Singh et al. 2008)."""

from loadmaster.model.arrays import Floats


def dot_product(demand: Floats, free: Floats, capacity: Floats) -> float:
    """Rate by the dot product of free and demanded fractions, negated so that most alike is lowest."""
    total = 0.0
    for r in range(capacity.shape[0]):
        if capacity[r] > 0.0:
            total += (free[r] / capacity[r]) * (demand[r] / capacity[r])
    return -total
