"""Beside AccaSim on the same log: `python benchmarks/beside_accasim.py [--jobs 10000] [--hosts 256] [--load 0.85]`.

Both replay one synthetic SWF log (jobs of 1 to 8 processors, 1 to 4 GiB a processor, hosts of 8 cores and 32 GiB) first
come, first served, each processor on the first host that fits, deciding at every event. Peer: AccaSim 1.1.3
from PyPI (the extra `benchmarks`); on Python 3.10 and newer it needs the name `collections.Mapping`, given to it here.
Prints medians, the ratio of jobs per second, and both mean waits, which agree when both do the same.
"""

import argparse
import collections
import collections.abc
import contextlib
import io
import json
import os
import statistics
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path

import numpy as np

from loadmaster.measure import metrics
from loadmaster.place import POLICIES
from loadmaster.scheduling import discipline_named as named
from loadmaster.sim.queue import simulate
from loadmaster.traces import fit_to, parse_hosts, read_trace

KB = 1024
CORES, MEMORY_KB = 8, 32 * KB * KB


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--hosts", type=int, default=256)
    parser.add_argument("--load", type=float, default=0.85)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="accasim") as folder:
        log = Path(folder) / "synthetic.swf"
        write_log(log, options.jobs, options.hosts, options.load)
        ours = [run_ours(log, options.hosts) for _ in range(options.runs + 1)][1:]  # the first one compiles
        try:
            theirs = [run_accasim(log, options.hosts, Path(folder)) for _ in range(options.runs)]
        except ImportError as error:
            sys.exit(f"AccaSim is not installed ({error}): pip install 'loadmaster[benchmarks]'")
    print(f"{options.jobs:,} synthetic jobs, {options.hosts} hosts, load {options.load}; averages {os.getloadavg()}")
    for name, runs in (("loadmaster", ours), ("AccaSim", theirs)):
        seconds = [run[0] for run in runs]
        print(
            f"{name:12} median {statistics.median(seconds):9.3f} s ({min(seconds):.3f} to {max(seconds):.3f}), "
            f"{options.jobs / statistics.median(seconds):12,.0f} jobs/s, mean wait {runs[0][1]:.3f} s"
        )
    ratio = statistics.median(run[0] for run in theirs) / statistics.median(run[0] for run in ours)
    print(f"ratio of jobs per second: {ratio:,.0f}")


def write_log(path: Path, jobs: int, hosts: int, load: float, seed: int = 1) -> None:
    """A synthetic log in which every field that either tool reads is set."""
    rng = np.random.default_rng(seed)
    processors = rng.choice([1, 2, 4, 8], jobs, p=[0.7, 0.15, 0.1, 0.05])
    memory = rng.choice([1, 2, 4], jobs, p=[0.5, 0.3, 0.2]) * KB * KB
    runtime = np.maximum(1, np.round(rng.lognormal(6.0, 1.5, jobs))).astype(int)
    span = float((processors * runtime).sum()) / (hosts * CORES * load)
    submit = np.sort(rng.integers(0, int(span) + 1, jobs))
    rows = zip(submit - submit[0], runtime, processors, memory, strict=True)
    path.write_text(
        f"; MaxProcs: {hosts * CORES}\n"
        + "".join(
            f"{i} {s} -1 {r} {p} -1 {m} {p} {r} {m} 1 1 1 1 1 1 -1 -1\n" for i, (s, r, p, m) in enumerate(rows, start=1)
        )
    )


def run_ours(log: Path, hosts: int) -> tuple[float, float]:
    """Seconds to read and replay the log, and the mean wait."""
    start = time.perf_counter()
    cluster = parse_hosts(f"{hosts}x{CORES}c32g")
    workload, _ = fit_to(read_trace(log).workload, cluster, spread="any")
    schedule = simulate(workload, cluster, POLICIES["first-fit"], named("fcfs"), interval_s=0)
    seconds = time.perf_counter() - start
    return seconds, metrics(workload, cluster, schedule).mean_wait_s


def run_accasim(log: Path, hosts: int, folder: Path) -> tuple[float, float]:
    """Seconds of AccaSim's own simulation, and the mean wait from the schedule it writes."""
    collections.Mapping = collections.abc.Mapping  # type: ignore[attr-defined]
    from accasim.base.allocator_class import FirstFit
    from accasim.base.scheduler_class import FirstInFirstOut
    from accasim.base.simulator_class import Simulator

    config = folder / "hosts.json"
    config.write_text(
        json.dumps(
            {
                "system_name": "synthetic",
                "start_time": 0,
                "equivalence": {"processor": {"core": 1}},
                "groups": {"host": {"core": CORES, "mem": MEMORY_KB}},
                "resources": {"host": hosts},
            }
        )
    )
    start = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.chdir(folder):
        simulator = Simulator(
            str(log),
            str(config),
            FirstInFirstOut(FirstFit()),
            statistics_output=False,
            show_statistics=False,
            RESULTS_FOLDER_NAME=str(folder / "results"),
        )
        simulator.start_simulation()
    seconds = time.perf_counter() - start
    return seconds, mean_wait_s(folder)


def mean_wait_s(folder: Path) -> float:
    """The mean wait in the schedule that AccaSim wrote: id;user;submitted__hosts__started;ended;..."""
    schedule = max(folder.rglob("*sched*"), key=lambda path: path.stat().st_size)
    waits = []
    for line in schedule.read_text().splitlines():
        submitted, _, rest = line.split(";", 2)[2].partition("__")
        started = rest.split("__")[-1].split(";")[0]
        waits.append((datetime.fromisoformat(started) - datetime.fromisoformat(submitted)).total_seconds())
    return statistics.fmean(waits)


if __name__ == "__main__":
    main()
