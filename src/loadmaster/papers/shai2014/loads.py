"""The load experiment (Shai 2014, section 6): mean wait, slowdown and queue against the offered load."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from loadmaster.model.arrays import Floats
from loadmaster.papers.shai2014.levels import Level, make_levels
from loadmaster.papers.shai2014.published import HEURISTICS, INTERVAL_S, MAX, POLICIES, TABLE_2_1
from loadmaster.papers.shai2014.setup import StudySetup
from loadmaster.results.store import Store
from loadmaster.results.study import CellMaker
from loadmaster.runs import Case, Setting, case_of
from loadmaster.traces import generate_netbatch

METRICS = ("wait", "slowdown", "queue")


@dataclass(frozen=True)
class ReservationReading:
    """What a job that finds no room keeps for itself.

    Attributes:
        reservations: at most so many a cycle; None for no limit.
        thesis: whether it is the thesis' own, on which gates stand.
    """

    name: str
    reservations: int | None
    thesis: bool


RESERVED = ReservationReading("with reservations", None, True)
"""As section 6 describes the simulator: a job that finds no room reserves the host with most free memory."""
OPEN = ReservationReading("without reservations", 0, False)
"""The same without that: it takes the shape of the thesis' figures better, and says what reservations cost."""


@dataclass(frozen=True)
class LoadedStream:
    """Jobs and hosts, and the factors on the times between arrivals that they are run at, smallest first."""

    case: Case
    betas: tuple[float, ...]

    def cells(self, reading: ReservationReading) -> list[Setting]:
        """Every run: all policies at every factor, First-Fit at the smallest, which the thesis leaves out."""
        runs = [(policy, beta) for beta in self.betas for policy in POLICIES]
        return [
            Setting(policy, beta=beta, interval_s=INTERVAL_S, reservations=reading.reservations)
            for policy, beta in (*runs, ("first-fit", self.betas[0]))
        ]


@dataclass(frozen=True)
class Curves:
    """Results of one pool over S streams, L loads (highest first) and the P policies of `POLICIES`.

    Attributes:
        name: of the pool or the log.
        synthetic: whether the jobs are made by a generator.
        reading: of the cycle.
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
    reading: ReservationReading
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
        made = f"{name} (synthetic)" if self.synthetic else name
        return made if self.reading.thesis else f"{made}, {self.reading.name}"

    def of(self, policy: str, metric: str = "wait") -> Floats:
        """float64[S, L]."""
        return self.values[metric][:, :, POLICIES.index(policy)]


def synthetic_streams(pool: str, setup: StudySetup, memory_per_core_gb: float = 4.0) -> list[LoadedStream]:
    """The streams of a synthetic pool; the smallest factor offers `highest_load` to the scarcer resource.

    The month's own load is not known: the thesis found it too low to tell the heuristics apart, so that one is
    chosen at which its smallest factor comes close to what the pool can take.
    """
    streams = []
    for number in range(setup.streams):
        trace = generate_netbatch(
            pool,
            scale=setup.scale,
            jobs=setup.jobs,
            load=setup.highest_load * min(setup.betas),
            memory_per_core_gb=memory_per_core_gb,
            longest_run_s=setup.longest_run_s,
            seed=setup.seed * 1000 + number,
        )
        case = case_of(trace)
        per_load = scarcer_load(case) / (setup.highest_load * min(setup.betas))
        streams.append(LoadedStream(case, tuple(beta * per_load for beta in sorted(setup.betas))))
    return streams


def scarcer_load(case: Case) -> float:
    """The log's offered load of that resource of which it asks most."""
    return float(max(case.workload.offered_load(case.cluster, r) for r in range(len(case.cluster.resources))))


def run_streams(
    name: str,
    streams: Sequence[LoadedStream],
    reading: ReservationReading,
    warm_up_s: float,
    store: Store | None,
    workers: CellMaker,
    progress: Callable[[int], None],
) -> Curves:
    """Run all cells of all streams; those that `store` has are not run again."""
    rows = [make_levels(s.case, s.cells(reading), warm_up_s, store, workers, progress) for s in streams]
    first = streams[0]
    levels = len(first.betas)

    def table(read: Callable[[Level], float]) -> Floats:
        return np.array([[read(level) for level in row[:-1]] for row in rows]).reshape(
            len(streams), levels, len(POLICIES)
        )

    reads: dict[str, Callable[[Level], float]] = {
        "wait": lambda level: level.wait_s,
        "slowdown": lambda level: level.slowdown,
        "queue": lambda level: level.queue,
    }
    meta = POLICIES.index(MAX)
    chosen = [[row[level * len(POLICIES) + meta].chosen for level in range(levels)] for row in rows]
    scarcer = [[scarcer_load(s.case) / beta for beta in s.betas] for s in streams]
    assert np.shape(chosen)[2] == len(HEURISTICS)
    return Curves(
        name=name,
        synthetic=first.case.workload.synthetic,
        reading=reading,
        loads=np.mean(scarcer, axis=0),
        core_loads=table(lambda level: level.load)[:, :, 0].mean(axis=0),
        values={metric: table(read) for metric, read in reads.items()},
        first_fit={metric: np.array([read(row[-1]) for row in rows]) for metric, read in reads.items()},
        chosen=np.array(chosen),
        little=max(level.little for row in rows for level in row),
        jobs=sum(s.case.workload.jobs for s in streams),
    )


def compared(curves: Curves, level: int = 0, metric: str = "wait") -> tuple[str, Floats, Floats]:
    """The single-resource heuristic that is best on the mean, its values [S] and the mean of all four [S]."""
    singles = curves.values[metric][:, level, : POLICIES.index("mix-fit")]
    best = int(singles.mean(axis=0).argmin())
    return POLICIES[best], singles[:, best], singles.mean(axis=1)


def over(ours: Floats, theirs: Floats) -> Floats:
    """float64[S]: how many times as much, stream by stream; NaN where theirs is nothing."""
    return np.asarray(np.divide(ours, theirs, out=np.full(len(ours), np.nan), where=theirs > 0.0))
