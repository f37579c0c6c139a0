"""Conservative backfilling in all its variants: `python benchmarks/conservative.py [--beside COMMIT] [--only WORDS]`.

A NetBatch log (mix A, load 1.2, 20,000 jobs of up to six hours, seed 1; 40,000 with `--large`) on 100 hosts with
estimates of twice the runtime, each 30 s and at every event, and 5,000 jobs on a pool of 1,000 cores at every event.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache, partial

import numpy as np
from two_commits import Case, main

from loadmaster.model import Cluster, Workload
from loadmaster.place import POLICIES
from loadmaster.scheduling import discipline_named
from loadmaster.sim.queue import simulate
from loadmaster.traces import generate_netbatch

VARIANTS = ("now", "kept", "arrival", "start", "replan")


def cases() -> Iterator[Case]:
    for log, jobs, interval_s in (
        (netbatch, 20_000, 30.0),
        (netbatch, 20_000, 0.0),
        (pool, 5_000, 0.0),
        (netbatch, 40_000, 0.0),
    ):
        for variant in VARIANTS:
            name = f"{variant}, {log.__name__}, {jobs:,} jobs, every {interval_s:g} s"
            yield Case(name, partial(ready, log, jobs, interval_s, variant), large=jobs > 20_000)


def ready(log, jobs, interval_s, variant):  # type: ignore[no-untyped-def]
    rule = discipline_named(f"conservative(early_end={variant})")
    return partial(simulate, *log(jobs), POLICIES["best-fit-cores"], rule, interval_s=interval_s)


@lru_cache(1)
def netbatch(jobs: int) -> tuple[Workload, Cluster]:
    """The log on 100 hosts."""
    trace = generate_netbatch("A", jobs=jobs, hosts=100, load=1.2, longest_run_s=6 * 3600.0, seed=1)
    assert trace.cluster is not None
    return replace(trace.workload, estimate_s=2 * trace.workload.runtime_s), trace.cluster


def pool(jobs: int, cores: int = 1000) -> tuple[Workload, Cluster]:
    """Jobs of 1 to 128 cores, most of them around a quarter of an hour long, at load 1.2."""
    rng = np.random.default_rng(3)
    tasks = (2 ** rng.integers(0, 8, jobs)).astype(np.int32)
    runtime_s = np.ceil(np.exp(rng.normal(7, 1.3, jobs)))
    submit_s = np.sort(rng.uniform(0, float((tasks * runtime_s).sum()) / cores / 1.2, jobs)).round()
    workload = Workload(("cores",), submit_s, runtime_s, np.ones((jobs, 1)), tasks=tasks, estimate_s=2 * runtime_s)
    return workload, Cluster.uniform(cores, cores=1)


if __name__ == "__main__":
    main(["conservative"], __doc__)
