"""One sweep in one thread and in one thread a core: wall seconds, and what the threads bring.

    python benchmarks/sweep_threads.py --jobs 1000000 --hosts 3000

Synthetic log of pool A; the first pass over each engine is not timed (it compiles). Medians of `--repeats`.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

from loadmaster.runs import Setting, Store, Threads, case_of
from loadmaster.runs.sweep import sweep
from loadmaster.traces import generate_netbatch

POLICIES = ("first-fit", "best-fit-cores", "best-fit-memory", "worse-fit-cores", "worse-fit-memory", "mix-fit")


def seconds(case, workers):
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        sweep(case, [Setting(name) for name in POLICIES], Store.in_folder(Path(folder)), Threads(workers))
        return time.perf_counter() - began


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--jobs", type=int, default=1_000_000)
    options.add_argument("--hosts", type=int, default=3_000)
    options.add_argument("--load", type=float, default=0.85)
    options.add_argument("--repeats", type=int, default=3)
    asked = options.parse_args()
    case = case_of(generate_netbatch("A", jobs=asked.jobs, hosts=asked.hosts, load=asked.load, seed=1))
    few = case_of(generate_netbatch("A", jobs=1_000, hosts=asked.hosts, load=asked.load, seed=1))
    seconds(few, 1)
    cores = os.cpu_count() or 1
    found = {workers: [] for workers in (1, cores)}
    for _ in range(asked.repeats):
        for workers, times in found.items():
            times.append(seconds(case, workers))
    for workers, times in found.items():
        middle = statistics.median(times)
        rate = len(POLICIES) * asked.jobs / middle
        print(f"{workers} threads: {middle:.2f} s median of {sorted(round(t, 2) for t in times)}, {rate:,.0f} jobs/s")
    print(f"ratio {statistics.median(found[1]) / statistics.median(found[cores]):.2f}")


if __name__ == "__main__":
    main()
