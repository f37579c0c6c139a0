"""A periodic schedule of several mappings: what free migration could gain (Casanova et al. 2008, section 2.3)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from loadmaster.model.arrays import Floats, Ints
from loadmaster.packing import Instance


@dataclass(frozen=True, eq=False)
class Rotation:
    """Time and shares of each mapping.

    Attributes:
        level: the least mean yield of any task.
        weight: float64[K], the fraction of time of every mapping.
        share: float64[K, T], the fluid share of every task while the mapping is in use.
    """

    level: float
    weight: Floats
    share: Floats


def best_rotation(instance: Instance, mappings: Sequence[Ints]) -> Rotation:
    """The times and shares that maximise the least mean yield, a linear program; one fluid resource.

    Example:
        >>> two = Instance.of(2, cpu=[0.6, 0.6, 0.6], memory=[0.1, 0.1, 0.1])
        >>> swap = best_rotation(two, [np.array([0, 0, 1]), np.array([0, 1, 1])])
        >>> round(swap.level, 6)
        0.888889
    """
    need, room = instance.fluid[:, 0], instance.fluid_capacity[:, 0]
    kinds, tasks, hosts = len(mappings), instance.tasks, instance.hosts
    cells = kinds * tasks  # x[k * T + i]: weight x share; then the weights; then the level
    entries: list[tuple[int, int, float]] = []
    for k, mapping in enumerate(mappings):
        for i in range(tasks):
            entries.append((k * hosts + int(mapping[i]), k * tasks + i, 1.0))
            entries.append((kinds * hosts + k * tasks + i, k * tasks + i, 1.0))
            entries.append((kinds * hosts + k * tasks + i, cells + k, -need[i]))
            entries.append((kinds * hosts + cells + i, k * tasks + i, -1.0))
        entries += [(k * hosts + h, cells + k, -room[h]) for h in range(hosts)]
    entries += [(kinds * hosts + cells + i, cells + kinds, need[i]) for i in range(tasks)]
    row, column, value = (np.array(part) for part in zip(*entries, strict=True))
    shape = (kinds * hosts + cells + tasks, cells + kinds + 1)
    matrix = scipy.sparse.coo_array((value, (row.astype(int), column.astype(int))), shape=shape).tocsr()
    cost = np.zeros(shape[1])
    cost[-1] = -1.0
    once = np.concatenate((np.zeros(cells), np.ones(kinds), [0.0]))[None, :]
    bounds = [(0.0, 1.0 if c >= cells else None) for c in range(shape[1])]
    linprog: Any = scipy.optimize.linprog
    result = linprog(cost, A_ub=matrix, b_ub=np.zeros(shape[0]), A_eq=once, b_eq=[1.0], bounds=bounds)
    weight = result.x[cells : cells + kinds]
    share = result.x[:cells].reshape(kinds, tasks) / np.where(weight > 0, weight, 1.0)[:, None]
    return Rotation(float(result.x[-1]), weight, share)


def mean_yields(instance: Instance, weight: Floats, share: Floats) -> Floats:
    """float64[T]: the yield of every task over the period."""
    return np.asarray(weight @ (share / instance.fluid[:, 0][None, :]))
