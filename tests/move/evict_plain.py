"""The cheapest tasks to evict from hosts that are too full, slow and plain: the reference of the kernel."""

import numpy as np

from loadmaster.model.arrays import Bools, Floats, Ints
from loadmaster.move.evict import SUBSETS_UP_TO
from loadmaster.packing.instance import TOLERANCE


def evicted_plainly(host: Ints, demand: Floats, cost: Floats, room: Floats) -> Bools:
    """bool[T]: as `evict.evicted`, by trying every set."""
    out = host < 0
    for h in range(len(room)):
        mine = np.flatnonzero(host == h)
        if (demand[mine].sum(axis=0) > room[h] + TOLERANCE).any():
            choose = _cheapest if len(mine) <= SUBSETS_UP_TO else _by_greed
            out[mine] = choose(demand[mine], cost[mine], room[h] + TOLERANCE)
    return out


def _cheapest(demand: Floats, cost: Floats, room: Floats) -> Bools:
    """The first cheapest of all sets, counted in binary with the last task as the highest digit."""
    count = len(cost)
    sets = ((np.arange(2**count)[:, None] >> np.arange(count)) & 1).astype(bool)
    price, stays = np.zeros(len(sets)), np.tile(demand.sum(axis=0), (len(sets), 1))
    for k in range(count - 1, -1, -1):
        price += np.where(sets[:, k], cost[k], 0.0)
        stays -= np.where(sets[:, k, None], demand[k], 0.0)
    return np.asarray(sets[int(np.argmin(np.where((stays <= room).all(axis=1), price, np.inf)))])


def _by_greed(demand: Floats, cost: Floats, room: Floats) -> Bools:
    out = np.zeros(len(cost), bool)
    while (over := demand[~out].sum(axis=0) > room).any():
        gain = demand[:, over].max(axis=1) / (cost + 1e-12)
        gain[out] = -1.0
        out[int(np.argmax(gain))] = True
    return out
