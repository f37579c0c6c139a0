"""Synthetic logs like those of Intel's NetBatch pools (Shai 2014, Table 2.1 and section 3.2)."""

import numpy as np

from loadmaster.model import InputError, Workload
from loadmaster.model.arrays import sum_of_products
from loadmaster.model.cluster import MOST_HOSTS
from loadmaster.model.units import CORES, GB, LATEST_S, MEMORY, SHORTEST_S
from loadmaster.traces.netbatch.arrivals import arrivals
from loadmaster.traces.netbatch.demands import demands
from loadmaster.traces.netbatch.machines import machines
from loadmaster.traces.netbatch.pools import MONTH_S, POOLS, PROJECTS, Pool
from loadmaster.traces.netbatch.runtimes import mean_runtime, runtimes
from loadmaster.traces.recipe import Recipe
from loadmaster.traces.trace import Trace

__all__ = ["POOLS", "generate_netbatch"]

NOTES = (
    "This log is synthetic: made by a generator after published totals, not recorded.",
    "Memory of hosts and jobs and, but for pool D, runtimes and cores of jobs are assumptions.",
)
MOST_JOBS = 1 << 53
"""Beyond it counts are no longer told apart; memory ends long before."""


def generate_netbatch(
    pool: str = "A",
    *,
    scale: float = 1.0,
    jobs: int | None = None,
    hosts: int | None = None,
    load: float = 0.85,
    burstiness: float = 1.0,
    memory_per_core_gb: float = 4.0,
    longest_run_s: float | None = None,
    seed: int = 0,
) -> Trace:
    """A synthetic month of pool A, B, C or D with its machines.

    Jobs, users, hosts and cores are the pool's published totals; jobs and hosts times `scale`, users times its root.
    Arrivals and runtimes follow pool D, the only one whose marginals are published; the other pools have its runtimes,
    scaled so that the published month holds at a load of 0.85. Memory and cores come in bursts by user as section 3.2
    describes for each pool. Everything assumed is named in `loadmaster.traces.netbatch.pools`.

    Args:
        pool: whose totals and mixes to follow.
        scale: part of the pool; 0.01 keeps the month and the load with a hundredth of jobs and hosts.
        jobs: number of jobs, instead of the pool's.
        hosts: number of hosts, instead of the pool's; their mean cores stay.
        load: offered load on cores; with cores and runtimes given it sets the rate of arrivals, and so the span.
        burstiness: 0 for none, in arrivals and in demands; 1 for the pool's own.
        memory_per_core_gb: GiB of memory a core, of every host; not published.
        longest_run_s: cut longer runtimes to this; for logs of less than a month.
        seed: of every random draw.

    Raises:
        InputError: an unknown pool, or a number that is out of range.

    Example:
        >>> trace = generate_netbatch("B", scale=0.001, seed=1)
        >>> trace.workload.jobs, trace.cluster.hosts, trace.workload.synthetic
        (13086, 3, True)
    """
    kind = _checked(pool, scale, load, burstiness, memory_per_core_gb)
    job_count = _scaled(kind.jobs, scale, MOST_JOBS, "jobs") if jobs is None else jobs
    host_count = _scaled(kind.hosts, scale, MOST_HOSTS, "hosts") if hosts is None else hosts
    if job_count < 1 or host_count < 1:
        raise InputError(min(job_count, host_count), "a pool needs at least one job and one host")
    if host_count > MOST_HOSTS:
        raise InputError(host_count, f"more than {MOST_HOSTS:,} hosts")
    if job_count > MOST_JOBS:
        raise InputError(job_count, f"more than {MOST_JOBS:,} jobs")
    users = max(1, round(kind.users * min(1.0, job_count / kind.jobs) ** 0.5))
    draws = [np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(5)]
    cores = kind.host_cores if host_count == kind.hosts else 4 * round(kind.host_cores * host_count / kind.hosts / 4)
    cluster = machines(host_count, cores, memory_per_core_gb, draws[0])
    requests = demands(kind, job_count, users, host_count / kind.hosts, burstiness, draws[1])
    submission = np.repeat(np.arange(requests.jobs.size, dtype=np.int32), requests.jobs)
    user = requests.user[submission]
    demand = np.empty((job_count, 2))
    demand[:, 0] = requests.cores[submission]
    demand[:, 1] = requests.memory_gib[submission] * GB
    runtime = runtimes(user, submission, requests.burst, _stretch(kind), longest_run_s or MONTH_S, draws[2])
    del submission
    span_s = sum_of_products(demand[:, 0], runtime) / (load * float(cluster.total[0]))
    if not SHORTEST_S <= span_s <= LATEST_S:
        raise InputError(f"{load:.3g}", f"offered load: all jobs would come within {span_s:.3g} s, beyond any clock")
    project = draws[3].choice(len(PROJECTS), int(user.max()) + 1, p=PROJECTS).astype(np.int32)[user]
    workload = Workload(
        (CORES, MEMORY),
        arrivals(job_count, span_s, burstiness, draws[4]),
        runtime,
        demand,
        project=project,
        user=user,
        job_id=np.arange(1, job_count + 1),
        source=f"synthetic NetBatch pool {pool}, seed {seed}",
        synthetic=True,
    )
    parameters = {
        "pool": pool,
        "jobs": job_count,
        "hosts": host_count,
        "load": load,
        "burstiness": burstiness,
        "memory_per_core_gb": memory_per_core_gb,
        "longest_run_s": longest_run_s,
    }
    return Trace(workload, cluster, notes=NOTES, recipe=Recipe("netbatch", parameters, seed))


def _stretch(pool: Pool) -> float:
    """Factor on pool D's runtimes that lets the pool's published jobs last a month at `months_load`."""
    if pool is POOLS["D"]:
        return 1.0
    cores_a_job = sum(cores * part for cores, part in pool.cores.items())
    bursts = pool.core_bursts
    extra = sum(cores * part for cores, part in bursts.amounts.items()) - cores_a_job
    cores_a_job += bursts.part * sum(bursts.share) / 2 * max(extra, 0.0)
    return pool.months_load * pool.host_cores * MONTH_S / (pool.jobs * cores_a_job * mean_runtime())


def _scaled(of_pool: int, scale: float, most: int, what: str) -> int:
    """A pool's number of `what` times `scale`, at least one."""
    if of_pool * scale > most:
        raise InputError(scale, f"this scale makes more than {most:,} {what}", fix="give a smaller one")
    return max(1, round(of_pool * scale))


def _checked(pool: str, scale: float, load: float, burstiness: float, memory_per_core_gb: float) -> Pool:
    if pool not in POOLS:
        raise InputError(pool, "no such pool", fix=f"known: {', '.join(POOLS)}")
    for name, value in (("scale", scale), ("load", load), ("memory per core", memory_per_core_gb)):
        if not 0 < value < np.inf:
            raise InputError(value, f"{name} must be more than zero")
    if not 0 <= burstiness < np.inf:
        raise InputError(burstiness, "burstiness must be zero or more")
    return POOLS[pool]
