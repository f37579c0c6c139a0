"""Rules by arrays beside the same rules compiled: `python benchmarks/array_rules.py [--jobs N] [--hosts 64]`.

A rule of the user's own that ranks all waiting jobs, or rates all hosts, in one call of Python for each decision. The
jobs are synthetic and run under EASY. Loads are such that queues of several lengths form; the table has their mean.
Each cell is the least CPU time of five runs, in turns in one process, after one that compiles; then how many times the
compiled form that is, with the time in the rule's own method and without it.
"""

import argparse
import os
import platform
import time

import numpy as np

from loadmaster.model import Cluster, Schedule, Workload
from loadmaster.order.order import AnyOrder, Order
from loadmaster.order.order_in_process import order_in_process
from loadmaster.place.policy import Policy
from loadmaster.place.policy_in_process import policy_in_process
from loadmaster.scheduling import Discipline, discipline_named
from loadmaster.sim.queue import simulate

LOADS = (0.9, 1.0, 1.1, 1.2, 1.3)
CORES = 16


def rank(job, now):  # type: ignore[no-untyped-def]
    return job.expected_s + 600.0 * job.cores - 0.5 * (now - job.submit_s)


def score(demand, free, capacity):  # type: ignore[no-untyped-def]
    return (free[0] - demand[0]) / capacity[0] + 0.5 * (free[1] - demand[1]) / capacity[1]


class Model:
    """Ranks by columns of the jobs."""

    spent_s = 0.0
    timed = False

    def rank_all(self, jobs, now):  # type: ignore[no-untyped-def]
        """float64[Q]."""
        began = time.thread_time() if self.timed else 0.0
        ranks = jobs.expected_s + 600.0 * jobs.cores - 0.5 * (now - jobs.submit_s)
        self.spent_s += time.thread_time() - began if self.timed else 0.0
        return ranks


class HostModel(Model):
    """Rates by what hosts have left."""

    def score_all(self, demand, free, capacity):  # type: ignore[no-untyped-def]
        """float64[H]."""
        began = time.thread_time() if self.timed else 0.0
        scores = ((free - demand) / capacity) @ WEIGHTS
        self.spent_s += time.thread_time() - began if self.timed else 0.0
        return scores


WEIGHTS = np.array([1.0, 0.5])
MODELS = RANKS, RATES = Model(), HostModel()
OWN = "a rule of this benchmark"
ORDERS: tuple[AnyOrder, ...] = Order("rank", rank, moves=True), order_in_process("ranks", RANKS)
POLICIES = Policy("score", score, OWN, __file__), policy_in_process("rates", RATES)
FORMS = {"compiled": (0, 0), "rank_all": (1, 0), "score_all": (0, 1), "both": (1, 1)}


def log(jobs: int, hosts: int, load: float) -> tuple[Workload, Cluster]:
    """Synthetic jobs on hosts of 16 cores."""
    rng = np.random.default_rng(3)
    cluster = Cluster.uniform(hosts, cores=CORES, memory=64.0)
    cores, runtime_s = rng.integers(1, 9, jobs), rng.lognormal(6.0, 1.0, jobs)
    gap_s = rng.exponential(1.0, jobs)
    span_s = (cores * runtime_s).sum() / (load * CORES * hosts)
    return (
        Workload.of(
            submit_s=np.cumsum(gap_s) * span_s / gap_s.sum(),
            runtime_s=runtime_s,
            estimate_s=runtime_s * rng.uniform(1.0, 3.0, jobs),
            cores=cores,
            memory=rng.integers(1, 33, jobs),
        ),
        cluster,
    )


def run(problem: tuple[Workload, Cluster], form: tuple[int, int], timed: bool = False) -> tuple[Schedule, float, float]:
    """The schedule, the CPU time of the run, and the time in the rule's own methods if it is `timed`."""
    for model in MODELS:
        model.timed, model.spent_s = timed, 0.0
    discipline = Discipline(ORDERS[form[0]], discipline_named("easy").backfilling, "own")
    began = time.process_time()
    schedule = simulate(*problem, POLICIES[form[1]], discipline)
    return schedule, time.process_time() - began, sum(model.spent_s for model in MODELS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=3_000)
    parser.add_argument("--hosts", type=int, default=64)
    asked = parser.parse_args()
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, load {os.getloadavg()}")
    print(f"CPU microseconds a job (times the compiled form; without the rule's own method); {asked.hosts} hosts\n")
    print(f"| load | mean queue | {' | '.join(FORMS)} |\n|---|---|{'---|' * len(FORMS)}")
    for load in LOADS:
        problem = log(asked.jobs, asked.hosts, load)
        made = [run(problem, form)[0] for form in FORMS.values()]
        assert all((one.start_s == made[0].start_s).all() for one in made), "the forms give different schedules"
        least, spent = np.full((2, len(FORMS)), np.inf)
        for _ in range(5):
            for number, form in enumerate(FORMS.values()):
                least[number] = min(least[number], run(problem, form)[1])
                spent[number] = min(spent[number], run(problem, form, timed=True)[2])
        us, ratio, rest = least / asked.jobs * 1e6, least / least[0], (least - spent) / least[0]
        cells = [f"{u:.1f} ({r:.2f}; {w:.2f})" for u, r, w in zip(us, ratio, rest, strict=True)]
        print(f"| {load} | {made[0].cycles.queue_length.mean():.0f} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
