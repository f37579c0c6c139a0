"""EASY beside queues of any length, in every order: `python benchmarks/long_queue.py [--beside OLD]`.

Synthetic jobs of 1 to 8 cores on hosts of 16, runtimes log-normal, estimates one to three times the runtime; the load
decides how long the queue grows. `--only max-jobs` runs the cases with that word in them; `--million` the one of a
million jobs on 3,000 hosts under the multifactor order. Prints CPU microseconds a job of `simulate` alone (the least of
the runs; a few jobs of each case are run before, which compiles) and the mean queue. With `--beside`, each run is
followed by one with the package of another working tree (`git worktree add OLD COMMIT`), and the ratio is printed.
"""

import argparse
import time
from functools import partial

import numpy as np
from beside import in_turns, parsed, started

CASES = (  # jobs, hosts, load, all demands distinct, seconds between decisions (0: at every event), discipline, policy
    (20_000, 300, 0.9, False, 0.0, "easy", "best-fit-cores"),
    (50_000, 300, 1.2, False, 0.0, "easy", "best-fit-cores"),
    (50_000, 300, 1.2, True, 0.0, "easy", "best-fit-cores"),
    (50_000, 300, 2.0, False, 0.0, "easy", "best-fit-cores"),
    (50_000, 300, 2.0, True, 0.0, "easy", "best-fit-cores"),
    (200_000, 300, 2.0, False, 0.0, "easy", "best-fit-cores"),
    (200_000, 3_000, 1.2, False, 0.0, "easy", "best-fit-cores"),
    (50_000, 300, 1.2, False, 30.0, "easy", "best-fit-cores"),
    *((50_000, 300, 2.0, True, 30.0, f"{order}+easy", "best-fit-cores") for order in ("sjf", "wfp3", "multifactor")),
    *((100_000, 300, load, False, 0.0, "easy", "max-jobs") for load in (0.85, 1.2)),
    (100_000, 300, 1.2, False, 30.0, "easy", "max-jobs"),
)
MILLION = (1_000_000, 3_000, 1.05, False, 30.0, "multifactor+easy", "best-fit-cores")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", default="", help="cases with this word")
    parser.add_argument("--million", action="store_true", help="a million jobs, once")
    options = parsed(parser, measured)
    trees = started(options)
    print(
        f"{'jobs':>7} {'hosts':>6} {'load':>5} {'distinct':>8} {'every':>6} {'queue':>7} {'us a job':>9} {'beside':>7}"
        "  of"
    )
    chosen = (MILLION,) if options.million else [case for case in CASES if options.only in " ".join(map(str, case))]
    for case in chosen:
        report(case, trees, 1 if options.million else options.runs)


def report(case, trees, runs) -> None:  # type: ignore[no-untyped-def]
    for tree in trees:
        tree.measured(100, *case[1:])  # compiles
    sides = in_turns(runs, *(partial(tree.measured, *case) for tree in trees))
    least = [min(micros for micros, _ in side) for side in sides]
    jobs, hosts, load, distinct, interval_s, *who = case
    line = f"{jobs:>7} {hosts:>6} {load:>5} {distinct!s:>8} {interval_s:>6} {sides[0][0][1]:>7.0f} {least[0]:>9.2f}"
    beside = f"{least[1]:>7.2f} ({least[0] / least[1]:.2f})" if least[1:] else ""
    print(line, beside, "", ", ".join(who), flush=True)


def measured(
    jobs: int, hosts: int, load: float, distinct: bool, interval_s: float, discipline: str, policy: str
) -> tuple[float, float]:
    """Microseconds a job, and the mean queue."""
    from loadmaster.place import POLICIES
    from loadmaster.schedule import MaxJobs, discipline_named
    from loadmaster.sim.queue import simulate

    placing = MaxJobs(log_ties=False) if policy == "max-jobs" else POLICIES[policy]
    workload, cluster = problem(jobs, hosts, load, distinct)
    begin = time.process_time()
    schedule = simulate(workload, cluster, placing, discipline_named(discipline), interval_s=interval_s)
    return (time.process_time() - begin) / jobs * 1e6, float(schedule.cycles.queue_length.mean())


def problem(jobs: int, hosts: int, load: float, distinct: bool):  # type: ignore[no-untyped-def]
    from loadmaster.model import Cluster, Workload

    rng = np.random.default_rng(3)
    cores = rng.choice([1, 1, 1, 2, 4, 8], jobs)
    memory = rng.integers(1, 33_000, jobs) if distinct else rng.choice([1, 2, 4, 8, 16, 32], jobs) * 1000
    runtime_s = np.ceil(rng.lognormal(7, 1.3, jobs))
    estimate_s = np.ceil(runtime_s * rng.choice([1, 2, 3], jobs))
    span_s = (cores * runtime_s).sum() / (load * hosts * 16)
    workload = Workload.of(
        submit_s=np.sort(rng.uniform(0, span_s, jobs)), runtime_s=runtime_s, cores=cores, memory=memory,
        estimate_s=estimate_s, user=(200 * rng.random(jobs) ** 2).astype(np.int32),
    )  # fmt: skip
    return workload, Cluster.uniform(hosts, cores=16, memory=64_000)


if __name__ == "__main__":
    main()
