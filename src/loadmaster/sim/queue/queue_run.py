"""The input of every engine: one run of the queue."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from loadmaster.model import Cluster, Workload
from loadmaster.scheduling import AnyPolicy, Discipline, Scheduler
from loadmaster.scheduling.estimate_model import USERS, EstimateModel
from loadmaster.scheduling.resolved_constraints import binds
from loadmaster.sim.queue.unit_speed import common_speed

Progress = Callable[[int, int], None]
"""Called now and then with (jobs started, jobs in all)."""


@dataclass(frozen=True)
class QueueRun:
    """A log, machines, and how the queue is served.

    Attributes:
        workload: jobs; its resources are the cluster's, in the same order.
        cluster: the hosts.
        scheduler: the policy and the discipline.
        interval_s: seconds between decisions; 0 decides at every event.
        seed: for policies that draw.
        progress: called with the progress of long runs.
        estimate_model: what the scheduler may count on, and whether limits kill.
    """

    workload: Workload
    cluster: Cluster
    scheduler: Scheduler
    interval_s: float = 0.0
    seed: int = 0
    progress: Progress | None = None
    estimate_model: EstimateModel = USERS

    @property
    def policy(self) -> AnyPolicy:
        """Rates hosts, or a meta-rule over several."""
        return self.scheduler.policy

    @property
    def discipline(self) -> Discipline:
        """The order and the backfilling."""
        return self.scheduler.discipline

    @cached_property
    def bound(self) -> bool:
        """Whether constraints bind any of the jobs."""
        return binds(self.workload, self.cluster)

    @property
    def is_known_before(self) -> bool:
        """Whether all that is expected, and all that limits cut, is known before the run."""
        model = self.estimate_model
        return model.is_fixed and (model.overrun != "kill" or common_speed(self.cluster, self.discipline) is not None)

    def tell(self, started: int) -> None:
        """Report that so many rows have started; a row of the queue more than jobs counts as none."""
        if self.progress is not None:
            self.progress(min(started, self.workload.jobs), self.workload.jobs)
