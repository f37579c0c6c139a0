"""Mix-Fit: keep what is left of each resource in balance (Shai 2014, section 4.1)."""

from loadmaster.model.arrays import Floats


def mix_fit(demand: Floats, free: Floats, capacity: Floats) -> float:
    """Rate by the angle between what would be left and the diagonal to the full corner.

    With two resources the score is the tangent of the paper's angle, |dx - dy| / (dx + dy), where dx and dy
    are the fractions left after placing the task. It grows with the angle, and as both fractions are brought
    to the product of the capacities, equal angles give equal floating point numbers. With more resources it is
    the squared sine of the angle to (1, ..., 1). A resource of which a host has nothing does not count.
    """
    resources = 0
    for r in range(capacity.shape[0]):
        if capacity[r] > 0.0:
            resources += 1
    if resources == 2 and capacity.shape[0] == 2:
        x = (free[0] - demand[0]) * capacity[1]
        y = (free[1] - demand[1]) * capacity[0]
        return abs(x - y) / (x + y) if x + y > 0.0 else 0.0
    total = 0.0
    squares = 0.0
    for r in range(capacity.shape[0]):
        if capacity[r] > 0.0:
            left = (free[r] - demand[r]) / capacity[r]
            total += left
            squares += left * left
    if squares <= 0.0:
        return 0.0
    # Rounded so that states at the same angle tie, as exact arithmetic would have it.
    return round((1.0 - total * total / (resources * squares)) * 1e12) * 1e-12


def mix_fit_origin(demand: Floats, free: Floats, capacity: Floats) -> float:
    """Rate by the angle between what would be used and the diagonal from the empty corner.

    The variant that section 4.1 of the thesis weighs and drops: it tells hosts apart less well when nearly full.
    """
    resources = 0
    total = 0.0
    squares = 0.0
    for r in range(capacity.shape[0]):
        if capacity[r] > 0.0:
            used = (capacity[r] - free[r] + demand[r]) / capacity[r]
            resources += 1
            total += used
            squares += used * used
    if squares <= 0.0:
        return 0.0
    return round((1.0 - total * total / (resources * squares)) * 1e12) * 1e-12
