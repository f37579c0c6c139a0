"""Opportunity cost: the host whose total cost grows least (Amir et al. 2000, section 3.4; E-PVM)."""

import math

from loadmaster.model.arrays import Floats
from loadmaster.place.policy import Context


def opportunity_cost(demand: Floats, free: Floats, capacity: Floats, context: Context) -> float:
    """Rate by the growth of sum over resources of n^(used / capacity), n the number of hosts, at least 2.

    Infinite on a host that has nothing at all of what the task requests, as of GPUs.

    Differs from the paper: CPU is a resource held exclusively here, so its load is used cores over the host's
    cores; the paper's count of jobs and its doubling scale L belong to time-shared hosts.
    """
    log_base = math.log(max(2.0, float(context.hosts)))
    growth = 0.0
    for r in range(capacity.shape[0]):
        if capacity[r] > 0.0:
            used = (capacity[r] - free[r]) / capacity[r]
            growth += math.exp(log_base * used) * math.expm1(log_base * demand[r] / capacity[r])
        elif demand[r] > 0.0:
            return math.inf
    return growth
