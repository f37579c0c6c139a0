"""Derivative of the opportunity cost: E-PVM for tasks with unknown needs (D-PVM of Amir et al.'s later slides)."""

import math

from loadmaster.model.arrays import Floats
from loadmaster.place.policy import Context


def derivative_cost(demand: Floats, free: Floats, capacity: Floats, context: Context) -> float:
    """Rate by the slope of the host's cost in the direction `demand`, sum of d_r / capacity_r ln n n^(use_r).

    The time-shared engine calls it with the same direction for every task: one thread, and the memory of the
    largest host, so that equal fractions of a large host count alike.

    Differs from the source, which says "infinitesimal consumption on each resource" and no more: the direction.
    """
    log_base = math.log(max(2.0, float(context.hosts)))
    slope = 0.0
    for r in range(capacity.shape[0]):
        if capacity[r] > 0.0:
            slope += demand[r] / capacity[r] * log_base * math.exp(log_base * (capacity[r] - free[r]) / capacity[r])
    return slope
