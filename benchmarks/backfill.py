"""Jobs a second under EASY and conservative backfilling, beside plain FCFS in the general engine.

Run: PYTHONPATH=src python benchmarks/backfill.py [jobs]
"""

import statistics
import sys
import time

import numpy as np

from loadmaster.model import Workload
from loadmaster.place import POLICIES
from loadmaster.schedule import discipline_named as named
from loadmaster.sim.queue import simulate
from loadmaster.traces.netbatch import generate_netbatch

DISCIPLINES = (
    named("fcfs"),
    named("easy"),
    named("conservative"),
    named("conservative(lookahead=100)"),
)


def main() -> None:
    jobs = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    policy = POLICIES["best-fit-cores"]
    print(f"{'hosts':>6} {'load':>5} {'every':>6} {'discipline':>29}", end=" ")
    print(f"{'jobs/s':>11} {'spread':>7} {'queue':>8} {'wait':>9}")
    for hosts in (300, 3000):
        for load in (0.7, 0.85, 0.95):
            trace = generate_netbatch("A", jobs=jobs, hosts=hosts, load=load, longest_run_s=6 * 3600.0, seed=1)
            warm = trace.workload.take(slice(0, 100))
            for interval_s in (30.0, 0.0):
                for discipline in DISCIPLINES:
                    simulate(warm, trace.cluster, policy, discipline, interval_s=interval_s)
                    print(row(trace.workload, trace.cluster, policy, discipline, interval_s, hosts, load), flush=True)


def row(workload: Workload, cluster, policy, discipline, interval_s, hosts, load) -> str:  # type: ignore[no-untyped-def]
    rates = []
    for _ in range(3):
        begin = time.perf_counter()
        schedule = simulate(workload, cluster, policy, discipline, interval_s=interval_s)
        rates.append(workload.jobs / (time.perf_counter() - begin))
    middle = statistics.median(rates)
    queue = float(np.mean(schedule.cycles.queue_length))
    wait = float(np.nanmean(schedule.start_s - workload.submit_s))
    return (
        f"{hosts:>6} {load:>5} {interval_s:>6} {discipline!s:>29} {middle:>11,.0f} "
        f"{(max(rates) - min(rates)) / middle:>7.0%} {queue:>8.1f} {wait:>9.1f}"
    )


if __name__ == "__main__":
    main()
