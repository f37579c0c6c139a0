"""Speed of the engines: `python benchmarks/netbatch.py [--jobs 1e6] [--hosts 3000] [--loads 0.7,1.2] [--month]`.

Replays a synthetic NetBatch-like log (pool B of the generator: bursts of equal jobs by user, a cycle every 30 s) and
times `simulate` alone. Each policy is run once before, which compiles; that time is reported apart. Prints jobs a
second and ns a job (median, least and most of the runs), cycles, the longest queue and the peak memory so far; the
ratio to the plain engine on the first jobs of the same log; and the ratio between the loads. `--month` is 13 million
jobs on 3,115 hosts at 0.85 and 0.98.
"""

import argparse
import os
import platform
import resource
import statistics
import time
from dataclasses import dataclass

from loadmaster.model import Cluster, Workload
from loadmaster.place import POLICIES
from loadmaster.place.load import policy_named
from loadmaster.schedule import AnyPolicy, MaxJobs, discipline_named
from loadmaster.sim.queue import simulate
from loadmaster.traces import fit_to, generate_netbatch

INTERVAL_S = 30.0
RULES = "first-fit,best-fit-cores,best-fit-memory,worse-fit-cores,worse-fit-memory,mix-fit"
DEFAULT = f"{RULES},max-jobs,max-jobs-pruned,dot-product"


@dataclass(frozen=True)
class Timing:
    """Seconds of each run, and what the run did."""

    seconds: tuple[float, ...]
    cycles: int
    longest: int

    @property
    def median(self) -> float:
        """Of the seconds."""
        return statistics.median(self.seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=float, default=1e6)
    parser.add_argument("--hosts", type=int, default=3000)
    parser.add_argument("--loads", default="0.7,0.85,0.95,1.2")
    parser.add_argument("--policies", default=DEFAULT)
    parser.add_argument("--disciplines", default="netbatch")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--plain", type=int, default=2000, help="jobs for the ratio to the plain engine; 0: none")
    parser.add_argument("--month", action="store_true")
    options = parser.parse_args()
    jobs, hosts, loads = int(options.jobs), options.hosts, [float(load) for load in options.loads.split(",")]
    if options.month:
        jobs, hosts, loads = 13_000_000, 3115, [0.85, 0.98]
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, load {os.getloadavg()}")
    for discipline in options.disciplines.split(","):
        rule = discipline_named(discipline)
        medians: dict[tuple[str, float], float] = {}
        for load in loads:
            workload, cluster = problem(jobs, hosts, load)
            print(f"\n{workload.jobs:,} synthetic jobs, {cluster.hosts:,} hosts, load {load}, {discipline}, seed 0")
            for name in options.policies.split(","):
                medians[name, load] = report(name, rule, workload, cluster, options).median
        if len(loads) > 1:
            print(f"\njobs/s at load {loads[-1]} over jobs/s at load {loads[0]}")
            for name in options.policies.split(","):
                print(f"  {name:18} {medians[name, loads[0]] / medians[name, loads[-1]]:.2f}")


def problem(jobs: int, hosts: int, load: float) -> tuple[Workload, Cluster]:
    """The log and the hosts; jobs that no host can hold are left out."""
    trace = generate_netbatch("B", jobs=jobs, hosts=hosts, load=load, longest_run_s=200_000.0, seed=0)
    assert trace.cluster is not None
    return fit_to(trace.workload, trace.cluster)[0], trace.cluster


def report(name: str, discipline, workload: Workload, cluster: Cluster, options) -> Timing:  # type: ignore[no-untyped-def]
    """Time one policy and print its row."""
    policy = named(name)
    few = workload.take(slice(0, options.plain or 100))
    start = time.perf_counter()
    simulate(few, cluster, policy, discipline, interval_s=INTERVAL_S)
    first = time.perf_counter() - start
    timing = timed(policy, discipline, workload, cluster, options.runs)
    each = [s / workload.jobs * 1e9 for s in timing.seconds]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    row = (
        f"  {name:18} {workload.jobs / timing.median / 1e3:9,.0f} k jobs/s {statistics.median(each):8,.0f} ns a job "
        f"({min(each):,.0f} to {max(each):,.0f}), {timing.cycles:,} cycles, queue to {timing.longest:,}, "
        f"peak {peak:,.0f} MB, first call {first:.1f} s"
    )
    if options.plain:
        plain = timed(policy, discipline, few, cluster, 1, "reference").median
        fast = timed(policy, discipline, few, cluster, options.runs).median
        row += f", {plain / fast:,.0f} x the plain engine on {few.jobs:,} jobs"
    print(row, flush=True)
    return timing


def timed(policy: AnyPolicy, discipline, workload, cluster, runs: int, engine="auto") -> Timing:  # type: ignore[no-untyped-def]
    """Run it `runs` times."""
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        schedule = simulate(workload, cluster, policy, discipline, interval_s=INTERVAL_S, engine=engine)
        seconds.append(time.perf_counter() - start)
    longest = int(schedule.cycles.queue_length.max(initial=0))
    return Timing(tuple(seconds), len(schedule.cycles.time_s), longest)


def named(name: str) -> AnyPolicy:
    """A placement policy, `max-jobs` that logs every tie, or `max-jobs-pruned` that stops at a full walk."""
    if name.startswith("max-jobs"):
        return MaxJobs(log_ties=name == "max-jobs")
    return POLICIES[name] if name in POLICIES else policy_named(name)


if __name__ == "__main__":
    main()
