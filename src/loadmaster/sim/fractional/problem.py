"""The input and the result of a run of dynamic fractional scheduling."""

from dataclasses import dataclass, field

import numpy as np

from loadmaster.model import Cluster, Workload
from loadmaster.model.arrays import Floats, Ints, Longs
from loadmaster.move.migration import MigrationCost
from loadmaster.scheduling.fractional import Fractional
from loadmaster.sharing.model import SharingModel, check_model
from loadmaster.sharing.processor_sharing import ProcessorSharing


@dataclass(frozen=True, eq=False)
class FractionalProblem:
    """One run to make: `runtime_s` is the time that a job takes at yield 1 on hosts of speed 1.

    Attributes:
        told: float64[J, R], the demand that decisions see; None: the truth. CPU is shared by what is really used.
        sharing: how a host divides its CPU; decisions count on equal yields, whatever it is.
    """

    workload: Workload
    cluster: Cluster
    policy: Fractional = field(default_factory=Fractional)
    migration: MigrationCost = field(default_factory=MigrationCost)
    told: Floats | None = None
    sharing: SharingModel = field(default_factory=ProcessorSharing)

    def __post_init__(self) -> None:
        self.workload.check_resources(self.cluster)
        self.workload.refuse_starting("this engine begins on empty hosts")
        check_model(self.sharing)

    @property
    def seen(self) -> Floats:
        """float64[J, R]: what decisions are told a task of each job requests."""
        return self.workload.demand if self.told is None else self.told

    @property
    def kind(self) -> Ints:
        """int32[H]: hosts of equal capacity and speed have equal numbers."""
        assert self.cluster.speed is not None
        rows = np.column_stack((self.cluster.capacity, self.cluster.speed))
        return np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int32)


@dataclass(frozen=True, eq=False)
class FractionalRun:
    """What became of every job.

    Attributes:
        start_s, end_s: float64[J], NaN for jobs that no empty cluster could hold at the least yield.
        host: int32[T], the last host of every task, -1 for those that never ran.
        moves: int64[J], tasks moved.
        moved_memory: their memory; most_moved: the most within one budget interval.
        least_yield: the least yield that any task ever had.
        events: arrivals, ends, ends of standstills and periods.
    """

    start_s: Floats
    end_s: Floats
    host: Ints
    moves: Longs
    moved_memory: float
    most_moved: float
    least_yield: float
    events: int

    def mean_yield(self, workload: Workload) -> float:
        """Work done over the time for which jobs ran: their mean speed, weighted by that time."""
        ran = np.isfinite(self.end_s)
        time_s = float((self.end_s - self.start_s)[ran].sum())
        return float(workload.runtime_s[ran].sum()) / time_s if time_s > 0 else 1.0
