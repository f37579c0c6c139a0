"""The second phase: with every task where it is, raise the mean yield (Casanova et al. 2008, sections 3.5 and 5.1)."""

from typing import Any

import numpy as np
import scipy

from loadmaster.model.arrays import Floats, Ints
from loadmaster.packing.instance import Instance
from loadmaster.packing.level import task_yield_at


def raise_mean(instance: Instance, host: Ints, level: float) -> Floats:
    """float64[J]: yields of the largest mean where no job falls below what `level` promises.

    Jobs of one task with one fluid resource are served greedily, the smallest demand first, which is optimal
    (section 3.5); jobs of several tasks, or several fluid resources, by a linear program over the jobs' yields.
    """
    if instance.fluid.shape[1] == 0:
        return np.ones(instance.jobs)
    if instance.parallel or instance.fluid.shape[1] != 1:
        return yields_by_lp(instance, host, level)
    task_yield = yields_by_greed(instance, host, level)
    job_yield = np.empty(instance.jobs)
    job_yield[instance.job_of] = task_yield
    return job_yield


def yields_by_greed(instance: Instance, host: Ints, level: float) -> Floats:
    """float64[T]: on every host, fill up the task with the smallest demand, then the next.

    Optimal for jobs of one task; on parallel jobs it treats every task as a job of its own.
    """
    demand, capacity = instance.fluid[:, 0], instance.fluid_capacity[:, 0]
    base = task_yield_at(instance, level)
    wanted = demand * (1.0 - base)
    free = np.maximum(capacity - np.bincount(host, weights=demand * base, minlength=instance.hosts), 0.0)
    order = np.lexsort((demand, host))
    before = np.cumsum(wanted[order]) - wanted[order]
    first = np.searchsorted(host[order], np.arange(instance.hosts))
    start = before[np.minimum(first, instance.tasks - 1)] if instance.tasks else np.zeros(instance.hosts)
    gain = np.empty(instance.tasks)
    gain[order] = np.clip(free[host[order]] - (before - start[host[order]]), 0.0, wanted[order])
    return np.where(demand > 0, np.minimum(1.0, base + gain / np.where(demand > 0, demand, 1.0)), 1.0)


def yields_by_lp(instance: Instance, host: Ints, level: float) -> Floats:
    """float64[J]: the linear program max sum y, sum of demand x y <= capacity on every host, y >= what was promised."""
    linprog: Any = scipy.optimize.linprog
    promised = np.ones(instance.jobs)
    promised[instance.job_of] = np.minimum(1.0, task_yield_at(instance, level))
    rows = []
    for f in range(instance.fluid.shape[1]):
        entries = (instance.fluid[:, f], (host, instance.job_of))
        rows.append(scipy.sparse.coo_array(entries, shape=(instance.hosts, instance.jobs)))
    capacity = instance.fluid_capacity.T.reshape(-1)
    matrix: Any = scipy.sparse.vstack(rows).tocsr()
    capacity = np.maximum(capacity, matrix @ promised)  # rounding must not make the promised yields impossible
    result = linprog(
        -promised * 0 - 1.0, A_ub=matrix, b_ub=capacity, bounds=np.column_stack((promised, promised * 0 + 1))
    )
    if result.x is None:
        return promised
    return np.asarray(np.clip(result.x, promised, 1.0))
