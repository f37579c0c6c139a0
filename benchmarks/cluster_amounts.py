"""What licences and a power cap cost a run: `LOADMASTER_LOGS=FOLDER python benchmarks/cluster_amounts.py [--jobs N]`.

Each log is run without amounts of the whole cluster and with them, in turns in one process: the least CPU time of
three runs, after one that compiles. A fifth of the jobs request one to three licences. `seldom` is an amount that no
job waits for; its schedule is that without amounts. `often` is one for which jobs queue. Its queue is another one, so
the table has the mean length. `day` is a cap that is lower by day. The logs are those of `parallel_logs.py`; those
that are not in the folder are left out.
"""

import argparse
import os
import platform
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from parallel_logs import problem

from loadmaster.model import Cluster, Constraints, Named, Schedule, SiteRules, Workload
from loadmaster.model.energy import HostPower
from loadmaster.place import POLICIES
from loadmaster.scheduling import discipline_named
from loadmaster.sim.queue import simulate

LOGS = (
    ("CTC-SP2-1996-3.1-cln.swf.gz", "338x1c"), ("HPC2N-2002-2.2-cln.swf.gz", "120x2c2g"),
    ("LANL-CM5-1994-4.1-cln.swf.gz", "32x32c1g"),
)  # fmt: skip
RULES = ("easy", "fcfs", "fcfs+skip")
IDLE_W, CORE_W, HOUR_S = 100.0, 50.0, 3600.0
Problem = tuple[Workload, Cluster]


def without(workload: Workload, cluster: Cluster) -> Problem:
    return workload, cluster


def licences(total: float) -> Callable[[Workload, Cluster], Problem]:
    def counted(workload: Workload, cluster: Cluster) -> Problem:
        rng = np.random.default_rng(5)
        asks, number = rng.random(workload.jobs) < 0.2, rng.integers(1, 4, workload.jobs)
        column = Named.of([f"m:{n}" if each else None for each, n in zip(asks, number, strict=True)])
        bound = replace(workload, constraints=Constraints(licences=column))
        return bound, replace(cluster, rules=SiteRules(licences=(("m", total),)))

    return counted


def power_cap(part: float, by_day: float | None = None) -> Callable[[Workload, Cluster], Problem]:
    """A cap that lets so large a part of the cores run at once, and another part from 8 to 20 h of each day."""

    def capped(workload: Workload, cluster: Cluster) -> Problem:
        each, cores = float(cluster.capacity[0, 0]), float(cluster.capacity[:, 0].sum())
        power = HostPower(tuple(range(cluster.hosts)), ((0.0, IDLE_W), (1.0, IDLE_W + CORE_W * each)))
        days = np.arange(0.0, workload.submit_s.max() * 1.5, 24 * HOUR_S) if by_day is not None else []
        changes = [((day + 8 * HOUR_S, by_day), (day + 20 * HOUR_S, part)) for day in days]
        steps = [(0.0, part), *(step for change in changes for step in change)]
        cap = tuple((float(from_s), IDLE_W * cluster.hosts + CORE_W * cores * let) for from_s, let in steps)
        return workload, replace(cluster, rules=SiteRules(power=(power,), power_cap=cap))

    return capped


KINDS = {
    "without": without, "licences seldom": licences(1e6), "licences often": licences(12), "cap seldom": power_cap(1.0),
    "cap often": power_cap(0.9), "cap day": power_cap(1.0, 0.9),
}  # fmt: skip


def rows(jobs: int) -> Iterator[str]:
    """The lines of the table."""
    for name, hosts in LOGS:
        path = Path(os.environ.get("LOADMASTER_LOGS", ".")) / name
        for rule in RULES if path.exists() else ():
            log = problem(path, hosts, jobs)
            least = measured([kind(*log) for kind in KINDS.values()], rule)
            cells = [f"{us:.2f} ({us / least[0][0]:.2f}; {queue:.0f})" for us, queue in least]
            yield f"| {name.split('.')[0]} on {hosts}, {rule} | {' | '.join(cells)} |"


def measured(problems: list[Problem], rule: str) -> list[tuple[float, float]]:
    """Of each problem the least CPU microseconds a job, and the mean queue length at events."""
    policy, discipline = POLICIES["first-fit"], discipline_named(rule)
    made = [simulate(*each, policy, discipline) for each in problems]
    least = [np.inf] * len(problems)
    for _ in range(3):
        for number, each in enumerate(problems):
            began = time.process_time()
            simulate(*each, policy, discipline)
            least[number] = min(least[number], time.process_time() - began)
    return [(s / len(one.start_s) * 1e6, mean_queue(one)) for s, one in zip(least, made, strict=True)]


def mean_queue(schedule: Schedule) -> float:
    return float(schedule.cycles.queue_length.mean())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=8_000, help="the first so many of each log (8000)")
    asked = parser.parse_args()
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, load {os.getloadavg()}")
    print("CPU microseconds a job (times those without; mean queue)\n")
    print(f"| log | {' | '.join(KINDS)} |\n|---|{'---|' * len(KINDS)}")
    for row in rows(asked.jobs):
        print(row, flush=True)
