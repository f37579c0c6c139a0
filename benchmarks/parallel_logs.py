"""Real logs of parallel machines on many hosts: `LOADMASTER_LOGS=FOLDER python benchmarks/parallel_logs.py`.

The folder holds logs of the Parallel Workloads Archive as they come from there (`CTC-SP2-1996-3.1-cln.swf.gz` and so
on); those that are not there are left out. Tasks may go to any hosts. The first 8,000 jobs of each log; the whole log
with `--large`. `archive_like.py` draws logs like the largest of them.
"""

import os
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path

from two_commits import Case, main

from loadmaster.model import Cluster, Workload
from loadmaster.place import POLICIES
from loadmaster.scheduling import discipline_named
from loadmaster.sim.queue import simulate
from loadmaster.traces import fit_to, read_hosts, read_trace

LOGS = {
    "CTC-SP2-1996-3.1-cln.swf.gz": ("338x1c", "43x8c"),
    "HPC2N-2002-2.2-cln.swf.gz": ("120x2c2g", "240x1c"),
    "LANL-CM5-1994-4.1-cln.swf.gz": ("32x32c1g", "1024x1c"),
    "RICC-2010-2.swf.gz": ("1024x8c12g",),
    "SDSC-BLUE-2000-4.2-cln.swf.gz": ("144x8c", "1152x1c"),
    "CEA-Curie-2011-2.1-cln.swf.gz": ("5000x16c",),
}
RULES = (
    ("easy", "first-fit", 0.0), ("easy", "first-fit", 30.0), ("easy", "best-fit-cores", 0.0), ("easy", "mix-fit", 0.0),
    ("sjf+easy", "first-fit", 0.0), ("wfp3+easy", "first-fit", 0.0), ("fcfs", "first-fit", 0.0),
    ("fcfs+skip", "first-fit", 0.0), ("conservative", "first-fit", 0.0), ("slurm", "first-fit", 0.0),
)  # fmt: skip


def cases() -> Iterator[Case]:
    for log, machines in LOGS.items():
        path = Path(os.environ.get("LOADMASTER_LOGS", ".")) / log
        for hosts in machines if path.exists() else ():
            for rule in RULES:
                for jobs in (8_000, 0):
                    run = partial(ready, path, hosts, jobs, *rule)
                    yield Case(name_of(log.split(".")[0], hosts, *rule) + ", whole" * (not jobs), run, large=not jobs)


def name_of(log: str, hosts: str, discipline: str, policy: str, interval_s: float) -> str:
    return f"{log} on {hosts}, {discipline}, {policy}, every {interval_s:g} s"


def ready(path, hosts, jobs, discipline, policy, interval_s):  # type: ignore[no-untyped-def]
    log = problem(path, hosts, jobs)
    return partial(simulate, *log, POLICIES[policy], discipline_named(discipline), interval_s=interval_s)


@lru_cache(1)
def problem(path: Path, hosts: str, jobs: int) -> tuple[Workload, Cluster]:
    """The first jobs of the log, 0 for all, and the hosts; of hosts without memory nothing but cores is asked."""
    cluster, workload = read_hosts(hosts), read_trace(path).workload.take(slice(0, jobs or None))
    if cluster.resources == ("cores",):
        workload = replace(workload, resources=("cores",), demand=workload.demand[:, :1])
    return fit_to(workload, cluster, "any")[0], cluster


if __name__ == "__main__":
    main(["parallel_logs"], __doc__)
