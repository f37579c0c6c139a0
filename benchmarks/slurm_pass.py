"""Slurm's backfill pass: whole hosts, jobs of many of them, a window of 1,440 slots of a minute.

    python benchmarks/slurm_pass.py [TESTED...]

3,000 hosts of 16 cores that running jobs hold but for 3 %, 5,000 waiting jobs of 1 to 128 whole hosts and a minute to
12 hours, seed 1. CPU milliseconds, the least of 7: the kernel alone, and the whole decision with laying out the arrays.
"""

import sys
import time

import numpy as np

from loadmaster.backfilling import Slurm
from loadmaster.model import Cluster
from loadmaster.model.snapshot import NextLoops, Queue, Running, Snapshot
from loadmaster.order import ORDERS
from loadmaster.place import POLICIES
from loadmaster.schedule import Discipline, compiled_decide
from loadmaster.schedule.compiled_decide import compiled

NOW_S = 100_000.0


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
        np.array(job), np.array(tasks, np.int32), np.tile([16.0, 64.0], (len(tasks), 1)), np.array(ends),
        np.zeros(len(tasks), np.int32), np.zeros(len(tasks)),
    )  # fmt: skip
    count = np.array([_size(rng) for _ in range(jobs)], np.int32)
    queue = Queue(
        np.arange(jobs), np.tile([16.0, 64.0], (jobs, 1)), count, 60.0 * rng.integers(1, 720, jobs),
        np.zeros(jobs, np.int32), np.cumsum(count).astype(np.int64) - count, eligible_s=np.zeros(jobs),
        user=rng.integers(0, 100, jobs).astype(np.int32),
    )  # fmt: skip
    return Snapshot(NOW_S, cluster, free, queue, running, clock=NextLoops(last_s=NOW_S - 30.0, backfill_s=NOW_S))


def _size(rng):
    return int(rng.choice([1, 2, 4, 8, 16, 32, 64, 128], p=[0.3, 0.15, 0.15, 0.12, 0.1, 0.08, 0.06, 0.04]))


def timed(snapshot, rule, again=7):
    """Least CPU milliseconds of the kernel and of the whole decision, and what it starts and reserves."""
    discipline, inside, whole, entry = Discipline(ORDERS["fcfs"], rule), [], [], compiled_decide._entry

    def watched(*which):
        kernel = entry(*which)

        def call(*arguments):
            began = time.process_time()
            kernel(*arguments)
            inside.append(1000 * (time.process_time() - began))

        return call

    compiled_decide._entry = watched
    for _ in range(again):
        began = time.process_time()
        decision = compiled(discipline, snapshot).serve(snapshot, POLICIES["first-fit"])
        whole.append(1000 * (time.process_time() - began))
    compiled_decide._entry = entry
    return min(inside), min(whole), decision


def main(tested):
    """Print a row for each number of jobs tested."""
    there = snapshot()
    print(f"{'tested':>7} {'started':>8} {'hosts reserved':>15} {'kernel ms':>10} {'whole ms':>9}")
    for many in tested:
        kernel, whole, decision = timed(there, Slurm(bf_max_job_test=many, bf_interval=1))
        print(f"{many:7} {len(decision.place):8} {len(decision.reserved):15} {kernel:10.2f} {whole:9.1f}", flush=True)


if __name__ == "__main__":
    main([int(each) for each in sys.argv[1:]] or [500, 2000])
