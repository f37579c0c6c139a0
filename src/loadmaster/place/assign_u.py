"""ASSIGN-U: least growth of a cost exponential in the CPU load (Aspnes et al. 1993; Amir et al. 2000, section 3.3)."""

import math

from loadmaster.model.arrays import Floats

BASE = 1.5
"""The constant a of the paper, between 1 and 2."""
LOG_BASE = math.log(BASE)


def assign_u(demand: Floats, free: Floats, capacity: Floats) -> float:
    """Rate by a^(load + added) - a^load, the CPU load alone, added being what the task adds on this host."""
    load = (capacity[0] - free[0]) / capacity[0]
    return math.exp(LOG_BASE * load) * math.expm1(LOG_BASE * demand[0] / capacity[0])
