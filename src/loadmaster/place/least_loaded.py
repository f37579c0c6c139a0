"""Least-loaded: the host whose most used resource is used least."""

from loadmaster.model.arrays import Floats


def least_loaded(demand: Floats, free: Floats, capacity: Floats) -> float:
    """Rate by the largest used fraction over the resources, before the task is placed."""
    largest = 0.0
    for r in range(capacity.shape[0]):
        if capacity[r] > 0.0:
            largest = max(largest, (capacity[r] - free[r]) / capacity[r])
    return largest
