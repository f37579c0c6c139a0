"""Some three thousand small runs over all rules, and what has come of each: nothing of it may change unseen.

The file `frozen_runs.txt` has a line a run: what it is, and a hash of who started when, where and how it ended.
`python tools/freeze_runs.py` writes it anew; a line that changes is a schedule that changes, so say why in the commit.
"""

import hashlib
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bound_jobs import KINDS, bound_jobs
from loadmaster.backfilling import BACKFILLINGS
from loadmaster.model import Cluster, InputError, Schedule, Workload
from loadmaster.order import ORDERS, ORDERS_WITH_MEMORY
from loadmaster.place import POLICIES
from loadmaster.runs.setting import Setting, discipline_of, policy_of
from loadmaster.sim.queue import simulate

FILE = Path(__file__).with_name("frozen_runs.txt")
LOGS_FILE = Path(__file__).with_name("frozen_logs.txt")
RUNS_OF_PAIR = 18
WITH_PARAMETERS = (
    "easy(heads=2)", "easy(heads=3,heads_of=cluster)", "easy(fill=shortest)", "easy(promise=pool)",
    "easy(promise=hosts)", "conservative(early_end=now)", "conservative(early_end=kept)",
    "conservative(early_end=start)", "conservative(early_end=arrival)", "conservative(early_end=replan)",
    "conservative(lookahead=2)", "conservative(promise=pool)", "selective(expansion=1)", "stepwise(depth=2)",
    "stepwise(promise=pool)", "netbatch(reservations=1)", "netbatch(lookahead=2)", "slurm(bf_interval=20)",
    "twin(every_s=20)",
)  # fmt: skip
"""Backfillings whose parameters are not the usual ones."""
META = ("max-jobs", "max-jobs(target=cores)")
ESTIMATES = ("user", "exact", "last-two", "2", "last-two(correct=double)")
INTERVALS_S = (0.0, 7.0, 30.0)
REAL = {
    "CTC-SP2-1996-3.1-cln.swf.gz": ("338x1c", "32x12c"),
    "HPC2N-2002-2.2-cln.swf.gz": ("120x2c2g", "240x1c"),
    "LANL-CM5-1994-4.1-cln.swf.gz": ("32x32c1g", "1x1024c32g"),
    "wagap-2013.swf.gz": ("40x12c64g",),
    "LCG.swf.gz": ("300x1c",),
}
"""Logs of the archive and machines that they are replayed on."""
ON_REAL = ("fcfs+easy", "sjf+easy", "wfp3+easy(heads=2)", "fcfs+skip", "fcfs+conservative", "fcfs+netbatch")


class Run(NamedTuple):
    """One frozen run: the words of its line but the hash."""

    discipline: str
    policy: str
    log: str
    estimates: str
    overrun: str
    interval_s: float

    def __str__(self) -> str:
        return f"{self.discipline} {self.policy} {self.log} {self.estimates} {self.overrun} {self.interval_s:g}"

    @classmethod
    def of(cls, line: str) -> "Run":
        """The run that a line of the file names."""
        *words, interval_s = line.split()[:6]
        return cls(*words, float(interval_s))


def drawn() -> Iterator[Run]:
    """All runs: every pair of an order and a backfilling, and each parameter beside some orders."""
    orders, policies = [*ORDERS, *ORDERS_WITH_MEMORY], [*POLICIES, *META]
    disciplines = [f"{order}+{rule}" for order in orders for rule in BACKFILLINGS]
    disciplines += [f"{order}+{rule}" for rule in WITH_PARAMETERS if "twin" not in rule for order in orders[::8]]
    disciplines += [rule for rule in WITH_PARAMETERS if "twin" in rule]
    kinds = [(), *((kind,) for kind in KINDS), *itertools.combinations(KINDS, 2)]
    for number, discipline in enumerate(disciplines):
        for each in range(RUNS_OF_PAIR):
            draw = np.random.default_rng([number, each])
            bound = kinds[draw.integers(len(kinds))] if each % 2 else ()
            log = "+".join((*bound, str(draw.integers(1000)))) if bound else f"burst+{draw.integers(1000)}"
            foretold = ESTIMATES[draw.integers(len(ESTIMATES))] if each % 3 == 0 else "user"
            overrun = "kill" if each % 5 == 0 else "run"
            yield Run(
                discipline, policies[draw.integers(len(policies))], log, foretold, overrun,
                INTERVALS_S[draw.integers(len(INTERVALS_S))],
            )  # fmt: skip


