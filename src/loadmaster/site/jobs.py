"""The jobs of a log as a site takes them: names as in its database, memory and limits where they request none."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

import numpy as np

from loadmaster.model import Cluster, Constraints, Workload
from loadmaster.model.arrays import Bools, Floats
from loadmaster.model.constraints import EXCLUSIVE
from loadmaster.model.name_column import Named
from loadmaster.model.units import MB, MEMORY
from loadmaster.site.partition import DefaultMemory, SitePartition
from loadmaster.site.site import Site
from loadmaster.system.counted import counted

P = TypeVar("P")
WHOLE_HOST = EXCLUSIVE.index("host")


def jobs_at(site: Site, workload: Workload) -> tuple[Workload, tuple[str, ...]]:
    """The jobs as the site would take them, and what a user must know of it, one sentence each.

    A job without a limit of time in the log has the default of its partition, if there is one. Where memory is counted,
    a job that requests none gets the default of its partition, else that of the cluster; where there is no default it
    gets all memory of its hosts, so that no job shares them with it. Where it is not counted, as under CR_Core, what
    jobs request of it binds no job. Accounts and QOS are in lower case, as Slurm's database keeps them (rule L7).
    """
    workload, limited = _with_limits(site, _in_lower_case(workload))
    if not site.selection.memory:
        workload, uncounted = _without_memory(workload)
        return workload, (*limited, *uncounted)
    if workload.jobs == 0:
        return workload, ()
    workload = _with_memory(workload)
    column = workload.resources.index(MEMORY)
    without = workload.demand[:, column] == 0.0
    if not without.any():
        return workload, limited
    given = _default_memory(site, workload) * without
    alone = without & (given == 0.0)
    demand = np.array(workload.demand)
    demand[:, column] += given
    notes = [*limited]
    if (given > 0.0).any():
        notes.append(
            f"{counted((given > 0.0).sum(), 'job requests', 'jobs request')} no memory: they get the site's default."
        )
    if alone.any():
        notes.append(
            f"{counted(alone.sum(), 'job requests', 'jobs request')} no memory: they get all of their hosts, "
            "as in Slurm."
        )
    return replace(workload, demand=demand, constraints=_with_whole_hosts(workload, alone)), tuple(notes)


def _in_lower_case(workload: Workload) -> Workload:
    bound = workload.constraints
    if bound is None:
        return workload
    qos = None if bound.qos is None else Named.of([name and name.lower() for name in bound.qos.words()])
    lowered = [name.lower() for name in bound.account_names]
    names = tuple(dict.fromkeys(lowered))
    account = workload.project
    if account is not None and len(names) < len(lowered):  # names that differ in their capitals alone
        account = np.array([names.index(name) for name in lowered], np.int32)[account]
    return replace(workload, project=account, constraints=replace(bound, account_names=names, qos=qos))


def with_longest_times(workload: Workload, cluster: Cluster) -> tuple[Workload, tuple[str, ...]]:
    """The jobs with MaxTime of their partitions where the log says nothing of a limit, and how many those are.

    Slurm gives such a job DefaultTime, which is at most that. `jobs_at` has done so where the site is known.
    """
    rules = cluster.rules
    if rules is None or not workload.jobs or all(part.max_time_s is None for part in rules.partitions):
        return workload, ()
    parts = {part.name: part for part in rules.partitions}
    each = _parts(parts, rules.default_partition or rules.partitions[0].name, workload)
    longest_s = [np.inf if part is None or part.max_time_s is None else part.max_time_s for part in each]
    return _with_default_limits(workload, np.array(longest_s), "the longest time that their partition allows")


def _with_limits(site: Site, workload: Workload) -> tuple[Workload, tuple[str, ...]]:
    """The jobs with DefaultTime (without it MaxTime) of their partitions, where the log says nothing of a limit."""
    default_s = [part.default_time_s if part else np.inf for part in _parts(*_by_name(site), workload)]
    return _with_default_limits(workload, np.array(default_s), "the default of their partition")


def _with_default_limits(workload: Workload, limit_s: Floats, what: str) -> tuple[Workload, tuple[str, ...]]:
    """The jobs with a limit, infinite where there is none, where the log says nothing of one."""
    unsaid, bound = _without_limit(workload), workload.constraints
    given = unsaid & np.isfinite(limit_s)
    if not given.any():
        return workload, ()
    if bound is not None and bound.limit_s is not None:
        bound = replace(bound, limit_s=np.where(given, limit_s, bound.limit_s))
    expected_s = workload.runtime_s if workload.estimate_s is None else workload.estimate_s
    limited = replace(workload, estimate_s=np.where(given, limit_s, expected_s), constraints=bound)
    several = f"{counted(given.sum(), 'job')}"
    if unsaid.all():
        return limited, (f"The log has no limits of time: {several} get {what}.",)
    return limited, (f"{several} have no limit of time in the log: they get {what}.",)


def _without_limit(workload: Workload) -> Bools:
    """bool[J]: jobs of whose limit of time the log says nothing, or that there is none."""
    bound = workload.constraints
    if bound is not None and bound.limit_s is not None:
        return np.asarray(np.isinf(bound.limit_s))
    return np.full(workload.jobs, workload.estimate_s is None)


def _by_name(site: Site) -> tuple[dict[str, SitePartition], str]:
    """The partitions by their names, and the name of the default one."""
    usual = next((part.name for part in site.partitions if part.default), site.partitions[0].name)
    return {part.name: part for part in site.partitions}, usual


def _parts(parts: Mapping[str, P], usual: str, workload: Workload) -> list[P | None]:
    """The partition of each job, of several the first; None where there is no such."""
    column = None if workload.constraints is None else workload.constraints.partition
    words = [None] * workload.jobs if column is None else column.words()
    return [parts.get((word or usual).split(",")[0]) for word in words]


def _with_memory(workload: Workload) -> Workload:
    if MEMORY in workload.resources:
        return workload
    names = (workload.resources[0], MEMORY, *workload.resources[1:])
    demand = np.insert(np.array(workload.demand), 1, 0.0, axis=1)
    return replace(workload, resources=names, demand=demand)


def _without_memory(workload: Workload) -> tuple[Workload, tuple[str, ...]]:
    if MEMORY not in workload.resources:
        return workload, ()
    column = workload.resources.index(MEMORY)
    names = tuple(name for name in workload.resources if name != MEMORY)
    asks = bool((workload.demand[:, column] > 0.0).any())
    note = ("The site counts no memory (no CR_..._Memory): what jobs request of it is not looked at.",) if asks else ()
    return replace(workload, resources=names, demand=np.delete(np.array(workload.demand), column, axis=1)), note


def _default_memory(site: Site, workload: Workload) -> Floats:
    """float64[J]: bytes for a task of each job by default; 0 where there is no default."""
    memory = np.zeros(workload.jobs)
    for job, part in enumerate(_parts(*_by_name(site), workload)):
        own = DefaultMemory() if part is None else part.memory
        rule = site.memory if own == DefaultMemory() else own
        memory[job] = _task_mib(rule, float(workload.demand[job, 0])) * MB
    return memory


def _task_mib(rule: DefaultMemory, cores: float) -> float:
    if rule.per_cpu_mib is not None:
        return rule.per_cpu_mib * cores
    return float(rule.per_node_mib or 0)


def _with_whole_hosts(workload: Workload, alone: Bools) -> Constraints | None:
    """The constraints, with whole hosts for the jobs that are `alone`."""
    if not alone.any():
        return workload.constraints
    bound = workload.constraints or Constraints()
    before = np.zeros(workload.jobs, np.int32) if bound.exclusive is None else bound.exclusive
    return replace(bound, exclusive=np.where(alone, WHOLE_HOST, before).astype(np.int32))
