"""The cheapest tasks evicted from hosts too full for a level, packed anew into what is left: bisection on the level."""

import numpy as np

from loadmaster.model.arrays import Bools, Floats, Ints
from loadmaster.move.change import State
from loadmaster.move.evict_kernel import Weighing, evict_cheapest
from loadmaster.packing.bound import upper_bound
from loadmaster.packing.deadline import NO_DEADLINE, Deadline
from loadmaster.packing.instance import TOLERANCE
from loadmaster.packing.level import host_use
from loadmaster.packing.mcb import work_for
from loadmaster.packing.mcb_kernel import McbProblem, probe

SUBSETS_UP_TO = 15
"""Residents of a host up to which every set of them is weighed; above, the cheapest is sought by greed."""


def evict(state: State, budget: float, threshold: float = 1e-3, deadline: Deadline = NO_DEADLINE) -> Ints | None:
    """int32[T]: the mapping of the highest level found whose evictions cost at most `budget`; None if there is none.

    The bisection ends at the deadline.
    """
    low, high = 0.0, upper_bound(state.instance)

    def within(level: float) -> Ints | None:
        host = evicted_at(state, level)
        return host if host is not None and state.spent(host) <= budget * (1 + 1e-12) else None

    best = within(high)
    if best is not None:
        return best
    best = within(low)
    while best is not None and high - low > threshold and not deadline.passed():
        level = (low + high) / 2
        host = within(level)
        if host is not None:
            best, low = host, level
        else:
            high = level
    return best


def evicted_at(state: State, level: float) -> Ints | None:
    """Evict until every host can give `level`, pack the evicted and the new into what is left; None if it fails."""
    instance, scaled = state.instance, state.instance.scaled
    fluid = scaled.need * level
    if instance.guaranteed:
        fluid = np.maximum(fluid, scaled.hard[:, scaled.fixed :])
    demand = np.hstack((fluid, scaled.hard[:, : scaled.fixed]))
    room = np.hstack((scaled.room, scaled.hard_room[:, : scaled.fixed]))
    out = evicted(state.host, demand, state.cost, room)
    if not out.any():
        return state.host
    free = room - host_use(demand[~out], state.host[~out], instance.hosts)
    moving = np.flatnonzero(out)
    problem = McbProblem(
        demand[moving][None],
        np.zeros((1, len(moving), demand.shape[1])),
        np.arange(len(moving))[None],
        np.maximum(free, 0.0),
        8,
        TOLERANCE,
    )
    work = work_for(problem)
    if probe(problem, work, 1.0) < len(moving):
        return None
    host = state.host.copy()
    host[moving] = work.host
    return host


def evicted(host: Ints, demand: Floats, cost: Floats, room: Floats) -> Bools:
    """bool[T]: the new tasks, and from every overfull host the cheapest residents without which the others fit.

    Up to `SUBSETS_UP_TO` residents the cheapest set there is, of equals the first by index of its latest task; above,
    one after another what frees most of the overfull resources for its cost.

    Args:
        host: int32[T], -1 for new tasks.
        demand: float64[T, D].
        cost: float64[T], what evicting each task costs.
        room: float64[H, D].
    """
    order = np.argsort(host, kind="stable")
    edge = np.searchsorted(host[order], np.arange(len(room) + 1))
    out = host < 0
    dims, most = demand.shape[1], max(SUBSETS_UP_TO, int(np.diff(edge).max()))
    stays, rest = np.empty((2, SUBSETS_UP_TO + 1, dims))
    work = Weighing(
        np.ascontiguousarray(demand),
        cost,
        room + TOLERANCE,
        np.empty(dims),
        stays,
        rest,
        np.empty(SUBSETS_UP_TO + 1),
        np.empty(SUBSETS_UP_TO, np.int8),
        np.empty(most, np.bool_),
    )
    evict_cheapest(work, order, edge, out)
    return out