def outcome(run: Run) -> str:
    """Ten hexadecimal digits for what comes of `run`, or `refused`."""
    *kinds, seed = run.log.split("+")
    workload, cluster = burst(int(seed)) if kinds == ["burst"] else bound_jobs(int(seed), *kinds)
    try:
        return fingerprint(replayed(run, workload, cluster))
    except InputError:
        return "refused"


def replayed(run: Run, workload: Workload, cluster: Cluster) -> Schedule:
    """The schedule of `run`, whatever its log is."""
    setting = Setting(run.policy, run.discipline, estimates=run.estimates, overrun=run.overrun)
    policy, discipline = policy_of(setting, {}), discipline_of(setting)
    return simulate(
        workload, cluster, policy, discipline, interval_s=run.interval_s, seed=5, foresight=setting.foresight
    )


def fingerprint(schedule: Schedule) -> str:
    """Of who started when and where, and how it ended."""
    digest = hashlib.sha256()
    for column in (schedule.start_s, schedule.host, schedule.status, schedule.end_s):
        if column is not None:
            digest.update(np.where(np.isnan(column), -1.0, column).astype("<f8").tobytes())
    return digest.hexdigest()[:10]


def burst(seed: int) -> tuple[Workload, Cluster]:
    """Jobs of few, complementary kinds and several tasks that come in bursts to up to six hosts."""
    rng = np.random.default_rng([seed, 1])
    hosts, jobs = int(rng.integers(1, 7)), int(rng.integers(20, 80))
    capacity = np.column_stack((rng.integers(2, 9, hosts), rng.integers(4, 17, hosts)))
    if rng.random() < 0.5:
        capacity[:] = capacity[0]
    kinds = np.column_stack((rng.integers(0, 5, 4), rng.integers(0, 6, 4)))
    demand = np.minimum(kinds[rng.integers(0, len(kinds), jobs)], capacity.min(axis=0))
    runtime_s = rng.integers(1, 60, jobs).astype(float)
    workload = Workload(
        ("cores", "memory"), np.sort(rng.integers(0, 8, jobs) * float(rng.integers(1, 30))), runtime_s, demand,
        tasks=rng.choice([1, 1, 2, 5], jobs).astype(np.int32), estimate_s=runtime_s * rng.choice([0.5, 1.0, 3.0], jobs),
        user=rng.integers(0, 4, jobs).astype(np.int32), project=rng.integers(0, 3, jobs).astype(np.int32),
    )  # fmt: skip
    return workload, Cluster(("cores", "memory"), capacity)


def drawn_of_logs() -> Iterator[Run]:
    """The runs of real logs: some weeks of each on machines that one of its jobs fills and on one-core hosts."""
    for name, machines in REAL.items():
        for each, discipline, policy in itertools.product(machines, ON_REAL, ("first-fit", "mix-fit")):
            yield Run(discipline, policy, f"{name}@{each}", "user", "run", 30.0 if "netbatch" in discipline else 0.0)


def outcome_of_log(run: Run, folder: Path) -> str:
    """Ten hexadecimal digits for what comes of the first jobs of a log in `folder`."""
    from loadmaster.traces import ReadOptions, fit_to, read_hosts, read_trace

    name, machines = run.log.split("@")
    wagap = ReadOptions(memory_unit="B", swf_memory="job-total")
    trace = read_trace(folder / name, wagap if name.startswith("wagap") else ReadOptions())
    cluster = read_hosts(machines)
    workload, _ = fit_to(trace.workload.take(slice(0, 3000)), cluster, "any")
    return fingerprint(replayed(run, workload, cluster))
