"""Bring a log and a cluster together: same resources, and only jobs that the cluster can hold."""

from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from loadmaster.model import Cluster, Workload
from loadmaster.model.arrays import Bools, Floats
from loadmaster.model.units import GPUS
from loadmaster.traces.trace import Skipped

Spread = Literal["single-host", "any", "asked"]
FOREIGN = "no host has what it requests: "
"""So begins the reason of jobs that request a resource of no host; its name follows."""


def fit_to(workload: Workload, cluster: Cluster, spread: Spread = "single-host") -> tuple[Workload, Skipped]:
    """The jobs of `workload` that `cluster` could hold when empty, with the columns of `cluster`.

    Args:
        workload: jobs; their resources may differ from those of the cluster.
        cluster: hosts. A resource that only the log has rejects the jobs that request it; one that only the
            cluster has becomes a column of zeros.
        spread: `single-host` puts all tasks of a job on one host (NetBatch, Shai 2014, section 3), so every job
            comes back as one task; `any` lets tasks land on any hosts; `asked` on as many as the log says that the job
            requests, on any where it says nothing.

    Returns:
        The workload with `resources` of the cluster, arrivals unchanged, and what was rejected: the "lines" are
        the identifiers of the jobs.

    Example:
        >>> jobs = Workload.of(submit_s=[0, 1], runtime_s=[9, 9], cores=[4, 1], tasks=[1, 4])
        >>> kept, rejected = fit_to(jobs, Cluster.uniform(3, cores=2, memory=8))
        >>> kept.jobs, rejected.total
        (0, 2)
        >>> fit_to(jobs, Cluster.uniform(3, cores=2, memory=8), "any")[0].task_count.tolist()
        [4]
    """
    workload = _spread(workload, spread)
    rejected = Skipped()
    fitting, foreign, too_big = _with_cluster_columns(workload, cluster)
    where = "host" if spread == "single-host" else "cluster"
    reasons = (*((bad, FOREIGN + name) for name, bad in foreign.items()), (too_big, f"no empty {where} can hold it"))
    for bad, reason in reasons:
        if bad.any():
            first = np.flatnonzero(bad)[: rejected.shown]
            rejected.add(reason, [fitting.id_of(int(job)) for job in first], int(bad.sum()))
    if rejected.total:
        left_out = np.asarray(np.logical_or.reduce([bad for bad, _ in reasons]))
        rejected.work = part_of_work(workload, left_out)
        if fitting.job_id is None:  # what a message calls job 22 is job 22 of the log, and stays so
            fitting = replace(fitting, job_id=np.arange(fitting.jobs))
        fitting = fitting.take(~left_out)
    return fitting, rejected


def part_of_work(workload: Workload, those: Bools) -> float:
    """The part of all core-seconds, or of all GPU-seconds where that is more, that some jobs hold.

    Example:
        >>> jobs = Workload.of(submit_s=[0, 1], runtime_s=[10, 90], cores=[1, 1])
        >>> part_of_work(jobs, np.array([False, True]))
        0.9
    """
    held = workload.runtime_s * workload.task_count
    parts = [0.0]
    for name in dict.fromkeys((workload.resources[0], GPUS)):
        if name in workload.resources:
            work = held * workload.demand[:, workload.resources.index(name)]
            parts.append(float(work[those].sum() / work.sum()) if work.any() else 0.0)
    return max(parts)


def held_by(workload: Workload, cluster: Cluster, spread: Spread = "single-host") -> Bools:
    """bool[J]: the jobs that `fit_to` keeps.

    Example:
        >>> jobs = Workload.of(submit_s=[0, 1], runtime_s=[9, 9], cores=[4, 1], tasks=[1, 4])
        >>> held_by(jobs, Cluster.uniform(3, cores=2), "any").tolist()
        [False, True]
    """
    _, foreign, too_big = _with_cluster_columns(_spread(workload, spread), cluster)
    return np.asarray(~np.logical_or.reduce([too_big, *foreign.values()]))


def _with_cluster_columns(workload: Workload, cluster: Cluster) -> tuple[Workload, dict[str, Bools], Bools]:
    """The jobs with the columns of `cluster`, and bool[J] each which request what it has not, by name, or too much."""
    foreign = _asks_for_foreign(workload, cluster)
    here = aligned(workload, cluster)
    return here, foreign, np.asarray(~np.logical_or.reduce([_fits_empty_cluster(here, cluster), *foreign.values()]))


def _spread(workload: Workload, spread: Spread) -> Workload:
    if spread == "single-host":
        workload = workload.on_single_host()
    return workload if spread == "asked" else _on_any_number(workload)


def _on_any_number(workload: Workload) -> Workload:
    bound = workload.constraints
    if bound is None or (bound.min_hosts is None and bound.max_hosts is None):
        return workload
    return replace(workload, constraints=replace(bound, min_hosts=None, max_hosts=None))


def _asks_for_foreign(workload: Workload, cluster: Cluster) -> dict[str, Bools]:
    """The jobs that request a resource which the cluster has not, each by the first such resource."""
    counts, seen = {}, np.zeros(workload.jobs, np.bool_)
    for r, name in enumerate(workload.resources):
        if name not in cluster.resources:
            counts[name] = (workload.demand[:, r] > 0) & ~seen
            seen |= counts[name]
    return counts


def aligned(workload: Workload, cluster: Cluster) -> Workload:
    """The jobs with the resources of `cluster`: none of those that they lack, and without those that it lacks."""
    if workload.resources == cluster.resources:
        return workload
    demand = np.zeros((workload.jobs, len(cluster.resources)))
    for column, name in enumerate(cluster.resources):
        if name in workload.resources:
            demand[:, column] = workload.demand[:, workload.resources.index(name)]
    return replace(workload, resources=cluster.resources, demand=demand)


def _fits_empty_cluster(workload: Workload, cluster: Cluster) -> Bools:
    """bool[J]: the empty cluster holds all tasks of the job."""
    capacities, kind = cluster.kinds
    held = np.zeros(workload.jobs, dtype=bool)
    for capacity in capacities[np.argsort(-capacities.sum(axis=1))]:  # the largest first: mostly it holds all
        held |= np.logical_and.reduce([workload.demand[:, r] <= amount for r, amount in enumerate(capacity)])
        if held.all():
            break
    if workload.tasks is None:
        return held
    several = np.flatnonzero(held & (workload.tasks > 1))
    hosts = np.bincount(kind, minlength=len(capacities))
    held[several] = _room(workload.demand[several], capacities, hosts) >= workload.tasks[several]
    return held


def _room(demand: Floats, capacities: Floats, hosts: NDArray[np.int64]) -> Floats:
    """float64[J]: how many tasks of each demand go into `hosts[k]` empty hosts of every kind k together."""
    room = np.zeros(len(demand))
    for capacity, count in zip(capacities, hosts, strict=True):
        ratio = np.full(len(demand), np.inf)
        for amounts, amount in zip(demand.T, capacity, strict=True):  # along whole columns NumPy is ten times as fast
            np.minimum(
                ratio, np.divide(amount, amounts, out=np.full(len(demand), np.inf), where=amounts > 0), out=ratio
            )
        room += np.floor(ratio) * count
    return room
