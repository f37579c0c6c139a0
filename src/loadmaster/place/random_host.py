"""Random: any host that fits, each with the same chance."""

from loadmaster.model.arrays import Floats
from loadmaster.place.policy import Context


def random_host(demand: Floats, free: Floats, capacity: Floats, context: Context) -> float:
    """Rate by a hash of seed, task and host, so that a draw depends on nothing else and can be repeated.

    All products stay below 2**63, so plain Python and compiled code agree.
    """
    mask = 0x7FFFFFFF
    value = (context.seed * 0x2C1B3C6D + context.task * 0x297A2D39 + context.host * 0x1B56C4E9) & mask
    for _ in range(3):
        value = (((value >> 15) ^ value) * 0x2C1B3C6D) & mask
    return float((value >> 13) ^ value)
