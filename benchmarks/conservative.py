"""Conservative backfilling in all its variants: CPU microseconds a job, and how many times the plain reference.

    python benchmarks/conservative.py [JOBS]

A NetBatch log (mix A, load 1.2, jobs of up to six hours, seed 1) on 100 hosts with estimates of twice the runtime, each
30 s and at every event, and 5,000 jobs on a pool of 1,000 cores at every event. Least of three runs. The ratio is taken
in the same process, on the first 300 jobs.
"""

import sys
import time
from dataclasses import replace

import numpy as np

from loadmaster.model import Cluster, Workload
from loadmaster.place import POLICIES
from loadmaster.schedule import discipline_named
from loadmaster.sim.queue import simulate
from loadmaster.traces.netbatch import generate_netbatch

VARIANTS = ("now", "kept", "arrival", "start", "replan")
SMALL = 300


def netbatch(jobs):
    """The log on 100 hosts."""
    trace = generate_netbatch("A", jobs=jobs, hosts=100, load=1.2, longest_run_s=6 * 3600.0, seed=1)
    return replace(trace.workload, estimate_s=2 * trace.workload.runtime_s), trace.cluster


def pool(jobs, cores=1000):
    """Jobs of 1 to 128 cores, most of them around a quarter of an hour long, at load 1.2."""
    rng = np.random.default_rng(3)
    tasks = (2 ** rng.integers(0, 8, jobs)).astype(np.int32)
    runtime_s = np.ceil(np.exp(rng.normal(7, 1.3, jobs)))
    submit_s = np.sort(rng.uniform(0, float((tasks * runtime_s).sum()) / cores / 1.2, jobs)).round()
    workload = Workload(("cores",), submit_s, runtime_s, np.ones((jobs, 1)), tasks=tasks, estimate_s=2 * runtime_s)
    return workload, Cluster.uniform(cores, cores=1)


def least_us(workload, cluster, discipline, interval_s, engine="auto", times=3):
    """CPU microseconds a job, and the schedule."""
    taken = []
    for _ in range(times):
        began = time.process_time()
        schedule = simulate(
            workload, cluster, POLICIES["best-fit-cores"], discipline, interval_s=interval_s, engine=engine
        )
        taken.append(time.process_time() - began)
    return 1e6 * min(taken) / workload.jobs, schedule


def main(jobs):
    """Print a row a log, variant and interval."""
    print(f"{'log':14} {'every':>6} {'variant':8} {'passes':>8} {'queue':>7} {'us a job':>9} {'x plain':>8}")
    for name, (workload, cluster), intervals in (
        (f"{jobs:,} x 100", netbatch(jobs), (30.0, 0.0)),
        ("5,000 on 1,000", pool(5000), (0.0,)),
    ):
        small = workload.take(slice(0, SMALL))
        for interval_s in intervals:
            for variant in VARIANTS:
                discipline = discipline_named(f"conservative(early_end={variant})")
                quick, _ = least_us(small, cluster, discipline, interval_s)  # the first may compile
                plain, _ = least_us(small, cluster, discipline, interval_s, "reference", 1)
                cost, schedule = least_us(workload, cluster, discipline, interval_s)
                queue, passes = schedule.cycles.queue_length.mean(), len(schedule.cycles.time_s)
                print(
                    f"{name:14} {interval_s:6} {variant:8} {passes:8,} {queue:7.0f} {cost:9.1f} {plain / quick:8.0f}",
                    flush=True,
                )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 40_000)
