"""Jobs with whole hosts: they request hosts, and hold all cores of each (rule C5)."""

from dataclasses import replace

import numpy as np

from loadmaster.model.arrays import Bools, Floats, Ints
from loadmaster.model.cluster import Cluster
from loadmaster.model.constraints import EXCLUSIVE, Constraints
from loadmaster.model.site_rules import Partition, SiteRules
from loadmaster.model.workload import Workload

HOST = EXCLUSIVE.index("host")


def wants_whole_hosts(workload: Workload, cluster: Cluster) -> Bools:
    """bool[J]: jobs that say so, and those whose first partition gives whole hosts only."""
    bound, rules = workload.constraints or Constraints(), cluster.rules or SiteRules()
    wants = np.zeros(workload.jobs, bool) if bound.exclusive is None else bound.exclusive == HOST
    whole = {part.name: part.exclusive == "host" for part in rules.partitions}
    if not any(whole.values()):
        return np.asarray(wants)
    usual = whole[rules.default_partition or rules.partitions[0].name]
    if bound.partition is None:
        return np.asarray(wants | usual)
    named = [whole.get(name.split(",")[0].strip(), usual) for name in bound.partition.names]
    return np.asarray(wants | np.array([*named, usual])[bound.partition.code])


def hold_whole_hosts(workload: Workload, cluster: Cluster) -> Workload:
    """The same jobs, those that want hosts to themselves requesting as many as hold their tasks, all cores of each.

    Or as many as their `min_hosts`, or as their partition gives at least, if that is more: the first of theirs in which
    a host holds a task. Of hosts of several sizes: the size of which it has most. Memory is requested as it was.

    Example:
        >>> bound = Constraints(exclusive=[HOST, 0])
        >>> jobs = Workload.of(submit_s=[0, 0], runtime_s=[1, 1], cores=[3, 3], tasks=[5, 5], constraints=bound)
        >>> whole = hold_whole_hosts(jobs, Cluster.uniform(4, cores=8))
        >>> whole.demand[:, 0].tolist(), whole.tasks.tolist()
        ([8.0, 3.0], [3, 5])
    """
    wants = wants_whole_hosts(workload, cluster)
    if not wants.any():
        return workload
    demand, tasks = workload.demand.copy(), workload.task_count.copy()
    pools, pool = _pools(workload, cluster)
    rows, which = np.unique(np.column_stack((pool, workload.demand))[wants], axis=0, return_inverse=True)
    chosen = np.flatnonzero(wants)
    bound = workload.constraints or Constraints()
    least = np.zeros(workload.jobs) if bound.min_hosts is None else bound.min_hosts
    for number, (of, *amounts) in enumerate(rows.tolist()):
        jobs, asked = chosen[which.reshape(-1) == number], np.array(amounts)
        found = _size_in(asked, pools[int(of)], cluster)
        if found is None:
            continue
        size, fewest_given = found
        each = _tasks_per_host(asked, size)
        fewest = np.ceil(tasks[jobs] / each)
        hosts = np.maximum(np.maximum(fewest, np.minimum(least[jobs], tasks[jobs])), fewest_given)
        on_one = np.where(hosts > fewest, np.ceil(tasks[jobs] / hosts), np.minimum(each, tasks[jobs]))
        demand[jobs] = asked * on_one[:, None]
        demand[jobs, 0] = size[0]
        tasks[jobs] = hosts
    return replace(workload, demand=demand, tasks=None if (tasks == 1).all() else tasks)


def _pools(workload: Workload, cluster: Cluster) -> tuple[list[list[Partition | None]], Ints]:
    """The partitions that each name lists, the usual one last, None for all hosts; int32[J], the name of every job."""
    bound, rules = workload.constraints or Constraints(), cluster.rules or SiteRules()
    known: dict[str, Partition | None] = {part.name: part for part in rules.partitions}
    usual = known.get(rules.default_partition) or next(iter(rules.partitions), None)
    named = () if bound.partition is None else bound.partition.names
    lists = [[known.get(part.strip(), usual) for part in name.split(",")] for name in named]
    none = np.full(workload.jobs, -1, np.int32)
    return [*lists, [usual]], none if bound.partition is None else bound.partition.code


def _size_in(asked: Floats, parts: list[Partition | None], cluster: Cluster) -> tuple[Floats, int] | None:
    """What hosts have where such a task lies, in the first of its partitions that holds one, and how many it gives."""
    for part in parts:
        hosts = None if part is None else part.hosts
        size = _usual_size(asked, cluster.capacity if hosts is None else cluster.capacity[list(hosts)])
        if size is not None:
            return size, 0 if part is None else part.min_hosts or 0
    return None


def _usual_size(asked: Floats, capacity: Floats) -> Floats | None:
    """float64[R]: what hosts of the most frequent size that hold one such task have at least."""
    able = capacity[(capacity >= asked).all(axis=1)]
    if not len(able):
        return None
    cores, count = np.unique(able[:, 0], return_counts=True)
    most = cores[len(cores) - 1 - int(np.argmax(count[::-1]))]
    return np.asarray(able[able[:, 0] == most].min(axis=0))


def _tasks_per_host(asked: Floats, size: Floats) -> int:
    some = asked > 0
    return max(1, int(np.floor(size[some] / asked[some]).min())) if some.any() else 1
