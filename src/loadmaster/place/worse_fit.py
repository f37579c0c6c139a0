"""Worse-fit, elsewhere worst-fit: the host with most left of one resource (Shai 2014, section 3; WFC and WFM)."""

from loadmaster.model.arrays import Floats


def worse_fit_cores(demand: Floats, free: Floats, capacity: Floats) -> float:
    """Rate by free cores, negated, before the task is placed."""
    return -float(free[0])


def worse_fit_memory(demand: Floats, free: Floats, capacity: Floats) -> float:
    """Rate by free memory, negated, before the task is placed; by the only resource where hosts have one."""
    return -float(free[min(1, free.shape[0] - 1)])
