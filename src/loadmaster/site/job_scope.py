"""Which jobs a line of a site's configuration concerns that is not modelled, and how many they are (rule L8)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from loadmaster.model import Workload
from loadmaster.model.arrays import Bools
from loadmaster.model.name_column import Named
from loadmaster.model.units import GPUS

ScopeKind = Literal["all", "unknown", "partitions", "qos", "no qos", "users", "gpus", "several hosts"]


@dataclass(frozen=True)
class JobScope:
    """The jobs that something concerns.

    Attributes:
        kind: `all` jobs; those of some `partitions`, `qos` or `users`; those that name `no qos`, request `gpus`, lie on
            `several hosts`; or `unknown`, where a log does not tell.
        names: of the partitions, QOS or users.
    """

    kind: ScopeKind = "all"
    names: tuple[str, ...] = ()


LeftOut = dict[str, JobScope]
"""What is not modelled, and the jobs that each concerns."""
ALL_JOBS = JobScope()
NOT_IN_LOGS = JobScope("unknown")
SCOPE_OF_KEY: Mapping[str, JobScope] = {
    "burstbuffertype": NOT_IN_LOGS,
    "defcpupergpu": JobScope("gpus"),
    "licenses": NOT_IN_LOGS,
    "topologyparam": JobScope("several hosts"),
    "topologyplugin": JobScope("several hosts"),
}
"""Settings of the whole cluster that concern some jobs alone, by their keys in lower case."""
_POWER_SAVING = """
ResumeFailProgram ResumeProgram ResumeRate ResumeTimeout SuspendExcNodes SuspendExcParts SuspendProgram SuspendRate
SuspendTime SuspendTimeout
"""
POWER_SAVING = frozenset(_POWER_SAVING.lower().split())
"""Settings of hosts that sleep, in lower case: at a site with cloud hosts they concern the jobs that may run there."""


def concerned(scope: JobScope, workload: Workload, default_partition: str) -> Bools | None:
    """bool[J]: the jobs that are concerned; None where the log does not tell.

    Args:
        scope: which they are.
        workload: the jobs.
        default_partition: of jobs that name none.
    """
    bound, names = workload.constraints, set(scope.names)
    match scope.kind:
        case "all":
            return np.ones(workload.jobs, dtype=bool)
        case "unknown":
            return None
        case "partitions":
            return _jobs_named(None if bound is None else bound.partition, names, workload.jobs, default_partition)
        case "qos":
            return _jobs_named(None if bound is None else bound.qos, names, workload.jobs, "")
        case "no qos":
            return _jobs_named(None if bound is None else bound.qos, {""}, workload.jobs, "")
        case "users":
            return _of_users(workload, names)
        case "gpus":
            if GPUS not in workload.resources:
                return np.zeros(workload.jobs, dtype=bool)
            return np.asarray(workload.demand[:, workload.resources.index(GPUS)] > 0)
        case "several hosts":
            several = np.asarray(workload.task_count > 1)
            hosts = None if bound is None else bound.min_hosts
            return several if hosts is None else np.asarray(hosts > 1)


def counted(unmodelled: Mapping[str, JobScope], workload: Workload, default_partition: str) -> str:
    """A sentence on what is not modelled, each with its jobs, the most jobs first; empty where there is nothing.

    Example:
        >>> jobs = Workload.of(submit_s=[0, 1], runtime_s=[1, 1], cores=[1, 1])
        >>> counted({"CompleteWait": ALL_JOBS, "Licenses": NOT_IN_LOGS}, jobs, "")
        'Of the site not modelled: CompleteWait (all 2 jobs), Licenses (the log does not show which jobs).'
    """
    if not unmodelled:
        return ""
    rows = []
    for text, scope in unmodelled.items():
        jobs = concerned(scope, workload, default_partition)
        rows.append((text, None if jobs is None else int(jobs.sum())))
    rows.sort(key=lambda row: -1 if row[1] is None else -2 - row[1])
    return f"Of the site not modelled: {', '.join(f'{text} ({_words(n, workload.jobs)})' for text, n in rows)}."


def _words(number: int | None, jobs: int) -> str:
    if number is None:
        return "the log does not show which jobs"
    if number == 0:
        return "no job"
    return f"all {jobs:,} jobs" if number == jobs else f"{number:,} of {jobs:,} jobs"


def _jobs_named(column: Named | None, names: set[str], jobs: int, usual: str) -> Bools:
    words = [None] * jobs if column is None else column.words()
    return np.array([not names.isdisjoint(part.strip() for part in (word or usual).split(",")) for word in words], bool)


def _of_users(workload: Workload, names: set[str]) -> Bools | None:
    bound = workload.constraints
    if bound is None or workload.user is None or not bound.user_names:
        return None
    numbers = [number for number, name in enumerate(bound.user_names) if name in names]
    return np.isin(workload.user, numbers)
