"""Few and many distinct demands: `python benchmarks/distinct_demands.py [--beside COMMIT] [--only WORDS]`.

A synthetic NetBatch-like log (bursts of equal jobs by user, a cycle every 30 s) whose memory is drawn from as many
levels as give the wanted number of distinct demands; 3,000 hosts, of one kind and of four, two resources and three. The
unkind cases: all demands distinct, a score that calls `exp`, a queue that grows, a score with a branch for every host.
Last, memory in whole units on 100,000 hosts.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache, partial

import numpy as np
from two_commits import Case, main

from loadmaster.model import Cluster, Workload
from loadmaster.place import POLICIES, Policy
from loadmaster.scheduling import discipline_named
from loadmaster.sim.queue import simulate
from loadmaster.traces import generate_netbatch

JOBS, INTERVAL_S = 50_000, 30.0
SHAPES = {"2 resources": (2, 1), "3 resources and 4 kinds": (3, 4)}
ON_MANY_HOSTS = ("first-fit", "best-fit-memory", "mix-fit", "round-robin")


def own(demand, free, capacity):
    """Mix-Fit for two resources, as a user may write it."""
    x = (free[0] - demand[0]) * capacity[1]
    y = (free[1] - demand[1]) * capacity[0]
    return abs(x - y) / (x + y) if x + y > 0.0 else 0.0


def own_exp(demand, free, capacity):
    """Four calls of `exp` a host."""
    cost = 0.0
    for r in range(2):
        used = (capacity[r] - free[r]) / capacity[r]
        cost += math.exp(3.0 * (used + demand[r] / capacity[r])) - math.exp(3.0 * used)
    return cost


def own_branch(demand, free, capacity):
    """Indices that follow from the data, and a way out in the middle."""
    scarce = 0 if free[0] * capacity[1] < free[1] * capacity[0] else 1
    for r in range(len(demand)):
        if demand[r] == free[r]:
            return -1.0
    return free[scarce] - demand[scarce]


OWN = {"own": own, "own-exp": own_exp, "own-branch": own_branch}
SCORES = ("norm-greedy", "dot-product", *OWN)


def cases() -> Iterator[Case]:
    every = (
        (shape, load, demands, score)
        for shape in SHAPES
        for load in (0.85, 1.2)
        for demands in (24, 2000, 40_000)
        for score in SCORES
    )
    for shape, load, demands, score in every:
        name = f"{score}, {demands:,} demands, {shape}, load {load}"
        yield Case(name, partial(ready, JOBS, 3_000, load, demands, shape, score))
    for demands in (24, 40_000):
        for score in ON_MANY_HOSTS:
            name = f"{score}, {demands:,} demands, 100,000 hosts, load 0.85"
            yield Case(name, partial(ready, 2 * JOBS, 100_000, 0.85, demands, "2 resources", score))


def ready(jobs, hosts, load, demands, shape, score):  # type: ignore[no-untyped-def]
    workload, cluster = problem(jobs, hosts, load, demands, *SHAPES[shape])
    if hosts > 3_000:
        workload = replace(workload, demand=np.ceil(workload.demand))
    policy = Policy(score, OWN[score]) if score in OWN else POLICIES[score]
    return partial(simulate, workload, cluster, policy, discipline_named("netbatch"), interval_s=INTERVAL_S)


@lru_cache(1)
def problem(jobs: int, hosts: int, load: float, demands: int, resources: int, kinds: int) -> tuple[Workload, Cluster]:
    """Bursts of jobs by user with about so many distinct demands, and hosts of so many kinds."""
    trace = generate_netbatch("B", jobs=jobs, hosts=hosts, load=load, longest_run_s=200_000.0, seed=0)
    rng = np.random.default_rng(0)
    log = trace.workload
    cores = np.minimum(log.demand[:, 0], 4.0)
    burst = np.concatenate(([0], np.cumsum((np.diff(log.demand, axis=0) != 0).any(axis=1))))
    each = np.zeros_like(burst) if demands < jobs // 4 else np.arange(jobs)  # else every job has its own
    levels = max(demands // len(np.unique(cores)), 1)
    level = rng.integers(0, levels, int(burst.max()) + 1)[burst] + each * 7919
    memory = (1 + level % levels * (16384 // levels)) / 1024.0 + cores
    extra = [np.floor(level % 5 / 4.0)] * (resources - 2)
    sizes = np.array([8.0, 12.0, 16.0, 24.0])[:kinds]
    size = sizes[rng.integers(0, kinds, hosts)]
    capacity = np.column_stack((size, 4.0 * size, *[np.full(hosts, 2.0)] * (resources - 2)))
    demand = np.column_stack((cores, np.minimum(memory, 32.0), *extra))
    names = ("cores", "memory", "gpus")[:resources]
    work = float((log.runtime_s * cores).sum())
    scale = work / (load * capacity[:, 0].sum()) / log.span_s
    return Workload(names, log.submit_s * scale, log.runtime_s, demand), Cluster(names, capacity)


if __name__ == "__main__":
    main(["distinct_demands"], __doc__)
