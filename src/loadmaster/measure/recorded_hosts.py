"""On which hosts jobs really ran, as far as the log names hosts that the cluster has (rule H13)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from loadmaster.measure.group_stranding import GroupStranding
from loadmaster.measure.group_waits import Groups, group_waits
from loadmaster.measure.job_groups import groupings
from loadmaster.measure.recorded_metrics import MOST_UNKNOWN, recorded_schedule
from loadmaster.measure.requested_and_used import RequestedAndUsed
from loadmaster.measure.task_intervals import task_intervals, task_jobs
from loadmaster.measure.timeline import Timeline, timeline
from loadmaster.measure.usage import measured
from loadmaster.model.arrays import Ints
from loadmaster.model.cluster import Cluster
from loadmaster.model.errors import InputError
from loadmaster.model.host_names import host_names
from loadmaster.model.schedule import Schedule
from loadmaster.model.units import GPUS
from loadmaster.model.workload import Workload

NOWHERE = -1


@dataclass(frozen=True, eq=False)
class OnHosts:
    """The record of a log, host by host.

    Attributes:
        workload: the jobs with the runtimes of the log.
        schedule: when every job really started, and on which hosts its tasks ran, -1 where that is not known.
        unknown: jobs of which that, or when they started, is not known: they are in none of what follows.
        overfull: the part of all hosts' time in which more was asked of one than it has: it may be another machine.
        stranded: for each resource, the mean part of the cluster that was stranded; empty where `unknown` is not 0.
        use: over time.
    """

    workload: Workload
    schedule: Schedule
    unknown: int
    overfull: float
    stranded: dict[str, float]
    use: Timeline


def on_hosts(workload: Workload, cluster: Cluster, launch_s: float = 0.0) -> OnHosts | None:
    """What really happened on the hosts; None where that is unknown of more than a hundredth of the jobs.

    Args:
        workload: the jobs.
        cluster: the hosts.
        launch_s: by so much the runtimes are longer than the log has them.
    """
    if workload.recorded_wait_s is None or workload.recorded_hosts is None or not cluster.names:
        return None
    logged = _as_logged(workload, launch_s)
    schedule, unknown = _placed(logged, cluster)
    if unknown > MOST_UNKNOWN * logged.jobs:
        return None
    use = timeline(logged, cluster, schedule)
    parts = use.mean_stranded(measured(logged, schedule)[1])
    stranded = {} if unknown else {name: float(parts[r]) for r, name in enumerate(logged.resources)}
    return OnHosts(logged, schedule, unknown, overfull(logged, cluster, schedule), stranded, use)


def recorded_groups(workload: Workload, cluster: Cluster | None = None, launch_s: float = 0.0) -> tuple[Groups, ...]:
    """What really happened to each group of jobs; () where the log does not say when any job started.

    Args:
        workload: the jobs.
        cluster: the hosts, with the resources of the workload; None where they are not known.
        launch_s: by so much the runtimes are longer than the log has them.
    """
    if workload.recorded_wait_s is None or np.isnan(workload.recorded_wait_s).all():
        return ()
    logged = _as_logged(workload, launch_s)
    if cluster is not None and GPUS in cluster.resources:  # what is stranded is told of GPUs alone
        schedule, unknown = _placed(logged, cluster)
        return group_waits(logged, schedule, None if unknown else GroupStranding(logged, cluster, schedule))
    return group_waits(logged, recorded_schedule(logged))


def groups_of_log(
    workload: Workload, use: Sequence[RequestedAndUsed] = (), cluster: Cluster | None = None
) -> tuple[Groups, ...]:
    """The groups of the jobs as they really ran; of a log without starts, as if each had begun as it came.

    In the second case only the numbers of jobs and their use mean something.

    Args:
        workload: the jobs.
        use: what they used of what they requested.
        cluster: the hosts, with the resources of the workload; None where they are not known.
    """
    at_once = replace(workload, recorded_wait_s=np.zeros(workload.jobs))
    groups = recorded_groups(workload, cluster) or group_waits(workload, recorded_schedule(at_once))
    if not use:
        return groups
    by = {each.by: each for each in groupings(workload)}
    return tuple(replace(each, used={of.resource: of.by(by[each.by]) for of in use}) for each in groups)


def _as_logged(workload: Workload, launch_s: float) -> Workload:
    return replace(workload, runtime_s=workload.runtime_s - launch_s) if launch_s else workload


def _placed(workload: Workload, cluster: Cluster) -> tuple[Schedule, int]:
    """What really happened on which hosts, and the number of jobs of which either is not known."""
    plain = recorded_schedule(workload)
    started = np.repeat(plain.started, workload.task_count)
    hosts = np.where(started, recorded_hosts(workload, cluster), NOWHERE)
    schedule = replace(plain, host=hosts.astype(np.int32))
    return schedule, int((schedule.host[workload.first_task[:-1]] < 0).sum())


def recorded_hosts(workload: Workload, cluster: Cluster) -> Ints:
    """int32[T]: the host on which every task really ran, -1 where that is not known.

    Known is it of a job that ran on one host, and of one with as many hosts as tasks, where the cluster has them all.

    Example:
        >>> from loadmaster.model import Named
        >>> ran_on, one = Named.of(["n2", "n[1-2]", None, "n9"]), [1] * 4
        >>> jobs = Workload.of(submit_s=one, runtime_s=one, cores=one, tasks=[2, 2, 1, 1], recorded_hosts=ran_on)
        >>> recorded_hosts(jobs, Cluster(("cores",), np.ones((2, 1)), ("n1", "n2"))).tolist()
        [1, 1, 0, 1, -1, -1]
    """
    host_of_task = np.full(int(workload.first_task[-1]), NOWHERE, np.int32)
    ran_on = workload.recorded_hosts
    if ran_on is None or not cluster.names:
        return host_of_task
    number = _hosts_by_code(ran_on.names, cluster)
    for job in np.flatnonzero(ran_on.code >= 0).tolist():
        hosts = number.get(int(ran_on.code[job]), ())
        first, end = int(workload.first_task[job]), int(workload.first_task[job + 1])
        if len(hosts) in (1, end - first):
            host_of_task[first:end] = hosts
    return host_of_task


def same_hosts(workload: Workload, cluster: Cluster, schedule: Schedule) -> float | None:
    """Of the jobs whose hosts are known, the part that a run puts on just those; None where none is known.

    Tasks of a job are alike, so only which hosts they are counts, and how many tasks each has.
    """
    real = recorded_hosts(workload, cluster)
    job = task_jobs(workload)
    here = (real >= 0) & (schedule.host >= 0)
    if not here.any():
        return None
    real, ours, job = real[here], schedule.host[here], job[here]
    differs = np.sort(_keys(job, real, cluster)) != np.sort(_keys(job, ours, cluster))
    jobs = np.unique(job)
    return 1.0 - float(np.unique(job[differs]).size) / jobs.size


def overfull(workload: Workload, cluster: Cluster, schedule: Schedule) -> float:
    """The part of all hosts' time, until the last arrival, in which one was requested more than it has."""
    first_s, last_s = measured(workload, schedule)
    times = task_intervals(workload, schedule)
    if last_s <= first_s or not times.host.size:
        return 0.0
    demand = workload.demand[times.job]
    host = np.concatenate((times.host, times.host))
    at_s = np.clip(np.concatenate((times.start_s, times.end_s)), first_s, last_s)
    gives = np.arange(host.size) < times.host.size
    order = np.lexsort((gives, at_s, host))  # what ends at a moment is free for what starts then
    host, at_s = host[order], at_s[order]
    used = np.cumsum(np.concatenate((demand, -demand))[order], axis=0)  # exact: each host gives back all it lent
    over = np.any(used > cluster.capacity[host], axis=1)
    over = np.asarray(over)[:-1] & (host[1:] == host[:-1])
    return float(np.diff(at_s)[over].sum() / ((last_s - first_s) * cluster.hosts))


def _hosts_by_code(names: tuple[str, ...], cluster: Cluster) -> Mapping[int, tuple[int, ...]]:
    """The hosts of the cluster behind each list of names; a list with a name that the cluster lacks is left out."""
    row = {name: host for host, name in enumerate(cluster.names)}
    number = {}
    for code, text in enumerate(names):
        try:
            hosts = (text,) if text in row else host_names(text)
        except InputError:  # a name that is no list: a host that the cluster does not have
            continue
        if hosts and all(name in row for name in hosts):
            number[code] = tuple(row[name] for name in hosts)
    return number


def _keys(job: np.ndarray, host: np.ndarray, cluster: Cluster) -> np.ndarray:
    return np.asarray(job * cluster.hosts + host)
