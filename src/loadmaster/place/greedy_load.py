"""Greedy: the host with the smallest CPU load once the task is there (Bartal et al. 1992; Amir et al. 2000, 3.2)."""

from loadmaster.model.arrays import Floats


def greedy_load(demand: Floats, free: Floats, capacity: Floats) -> float:
    """Rate by the CPU load after placing, over cores and speed; within 2 - 1/n of the best for equal hosts."""
    return float((capacity[0] - free[0] + demand[0]) / capacity[0])
