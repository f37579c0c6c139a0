"""The general engine on few and on many distinct demands: `python benchmarks/distinct_demands.py [--beside OLD]`.

A synthetic NetBatch-like log (bursts of equal jobs by user, a cycle every 30 s) whose memory is drawn from as many
levels as give the wanted number of distinct demands; 3,000 hosts, of one kind and of four, two resources and three.
Prints CPU microseconds a job of `simulate` alone (median of the runs; each score is run once before, which compiles).
With `--beside`, the same cases are run with the package of another working tree (`git worktree add OLD COMMIT`), each
right after ours, and the ratio is printed. `--whole --hosts 100000 --scores first-fit,best-fit-memory,mix-fit` is the
case of very many hosts. The unkind cases: all demands distinct, a score that calls `exp`, a queue that grows, a score
with a branch for every host.
"""

import argparse
import math
import statistics
import time
from dataclasses import replace

import numpy as np
from beside import parsed, queue_engine, started

SCORES = "norm-greedy,dot-product,own,own-exp,own-branch"
INTERVAL_S = 30.0
SHAPES = {"2 resources": (2, 1), "3 resources, 4 kinds": (3, 4)}


def own(demand, free, capacity):
    """Mix-Fit for two resources, as a user may write it."""
    x = (free[0] - demand[0]) * capacity[1]
    y = (free[1] - demand[1]) * capacity[0]
    return abs(x - y) / (x + y) if x + y > 0.0 else 0.0


def own_exp(demand, free, capacity):
    """Four calls of `exp` a host."""
    cost = 0.0
    for r in range(2):
        used = (capacity[r] - free[r]) / capacity[r]
        cost += math.exp(3.0 * (used + demand[r] / capacity[r])) - math.exp(3.0 * used)
    return cost


def own_branch(demand, free, capacity):
    """Indices that follow from the data, and a way out in the middle."""
    scarce = 0 if free[0] * capacity[1] < free[1] * capacity[0] else 1
    for r in range(len(demand)):
        if demand[r] == free[r]:
            return -1.0
    return free[scarce] - demand[scarce]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=float, default=1e5)
    parser.add_argument("--hosts", type=int, default=3000)
    parser.add_argument("--loads", default="0.85,1.2")
    parser.add_argument("--demands", default="24,2000,40000")
    parser.add_argument("--scores", default=SCORES)
    parser.add_argument("--shapes", default=",".join(str(number) for number in range(len(SHAPES))))
    parser.add_argument("--disciplines", default="netbatch")
    parser.add_argument("--whole", action="store_true", help="memory in whole units, and the engine that suits it")
    parser.add_argument("--runs", type=int, default=3)
    options = parsed(parser, measured)
    trees = started(options)
    for case in cases(options):
        report(case, *trees)


def cases(options):  # type: ignore[no-untyped-def]
    """What to measure, one after another."""
    for discipline in options.disciplines.split(","):
        for shape in options.shapes.split(","):
            for load in options.loads.split(","):
                for score in options.scores.split(","):
                    for demands in options.demands.split(","):
                        yield {
                            "jobs": int(options.jobs), "hosts": options.hosts, "load": float(load), "score": score,
                            "demands": int(demands), "shape": list(SHAPES)[int(shape)], "discipline": discipline,
                            "runs": options.runs, "whole": options.whole,
                        }  # fmt: skip


def report(case, ours, *theirs) -> None:  # type: ignore[no-untyped-def]
    """Run one case, on both sides, and print its row."""
    new = ours.measured(*case.values())
    row = (
        f"{case['discipline']:8} {case['shape']:20} load {case['load']:4} {case['score']:12} {case['demands']:6,}"
        f" demands {statistics.median(new['us']):7.2f} us a job ({min(new['us']):.2f} to {max(new['us']):.2f}),"
        f" queue to {new['queue']:6,}"
    )
    for tree in theirs:
        old = tree.measured(*case.values())
        same = "" if old["digest"] == new["digest"] else "; ANOTHER SCHEDULE"
        before, now = statistics.median(old["us"]), statistics.median(new["us"])
        row += f"; beside {before:7.2f} us: {before / now:5.1f} x{same}"
    print(row, flush=True)


def measured(jobs, hosts, load, score, demands, shape, discipline, runs, whole):  # type: ignore[no-untyped-def]
    """CPU microseconds a job of every run, and what the run did."""
    from loadmaster.place import POLICIES, Policy

    simulate, discipline_named, general = queue_engine()
    workload, cluster = problem(jobs, hosts, load, demands, *SHAPES[shape])
    if whole:
        workload = replace(workload, demand=np.ceil(workload.demand))
    own_scores = {"own": own, "own-exp": own_exp, "own-branch": own_branch}
    policy = Policy(score, own_scores[score]) if score in own_scores else POLICIES[score]
    rule = discipline_named(discipline)
    engine = general if discipline == "netbatch" and not whole else "auto"
    simulate(workload.take(slice(0, 100)), cluster, policy, rule, interval_s=INTERVAL_S, engine=engine)
    micros = []
    for _ in range(runs):
        start = time.process_time()
        schedule = simulate(workload, cluster, policy, rule, interval_s=INTERVAL_S, engine=engine)
        micros.append((time.process_time() - start) / jobs * 1e6)
    queue = int(schedule.cycles.queue_length.max(initial=0))
    return {"us": micros, "queue": queue, "digest": int(schedule.host.astype(np.int64) @ np.arange(jobs) % 2**52)}


def problem(jobs, hosts, load, demands, resources, kinds):  # type: ignore[no-untyped-def]
    """Bursts of jobs by user with about so many distinct demands, and hosts of so many kinds."""
    from loadmaster.model import Cluster, Workload
    from loadmaster.traces import generate_netbatch

    trace = generate_netbatch("B", jobs=jobs, hosts=hosts, load=load, longest_run_s=200_000.0, seed=0)
    rng = np.random.default_rng(0)
    log = trace.workload
    cores = np.minimum(log.demand[:, 0], 4.0)
    burst = np.concatenate(([0], np.cumsum((np.diff(log.demand, axis=0) != 0).any(axis=1))))
    each = np.zeros_like(burst) if demands < jobs // 4 else np.arange(jobs)  # else every job has its own
    levels = max(demands // len(np.unique(cores)), 1)
    level = rng.integers(0, levels, int(burst.max()) + 1)[burst] + each * 7919
    memory = (1 + level % levels * (16384 // levels)) / 1024.0 + cores
    extra = [np.floor(level % 5 / 4.0)] * (resources - 2)
    sizes = np.array([8.0, 12.0, 16.0, 24.0])[:kinds]
    size = sizes[rng.integers(0, kinds, hosts)]
    capacity = np.column_stack((size, 4.0 * size, *[np.full(hosts, 2.0)] * (resources - 2)))
    demand = np.column_stack((cores, np.minimum(memory, 32.0), *extra))
    names = ("cores", "memory", "gpus")[:resources]
    work = float((log.runtime_s * cores).sum())
    scale = work / (load * capacity[:, 0].sum()) / log.span_s
    return Workload(names, log.submit_s * scale, log.runtime_s, demand), Cluster(names, capacity)


if __name__ == "__main__":
    main()
