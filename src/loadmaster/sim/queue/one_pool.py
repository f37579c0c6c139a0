"""Replays jobs on like hosts that hold one task each as jobs on one host that holds as many tasks."""

from dataclasses import replace
from typing import TypeGuard

import numpy as np

from loadmaster.backfilling import Blocking, Easy, Skip
from loadmaster.backfilling.counting import hosts_are_one_pool
from loadmaster.compiled import is_built_in
from loadmaster.model import Cluster, Schedule, Workload
from loadmaster.order import ORDERS, Order
from loadmaster.place import POLICIES, Policy
from loadmaster.schedule import AnyPolicy, Discipline
from loadmaster.sim.queue.compiled import replay_compiled
from loadmaster.sim.queue.laid_out import jobs_of
from loadmaster.sim.queue.one_pool_kernel import lay_out
from loadmaster.sim.queue.served import Progress

_HOSTS = "hosts of the pool"
"""The resource of the one host of which a job holds as many units as it has tasks."""


def serves(policy: AnyPolicy, discipline: Discipline, workload: Workload, cluster: Cluster) -> TypeGuard[Policy]:
    """Whether a count of free hosts says which jobs of several tasks start, and which hosts they get.

    The policy rates all free hosts alike, as they are equal and it is not told their numbers: each task gets the free
    host with the lowest index. The order does not change, so jobs that start at one moment start in that order.
    """
    order, backfilling = discipline.order, discipline.backfilling
    return (
        workload.tasks is not None
        and type(policy) is Policy and is_built_in(policy) and not policy.contextual
        and isinstance(order, Order) and not order.moves and ORDERS.get(order.name) is order
        and (type(backfilling) in (Blocking, Skip) or (type(backfilling) is Easy and backfilling == Easy()))
        and hosts_are_one_pool(workload.demand, cluster)
        and bool((workload.submit_s + workload.runtime_s > workload.submit_s).all())
    )  # fmt: skip


def replay_pool(
    workload: Workload,
    cluster: Cluster,
    discipline: Discipline,
    *,
    interval_s: float,
    seed: int,
    progress: Progress | None = None,
) -> Schedule | None:
    """Replay `workload` as `reference.replay` does under a policy that `serves` admits.

    None if a job is over at the moment of its start.
    """
    tasks = workload.task_count
    cores = workload.demand[:, 0] * tasks  # orders look at them; there are more than any number of hosts has
    resources = workload.resources[0], _HOSTS
    jobs = replace(workload, resources=resources, demand=np.column_stack((cores, tasks)), tasks=None)
    total = 2.0 * cluster.capacity[:, 0].sum(), float(cluster.hosts)
    schedule = replay_compiled(
        jobs, Cluster(resources, np.array([total])), POLICIES["first-fit"], discipline, interval_s=interval_s,
        seed=seed, progress=progress,
    )  # fmt: skip
    start_s, end_s = schedule.start_s, schedule.start_s + workload.runtime_s
    if (end_s <= start_s).any():
        return None
    started = np.flatnonzero(schedule.started)
    host = np.full(int(tasks.sum()), -1, np.int32)
    position = jobs_of(workload, cluster, discipline).position
    lay_out(
        started[np.lexsort((position[started], start_s[started]))], start_s,
        started[np.argsort(end_s[started], kind="stable")], end_s, workload.first_task, host,
        np.zeros(cluster.hosts), np.arange(cluster.hosts, dtype=np.int32),
    )  # fmt: skip
    return replace(schedule, host=host)
