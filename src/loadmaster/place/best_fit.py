"""Best-fit: the host with least left of one resource (Shai 2014, section 3: BFC and BFM; rule P1)."""

from loadmaster.model.arrays import Floats


def best_fit_cores(demand: Floats, free: Floats, capacity: Floats) -> float:
    """Rate by free cores, before the task is placed."""
    return float(free[0])


def best_fit_memory(demand: Floats, free: Floats, capacity: Floats) -> float:
    """Rate by free memory, before the task is placed; by the only resource where hosts have one."""
    return float(free[min(1, free.shape[0] - 1)])
