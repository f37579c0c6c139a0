"""The same jobs on one host as large as all, where that starts every job when the hosts themselves would (rule Q11)."""

from dataclasses import replace

import numpy as np

from loadmaster.backfilling import Blocking, Easy, NetBatch, Skip
from loadmaster.model import Cluster, Workload
from loadmaster.order import ORDERS, FairShare, Order
from loadmaster.scheduling import Discipline
from loadmaster.scheduling.resolved_constraints import binds

GLADLY = (Blocking, Skip, Easy)
"""Backfillings that are many times as fast on one host, by their exact type. Conservative backfilling is not, and it is
not known what a user's own rule reads."""
BY_FREE = 1
"""The netbatch walk reserves hosts by what they have free of this resource, the last where there are fewer."""


def as_one_host(workload: Workload, cluster: Cluster, discipline: Discipline) -> tuple[Workload, Cluster]:
    """The jobs, and one host that has what all of `cluster` have, where every task takes a whole one of equal hosts.

    Every job starts when it would on the hosts themselves, whatever the policy; on which of them is not known then.
    No order that comes with the package looks at the number of tasks, so there each job is one.

    Args:
        workload: the jobs.
        cluster: the hosts.
        discipline: serves the queue.

    Returns:
        `workload` and `cluster` themselves where they are not such, or nothing would be won.

    Example:
        >>> from loadmaster.scheduling.notation import discipline_named
        >>> jobs = Workload.of(submit_s=[0, 1], runtime_s=[9, 9], cores=[1, 1], tasks=[2, 3])
        >>> jobs, one = as_one_host(jobs, Cluster.uniform(4, cores=1), discipline_named("easy"))
        >>> jobs.demand[:, 0].tolist(), one
        ([2.0, 3.0], <Cluster: 1 host, 4 cores>)
    """
    backfilling, order = type(discipline.backfilling), discipline.order
    if type(order) not in (Order, FairShare) or backfilling not in (*GLADLY, NetBatch):
        return workload, cluster
    one = _one_host(workload, cluster)
    by = min(BY_FREE, len(cluster.resources) - 1)  # hosts in use must come behind all that are free
    if one is cluster or (backfilling is NetBatch and (workload.demand[:, by] != cluster.capacity[0, by]).any()):
        return workload, cluster
    ours = type(order) is FairShare or order in ORDERS.values()
    return _of_one_task(workload) if ours else workload, one


def _of_one_task(workload: Workload) -> Workload:
    demand = workload.demand * workload.task_count[:, None]
    merged = replace(workload, demand=demand, tasks=None)
    return merged if np.array_equal(merged.demand, demand) else workload


def _one_host(workload: Workload, cluster: Cluster) -> Cluster:
    """One host as large as all; `cluster` itself where that would start jobs at other times."""
    assert cluster.speed is not None
    capacity = cluster.capacity[0]
    alike = bool((cluster.capacity == capacity).all() and (cluster.speed == 1.0).all())
    filled = (workload.demand == capacity).all(axis=0) & (capacity > 0)  # by each task of any job
    held = (workload.demand <= capacity).all() and (workload.task_count <= cluster.hosts).all()
    draws = cluster.rules is not None and bool(cluster.rules.power)  # each host by its own load
    if (
        not (workload.jobs and cluster.hosts > 1 and alike and held and filled.any())
        or draws
        or binds(workload, cluster)
    ):
        return cluster
    one = replace(cluster, capacity=cluster.total[None], names=(), speed=None, price_per_hour=None)
    exact = np.array_equal(one.total, cluster.total)
    return one if exact and not binds(workload, one) else cluster
