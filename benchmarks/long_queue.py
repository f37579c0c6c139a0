"""EASY beside queues of any length, in every order: `python benchmarks/long_queue.py [--beside COMMIT] [--only WORDS]`.

Synthetic jobs of 1 to 8 cores on hosts of 16, runtimes log-normal, estimates one to three times the runtime; the load
decides how long the queue grows. `--large`: a million jobs on 3,000 hosts under the multifactor order.
"""

from collections.abc import Iterator
from functools import lru_cache, partial

import numpy as np
from two_commits import Case, main

from loadmaster.model import Cluster, Workload
from loadmaster.place import POLICIES
from loadmaster.scheduling import MaxJobs, discipline_named
from loadmaster.sim.queue import simulate

CASES = (  # jobs, hosts, load, all demands distinct, seconds between decisions (0: at every event), discipline, policy
    (20_000, 300, 0.9, False, 0.0, "easy", "best-fit-cores"),
    (50_000, 300, 1.2, False, 0.0, "easy", "best-fit-cores"),
    (50_000, 300, 1.2, True, 0.0, "easy", "best-fit-cores"),
    (50_000, 300, 2.0, False, 0.0, "easy", "best-fit-cores"),
    (50_000, 300, 2.0, True, 0.0, "easy", "best-fit-cores"),
    (200_000, 300, 2.0, False, 0.0, "easy", "best-fit-cores"),
    (200_000, 3_000, 1.2, False, 0.0, "easy", "best-fit-cores"),
    (50_000, 300, 1.2, False, 30.0, "easy", "best-fit-cores"),
    *((50_000, 300, 2.0, True, 30.0, f"{order}+easy", "best-fit-cores") for order in ("sjf", "wfp3", "multifactor")),
    *((100_000, 300, load, False, 0.0, "easy", "max-jobs") for load in (0.85, 1.2)),
    (100_000, 300, 1.2, False, 30.0, "easy", "max-jobs"),
    (1_000_000, 3_000, 1.05, False, 30.0, "multifactor+easy", "best-fit-cores"),
)


def cases() -> Iterator[Case]:
    for jobs, hosts, load, distinct, interval_s, discipline, policy in CASES:
        name = f"{discipline}, {policy}, {hosts:,} hosts, load {load}, {jobs:,} jobs, every {interval_s:g} s"
        run = partial(ready, jobs, hosts, load, distinct, interval_s, discipline, policy)
        yield Case(name + ", distinct" * distinct, run, large=jobs >= 1_000_000)


def ready(jobs, hosts, load, distinct, interval_s, discipline, policy):  # type: ignore[no-untyped-def]
    placing = MaxJobs(log_ties=False) if policy == "max-jobs" else POLICIES[policy]
    log = problem(jobs, hosts, load, distinct)
    return partial(simulate, *log, placing, discipline_named(discipline), interval_s=interval_s)


@lru_cache(2)
def problem(jobs: int, hosts: int, load: float, distinct: bool) -> tuple[Workload, Cluster]:
    rng = np.random.default_rng(3)
    cores = rng.choice([1, 1, 1, 2, 4, 8], jobs)
    memory = rng.integers(1, 33_000, jobs) if distinct else rng.choice([1, 2, 4, 8, 16, 32], jobs) * 1000
    runtime_s = np.ceil(rng.lognormal(7, 1.3, jobs))
    estimate_s = np.ceil(runtime_s * rng.choice([1, 2, 3], jobs))
    span_s = (cores * runtime_s).sum() / (load * hosts * 16)
    workload = Workload.of(
        submit_s=np.sort(rng.uniform(0, span_s, jobs)),
        runtime_s=runtime_s,
        cores=cores,
        memory=memory,
        estimate_s=estimate_s,
        user=(200 * rng.random(jobs) ** 2).astype(np.int32),
    )
    return workload, Cluster.uniform(hosts, cores=16, memory=64_000)


if __name__ == "__main__":
    main(["long_queue"], __doc__)
