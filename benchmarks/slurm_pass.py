"""Slurm's backfill pass over whole hosts: `python benchmarks/slurm_pass.py [--beside COMMIT]`.

3,000 hosts of 16 cores that running jobs hold but for 3 %, 5,000 waiting jobs of 1 to 128 whole hosts and a minute to
12 hours, seed 1; a window of 1,440 slots of a minute. A whole decision, with laying out the arrays.
"""

from collections.abc import Iterator
from functools import cache, partial

import numpy as np
from decide import decided
from two_commits import Case, main

from loadmaster.backfilling import Slurm
from loadmaster.model import Cluster
from loadmaster.model.snapshot import NextLoops, Queue, Running, Snapshot
from loadmaster.order import ORDERS
from loadmaster.scheduling import Discipline

NOW_S = 100_000.0


@cache
def snapshot(hosts=3000, jobs=5000, seed=1):
    """Hosts that jobs hold whole, and a queue of such jobs."""
    rng = np.random.default_rng(seed)
    cluster = Cluster(("cores", "memory"), np.tile([16.0, 64.0], (hosts, 1)))
    free = cluster.capacity.copy()
    order, job, tasks, ends = rng.permutation(hosts)[: int(0.97 * hosts)], [], [], []
    at = 0
    while at < len(order):
        many = min(_size(rng), len(order) - at)
        tasks += order[at : at + many].tolist()
        ends += [NOW_S + 60.0 * rng.integers(1, 720) + rng.integers(0, 60)] * many
        job += [jobs + len(set(job))] * many
        at += many
    free[tasks] = 0.0
    running = Running(
        np.array(job),
        np.array(tasks, np.int32),
        np.tile([16.0, 64.0], (len(tasks), 1)),
        np.array(ends),
        np.zeros(len(tasks), np.int32),
        np.zeros(len(tasks)),
    )
    count = np.array([_size(rng) for _ in range(jobs)], np.int32)
    queue = Queue(
        np.arange(jobs),
        np.tile([16.0, 64.0], (jobs, 1)),
        count,
        60.0 * rng.integers(1, 720, jobs),
        np.zeros(jobs, np.int32),
        np.cumsum(count).astype(np.int64) - count,
        eligible_s=np.zeros(jobs),
        user=rng.integers(0, 100, jobs).astype(np.int32),
    )
    return Snapshot(NOW_S, cluster, free, queue, running, clock=NextLoops(last_s=NOW_S - 30.0, backfill_s=NOW_S))


def _size(rng):
    return int(rng.choice([1, 2, 4, 8, 16, 32, 64, 128], p=[0.3, 0.15, 0.15, 0.12, 0.1, 0.08, 0.06, 0.04]))


def cases() -> Iterator[Case]:
    for tested in (500, 2_000):
        yield Case(f"{tested:,} jobs tested", partial(ready, tested))


def ready(tested):  # type: ignore[no-untyped-def]
    discipline = Discipline(ORDERS["fcfs"], Slurm(bf_max_job_test=tested, bf_interval=1))
    return partial(decided, discipline, snapshot(), "first-fit")


if __name__ == "__main__":
    main(["slurm_pass"], __doc__)
