"""First-fit: the first host in the list that fits."""

from loadmaster.model.arrays import Floats


def first_fit(demand: Floats, free: Floats, capacity: Floats) -> float:
    """Rate all hosts alike, so that the lowest index wins."""
    return 0.0
