# mypy: disable-error-code="no-untyped-def"
"""The cheapest tasks to evict from hosts that are too full, compiled; plain: tests/move/evict_plain.py."""

from typing import Any, NamedTuple

import numpy as np

from loadmaster.jit.kernels import LEAN, cached_njit
from loadmaster.model.arrays import Bools, Floats

part: Any = cached_njit(forceinline=True, **LEAN)
kernel: Any = cached_njit(nogil=True, error_model="numpy")


class Weighing(NamedTuple):
    """What tasks request and hosts have, and scratch for up to n residents of a host.

    Attributes:
        demand: float64[T, D].
        cost: float64[T], what evicting each task costs.
        room: float64[H, D], with the tolerance.
        total: float64[D], what the residents of a host ask together.
        stays: float64[n + 1, D], row k: what stays while residents 0..k-1 are still to be weighed.
        rest: float64[n + 1, D], row k: what residents 0..k-1 ask together.
        price: float64[n + 1], row k: the cost of what was evicted so far.
        choice: int8[n], 0 keeps, 1 evicts, -1 is not decided yet.
        best: bool[m], which residents to evict; m is the most that a host has, and at least n.

    A host with more than n residents is not searched; the search goes from k = 0 to the number of residents only.
    """

    demand: Floats
    cost: Floats
    room: Floats
    total: Floats
    stays: Floats
    rest: Floats
    price: Floats
    choice: Any
    best: Bools


@part
def overfull(total, room, h):
    """Some resource of host h is."""
    over = False
    for d in range(room.shape[1]):
        over |= total[d] > room[h, d]
    return over


@part
def decide(work, mine, k, out):
    """Evict resident k, or keep it, where those after it are decided."""
    task = mine[k]
    work.choice[k] = out
    work.price[k] = work.price[k + 1] + out * work.cost[task]
    for d in range(work.room.shape[1]):
        work.stays[k, d] = work.stays[k + 1, d] - out * work.demand[task, d]


@part
def cheapest_set(work, mine, h):
    """Set `best` to the cheapest set of the residents `mine` of host h, by depth-first search from the last one.

    A branch ends where what stays fits, where it costs as much as the best one known, or where evicting all that are
    still to be weighed would not be enough.
    """
    stays, rest, price, choice, room = work.stays, work.rest, work.price, work.choice, work.room
    count, dims = mine.shape[0], room.shape[1]
    for d in range(dims):
        rest[0, d] = 0.0
        for k in range(count):
            rest[k + 1, d] = rest[k, d] + work.demand[mine[k], d]
        stays[count, d] = rest[count, d]
    least, k = np.inf, count
    price[count] = 0.0
    for i in range(count):
        choice[i] = -1
    while True:
        fits, enough = True, True
        for d in range(dims):
            fits &= stays[k, d] <= room[h, d]
            enough &= stays[k, d] - rest[k, d] <= room[h, d] + 1e-9
        if fits and price[k] < least:
            least = price[k]
            for i in range(count):
                work.best[i] = choice[i] == 1
        if k > 0 and not fits and enough and price[k] < least:
            k -= 1
            decide(work, mine, k, 0)
            continue
        while k < count and choice[k] == 1:
            choice[k] = -1
            k += 1
        if k == count:
            return
        decide(work, mine, k, 1)


@part
def greedy_set(work, mine, h):
    """Set `best` to one resident after another, the one that requests most of an overfull resource for its cost."""
    count, dims, total, best = mine.shape[0], work.room.shape[1], work.total, work.best
    for k in range(count):
        best[k] = False
    while overfull(total, work.room, h):
        chosen, most = -1, -1.0
        for k in range(count):
            gain = 0.0
            for d in range(dims):
                if total[d] > work.room[h, d]:
                    gain = max(gain, work.demand[mine[k], d])
            gain /= work.cost[mine[k]] + 1e-12
            if gain > most and not best[k]:
                chosen, most = k, gain
        if chosen < 0:
            return
        best[chosen] = True
        for d in range(dims):
            total[d] -= work.demand[mine[chosen], d]


@kernel
def evict_cheapest(work, order, edge, out):
    """Set `out` for the cheapest tasks whose eviction makes every host fit.

    Args:
        work: demands, rooms and scratch; up to as many residents as `choice` has, every set is weighed.
        order: int64[T], tasks by their host, ascending on each.
        edge: int64[H + 1], where in `order` the tasks of each host begin.
        out: bool[T], changed.
    """
    for h in range(work.room.shape[0]):
        mine = order[edge[h] : edge[h + 1]]
        work.total[:] = 0.0
        for task in mine:
            for d in range(work.room.shape[1]):
                work.total[d] += work.demand[task, d]
        if not overfull(work.total, work.room, h):
            continue
        if mine.shape[0] <= work.choice.shape[0]:
            cheapest_set(work, mine, h)
        else:
            greedy_set(work, mine, h)
        for k in range(mine.shape[0]):
            out[mine[k]] = work.best[k]
