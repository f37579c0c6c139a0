"""A bound on how many tasks can be placed, where some must be left over: a linear program over kinds (rule K23)."""

from dataclasses import replace
from typing import Any

import numpy as np

from loadmaster.model.arrays import Floats, Longs
from loadmaster.packing.card_placement import card_relaxation
from loadmaster.packing.instance import TOLERANCE, Instance
from loadmaster.packing.packing import Packing
from loadmaster.system.lazy import later

all_rigid = later("loadmaster.packing.cheapest_hosts", "all_rigid")

MOST_PAIRS = 8_000
"""Kinds of tasks times kinds of hosts up to which the linear program is solved: half a second."""


LP_LIMIT_S = 5.0
"""Seconds of the linear program; a program that takes longer gives no bound."""


def most_placed(instance: Instance, limit_s: float = LP_LIMIT_S) -> int:
    """No placement has more tasks, whatever must be met in full: cards count as the amounts that they make up.

    The linear program places parts of tasks of a kind on all hosts of a kind, which have their resources together; a
    kind of tasks goes only where a host holds it when empty. With too many kinds, or after `limit_s` seconds, each
    resource is looked at alone.
    """
    scaled = card_relaxation(instance).scaled
    hard, room = scaled.hard, scaled.hard_room
    if instance.tasks == 0 or hard.shape[1] == 0:
        return instance.tasks
    tasks, count = np.unique(hard, axis=0, return_counts=True)
    hosts, number = np.unique(room, axis=0, return_counts=True)
    if len(tasks) * len(hosts) > MOST_PAIRS:
        return _each_resource_alone(hard, room)
    most = _by_program(tasks, count, (hosts, number), limit_s)
    return min(_each_resource_alone(hard, room), most)


def with_place_bound(instance: Instance, packing: Packing, in_full: bool, limit_s: float = LP_LIMIT_S) -> Packing:
    """The packing with the bound on the tasks that can be placed, if some are left over.

    Args:
        instance: what was packed.
        packing: its packing.
        in_full: fluid demands had to be met in full.
        limit_s: seconds of the linear program, at most `LP_LIMIT_S`.
    """
    if packing.placed or packing.place_bound is not None:
        return packing
    asked = all_rigid(instance) if in_full else instance
    return replace(packing, place_bound=most_placed(asked, min(limit_s, LP_LIMIT_S)))


def _each_resource_alone(hard: Floats, room: Floats) -> int:
    """The most tasks, the smallest first, whose demands for one resource add up to no more than all hosts have."""
    held = (hard <= room.max(axis=0) + TOLERANCE).all(axis=1)
    sums = np.cumsum(np.sort(hard[held], axis=0), axis=0)
    fits = sums <= room.sum(axis=0) + TOLERANCE * len(room)
    return int(fits.sum(axis=0).min(initial=int(held.sum())))


def _by_program(tasks: Floats, count: Longs, kinds: tuple[Floats, Longs], limit_s: float) -> int:
    """The optimum of the linear program, rounded down.

    Args:
        tasks: float64[N, D], what a task of each kind requests in full.
        count: int64[N], tasks of each kind.
        kinds: float64[K, D], what a host of each kind has, and int64[K], hosts of each kind.
        limit_s: seconds.
    """
    from scipy import optimize, sparse

    hosts, number = kinds
    task, host = np.nonzero((tasks[:, None, :] <= hosts[None] + TOLERANCE).all(axis=2))
    pair = np.arange(len(task))
    if not len(pair):
        return 0
    rows: list[Any] = [sparse.coo_array((np.ones(len(pair)), (task, pair)), shape=(len(tasks), len(pair)))]
    limits: list[Floats] = [count.astype(np.float64)]
    for d in range(tasks.shape[1]):
        rows.append(sparse.coo_array((tasks[task, d], (host, pair)), shape=(len(hosts), len(pair))))
        limits.append((hosts[:, d] + TOLERANCE) * number)
    linprog: Any = optimize.linprog
    matrix: Any = sparse.vstack(rows).tocsr()
    limit = np.concatenate(limits)
    result = linprog(-np.ones(len(pair)), A_ub=matrix, b_ub=limit, options={"time_limit": max(0.01, limit_s)})
    if result.status != 0:
        return int(count.sum())
    return int(min(np.floor(_certified(matrix, limit, result.ineqlin.marginals) + 1e-6), count.sum()))


def _certified(matrix: Any, limit: Floats, marginals: Floats) -> float:
    """The bound that the duals prove by themselves, whatever rounding the solver allowed itself.

    Weak duality: with y >= 0 and A'y >= 1 no solution has more than limit @ y. Duals that fall short are scaled up.
    """
    duals = np.maximum(-marginals, 0.0)
    least = float((matrix.T @ duals).min())
    return float(limit @ duals) / least if least > 0 else float(np.inf)
