"""The input and the result of a run of jobs on virtual machines (rules V1 to V11)."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from loadmaster.model import InputError, Workload
from loadmaster.model.arrays import Floats
from loadmaster.sharing.equilibrium import MOST_ROUNDS
from loadmaster.sharing.virtual_machines import VirtualMachines
from loadmaster.sharing.vm_choice import VM_CHOICES

Estimate = Literal["work", "rate", "user"]
Ranking = Literal["incremental", "static"]
TOLERANCE = 1e-4
"""Of the speeds in a simulation (rule V3)."""


@dataclass(frozen=True, eq=False)
class VmProblem:
    """One run to make.

    Attributes:
        workload: `tasks` VMs at once for each job; each task can use as many cores as it requests, and takes runtime_s
            if it gets them all, of speed 1. Resources beside the cores are not looked at.
        vms: where they run.
        choice: a name of `VM_CHOICES`.
        ranking: rank anew after every VM chosen, or once a job (incremental unless to show why).
        estimate: what EASY takes for the runtime: the work at the speed of the slowest machine; the work over the
            speed that the job would start with (`rate`); or the user's own estimate, over the slowest speed.
        backfill: False for plain FCFS.
        redistribute: False: what a throttled VM leaves unused is lost.
        tolerance: of the speeds, in cores of speed 1.
        most_rounds: after which the search for the speeds gives up; the run counts how often it did.

    Raises:
        InputError: a job with more tasks than there are VMs or that requests no CPU, no such choice, ranking or
            estimate, a VM or a task whose maximum is lost in the tolerance of the speeds, or no round to find them.
    """

    workload: Workload
    vms: VirtualMachines
    choice: str = "pcfc-sg"
    ranking: Ranking = "incremental"
    estimate: Estimate = "work"
    backfill: bool = True
    redistribute: bool = True
    tolerance: float = TOLERANCE
    most_rounds: int = MOST_ROUNDS

    def __post_init__(self) -> None:
        self.workload.refuse_starting("this engine begins on empty hosts")
        if self.choice not in VM_CHOICES:
            raise InputError(self.choice, "no such choice of VMs", fix=f"known: {', '.join(VM_CHOICES)}")
        for value, known in ((self.estimate, get_args(Estimate)), (self.ranking, get_args(Ranking))):
            if value not in known:
                raise InputError(value, "no such way to estimate or to rank", fix=f"known: {', '.join(known)}")
        idle = np.flatnonzero(self.asks <= 0.0)
        if len(idle):
            raise InputError(0, "a task on a VM requests some CPU; those of this job none", where=f"job {idle[0]}")
        slowest = float(self.vms.speed.min(initial=np.inf))
        least = slowest * float(min(self.vms.high.min(initial=np.inf), self.asks.min(initial=np.inf)))
        if least < 10.0 * self.tolerance:
            raise InputError(least, "what a task can get must be ten times the tolerance of the speeds, or more")
        if self.most_rounds < 1:
            raise InputError(self.most_rounds, "the search for the speeds needs one round at least")
        widest = int(self.workload.task_count.max(initial=0))
        if widest > self.vms.count:
            raise InputError(
                widest, f"a job cannot have more tasks than the {self.vms.count} VMs", fix="clip it with `narrowed`"
            )

    @property
    def asks(self) -> Floats:
        """float64[J]: cores that each task of each job can use."""
        return self.workload.demand[:, 0]

    @property
    def work_s(self) -> Floats:
        """float64[J]: CPU seconds of each task of each job."""
        return np.asarray(self.workload.runtime_s * self.asks)

    @property
    def expected_work_s(self) -> Floats:
        """float64[J]: the CPU seconds that reservations count on."""
        expected_s = self.workload.expected_s if self.estimate == "user" else self.workload.runtime_s
        return np.asarray(expected_s * self.asks)

    @property
    def expected_s(self) -> Floats:
        """float64[J]: the expected runtime of a job that shares with no other, on any machines."""
        return np.asarray(self.expected_work_s / (self.asks * float(self.vms.speed.min(initial=np.inf))))


@dataclass(frozen=True, eq=False)
class VmRun:
    """What became of every job, and how well the machines were used.

    Attributes:
        start_s, end_s: float64[J].
        busy_s: seconds from the first arrival to the last end; work_s: CPU seconds of work done, at speed 1.
        full_s: seconds in which every machine had an active VM; full_work_s: the work done in them.
        events: arrivals and ends.
        rounds: rounds of the fixed point in all; the two engines count a last one without change differently.
        unsettled: starts and ends after which `most_rounds` rounds had not brought the speeds within the tolerance;
            no machine is overfull then, and the search goes on at the next event.
    """

    start_s: Floats
    end_s: Floats
    busy_s: float
    work_s: float
    full_s: float
    full_work_s: float
    events: int
    rounds: int
    unsettled: int

    def efficiency(self, vms: VirtualMachines) -> float:
        """CPU used over CPU there, from the first arrival to the last end."""
        return self.work_s / (vms.power * self.busy_s) if self.busy_s > 0 else 0.0

    def efficiency_when_full(self, vms: VirtualMachines) -> float:
        """The same over the time in which every machine is in use; NaN if that never was."""
        return self.full_work_s / (vms.power * self.full_s) if self.full_s > 0 else float("nan")

    def speed(self, workload: Workload) -> Floats:
        """float64[J]: mean speed of each job while it ran, 1 if its tasks got all they requested, of speed 1."""
        return np.asarray(workload.runtime_s / (self.end_s - self.start_s))
