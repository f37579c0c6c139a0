"""Events a CPU second of fractional scheduling, by load, time of repacking and jobs, beside the plain engine.

Run: PYTHONPATH=src python benchmarks/share_fractional.py [JOBS]
"""

import sys
import time

import numpy as np

from loadmaster.model import Cluster, Workload
from loadmaster.scheduling.fractional import Fractional
from loadmaster.sim.fractional.simulation import FractionalProblem, simulate_fractional

HOSTS = 64


def stream(jobs: int, load: float, seed: int = 1) -> Workload:
    rng = np.random.default_rng(seed)
    work, tasks = rng.exponential(600.0, jobs), rng.choice([1, 1, 1, 2, 4], jobs)
    demand = np.column_stack((rng.uniform(0.1, 1.0, jobs), rng.uniform(0.02, 0.4, jobs)))
    gap = float((work * demand[:, 0] * tasks).mean()) / (load * HOSTS)
    submit = np.cumsum(rng.exponential(gap, jobs))
    return Workload(("cores", "memory"), submit, work, demand, tasks=tasks, source="Poisson", synthetic=True)


def main() -> None:
    jobs = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    cluster = Cluster.uniform(HOSTS, cores=1, memory=1)
    simulate_fractional(FractionalProblem(stream(100, 1.0), cluster))
    names = ("jobs", "load", "repack", "engine", "events/s", "moves", "wait s")
    print(f"{HOSTS} hosts\n" + " ".join(f"{name:>10}" for name in names))
    for count in (jobs // 10, jobs):
        for load in (0.7, 1.0, 1.2):
            for repack in ("never", "periods", "events"):
                _measure(stream(count, load), cluster, load, repack, "auto")
    _measure(stream(jobs // 50, 1.0), cluster, 1.0, "never", "reference")


def _measure(workload: Workload, cluster: Cluster, load: float, repack: str, engine: str) -> None:
    problem = FractionalProblem(workload, cluster, Fractional(repack=repack))
    begin = time.process_time()
    run = simulate_fractional(problem, engine=engine)
    rate = run.events / (time.process_time() - begin)
    wait = np.nanmean(run.start_s - workload.submit_s)
    cells = (workload.jobs, load, repack, engine, f"{rate:,.0f}", f"{run.moves.sum():,}", f"{wait:,.0f}")
    print(" ".join(f"{cell!s:>10}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
