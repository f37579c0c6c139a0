"""Packing: our packers and public peers on the same instances, one process, medians of CPU seconds.

Run: python benchmarks/pack.py [--large] [--only PART]. CPU seconds bear a busy machine better than the clock; ratios
are of one run.
prtpy (one dimension, optional) and OR-tools CP-SAT (two dimensions) are the peers.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from loadmaster.packing import PACKERS, Instance, PackOptions, pack
from loadmaster.packing.branch_and_bound import branch_and_bound
from loadmaster.packing.cp_sat import cp_sat
from loadmaster.packing.generate import Spec, virtual_clusters
from loadmaster.packing.improve import improve
from loadmaster.packing.level import level_of
from loadmaster.packing.mcb import mcb
from loadmaster.packing.milp import highs
from loadmaster.packing.switches import PAPER
from loadmaster.papers.casanova2008.study import Size, cells


def timed(call: Callable[[], Any], runs: int) -> tuple[float, float, Any]:
    """Median and spread (largest less smallest) in CPU seconds, and the last result."""
    seconds, result = [], None
    for _ in range(runs):
        start = time.process_time()
        result = call()
        seconds.append(time.process_time() - start)
    return statistics.median(seconds), max(seconds) - min(seconds), result


def mcb_sizes(large: bool) -> None:
    print("MCB8, threshold 1e-4: hosts x tasks, median CPU s (spread), probes")
    sizes = [(64, 500), (1000, 10_000), (10_000, 100_000)] + ([(100_000, 1_000_000)] if large else [])
    for hosts, tasks in sizes:
        instance = virtual_clusters(Spec(hosts, tasks, 0.4), 0)
        assert instance.scaled is not None
        median, spread, attempt = timed(lambda i=instance: mcb(i), 20 if hosts < 100 else 3)
        print(f"{hosts:>7} x {tasks:<9} {median:.5f} ({spread:.5f}) {attempt.effort}")


def local_search() -> None:
    print("Local search for 0.5 s after MCB8, 64 hosts, slack 0.3: gap to the bound before and after")
    for tasks in (100, 250, 500):
        gaps = []
        for seed in range(5):
            instance = virtual_clusters(Spec(64, tasks, 0.3), seed)
            start = mcb(instance)
            before, after = pack(instance, "mcb8").gap, improve(instance, start, 0.5)
            gaps.append((before, 1 - level_of(instance, after.host) / after.bound))
        print(f"{tasks:>6} tasks: {np.mean(gaps, axis=0)[0]:.3%} -> {np.mean(gaps, axis=0)[1]:.3%}")


def exact_solvers() -> None:
    print("Exact, 4 hosts x 6..12 tasks, 12 instances: mean ms, worst ms, ratio to ours")
    instances = [virtual_clusters(Spec(4, tasks, s), 1) for tasks in (6, 8, 10, 12) for s in (0.2, 0.4, 0.6)]
    solvers: dict[str, Callable[[Instance], Any]] = {
        "branch and bound": branch_and_bound,
        "CP-SAT": lambda i: cp_sat(i, 20),
        "HiGHS, compact form": lambda i: highs(i, "compact", 20),
        "HiGHS, paper's form": lambda i: highs(i, "paper", 20),
    }
    ours = 0.0
    for name, solve in solvers.items():
        seconds = [timed(lambda i=i, s=solve: s(i), 1)[0] for i in instances]
        ours = ours or statistics.mean(seconds)
        mean = statistics.mean(seconds)
        print(f"  {name:<22} {mean * 1e3:9.2f} {max(seconds) * 1e3:9.2f} {mean / ours:9.0f} x")


def study() -> None:
    """The instances of Casanova et al. 2008: all small ones exactly, a part of the large ones by every heuristic."""
    parts = {part: [cell for cell in cells(Size(large=1), 0) if cell.part == part] for part in ("small", "large")}
    small = [virtual_clusters(c.spec, c.seed, r) for c in parts["small"] for r in range(c.repetitions)]
    seconds, _, _ = timed(lambda: [branch_and_bound(instance) for instance in small], 1)
    print(f"All {len(small):,} small instances by branch and bound: {seconds:.2f} s")
    large = [virtual_clusters(cell.spec, cell.seed) for cell in parts["large"]]
    methods = [f"mcb{key}" for key in range(1, 9)] + ["gr", "sg", "gb", "sgb"]
    options = PackOptions(mcb=PAPER)
    seconds, _, _ = timed(lambda: [PACKERS[name].solve(one, options) for one in large for name in methods], 1)
    print(
        f"{len(large)} large instances by {len(methods)} heuristics: {seconds:.2f} s, so 10,800: "
        f"{seconds * 10_800 / len(large):.0f} s"
    )


def two_constraints(kind: int, tasks: int, seed: int) -> Instance:
    """An instance of class 6, 7 or 10 of Caprara and Toth 2001 (two-dimensional vector packing), on enough hosts.

    6: both demands uniform in [20, 100], capacity 150. 7: the second within 10 of the first. 10: triples that fill a
    host of 100 exactly, two of each three uniform in [25, 50].
    """
    rng = np.random.default_rng([kind, tasks, seed])
    if kind == 10:
        pairs = rng.integers(25, 51, (tasks // 3, 2, 2))
        demand = np.concatenate((pairs.reshape(-1, 2), 100 - pairs.sum(axis=1)))
    else:
        first = rng.integers(20, 101, tasks)
        second = rng.integers(20, 101, tasks) if kind == 6 else first + rng.integers(-10, 11, tasks)
        demand = np.column_stack((first, second))
    return _rigid(demand, 100 if kind == 10 else 150, 100 if kind == 10 else 150, tasks)


def virtual_machines(tasks: int, seed: int, *, large: bool) -> Instance:
    """Virtual machines of 2 or 4 GB a core on hosts of 104 cores and 256 GB: sizes that fill no host evenly.

    A size is drawn with a weight of 1 over the root of its cores.
    """
    rng = np.random.default_rng(seed)
    cores = np.array([16, 24, 28, 32, 36, 48, 64] if large else [8, 12, 20, 28, 36, 44])
    weight = cores**-0.5
    drawn = rng.choice(cores, tasks, p=weight / weight.sum())
    return _rigid(np.column_stack((drawn, drawn * rng.choice([2, 4], tasks))), 104, 256, tasks)


def _rigid(demand: Any, first: float, second: float, hosts: int) -> Instance:
    capacity = np.tile([float(first), float(second)], (hosts, 1))
    return Instance(
        np.empty((len(demand), 0)),
        demand.astype(float),
        np.empty((hosts, 0)),
        capacity,
        fluid_names=(),
        rigid_names=("cores", "memory"),
        synthetic=True,
    )


def fewest_hosts() -> None:
    print("Fewest hosts, sums of three seeds: MCB8, exact (proven of 3), bound, worst seconds of exact in 60")
    cases = [
        (f"Caprara-Toth {kind}, {tasks}", [two_constraints(kind, tasks, seed) for seed in range(3)])
        for kind in (6, 7, 10)
        for tasks in (51, 99, 201)
    ]
    for large in (False, True):
        machines = [virtual_machines(2_000, seed, large=large) for seed in range(3)]
        cases.append((f"2,000 {'large ' * large}VMs", machines))
    for name, instances in cases:
        quick = [pack(instance, "mcb8").cost for instance in instances]
        best = [pack(instance, "exact", PackOptions(60)) for instance in instances]
        print(
            f"{name:>24}: {sum(quick):5.0f} {sum(p.cost for p in best):5.0f} ({sum(p.proven for p in best)} proven) "
            f"{sum(p.cost_bound for p in best):5.0f} {max(p.seconds for p in best):6.1f} s"
        )


def levels() -> None:
    print("Exact, slack .1, .2, .3, cv .25: proven, mean and largest gap to the bound, worst s")
    for hosts, tasks, limit, seeds in ((16, 48, 10.0, 3), (64, 250, 60.0, 1)):
        specs = [(Spec(hosts, tasks, slack), seed) for slack in (0.1, 0.2, 0.3) for seed in range(seeds)]
        best = [pack(virtual_clusters(spec, seed), "exact", PackOptions(limit)) for spec, seed in specs]
        gaps = [p.gap for p in best]
        print(
            f"  {hosts} x {tasks}, {limit:g} s: {sum(p.proven for p in best)} of {len(best)} proven, "
            f"{np.mean(gaps):.4%}, {max(gaps):.4%}, {max(p.seconds for p in best):.1f} s"
        )


def many_hosts() -> None:
    print("Local search, slack .3: gap to the bound of MCB8 and after so many seconds")
    for hosts, tasks, limit in ((1_000, 10_000, 5.0), (10_000, 100_000, 10.0)):
        instance = virtual_clusters(Spec(hosts, tasks, 0.3), 0)
        quick, best = pack(instance, "mcb8"), pack(instance, "local-search", PackOptions(limit))
        print(f"  {hosts} x {tasks}: {quick.gap:.4%} -> {best.gap:.4%} in {best.seconds:.1f} s")


def whole_cores() -> None:
    rng = np.random.default_rng(0)
    cores, hosts = rng.choice([1, 2, 4, 8], 999), 100
    while (off := int(3808 - cores.sum())) != 0:
        task = rng.integers(999)
        cores[task] = max(1, cores[task] + np.sign(off))
    zero = np.zeros((999, 0)), np.zeros((hosts, 0))
    instance = Instance(cores[:, None].astype(float), zero[0], np.full((hosts, 1), 32.0), zero[1], rigid_names=())
    best = pack(instance, "exact", PackOptions(10))
    print(
        f"999 tasks of {cores.sum()} whole cores on {hosts}x32c: yield {best.level:.4f}, bound {best.bound:.4f}, "
        f"proven {best.proven}, {best.seconds:.2f} s"
    )


def one_dimension() -> None:
    """First-fit decreasing against MCB8 with memory alone: both ask how few bins hold the items."""
    try:
        import prtpy
    except ImportError:
        print("prtpy is not installed: pip install -e '.[benchmarks]'")
        return
    memory = np.random.default_rng(0).uniform(0.01, 0.5, 5000)
    theirs, _, bins = timed(
        lambda: prtpy.pack(algorithm=prtpy.packing.first_fit_decreasing, binsize=1.0, items=memory.tolist()), 1
    )
    instance = Instance.of(len(bins), np.zeros(len(memory)), memory)
    ours, _, attempt = timed(lambda: mcb(instance), 3)
    ratio = f"{theirs / ours:.0f} x"
    print(f"One dimension, 5,000 items, {len(bins)} bins:")
    print(f"  prtpy {theirs:.2f} s, MCB8 {ours:.4f} s, {attempt.status}, {ratio}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parts = {
        part.__name__: part
        for part in (local_search, exact_solvers, study, one_dimension, fewest_hosts, levels, many_hosts, whole_cores)
    }
    parser.add_argument("--only", choices=parts, help="one part of it")
    parser.add_argument("--large", action="store_true", help="also 100,000 hosts x 1,000,000 tasks")
    wanted = parser.parse_args()
    warm = virtual_clusters(Spec(4, 8, 0.5), 0)
    for call in (mcb, branch_and_bound, lambda i: improve(i, mcb(i), 0.01)):
        call(warm)
    if wanted.only is None:
        mcb_sizes(wanted.large)
    for name, part in parts.items():
        if wanted.only in (None, name):
            part()
