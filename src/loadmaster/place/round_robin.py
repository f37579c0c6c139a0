"""Round-robin: the next host that fits after the one used last (PVM's rule; Amir et al. 2000, section 4)."""

from loadmaster.model.arrays import Floats
from loadmaster.place.policy import Context


def round_robin(demand: Floats, free: Floats, capacity: Floats, context: Context) -> float:
    """Rate by the distance from the last host used, going up and around."""
    ahead = context.host - context.last_host - 1
    return float(ahead if ahead >= 0 else ahead + context.hosts)
