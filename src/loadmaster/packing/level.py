"""The level of a mapping: the best minimum yield its hosts can give (Casanova et al. 2008; rule K2)."""

import numpy as np

from loadmaster.model.arrays import Floats, Ints, Longs
from loadmaster.packing.instance import TOLERANCE, Instance


def host_use(amounts: Floats, host: Ints | Longs, hosts: int) -> Floats:
    """float64[H, R]: the sum of `amounts`, float64[T, R], over the tasks on each host."""
    columns = [np.bincount(host, weights=amounts[:, r], minlength=hosts) for r in range(amounts.shape[1])]
    use = np.stack(columns, axis=1) if columns else np.zeros((hosts, 0))
    return use.astype(np.float64, copy=False)  # without any task, np.bincount gives whole numbers


def fits(instance: Instance, host: Ints | Longs) -> bool:
    """Every host holds the rigid demands and the guaranteed shares of its tasks."""
    hard, room = instance.scaled.hard, instance.scaled.hard_room
    return bool((host_use(hard, host, instance.hosts) <= room + TOLERANCE).all())


def level_of(instance: Instance, host: Ints | Longs) -> float:
    """The largest Y <= 1 such that every task on every host can get max(guarantee, weight x Y) of its fluid demands.

    Without guarantees this is min(1, 1 / largest relative load). NaN if the mapping does not fit.
    """
    if not fits(instance, host):
        return float("nan")
    if instance.guaranteed:
        return _guaranteed_level(instance, host)
    load = host_use(instance.scaled.need, host, instance.hosts)
    with np.errstate(divide="ignore", invalid="ignore"):
        level = np.where(load > 0, instance.scaled.room / load, np.inf)
    return float(min(1.0, level.min(initial=1.0)))


def _guaranteed_level(instance: Instance, host: Ints | Longs) -> float:
    """Walks the levels at which a task's weighted yield overtakes its guarantee, on each host and resource."""
    worst = 1.0
    scaled = instance.scaled
    turn = instance.task_guarantee / instance.task_weight
    order = np.lexsort((turn, host))
    edges = np.searchsorted(host[order], np.arange(instance.hosts + 1))
    for h in range(instance.hosts):
        tasks = order[edges[h] : edges[h + 1]]
        for f in range(scaled.room.shape[1]):
            worst = min(worst, filled_at(scaled.need[tasks, f], turn[tasks], float(scaled.room[h, f])))
    return worst


def filled_at(need: Floats, turn: Floats, room: float) -> float:
    """The largest Y in [0, 1] with sum of need x max(turn, Y) <= room; `turn` ascends."""
    before = np.concatenate(([0.0], np.cumsum(need)))  # slope once the first k tasks have passed their turn
    fixed = np.concatenate((np.cumsum((need * turn)[::-1])[::-1], [0.0]))  # the rest, still at their guarantee
    for k in range(len(need), -1, -1):
        start = turn[k - 1] if k else 0.0
        if start >= 1.0 or before[k] * start + fixed[k] > room + TOLERANCE:
            continue
        end = turn[k] if k < len(need) else 1.0
        reached = (room - fixed[k]) / before[k] if before[k] > 0 else end
        return float(min(1.0, max(start, min(end, reached))))
    return 0.0


def task_yield_at(instance: Instance, level: float) -> Floats:
    """float64[T]: the yield that `level` promises to every task."""
    return np.maximum(instance.task_guarantee, instance.task_weight * level)
