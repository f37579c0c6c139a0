"""Time the grid of Silva et al. 2008: 25 settings, 200 runs each, 2 workloads; and the plain engine beside it.

python benchmarks/bag_grid.py
"""

import statistics
import time

from loadmaster.papers.silva2008.study import grid
from loadmaster.papers.silva2008.workloads import normal, rendered
from loadmaster.sim.bags.repetitions import draws, repeat
from loadmaster.sizing import Planner, SilvaRule


def seconds(work) -> float:
    """Median of three."""
    times = []
    for _ in range(3):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def main() -> None:
    """Print seconds of the grid, and milliseconds a run of each engine."""
    bags = [draws(source, 200) for source in (normal(), rendered())]
    repeat(bags[0][:1], SilvaRule())  # compiles
    repeat(bags[0][:1], Planner())
    print(f"grid of 2 x 25 x 200 runs of 256 tasks: {seconds(lambda: [grid(b) for b in bags]):.2f} s")
    few = bags[0][:20]
    compiled = seconds(lambda: repeat(few, SilvaRule())) / 20
    plain = seconds(lambda: repeat(few, SilvaRule(), plain=True)) / 20
    planner = seconds(lambda: repeat(few, Planner())) / 20
    print(f"a run, ms: compiled {1e3 * compiled:.2f}, plain {1e3 * plain:.1f} ({plain / compiled:.0f} x)")
    print(f"a run of the planner on the plain engine, ms: {1e3 * planner:.0f}")


if __name__ == "__main__":
    main()
