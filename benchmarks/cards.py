"""What GPUs as cards cost a run: `python benchmarks/cards.py [--jobs N] [--hosts 64]`.

Synthetic jobs, of which most request a quarter, a half or several whole GPUs, on hosts of 8 GPUs. The same jobs run
with another name for GPUs, so that these are one amount of each host. A card of an amount may be cut in pieces that no
card has, so the two schedules differ; the table has both mean queues. Runs of the last rule begin in the middle of the
log, with the jobs that run then on cards. Each cell is the least CPU time of five runs, in turns in one process, after
one that compiles.
"""

import argparse
import os
import platform
import time
from dataclasses import replace

import numpy as np

from loadmaster.model import Cluster, StartingState, Workload
from loadmaster.place import POLICIES
from loadmaster.scheduling import discipline_named
from loadmaster.sim.queue import simulate

RULES = (
    ("fcfs", "first-fit"), ("fcfs+skip", "first-fit"), ("easy", "first-fit"), ("sjf+easy", "first-fit"),
    ("easy", "best-fit-cores"), ("netbatch", "mix-fit"),
    ("conservative", "first-fit"), ("easy(heads=3)", "first-fit"), ("slurm", "first-fit"),
)  # fmt: skip
FROM_RUNNING_JOBS = "easy", "first-fit"
LOADS = (0.8, 0.95)
CORES, GPUS = 32, 8


def on_cards(jobs: int, hosts: int, load: float) -> tuple[Workload, Cluster]:
    rng = np.random.default_rng(7)
    gpus = rng.choice([0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0], jobs, p=[0.2, 0.2, 0.15, 0.3, 0.08, 0.05, 0.02])
    runtime_s, gap_s = rng.lognormal(7.0, 1.2, jobs), rng.exponential(1.0, jobs)
    span_s = (gpus * runtime_s).sum() / (load * GPUS * hosts)
    workload = Workload.of(
        submit_s=np.cumsum(gap_s) * span_s / gap_s.sum(),
        runtime_s=runtime_s,
        estimate_s=runtime_s * rng.uniform(1.0, 3.0, jobs),
        cores=rng.integers(1, 5, jobs),
        gpus=gpus,
    )
    return workload, Cluster.uniform(hosts, cores=CORES, gpus=GPUS)


def as_an_amount(workload: Workload, cluster: Cluster) -> tuple[Workload, Cluster]:
    names = tuple("amount" if name == "gpus" else name for name in workload.resources)
    return replace(workload, resources=names), replace(cluster, resources=names)


def begun(workload: Workload, cluster: Cluster) -> Workload:
    """The jobs that are not over when half of them have arrived; those that run then under EASY run at the start."""
    rule, policy = FROM_RUNNING_JOBS
    schedule = simulate(workload, cluster, POLICIES[policy], discipline_named(rule))
    now_s = float(workload.submit_s[workload.jobs // 2])
    end_s = schedule.start_s + workload.runtime_s
    running = np.flatnonzero((schedule.start_s < now_s) & (end_s > now_s))
    state = StartingState(now_s, running, schedule.start_s[running], schedule.host[running])
    return replace(workload, starting=state).take(end_s > now_s)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=20_000)
    parser.add_argument("--hosts", type=int, default=64)
    asked = parser.parse_args()
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, load {os.getloadavg()}")
    print(f"CPU microseconds a job; {asked.jobs:,} jobs, {asked.hosts} hosts of {GPUS} GPUs\n")
    print("| rule | load | amount | cards | ratio | mean queue, amount and cards |\n|---|---|---|---|---|---|")
    for load in LOADS:
        workload, cluster = on_cards(asked.jobs, asked.hosts, load)
        runs = [(rule, policy, "", workload) for rule, policy in RULES]
        runs.append((*FROM_RUNNING_JOBS, ", from running jobs", begun(workload, cluster)))
        for rule, policy, begins, jobs in runs:
            discipline, forms = discipline_named(rule), (as_an_amount(jobs, cluster), (jobs, cluster))
            made = [simulate(*form, POLICIES[policy], discipline) for form in forms]
            least = [np.inf, np.inf]
            for _ in range(5):
                for number, form in enumerate(forms):
                    began = time.process_time()
                    simulate(*form, POLICIES[policy], discipline)
                    least[number] = min(least[number], time.process_time() - began)
            amount, cards = (s / jobs.jobs * 1e6 for s in least)
            queues = [float(one.cycles.queue_length.mean()) for one in made]
            name = f"`{rule}`, {policy}{begins} | {load}"
            print(f"| {name} | {amount:.1f} | {cards:.1f} | {cards / amount:.2f} | {queues[0]:.0f}, {queues[1]:.0f} |")


if __name__ == "__main__":
    main()
