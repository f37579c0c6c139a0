"""Single moves off the host with the least yield in plain Python: what the kernel must agree with to the bit."""

import numpy as np

from loadmaster.model.arrays import Floats, Ints


def levelled_out_plainly(
    host: Ints,
    fluid: Floats,
    rigid: Floats,
    cost: Floats,
    fluid_capacity: Floats,
    rigid_capacity: Floats,
    budget: float,
) -> Ints:
    """As `level_out.levelled_out`, step by step."""
    host = host.copy()
    load = np.bincount(host, weights=fluid, minlength=len(fluid_capacity)).astype(np.float64)
    used = np.zeros_like(rigid_capacity)
    np.add.at(used, host, rigid)
    for _ in range(len(host)):
        fullest = int(np.argmax(load / fluid_capacity))
        if load[fullest] <= fluid_capacity[fullest]:
            break  # every task has all it requests
        move = _best_move(fullest, host, fluid, rigid, cost, load, used, fluid_capacity, rigid_capacity, budget)
        if move is None:
            break
        task, target = move
        for sign, where in ((-1, fullest), (1, target)):
            load[where] += sign * fluid[task]
            used[where] += sign * rigid[task]
        host[task] = target
        budget -= cost[task]
    return host


def _best_move(fullest, host, fluid, rigid, cost, load, used, fluid_capacity, rigid_capacity, budget):  # type: ignore[no-untyped-def]
    """The (task, target) that leaves the smaller of the two larger loads, if that is below the present one."""
    best, best_load = None, load[fullest] / fluid_capacity[fullest] - 1e-9
    for task in np.flatnonzero((host == fullest) & (fluid > 0)):
        if cost[task] > budget:
            continue
        fits = (used + rigid[task] <= rigid_capacity * (1 + 1e-9)).all(axis=1)
        fits[fullest] = False
        if not fits.any():
            continue
        there = np.where(fits, (load + fluid[task]) / fluid_capacity, np.inf)
        target = int(np.argmin(there))
        larger = max(there[target], (load[fullest] - fluid[task]) / fluid_capacity[fullest])
        if larger < best_load:
            best, best_load = (int(task), target), larger
    return best
