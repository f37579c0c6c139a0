"""Moves one by one off the host with the least yield, as long as they raise it and the budget lasts."""

import numpy as np

from loadmaster.model.arrays import Floats, Ints


def levelled_out(
    host: Ints,
    fluid: Floats,
    rigid: Floats,
    cost: Floats,
    fluid_capacity: Floats,
    rigid_capacity: Floats,
    budget: float,
) -> Ints:
    """The mapping after moves that each lower the largest relative CPU load, at a cost of at most `budget` in all.

    Args:
        host: int32[T], where every task is.
        fluid: float64[T], CPU requested.
        rigid: float64[T, M], what must fit.
        cost: float64[T], what moving each task takes of the budget.
        fluid_capacity: float64[H].
        rigid_capacity: float64[H, M].
        budget: the sum of `cost` that may be spent.

    Example:
        >>> one = np.ones((2, 1))
        >>> cost = np.full(2, 0.3)
        >>> levelled_out(np.array([0, 0]), np.ones(2), one / 2, cost, np.ones(2), one, budget=0.3).tolist()
        [1, 0]
    """
    from loadmaster.move.level_out_kernel import FluidLoads, MovableTasks, level_out

    mapping = host.astype(np.int64)
    load = np.bincount(host, weights=fluid, minlength=len(fluid_capacity)).astype(np.float64)
    used = np.zeros_like(rigid_capacity)
    np.add.at(used, host, rigid)
    room = rigid_capacity * (1 + 1e-9)
    need, held, price, capacity = (np.array(column, order="C") for column in (fluid, rigid, cost, fluid_capacity))
    level_out(mapping, MovableTasks(need, held, price), FluidLoads(capacity, load, used, room), float(budget))
    return mapping.astype(np.int32)
