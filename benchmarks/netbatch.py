"""NetBatch's walk by policy and load: `python benchmarks/netbatch.py [--beside COMMIT] [--only WORDS] [--large]`.

A synthetic NetBatch-like log (pool B of the generator: bursts of equal jobs by user, a cycle every 30 s). `--large` is
a month: 13 million jobs on 3,115 hosts.
"""

from collections.abc import Iterator
from functools import lru_cache, partial

from two_commits import Case, main

from loadmaster.model import Cluster, Workload
from loadmaster.place import POLICIES
from loadmaster.scheduling import AnyPolicy, MaxJobs, discipline_named
from loadmaster.sim.queue import simulate
from loadmaster.traces import fit_to, generate_netbatch

INTERVAL_S = 30.0
RULES = (
    "first-fit", "best-fit-cores", "best-fit-memory", "worse-fit-cores", "worse-fit-memory", "mix-fit", "max-jobs",
    "max-jobs-pruned", "dot-product",
)  # fmt: skip
SIZES = (
    (200_000, 3_000, 0.85, RULES), (200_000, 3_000, 1.2, RULES),
    (150_000, 30_000, 0.85, ("first-fit", "best-fit-memory", "mix-fit", "round-robin")),
    *((13_000_000, 3_115, load, RULES) for load in (0.85, 0.98)),
)  # fmt: skip


def cases() -> Iterator[Case]:
    for jobs, hosts, load, rules in SIZES:
        for policy in rules:
            name = f"{policy}, {hosts:,} hosts, load {load}, {jobs:,} jobs"
            yield Case(name, partial(ready, jobs, hosts, load, policy), large=jobs > 1_000_000)


def ready(jobs, hosts, load, policy):  # type: ignore[no-untyped-def]
    workload, cluster = problem(jobs, hosts, load)
    return partial(simulate, workload, cluster, placing(policy), discipline_named("netbatch"), interval_s=INTERVAL_S)


@lru_cache(1)
def problem(jobs: int, hosts: int, load: float) -> tuple[Workload, Cluster]:
    """The log and the hosts; jobs that no host can hold are left out."""
    trace = generate_netbatch("B", jobs=jobs, hosts=hosts, load=load, longest_run_s=200_000.0, seed=0)
    assert trace.cluster is not None
    return fit_to(trace.workload, trace.cluster)[0], trace.cluster


def placing(name: str) -> AnyPolicy:
    """A placement policy, `max-jobs` that logs every tie, or `max-jobs-pruned` that stops at a full walk."""
    return MaxJobs(log_ties=name == "max-jobs") if name.startswith("max-jobs") else POLICIES[name]


if __name__ == "__main__":
    main(["netbatch"], __doc__)
