"""The input and the result of a run on time-shared hosts."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from loadmaster.model import Cluster, Workload
from loadmaster.model.arrays import Floats, Ints, Longs
from loadmaster.move.migration import MigrationCost
from loadmaster.scheduling.time_shared import Method
from loadmaster.sharing.host_loads import CpuLoad
from loadmaster.sharing.model import SharingModel, check_model
from loadmaster.sharing.processor_sharing import ProcessorSharing
from loadmaster.sharing.thrashing import THRASH, check_thrash

Progress = Callable[[int, int], None]
"""Called now and then with (ended, in all): tasks on time-shared hosts, jobs elsewhere."""


@dataclass(frozen=True, eq=False)
class TimesharedProblem:
    """One run to make: jobs, hosts, a method, and how the hosts share.

    Attributes:
        workload: runtime_s is the work of each task: seconds on one core of speed 1 that it has for itself.
        cluster: resources as the workload's; the first is the CPU, shared; the others may be over-committed.
        sharing: how a host divides its CPU.
        cpu_load: how policies and movers read the CPU load.
        migration: how long a moved task stands still.
        told: float64[J, R], the demand that the placement policy is told; None: the truth.
        seed: of the movers' draws and of policies that draw.
        thrash: the factor by which a host slows down while a resource other than its cores is over-committed.
    """

    workload: Workload
    cluster: Cluster
    method: Method
    sharing: SharingModel = field(default_factory=ProcessorSharing)
    cpu_load: CpuLoad = "jobs/speed"
    migration: MigrationCost = field(default_factory=MigrationCost)
    told: Floats | None = None
    seed: int = 0
    thrash: float = THRASH

    def __post_init__(self) -> None:
        self.workload.check_resources(self.cluster)
        self.workload.refuse_starting("this engine begins on empty hosts")
        check_model(self.sharing)
        check_thrash(self.thrash)

    @property
    def demand_seen(self) -> Floats:
        """float64[J, R]: what the placement policy is given for every job."""
        if self.method.blind:
            direction = self.cluster.capacity.max(axis=0)
            direction[0] = 1.0
            return np.tile(direction, (self.workload.jobs, 1))
        return self.workload.demand if self.told is None else np.ascontiguousarray(self.told, dtype=np.float64)

    @property
    def owner(self) -> Longs:
        """int64[T]: the job of every task."""
        return np.repeat(np.arange(self.workload.jobs), self.workload.task_count)


@dataclass(frozen=True, eq=False)
class TimesharedRun:
    """What became of every task.

    Attributes:
        end_s: float64[T].
        first_host: int32[T], where the task was placed.
        host: int32[T], where it ended.
        moves: int32[T], how often it migrated.
        scale: L at the end, the power of two above the largest load seen.
        events: arrivals of tasks, completions and ends of migrations.
    """

    end_s: Floats
    first_host: Ints
    host: Ints
    moves: Ints
    scale: float
    events: int

    def agrees_with(self, other: "TimesharedRun") -> bool:
        """Same hosts, moves and ends, to the bit."""
        return (
            np.array_equal(self.first_host, other.first_host)
            and np.array_equal(self.host, other.host)
            and np.array_equal(self.moves, other.moves)
            and np.array_equal(self.end_s, other.end_s)
            and self.scale == other.scale
        )
