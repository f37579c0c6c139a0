"""Random logs on clusters of many shapes, by the compiled engine as plain Python and by the plain engine."""

import sys

import numpy as np
import random_general_passes

from loadmaster.model import Cluster, InputError, Workload
from loadmaster.place import POLICIES
from loadmaster.scheduling import MaxJobs, discipline_named
from loadmaster.sim.queue import simulate

RESOURCES = ("cores", "memory", "gpus")
DISCIPLINES = (
    "easy", "easy", "easy(heads=2)", "easy(fill=shortest)", "easy(promise=hosts)", "sjf+easy", "wfp3+easy",
    "fair-share+easy", "multifactor(age=1000,fair_share=1000,calc_period=10,half_life=100)+easy", "fcfs", "none",
    "skip", "lxf+skip", "netbatch", "netbatch(reservations=2,lookahead=3)", "slurm(bf_interval=1)", "selective",
    "stepwise", "conservative", "conservative(early_end=kept)", "conservative(early_end=start)",
    "conservative(early_end=replan)", "conservative(early_end=arrival)",
)  # fmt: skip
PLACEMENTS = (
    *(POLICIES[name] for name in ("first-fit", "first-fit", "best-fit-cores", "best-fit-memory", "worse-fit-cores")),
    *(POLICIES[name] for name in ("mix-fit", "dot-product", "round-robin", "random")), MaxJobs(),
)  # fmt: skip


def main() -> int:
    """Compare the runs of the seeds in the command line, under the discipline there if it names one."""
    first, last, named = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    random_general_passes.in_python()
    differ = [name for seed in range(first, last) if (name := difference(seed, named))]
    print(f"{last - first} runs, {len(differ)} differ", *differ, sep="\n")
    return 1 if differ else 0


def difference(seed: int, named: str = "") -> str:
    """What the run of a seed is, if the two engines give different schedules; else an empty text."""
    rng = np.random.default_rng(seed)
    workload, cluster = log_on_hosts(rng)
    discipline, policy = named or str(rng.choice(DISCIPLINES)), PLACEMENTS[rng.integers(len(PLACEMENTS))]
    interval_s = float(rng.choice([0.0, 7.0]))
    given = {"interval_s": interval_s, "seed": 2}
    try:
        fast, plain = (
            simulate(workload, cluster, policy, discipline_named(discipline), engine=engine, **given)
            for engine in ("compiled", "reference")
        )
    except InputError:  # parts of several GPUs
        return ""
    same = fast.same_as(plain) and np.array_equal(fast.cycles.winners, plain.cycles.winners)
    return "" if same else f"seed {seed}: {discipline}, {policy.name}, every {interval_s:g} s"


def log_on_hosts(rng: np.random.Generator) -> tuple[Workload, Cluster]:
    """20 to 70 jobs of few demands, on 1 to 13 hosts that are alike or not, with 1 to 3 resources."""
    jobs, hosts, resources = int(rng.integers(20, 70)), int(rng.integers(1, 14)), int(rng.integers(1, 4))
    size, kinds = int(rng.choice([1, 2, 4, 8, 20])), int(rng.integers(1, 8))
    alike = rng.random() < 0.4
    capacity = np.full((hosts, resources), size) if alike else rng.integers(1, size + 1, (hosts, resources))
    capacity = capacity.astype(float)
    demands = np.column_stack(
        [rng.integers(resource == 0, capacity[:, resource].max() + 1, kinds) for resource in range(resources)]
    ).astype(float)
    if rng.random() < 0.2:
        demands = np.maximum(demands - 0.5, 0.25)
    held = (demands[:, None] <= capacity).all(axis=2).any(axis=1)
    demands[~held] = capacity[0]
    workload = Workload(
        RESOURCES[:resources],
        submit_s=np.sort(rng.integers(0, 120, jobs)).astype(float),
        runtime_s=rng.integers(1, 80, jobs).astype(float),
        estimate_s=rng.integers(20, 90, jobs).astype(float),
        demand=demands[rng.integers(0, kinds, jobs)],
        tasks=rng.integers(1, 6, jobs) if rng.random() < 0.5 else None,
        user=rng.integers(0, 4, jobs),
        project=rng.integers(0, 3, jobs),
    )
    speed = rng.integers(1, 3, hosts).astype(float) if rng.random() < 0.2 else None
    return workload, Cluster(RESOURCES[:resources], capacity, speed=speed)


if __name__ == "__main__":
    sys.exit(main())
