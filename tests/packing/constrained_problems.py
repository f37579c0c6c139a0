"""Small constrained problems at random, with every kind of constraint and cost; the placement now keeps them all."""

import numpy as np

from loadmaster.packing.constrained.constraints import (
    AllowedHosts,
    Apart,
    Capacity,
    MaxSkew,
    SpreadOver,
    Stays,
    Together,
)
from loadmaster.packing.constrained.costs import (
    BalanceCost,
    GroupMoveCost,
    HostMoveCost,
    HostPrice,
    ImbalanceCost,
    LoadCost,
    StrandedCost,
    TaskHostCost,
    TaskMoveCost,
)
from loadmaster.packing.constrained.evaluate import broken_by
from loadmaster.packing.constrained.groups import DomainLevel, TaskGroup
from loadmaster.packing.constrained.problem import ConstrainedProblem


def problem_at_random(seed, tasks=6, hosts=4, kinds=2, rules=6):
    """T tasks on H hosts with up to `rules` constraints on groups, of those that the present placement keeps."""
    rng = np.random.default_rng(seed)
    demand = rng.integers(0, 6, (tasks, kinds))
    now = rng.integers(0, hosts, tasks)
    capacity = rng.integers(0, 8, (hosts, kinds))
    np.add.at(capacity, now, demand)
    bare = ConstrainedProblem(tuple("abcd"[:kinds]), demand, capacity, now)
    room = Capacity(rng.random(kinds) < 0.5)
    levels = [DomainLevel.of_hosts(hosts), *(_level(rng, name, hosts) for name in ("rack", "zone"))]
    drawn = [_constraint(rng, levels, tasks, hosts) for _ in range(rules)]
    kept = [each for each in drawn if not any(broken_by(each, bare, now))]
    return ConstrainedProblem(
        bare.resources,
        demand,
        capacity,
        now,
        (room, *kept),
        tuple(_costs(rng, tasks, capacity, kinds)),
    )


def _level(rng, name, hosts):
    domains = np.unique(rng.integers(-1, 3, hosts), return_inverse=True)[1] - int(rng.random() < 0.3)
    return DomainLevel(name, domains)


def _group(rng, tasks):
    size = rng.integers(1, max(2, tasks // 2 + 1))
    return TaskGroup(f"group {rng.integers(100)}", rng.choice(tasks, size, replace=False))


def _constraint(rng, levels, tasks, hosts):
    group, other, level = _group(rng, tasks), _group(rng, tasks), levels[rng.integers(len(levels))]
    kind = rng.integers(8)
    if kind == 0:
        return AllowedHosts(group, rng.random(hosts) < 0.8, "disk in (ssd)")
    if kind == 1:
        return Stays(TaskGroup("daemons", group.tasks[:1]), "a pod of a DaemonSet")
    if kind == 2:
        return Apart(group, group, level)
    if kind == 3:
        return Apart(group, other, level)
    if kind in (4, 5):
        return Together(group, other, level)
    if kind == 6:
        return SpreadOver(group, level, int(rng.integers(1, 3)))
    return MaxSkew(group, level, int(rng.integers(1, 3)), rng.random(level.domains) < 0.8)


def _costs(rng, tasks, capacity, kinds):
    hosts = len(capacity)
    weight = rng.integers(1, 20, 8).tolist()
    for r in range(kinds):
        yield LoadCost("load", r, rng.integers(0, 9, hosts), weight[r])
    yield BalanceCost("balance", 0, kinds - 1, int(rng.integers(1, 4)), weight[2])
    yield TaskMoveCost("task moves", rng.integers(0, 5, tasks), weight[3])
    yield GroupMoveCost("group moves", rng.integers(-1, 3, tasks), weight[4])
    yield HostMoveCost("host moves", rng.integers(0, 5, (hosts, hosts)) * (1 - np.eye(hosts, dtype=int)), weight[5])
    yield HostPrice("price", rng.integers(0, 30, hosts), weight[6])
    yield ImbalanceCost("imbalance", capacity, weight[7])
    yield StrandedCost("stranded", capacity, weight[0])
    yield TaskHostCost("preference", rng.integers(0, 9, (tasks, hosts)), weight[1])
