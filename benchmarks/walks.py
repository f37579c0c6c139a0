"""Walks that promise nothing, beside another commit: `python benchmarks/walks.py [--beside OLD] [--only WORDS]`.

A synthetic NetBatch-like log (pool B of the generator) under backfilling `none`, `skip` and `netbatch`, fair share of
20 projects and Max-Jobs, on few hosts and many, with short queues and long. Prints CPU microseconds a job of
`simulate` alone (the least of the runs; each case is run once before, which compiles), and the mean queue. With
`--beside`, each run is followed by one with the package of another working tree (`git worktree add OLD COMMIT`), the
first version's (`507bf47`) too.
"""

import argparse
import time
from functools import partial

import numpy as np
from beside import in_turns, parsed, queue_engine, started

INTERVAL_S = 30.0
SIZES = ((50_000, 150, 0.85), (50_000, 400, 0.85), (100_000, 3_000, 0.85), (100_000, 3_000, 1.2))
RULES = (
    *(f"{walk} {policy}" for walk in ("none", "skip", "netbatch") for policy in ("first-fit", "best-fit-cores")),
    *(f"netbatch {policy}" for policy in ("best-fit-memory", "worse-fit-memory", "mix-fit", "dot-product")),
    *(f"{walk} dot-product" for walk in ("none", "skip")),
    "netbatch max-jobs", "netbatch max-jobs-pruned", "fair-share best-fit-cores", "skip mix-fit",
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", default="", help="rules with all of these words")
    parser.add_argument("--sizes", default=",".join(str(number) for number in range(len(SIZES))))
    options = parsed(parser, measured)
    trees = started(options)
    for size in (SIZES[int(number)] for number in options.sizes.split(",")):
        for rule in RULES:
            if set(options.only.split()) <= set(rule.split()):
                report((*size, *rule.split()), trees, options.runs)


def report(case, trees, runs) -> None:  # type: ignore[no-untyped-def]
    """Run one case on all sides in turns, and print its row."""
    for tree in trees:
        tree.measured(*case)
    sides = in_turns(runs, *(partial(tree.measured, *case) for tree in trees))
    least = [min(run["us"] for run in side) for side in sides]
    jobs, hosts, load, discipline, policy = case
    queue = sides[0][0]["queue"]
    row = f"{jobs:7,} {hosts:6,} {load:4} {discipline:10} {policy:16} queue {queue:7,.0f} {least[0]:8.3f}"
    if least[1:]:
        same = "" if sides[0][0]["digest"] == sides[1][0]["digest"] else "; ANOTHER SCHEDULE"
        row += f" beside {least[1]:8.3f}: {least[0] / least[1]:5.2f}{same}"
    print(row, flush=True)


def measured(jobs, hosts, load, discipline, policy):  # type: ignore[no-untyped-def]
    """CPU microseconds a job, the mean queue, and what tells one schedule from another."""
    from dataclasses import replace

    from loadmaster.place import POLICIES
    from loadmaster.schedule import MaxJobs
    from loadmaster.traces import fit_to, generate_netbatch

    simulate, discipline_named, _ = queue_engine()
    trace = generate_netbatch("B", jobs=jobs, hosts=hosts, load=load, longest_run_s=200_000.0, seed=0)
    workload = fit_to(trace.workload, trace.cluster)[0]
    if discipline == "fair-share":
        workload = replace(workload, project=np.asarray(workload.user % 20, np.int32))
    placing = MaxJobs(log_ties=policy == "max-jobs") if policy.startswith("max-jobs") else POLICIES[policy]
    begin = time.process_time()
    schedule = simulate(workload, trace.cluster, placing, discipline_named(discipline), interval_s=INTERVAL_S)
    us = (time.process_time() - begin) / workload.jobs * 1e6
    return {"us": us, "queue": float(schedule.cycles.queue_length.mean()),
            "digest": int(schedule.host.astype(np.int64) @ np.arange(len(schedule.host)) % 2**52)}  # fmt: skip


if __name__ == "__main__":
    main()
