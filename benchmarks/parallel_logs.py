"""Real logs of parallel machines, on many hosts: `python benchmarks/parallel_logs.py FOLDER [--beside OLD]`.

FOLDER holds logs of the Parallel Workloads Archive as they come from there (`CTC-SP2-1996-3.1-cln.swf.gz` and so on);
those that are not there are left out. Tasks may go to any hosts. Prints CPU microseconds a job of `simulate` alone (the
least of the runs; a few jobs are run before, which compiles) and the longest queue. With `--beside`, each run is
followed by one with the package of another working tree (`git worktree add OLD COMMIT`), and the ratio is printed.
`--whole` replays each log to its end, else its first 8,000 jobs.
"""

import argparse
import sys
import time
from functools import partial
from pathlib import Path

from beside import in_turns, parsed, started

LOGS = {
    "CTC-SP2-1996-3.1-cln.swf.gz": ("338x1c", "43x8c"),
    "HPC2N-2002-2.2-cln.swf.gz": ("120x2c2g", "240x1c"),
    "LANL-CM5-1994-4.1-cln.swf.gz": ("32x32c1g", "1024x1c"),
    "RICC-2010-2.swf.gz": ("1024x8c12g",),
    "SDSC-BLUE-2000-4.2-cln.swf.gz": ("144x8c", "1152x1c"),
    "CEA-Curie-2011-2.1-cln.swf.gz": ("5000x16c",),
}
RULES = (
    ("easy", "first-fit", 0.0), ("easy", "first-fit", 30.0), ("easy", "best-fit-cores", 0.0), ("easy", "mix-fit", 0.0),
    ("sjf+easy", "first-fit", 0.0), ("wfp3+easy", "first-fit", 0.0), ("fcfs", "first-fit", 0.0),
    ("fcfs+skip", "first-fit", 0.0), ("conservative", "first-fit", 0.0),
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=Path())
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", default="", help="cases with this word")
    parser.add_argument("--whole", action="store_true", help="every job of a log")
    options = parsed(parser, measured)
    found = [(log, hosts) for log, machines in LOGS.items() if (options.folder / log).exists() for hosts in machines]
    if not found:
        sys.exit(f"{options.folder}: none of {', '.join(LOGS)} is here")
    trees = started(options)
    print(f"{'log':>10} {'hosts':>10} {'every':>5} {'queue':>6} {'us a job':>9} {'beside':>8}  of")
    for log, hosts in found:
        for rule in RULES:
            case = (str(options.folder / log), hosts, 0 if options.whole else 8000, *rule)
            if options.only in " ".join(map(str, case)):
                report(case, trees, options.runs)


def report(case, trees, runs) -> None:  # type: ignore[no-untyped-def]
    log, hosts, _, discipline, policy, interval_s = case
    for tree in trees:
        tree.measured(log, hosts, 1000, discipline, policy, interval_s)  # compiles
    sides = in_turns(runs, *(partial(tree.measured, *case) for tree in trees))
    least = [min(micros for micros, *_ in side) for side in sides]
    same = "" if len({side[0][2] for side in sides}) == 1 else "  waits differ"
    line = f"{Path(log).name[:10]:>10} {hosts:>10} {interval_s:>5} {sides[0][0][1]:>6} {least[0]:>9.2f}"
    beside = f"{least[1]:>8.2f} ({least[0] / least[1]:.2f})" if least[1:] else f"{'':>8}"
    print(f"{line} {beside}  {discipline}, {policy}{same}", flush=True)


def measured(log: str, hosts: str, jobs: int, discipline: str, policy: str, interval_s: float):  # type: ignore[no-untyped-def]
    """Microseconds a job, the longest queue, and the mean wait."""
    from loadmaster.place import POLICIES
    from loadmaster.schedule import discipline_named
    from loadmaster.sim.queue import simulate
    from loadmaster.traces import fit_to, read_hosts, read_trace

    cluster = read_hosts(hosts)
    workload = read_trace(Path(log)).workload
    workload, _ = fit_to(workload.take(slice(0, jobs or None)), cluster, "any")
    begin = time.process_time()
    schedule = simulate(workload, cluster, POLICIES[policy], discipline_named(discipline), interval_s=interval_s)
    micros = (time.process_time() - begin) / workload.jobs * 1e6
    return micros, int(schedule.cycles.queue_length.max()), float((schedule.start_s - workload.submit_s).mean())


if __name__ == "__main__":
    main()
