"""The load experiment (Shai 2014, section 6): mean wait, slowdown and queue against the offered load."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from loadmaster.kept.store import Store
from loadmaster.kept.study import Pool as Workers
from loadmaster.kept.watch import Advancing
from loadmaster.model.arrays import Floats
from loadmaster.papers.shai2014.published import HEURISTICS, INTERVAL_S, MAX, POLICIES, TABLE_2_1
from loadmaster.papers.shai2014.setup import Setup
from loadmaster.runs import Case, Outcome, Setting, case_of, sweep
from loadmaster.traces import generate_netbatch

METRICS = ("wait", "slowdown", "queue")
ALL = (*POLICIES, "first-fit")
"""First-Fit is run at the highest load only, as the thesis leaves it out of its figures."""


@dataclass(frozen=True)
class Stream:
    """Jobs and hosts, and the factors on the times between arrivals that they are run at, smallest first."""

    case: Case
    betas: tuple[float, ...]

    @property
    def cells(self) -> list[Setting]:
        """Every run: all policies at every factor, First-Fit at the smallest."""
        runs = [Setting(policy, beta=beta, interval_s=INTERVAL_S) for beta in self.betas for policy in POLICIES]
        return [*runs, Setting("first-fit", beta=self.betas[0], interval_s=INTERVAL_S)]


@dataclass(frozen=True)
class Curves:
    """Results of one pool over S streams, L loads (highest first) and the P policies of `POLICIES`.

    Attributes:
        name: of the pool or the log.
        synthetic: whether the jobs are made by a generator.
        loads: float64[L], offered load of the scarcer resource, mean over the streams.
        core_loads: float64[L], offered load of the cores, mean over the streams.
        values: metric -> float64[S, L, P].
        first_fit: metric -> float64[S], at the highest load.
        chosen: float64[S, L, M], part of the cycles in which each of `HEURISTICS` won or tied within Max-Jobs.
        little: the largest relative difference between the queue as counted and as Little's law has it.
        jobs: of all streams.
    """

    name: str
    synthetic: bool
    loads: Floats
    core_loads: Floats
    values: dict[str, Floats]
    first_fit: dict[str, Floats]
    chosen: Floats
    little: float
    jobs: int

    @property
    def label(self) -> str:
        """The name as a chart shows it."""
        name = f"pool {self.name}" if self.name in TABLE_2_1 else self.name
        return f"{name} (synthetic)" if self.synthetic else name

    def of(self, policy: str, metric: str = "wait") -> Floats:
        """float64[S, L]."""
        return self.values[metric][:, :, POLICIES.index(policy)]


def synthetic_streams(pool: str, setup: Setup, memory_per_core_gb: float = 4.0) -> list[Stream]:
    """The streams of a synthetic pool; the smallest factor offers `highest_load` to the scarcer resource.

    The month's own load is not known: the thesis found it too low to tell the heuristics apart, so that one is
    chosen at which its smallest factor comes close to what the pool can take.
    """
    streams = []
    for number in range(setup.streams):
        trace = generate_netbatch(
            pool, scale=setup.scale, jobs=setup.jobs, load=setup.highest_load * min(setup.betas),
            memory_per_core_gb=memory_per_core_gb, longest_run_s=setup.longest_run_s, seed=setup.seed * 1000 + number,
        )  # fmt: skip
        case = case_of(trace)
        per_load = scarcer_load(case) / (setup.highest_load * min(setup.betas))
        streams.append(Stream(case, tuple(beta * per_load for beta in sorted(setup.betas))))
    return streams


def scarcer_load(case: Case) -> float:
    """The log's offered load of that resource of which it asks most."""
    return float(max(case.workload.offered_load(case.cluster, r) for r in range(len(case.cluster.resources))))


def run_streams(
    name: str, streams: Sequence[Stream], store: Store, workers: Workers, progress: Callable[[int], None]
) -> Curves:
    """Run all cells of all streams; those that `store` has are not run again."""
    outcomes = [sweep(s.case, s.cells, store, workers, watch=Advancing(progress)) for s in streams]
    first = streams[0]
    levels = len(first.betas)

    def table(read: Callable[[Outcome], float]) -> Floats:
        rows = [[read(outcome) for outcome in row[:-1]] for row in outcomes]
        return np.array(rows).reshape(len(streams), levels, len(POLICIES))

    reads: dict[str, Callable[[Outcome], float]] = {
        "wait": lambda o: o.metrics.mean_wait_s,
        "slowdown": lambda o: o.metrics.mean_slowdown,
        "queue": lambda o: o.metrics.mean_queue_length,
    }
    meta = POLICIES.index(MAX)
    chosen = [
        [[share.chosen for share in row[level * len(POLICIES) + meta].members] for level in range(levels)]
        for row in outcomes
    ]
    scarcer = [[scarcer_load(s.case) / beta for beta in s.betas] for s in streams]
    assert np.shape(chosen)[2] == len(HEURISTICS)
    return Curves(
        name=name,
        synthetic=first.case.workload.synthetic,
        loads=np.mean(scarcer, axis=0),
        core_loads=table(lambda o: o.load)[:, :, 0].mean(axis=0),
        values={metric: table(read) for metric, read in reads.items()},
        first_fit={metric: np.array([read(row[-1]) for row in outcomes]) for metric, read in reads.items()},
        chosen=np.array(chosen),
        little=max(outcome.metrics.little_error for row in outcomes for outcome in row),
        jobs=sum(s.case.workload.jobs for s in streams),
    )


def compared(curves: Curves, level: int = 0, metric: str = "wait") -> tuple[str, Floats, Floats]:
    """The single-resource heuristic that is best on the mean, its values [S] and the mean of all four [S]."""
    singles = curves.values[metric][:, level, : POLICIES.index("mix-fit")]
    best = int(singles.mean(axis=0).argmin())
    return POLICIES[best], singles[:, best], singles.mean(axis=1)
