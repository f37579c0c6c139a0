"""Backfillings of the user's own, in Python: `LOADMASTER_LOGS=FOLDER python benchmarks/own_rules.py [--only WORDS]`.

Three classes as the guide to backfillings shows them: EASY that promises its head hosts, EASY that promises it a
moment, and a loop that starts whatever fits. They run in the plain engine. 1,000 synthetic jobs of 1 to 32 cores at
load 0.9, as jobs of one task or of one-core tasks, and the first 1,000 jobs of CTC-SP2 if the folder holds that log.
"""

import os
from collections.abc import Iterator
from functools import lru_cache, partial
from pathlib import Path

import numpy as np
from two_commits import Case, main

from loadmaster.model import Cluster, Workload
from loadmaster.order import ORDERS
from loadmaster.place import POLICIES
from loadmaster.scheduling import Discipline
from loadmaster.sim.queue import simulate
from loadmaster.traces import fit_to, read_hosts, read_trace

JOBS, LOAD = 1_000, 0.9
ARCHIVE = "CTC-SP2-1996-3.1-cln.swf.gz"
LOGS = {
    "jobs of one task": ("1x128c",),
    "one-core tasks": ("1x128c", "16x8c", "1000x8c"),
    ARCHIVE: ("43x8c", "338x1c"),
}


class EasyOnHosts:
    """EASY: the first job that does not fit is promised hosts, later jobs start beside that."""

    moment = False

    def serve(self, this_pass):  # type: ignore[no-untyped-def]
        """Walk the queue."""
        head = None
        for row in this_pass.rows():
            if not this_pass.start(row) and head is None:
                head = row
                this_pass.promise(row, moment=self.moment)


class EasyOnAMoment(EasyOnHosts):
    """EASY: the first job that does not fit is promised a moment, whichever hosts it gets then."""

    moment = True


class WhateverFits:
    """Start whatever fits."""

    def serve(self, this_pass):  # type: ignore[no-untyped-def]
        """Walk the queue."""
        for row in this_pass.rows():
            this_pass.start(row)


def cases() -> Iterator[Case]:
    for log, machines in LOGS.items():
        if log == ARCHIVE and not archive().exists():
            continue
        for hosts in machines:
            for rule in (EasyOnHosts, EasyOnAMoment, WhateverFits):
                name = f"{rule.__name__}, {log.split('.')[0]}, {hosts}, {JOBS:,} jobs"
                yield Case(name, partial(ready, log, hosts, rule))


def ready(log, hosts, rule):  # type: ignore[no-untyped-def]
    discipline = Discipline(ORDERS["fcfs"], rule(), "own")
    return partial(simulate, *problem(log, hosts), POLICIES["first-fit"], discipline, interval_s=0.0)


@lru_cache(1)
def problem(log: str, hosts: str) -> tuple[Workload, Cluster]:
    """The jobs and the hosts."""
    cluster = read_hosts(hosts)
    if log == ARCHIVE:
        return fit_to(read_trace(archive()).workload.take(slice(0, JOBS)), cluster, "any")[0], cluster
    rng = np.random.default_rng(1)
    cores, runtime_s = rng.integers(1, 33, JOBS), rng.exponential(600.0, JOBS)
    span_s = (cores * runtime_s).sum() / (LOAD * cluster.total[0])
    gap_s = rng.exponential(1.0, JOBS)
    columns = {"cores": cores} if log == "jobs of one task" else {"cores": np.ones(JOBS), "tasks": cores}
    submit_s = np.cumsum(gap_s) * span_s / gap_s.sum()
    return Workload.of(submit_s=submit_s, runtime_s=runtime_s, **columns), cluster


def archive() -> Path:
    """Where the log of CTC-SP2 is looked for."""
    return Path(os.environ.get("LOADMASTER_LOGS", ".")) / ARCHIVE


if __name__ == "__main__":
    main(["own_rules"], __doc__)
