"""Synthetic logs like the archive's largest: `python benchmarks/archive_like.py [--beside COMMIT] [--only WORDS]`.

The Parallel Workloads Archive's logs of RICC and CEA-Curie may not be copied here. `drawn` draws logs like them, with
no job of theirs: bursts of like jobs by user, over a day's and a week's rhythm; sizes mostly powers of two; runtimes
log-normal, scaled to the load; limits that users round up. `tests/benchmarks/test_archive_like.py` compares what is
drawn with `Machine`'s figures. Tasks may go to any hosts. The first days of each log; the whole log with `--large`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
from parallel_logs import RULES, name_of
from two_commits import Case, main

from loadmaster.model import Cluster, Workload
from loadmaster.place import POLICIES
from loadmaster.scheduling import discipline_named
from loadmaster.sim.queue import simulate
from loadmaster.traces import fit_to

MORE_RULES = (("easy", "worse-fit-cores", 0.0), ("slurm", "first-fit", 0.0))
HOUR_S, DAY_S = 3600.0, 86400.0
LIMITS_S = HOUR_S * np.array([0.5, 1, 2, 4, 8, 12, 24, 72])


@dataclass(frozen=True)
class Machine:
    """A log's figures.

    Read on the archive's page: jobs, hosts, cores, memory and months of RICC. Not read, but from memory: both loads,
    RICC's largest job, and Curie's figures but for its jobs. The mean size of Curie's jobs and both shares of serial
    jobs are our choice: for these the test holds the draw to our own numbers, not to the archive's.

    Attributes:
        jobs: in the whole log.
        hosts, cores, memory_gb: hosts, and what each has; 0: memory is not recorded.
        span_days: from the first arrival to the last.
        load: core-seconds asked over core-seconds there are.
        most_tasks: cores of the largest job.
        mean_tasks: cores of a job, in the mean.
        serial: share of the jobs with one core.
        first: jobs that the benchmark runs without `--large`.
    """

    jobs: int
    hosts: int
    cores: int
    memory_gb: float
    span_days: float
    load: float
    most_tasks: int
    mean_tasks: float
    serial: float
    first: int


MACHINES = {
    # cs.huji.ac.il/labs/parallel/workload/l_ricc: 447,794 jobs from May to September 2010, 1,024 nodes of two 4-core
    # CPUs and 12 GB, 1.2 GB a core. The mean of 16 cores was measured on the log.
    "RICC-like": Machine(447_794, 1024, 8, 12.0, 153.0, 0.87, 8192, 16.0, 0.55, 4_000),
    # cs.huji.ac.il/labs/parallel/workload/l_cea_curie, the cleaned log: February 2011 to October 2012. Of its 312,826
    # jobs 295,540 fit the 5,000 thin nodes; its memory is not recorded. The page was not at hand: from memory.
    "Curie-like": Machine(295_540, 5000, 16, 0.0, 610.0, 0.62, 79_808, 200.0, 0.25, 2_500),
}


def cases() -> Iterator[Case]:
    for log, machine in MACHINES.items():
        for rule in (*RULES, *MORE_RULES):
            for jobs in (machine.first, machine.jobs):
                name = name_of(log, f"{machine.hosts}x{machine.cores}c", *rule) + ", whole" * (jobs == machine.jobs)
                yield Case(name, partial(ready, log, jobs, *rule), large=jobs == machine.jobs)


def ready(log, jobs, discipline, policy, interval_s):  # type: ignore[no-untyped-def]
    workload, cluster = drawn(MACHINES[log])
    first = workload.take(slice(0, jobs))
    return partial(simulate, first, cluster, POLICIES[policy], discipline_named(discipline), interval_s=interval_s)


@lru_cache(1)
def drawn(machine: Machine, seed: int = 1) -> tuple[Workload, Cluster]:
    """The whole log, each task a core, and the hosts."""
    rng = np.random.default_rng(seed)
    length = rng.geometric(0.125, machine.jobs)
    length = length[: np.searchsorted(np.cumsum(length), machine.jobs) + 1]
    burst = np.repeat(np.arange(len(length)), length)[: machine.jobs]
    submit_s = _arrivals(machine, rng, len(length))[burst] + rng.exponential(60.0, machine.jobs)
    submit_s = np.round((submit_s - submit_s.min()) * machine.span_days * DAY_S / np.ptp(submit_s))
    tasks = _sizes(machine, rng, len(length))[burst]
    runtime_s = _runtimes(machine, rng, burst, tasks)
    wish_s = runtime_s * rng.choice([1.0, 2.0, 5.0, 1000.0], len(length), p=[0.2, 0.3, 0.3, 0.2])[burst]
    limit_s = np.maximum(runtime_s, LIMITS_S[np.minimum(np.searchsorted(LIMITS_S, wish_s), len(LIMITS_S) - 1)])
    order = np.argsort(submit_s, kind="stable")
    demand = {"cores": np.ones(machine.jobs)}
    cluster = Cluster.uniform(machine.hosts, cores=machine.cores)
    if machine.memory_gb:  # a task requests a tenth to five quarters of its core's share, one of a large job less
        share = (rng.integers(4, 51, len(length)) / 40)[burst]
        share = np.where(tasks > machine.most_tasks / 8, np.minimum(share, 1.0), share)[order]
        demand["memory"] = share * machine.memory_gb / machine.cores
        cluster = Cluster.uniform(machine.hosts, cores=machine.cores, memory=machine.memory_gb)
    workload = Workload.of(
        submit_s=submit_s[order],
        runtime_s=runtime_s[order],
        **demand,
        tasks=tasks[order],
        estimate_s=limit_s[order],
        user=(rng.zipf(1.5, len(length)) % 200)[burst][order],
        synthetic=True,
    )
    return fit_to(workload, cluster, "any")[0], cluster


def _arrivals(machine: Machine, rng: np.random.Generator, bursts: int) -> np.ndarray:
    """When bursts begin: thrice as often in the afternoon as at night, and half as often at a weekend."""
    at_s = rng.uniform(0, machine.span_days * DAY_S, 4 * bursts)
    rate = (2 - np.cos(2 * np.pi * (at_s / DAY_S % 1.0 - 2 / 24))) / 3 * np.where(at_s // DAY_S % 7 < 5, 1.0, 0.5)
    return at_s[rng.random(len(at_s)) < rate][:bursts]


def _sizes(machine: Machine, rng: np.random.Generator, bursts: int) -> np.ndarray:
    """Cores of each burst's jobs: one, or a size around 2**k with falling probability; a quarter is no power of two."""
    power = np.arange(1, int(np.ceil(np.log2(machine.most_tasks))) + 1)
    low, high = 0.0, 2.0
    for _ in range(60):  # the ratio of one power's probability to the next, so that the mean is right
        ratio = (low + high) / 2
        odds = ratio**power / (ratio**power).sum()
        mean = machine.serial + (1 - machine.serial) * (odds * 2.0**power * (0.75 + 0.25 * 0.75)).sum()
        low, high = (ratio, high) if mean < machine.mean_tasks else (low, ratio)
    drawn_power = rng.choice(power, bursts, p=odds)
    odd = np.where(rng.random(bursts) < 0.25, rng.uniform(0.5, 1.0, bursts), 1.0)
    sizes = np.ceil(2.0**drawn_power * odd).clip(1, machine.most_tasks)
    return np.where(rng.random(bursts) < machine.serial, 1, sizes).astype(np.int32)


def _runtimes(machine: Machine, rng: np.random.Generator, burst: np.ndarray, tasks: np.ndarray) -> np.ndarray:
    """Runtimes of at most three days, alike within a burst and longer for larger jobs; scaled to the load."""
    spread = tasks**0.25 * np.exp(rng.normal(0, 1.6, burst.max() + 1)[burst] + rng.normal(0, 0.5, len(burst)))
    work = machine.load * machine.hosts * machine.cores * machine.span_days * DAY_S
    low, high = 1.0, 3 * DAY_S
    for _ in range(60):
        median_s = (low + high) / 2
        runtime_s = np.ceil(median_s * spread).clip(1, 3 * DAY_S)
        low, high = (median_s, high) if runtime_s @ tasks < work else (low, median_s)
    return runtime_s


if __name__ == "__main__":
    main(["archive_like"], __doc__)
