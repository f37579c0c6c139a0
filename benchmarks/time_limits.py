"""How well `--time-limit` is kept: wall and CPU seconds of every method of `pack` and `rebalance` beside the limit.

Run: python benchmarks/time_limits.py [--sizes 16x48,64x250,1000x10000] [--limits 1,2,5,10] [--only WORDS] [--runs 1]

A row is one method on one size. Its cells are the longest of the runs over the limit, as `wall (CPU)`, for each limit;
"-" stands for a method that ended by itself before. Everything is counted but the compilation, which is made before on
a tiny instance. On a busy machine walls say little: `--cpu-clock` lets the limit count the CPU seconds of the process,
as on an idle machine. A method that solves in another process (HiGHS above 300 variables) keeps the wall's clock.
"""

import argparse
import contextlib
import io
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import loadmaster as lm
from loadmaster.jit.first_compilation import CompilationNotice
from loadmaster.model.errors import LoadmasterError
from loadmaster.packing.generate import Spec, virtual_clusters
from loadmaster.packing.instance import Instance
from loadmaster.packing.mcb import mcb

CORES, GIB = 16, 64
PACKERS = ("exact", "branch-and-bound", "cp-sat", "highs-compact", "highs-paper", "local-search", "mix-fit")
PACKINGS: dict[str, dict[str, object]] = {
    **{name: {"method": name} for name in PACKERS},
    "exact, hosts": {"method": "exact", "minimise": "hosts"},
    "local-search, hosts": {"method": "local-search", "minimise": "hosts"},
    "mix-fit, hosts": {"method": "mix-fit", "minimise": "hosts"},
    "stranded": {"minimise": "stranded"},
    "numa": {"numa_nodes": 2},
    "admit, exact": {"method": "exact", "admit": 0.9},
}
MOVES: dict[str, dict[str, object]] = {
    **{name: {"method": name} for name in ("auto", "heuristic", "exact")},
    **{name: {name: True} for name in ("consolidate", "balance", "fix")},
    "drain": {"drain": "0"},
    "hosts + 0.1*moves": {"minimise": "hosts + 0.1*moves"},
    "imbalance": {"minimise": "imbalance"},
}


def state_of(instance: Instance, folder: Path) -> Path:
    """A table of the tasks; a tenth of them run on a host drawn at random that has room, the others where MCB8 says."""
    rng, host = np.random.default_rng(0), mcb(instance).host
    assert host is not None
    free = np.ones(instance.hosts)
    np.subtract.at(free, host, instance.rigid[:, 0])
    for task in rng.choice(instance.tasks, instance.tasks // 10, replace=False):
        to = rng.choice(np.flatnonzero(free >= instance.rigid[task, 0]))
        free[to] -= instance.rigid[task, 0]
        free[host[task]] += instance.rigid[task, 0]
        host[task] = to
    cores, memory = instance.fluid[:, 0] * CORES, instance.rigid[:, 0] * GIB * (1 - 1e-6)
    rows = [f"t{i},{cores[i]:.6f},{memory[i]:.6f},{host[i]}" for i in range(instance.tasks)]
    path = folder / f"{instance.hosts}x{instance.tasks}.csv"
    path.write_text("\n".join(["name,cores,memory_gb,host", *rows]))
    return path


def calls(hosts: int, tasks: int, folder: Path) -> Iterator[tuple[str, Callable[[float], object]]]:
    """Each method, as a function of the time limit."""
    instance = virtual_clusters(Spec(hosts, tasks, 0.3, 0.25, 0.25), 0)
    state, machines = state_of(instance, folder), f"{hosts}x{CORES}c{GIB}g"
    for name, how in PACKINGS.items():
        yield f"pack {name}", lambda limit, how=how: lm.pack(instance, time_limit=limit, **how)
    for name, how in MOVES.items():
        yield f"rebalance {name}", lambda limit, how=how: lm.rebalance(state, hosts=machines, time_limit=limit, **how)


def seconds(call: Callable[[], object]) -> tuple[float, float]:
    """Wall and CPU seconds, those of child processes included."""

    def cpu() -> float:
        return time.process_time() + sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])

    wall, used = time.perf_counter(), cpu()
    with contextlib.redirect_stdout(io.StringIO()):
        call()
    return time.perf_counter() - wall, cpu() - used


def cell(call: Callable[[float], object], limit: float, runs: int) -> str:
    try:
        taken = [seconds(lambda: call(limit)) for _ in range(runs)]
    except LoadmasterError as refused:
        return f"refused: {refused}"
    wall, used = max(taken)
    return "-" if max(wall, used) < limit * 0.9 else f"{wall / limit:.2f} ({used / limit:.2f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="16x48,64x250,1000x10000")
    parser.add_argument("--limits", default="1,2,5,10")
    parser.add_argument("--only", default="", metavar="WORDS", help="methods whose name has one of these, by commas")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--cpu-clock", action="store_true", help="the limit counts CPU seconds, not those of the wall")
    options = parser.parse_args()
    if options.cpu_clock:
        CompilationNotice.clock_s = lambda self: time.process_time() - self.compiled_s
    limits = [float(each) for each in options.limits.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        chosen = [word.strip() for word in options.only.split(",")]
        for name, call in calls(6, 12, Path(folder)):
            if any(word in name for word in chosen):
                with contextlib.suppress(LoadmasterError):
                    call(0.2)
        for size in options.sizes.split(","):
            hosts, tasks = map(int, size.split("x"))
            print(f"{size + ': wall (CPU) over the limit of':40}" + "".join(f"{limit:>13g} s" for limit in limits))
            for name, call in calls(hosts, tasks, Path(folder)):
                if any(word in name for word in chosen):
                    cells = [cell(call, limit, options.runs) for limit in limits]
                    print(f"{name:40}" + "".join(f"{text:>15}" for text in cells), flush=True)


if __name__ == "__main__":
    main()
