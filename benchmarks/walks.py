"""Walks that promise nothing: `python benchmarks/walks.py [--beside COMMIT] [--only WORDS]`.

A synthetic NetBatch-like log (pool B of the generator) under backfilling `none`, `skip` and `netbatch`, fair share of
20 projects and Max-Jobs, a cycle every 30 s, on few hosts and many, with short queues and long.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np
from netbatch import INTERVAL_S, placing, problem
from two_commits import Case, main

from loadmaster.scheduling import discipline_named
from loadmaster.sim.queue import simulate

SIZES = ((50_000, 150, 0.85), (50_000, 400, 0.85), (100_000, 3_000, 0.85), (100_000, 3_000, 1.2))
RULES = (
    *(f"{walk} {policy}" for walk in ("none", "skip", "netbatch") for policy in ("first-fit", "best-fit-cores")),
    *(f"netbatch {policy}" for policy in ("best-fit-memory", "worse-fit-memory", "mix-fit", "dot-product")),
    *(f"{walk} dot-product" for walk in ("none", "skip")),
    "netbatch max-jobs", "netbatch max-jobs-pruned", "fair-share best-fit-cores", "skip mix-fit",
)  # fmt: skip


def cases() -> Iterator[Case]:
    for jobs, hosts, load in SIZES:
        for rule in RULES:
            discipline, policy = rule.split()
            name = f"{discipline}, {policy}, {hosts:,} hosts, load {load}, {jobs:,} jobs"
            yield Case(name, partial(ready, jobs, hosts, load, discipline, policy))


def ready(jobs, hosts, load, discipline, policy):  # type: ignore[no-untyped-def]
    workload, cluster = problem(jobs, hosts, load)
    if discipline == "fair-share":
        workload = replace(workload, project=np.asarray(workload.user % 20, np.int32))
    return partial(simulate, workload, cluster, placing(policy), discipline_named(discipline), interval_s=INTERVAL_S)


if __name__ == "__main__":
    main(["walks"], __doc__)
