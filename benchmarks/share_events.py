"""Events a second of the engine for time-shared hosts, and how that depends on how many tasks run at once.

Run: PYTHONPATH=src python benchmarks/share_events.py
"""

import statistics
import time

import numpy as np

from loadmaster.model import Cluster, Workload
from loadmaster.scheduling.time_shared import method_named
from loadmaster.sim.timeshared.problem import TimesharedProblem
from loadmaster.sim.timeshared.simulation import simulate_timeshared


def stream(jobs: int, hosts: int, load: float, seed: int = 1) -> tuple[Workload, Cluster]:
    rng = np.random.default_rng(seed)
    work = rng.exponential(60.0, jobs)
    submit = np.cumsum(rng.exponential(60.0 / (load * hosts), jobs))
    memory = rng.uniform(0.0, 4.0, jobs)
    demand = np.column_stack((np.ones(jobs), memory))
    workload = Workload(("cores", "memory"), submit, work, demand, source="Poisson, exponential work", synthetic=True)
    return workload, Cluster.uniform(hosts, cores=1, memory=1e6)


def main() -> None:
    print(f"{'hosts':>6} {'load':>5} {'method':>12} {'events/s':>12} {'spread':>8}")
    for hosts, load in ((6, 0.8), (64, 0.8), (64, 0.99), (64, 1.2)):
        workload, cluster = stream(400_000, hosts, load)
        for name in ("pvm", "least-loaded", "greedy", "e-pvm"):
            problem = TimesharedProblem(workload, cluster, method_named(name))
            simulate_timeshared(TimesharedProblem(workload.take(slice(0, 100)), cluster, method_named(name)))
            rates = []
            for _ in range(3):
                begin = time.perf_counter()
                run = simulate_timeshared(problem)
                rates.append(run.events / (time.perf_counter() - begin))
            spread = (max(rates) - min(rates)) / statistics.median(rates)
            print(f"{hosts:>6} {load:>5} {name:>12} {statistics.median(rates):>12,.0f} {spread:>8.0%}", flush=True)


if __name__ == "__main__":
    main()
