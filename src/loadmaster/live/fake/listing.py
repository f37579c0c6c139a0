"""What the fake engine shows of its cluster: one observation."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from loadmaster.live.fake.cluster import FakeCluster, FakeJob
from loadmaster.live.session.engine import NOWHERE, Observation, ObservedTasks
from loadmaster.model import Cluster, Constraints, Workload
from loadmaster.model.arrays import Ints

UNFIT = "these hosts cannot serve it"
_REMEMBERED_S = 300.0
"""For how long the fake knows of a job that is over; Slurm does for as long."""


def fake_listing(cluster: FakeCluster, strange: Mapping[str, str], token: str) -> Observation:
    """Jobs and hosts as they are now.

    Args:
        cluster: it.
        strange: by name, jobs that the model is to have no words for, and why.
        token: changes when the engine restarts.
    """
    present, now_s = cluster.here(), cluster.now_s
    left_out = [number for number in present if cluster.ids[number] in strange]
    here = np.array([number for number in present if number not in left_out], np.int64)
    jobs = cluster.work.take(here)
    vain = [cluster.waits.in_vain(int(number), cluster.over) for number in here]
    cluster.ended = [each for each in cluster.ended if now_s - each.end_s <= _REMEMBERED_S]
    return Observation(
        now_s,
        _without(cluster, left_out),
        cluster.up,
        _never(_estimated(jobs), [each is not None for each in vain]),
        tuple(cluster.ids[number] for number in here),
        _tasks([cluster.jobs[number] for number in here], jobs.task_count),
        tuple((cluster.ids[number], strange[cluster.ids[number]]) for number in left_out),
        tuple(cluster.ended),
        token,
        awaits=tuple(each for each in vain if each is not None),
        refused=tuple((cluster.ids[number], UNFIT) for number in here if cluster.jobs[number].unfit),
    )


def _tasks(jobs: Sequence[FakeJob], count: Ints) -> ObservedTasks:
    hosts = [host for job, n in zip(jobs, count, strict=True) for host in (job.host or (NOWHERE,) * n)]
    pins = [pin for job, n in zip(jobs, count, strict=True) for pin in (job.pin or (NOWHERE,) * n)]
    return ObservedTasks(
        np.repeat(np.arange(len(jobs)), count),
        np.array([t for n in count for t in range(n)], np.int32),
        np.repeat(np.array([job.state for job in jobs], np.int32), count),
        np.array(hosts, np.int32),
        np.array(pins, np.int32),
        start_s=np.repeat(np.array([job.start_s for job in jobs], float), count),
    )


def _without(cluster: FakeCluster, left_out: Sequence[int]) -> Cluster:
    """The hosts without what is held there by jobs that are not told of."""
    capacity = np.array(cluster.hosts.capacity)
    for number in left_out:
        for host in cluster.jobs[number].host:
            capacity[host] -= cluster.work.demand[number]
    return replace(cluster.hosts, capacity=capacity) if left_out else cluster.hosts


def _never(jobs: Workload, vain: Sequence[bool]) -> Workload:
    """Jobs that wait in vain for others may never start."""
    bound = jobs.constraints or Constraints()
    if not any(vain):
        return jobs
    eligible_s = np.where(vain, np.inf, jobs.submit_s if bound.eligible_s is None else bound.eligible_s)
    return replace(jobs, constraints=replace(bound, eligible_s=eligible_s))


def _estimated(jobs: Workload) -> Workload:
    """The true runtime of a job is never shown, only its user's estimate."""
    bound = jobs.constraints or Constraints()
    return replace(
        jobs,
        runtime_s=np.maximum(jobs.expected_s, 1e-3),
        estimate_s=jobs.expected_s,
        constraints=replace(bound, status=None),
    )
