"""A log as it was scheduled: the columns that the formula of a metric works on."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from loadmaster.measure.energy import Energy, energy
from loadmaster.measure.group_waits import Fairness, fairness_of_users
from loadmaster.measure.losses import Losses, losses
from loadmaster.measure.queue_metrics import BOUND_S, Metrics, metrics, waits
from loadmaster.measure.timeline import Timeline, timeline
from loadmaster.measure.usage import measured
from loadmaster.model.arrays import Bools, Floats, Ints
from loadmaster.model.cluster import Cluster
from loadmaster.model.schedule import Schedule
from loadmaster.model.workload import Workload


@dataclass(frozen=True, eq=False)
class ScheduledJobs:
    """J jobs in the order of their arrival, on hosts.

    Attributes:
        workload: all columns of the log, users and accounts among them.
        cluster: the hosts.
        schedule: where and when each job ran, and the cycles.

    Example:
        >>> from loadmaster.model import Cycles
        >>> two = Workload.of(submit_s=[0, 0], runtime_s=[10, 10], cores=[1, 1])
        >>> cycles = Cycles(np.array([0.0, 10.0]), np.array([2, 1]), np.array([1, 1]), np.array([0, 0]))
        >>> schedule = Schedule(np.array([0.0, 10.0]), np.array([0, 0]), cycles)
        >>> jobs = ScheduledJobs(two, Cluster.uniform(1, cores=1), schedule)
        >>> jobs.wait_s.tolist(), jobs.end_s.tolist(), jobs.bounded_slowdown.tolist()
        ([0.0, 10.0], [10.0, 20.0], [1.0, 2.0])
    """

    workload: Workload
    cluster: Cluster
    schedule: Schedule

    @property
    def jobs(self) -> int:
        """How many."""
        return self.workload.jobs

    @property
    def submit_s(self) -> Floats:
        """float64[J]: when each arrived."""
        return self.workload.submit_s

    @property
    def start_s(self) -> Floats:
        """float64[J]: when its last run began, NaN where it never started."""
        return self.schedule.start_s

    @property
    def started(self) -> Bools:
        """bool[J]: it got hosts."""
        return self.schedule.started

    @cached_property
    def end_s(self) -> Floats:
        """float64[J]: when it ended, NaN where it never started."""
        return self.schedule.ends_s(self.workload)

    @cached_property
    def runtime_s(self) -> Floats:
        """float64[J]: how long it ran for work that counted."""
        return self.schedule.ran_s(self.workload)

    @cached_property
    def wait_s(self) -> Floats:
        """float64[J]: from arrival to end without the runtime, NaN where it never started."""
        return waits(self.workload, self.schedule)

    @cached_property
    def bounded_slowdown(self) -> Floats:
        """float64[J]: (wait + runtime) / runtime, runtimes below 10 s taken as 10 s, and at least 1."""
        turnaround_s = self.wait_s + self.runtime_s
        return np.maximum(turnaround_s / np.maximum(self.runtime_s, BOUND_S), 1.0)

    @property
    def start_up_s(self) -> Floats:
        """float64[J]: how long each waited for its hosts to start (rule C17)."""
        return np.zeros(self.jobs) if self.schedule.start_up_s is None else self.schedule.start_up_s

    @property
    def tasks(self) -> Ints:
        """int32[J]: tasks of each job."""
        return self.workload.task_count

    @cached_property
    def cores(self) -> Floats:
        """float64[J]: cores of all its tasks; of a log without cores, what its first resource counts."""
        return np.asarray(self.workload.demand[:, 0] * self.tasks)

    @cached_property
    def measures(self) -> Metrics:
        """Waits, slowdowns, queue and utilization of the whole run."""
        return metrics(self.workload, self.cluster, self.schedule)

    @cached_property
    def energy(self) -> Energy:
        """The energy of all hosts, its cost and its carbon; NaN where the power of hosts is not known."""
        return energy(self.workload, self.cluster, self.schedule)

    @cached_property
    def losses(self) -> Losses:
        """Jobs that did not run, or not to their end."""
        return losses(self.workload, self.schedule)

    @cached_property
    def fairness(self) -> Fairness | None:
        """Between users; None where the log does not know them, or no job started."""
        return fairness_of_users(self.workload, self.schedule)

    @cached_property
    def use(self) -> Timeline:
        """What was used and stranded of every resource, over time."""
        return timeline(self.workload, self.cluster, self.schedule)

    @cached_property
    def stranded(self) -> dict[str, float]:
        """For each resource, the mean part of the cluster that was stranded until the last arrival."""
        resources = self.workload.resources
        if len(resources) == 1:  # only another resource of the same host strands one
            return {resources[0]: 0.0}
        parts = self.use.mean_stranded(measured(self.workload, self.schedule)[1])
        return dict(zip(resources, parts.tolist(), strict=True))
