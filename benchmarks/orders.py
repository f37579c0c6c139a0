"""Jobs a second of every order, each once, in front of EASY: what ranking the queue costs beside first come.

Run: PYTHONPATH=src python benchmarks/orders.py [jobs [hosts [load]]]
"""

import statistics
import sys
import time

import numpy as np

from loadmaster.order import ORDERS, ORDERS_WITH_MEMORY
from loadmaster.place import POLICIES
from loadmaster.schedule import Discipline
from loadmaster.schedule import discipline_named as named
from loadmaster.sim.queue import simulate
from loadmaster.sim.queue.door import is_compiled
from loadmaster.traces import Trace
from loadmaster.traces.netbatch import generate_netbatch

RUNS = 3
INTERVAL_S = 30.0
WEIGHTED = {"multifactor": "multifactor(age=1000,size=500)"}
"""Without weights multifactor is first come, first served."""


def main() -> None:
    """Every order that is registered; the first is what the others are measured by."""
    given = [float(text) for text in sys.argv[1:]]
    jobs, hosts, load = (*given, *(100_000, 300, 1.1)[len(given) :])
    trace = generate_netbatch("A", jobs=int(jobs), hosts=int(hosts), load=load, longest_run_s=6 * 3600.0, seed=1)
    print(f"{jobs:,.0f} jobs on {hosts:,.0f} hosts at load {load:g}, a cycle every {INTERVAL_S:g} s, best-fit-cores")
    print(f"{'discipline':>44} {'jobs/s':>9} {'spread':>7} {'of fcfs':>8} {'queue':>8} {'wait, s':>9}")
    first = 0.0
    for order in (*ORDERS, *ORDERS_WITH_MEMORY):
        first = row(trace, named(f"{WEIGHTED.get(order, order)}+easy"), first)


def row(trace: Trace, discipline: Discipline, first: float) -> float:
    """Print one order's row; `first` is the rate of the first one, 0 for that itself. Returns it."""
    policy = POLICIES["best-fit-cores"]
    if not is_compiled(trace.workload, trace.cluster, policy, discipline):
        print(f"{discipline!s:>44} not compiled", flush=True)
        return first
    simulate(trace.workload.take(slice(0, 100)), trace.cluster, policy, discipline, interval_s=INTERVAL_S)
    rates = []
    for _ in range(RUNS):
        began_s = time.process_time()
        schedule = simulate(trace.workload, trace.cluster, policy, discipline, interval_s=INTERVAL_S)
        rates.append(trace.workload.jobs / (time.process_time() - began_s))
    rate = statistics.median(rates)
    spread, wait_s = (max(rates) - min(rates)) / rate, float(np.nanmean(schedule.start_s - trace.workload.submit_s))
    queue = float(np.mean(schedule.cycles.queue_length))
    print(
        f"{discipline!s:>44} {rate:>9,.0f} {spread:>7.0%} {rate / (first or rate):>8.2f} {queue:>8.1f} {wait_s:>9.0f}",
        flush=True,
    )
    return first or rate


if __name__ == "__main__":
    main()
