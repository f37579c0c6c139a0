"""The properties of a waiting job that an order gets."""

from operator import methodcaller
from typing import NamedTuple

import numpy as np

from loadmaster.model.arrays import Floats, Ints, Longs
from loadmaster.model.constraints import Constraints
from loadmaster.model.workload import Workload


class Job(NamedTuple):
    """One waiting job, the argument of a rank: plain numbers, so that a rank can be compiled.

    Attributes:
        submit_s: arrival, seconds from the start of the log.
        eligible_s: when it might have started first, as far as its begin time goes.
        expected_s: the runtime at speed 1 that a scheduler may count on.
        tasks: number of tasks.
        cores, memory: of all its tasks together; memory is 0 where the log has none.
        user, account, partition, qos: codes, the same for equal names, of the columns of `Workload` and `Constraints`;
            0 where the log has no such column, -1 where it says nothing of this job.
        priority: given with the job, higher is more urgent; nice: taken off it.
    """

    submit_s: float
    eligible_s: float
    expected_s: float
    tasks: int
    cores: float
    memory: float
    user: int
    account: int
    partition: int
    qos: int
    priority: float
    nice: float


class Backlog(NamedTuple):
    """The waiting jobs when a pass begins: all that are ranked together, a job of several partitions once in each.

    Sums are of whole numbers, so that they come out the same in whichever order jobs are added.

    Attributes:
        jobs: their number.
        core_s: cores x expected runtime of all, the whole core-seconds of each, at most `MOST_CORE_S`.
        oldest_s: the longest wait among them.
    """

    jobs: int
    core_s: float
    oldest_s: float


MOST_CORE_S = 1e12
"""More core-seconds of one job count as so many: the sum of ten million jobs is still a whole number."""


class JobColumns(NamedTuple):
    """The same of J jobs, a column a property: float64[J] and, for counts and codes, int32[J]."""

    submit_s: Floats
    eligible_s: Floats
    expected_s: Floats
    tasks: Ints
    cores: Floats
    memory: Floats
    user: Ints
    account: Ints
    partition: Ints
    qos: Ints
    priority: Floats
    nice: Floats

    def job(self, number: int) -> Job:
        """Job `number` as the argument of a rank."""
        return Job._make(map(methodcaller("item", number), self))

    def backlog(self, jobs: Longs, now_s: float) -> Backlog:
        """The backlog of those `jobs` int64[Q]."""
        if len(jobs) == 0:
            return Backlog(0, 0.0, 0.0)
        core_s = np.minimum(self.expected_s[jobs] * self.cores[jobs], MOST_CORE_S).astype(np.int64)
        return Backlog(len(jobs), float(core_s.sum()), float(now_s - self.submit_s[jobs].min()))


def job_columns(workload: Workload) -> JobColumns:
    """The columns of a workload that orders look at; what it does not have is 0."""
    if workload.starting is not None and workload.starting.columns is not None:
        return JobColumns._make(workload.starting.columns)
    tasks, demand = workload.task_count, workload.demand
    none, codes = np.zeros(workload.jobs), np.zeros(workload.jobs, np.int32)
    more = workload.constraints or Constraints()
    return JobColumns(
        submit_s=workload.submit_s,
        eligible_s=workload.submit_s if more.eligible_s is None else np.maximum(workload.submit_s, more.eligible_s),
        expected_s=workload.expected_s,
        tasks=tasks,
        cores=demand[:, 0] * tasks,
        memory=demand[:, 1] * tasks if demand.shape[1] > 1 else none,
        user=codes if workload.user is None else workload.user,
        account=codes if workload.project is None else workload.project,
        partition=codes if more.partition is None else more.partition.code,
        qos=codes if more.qos is None else more.qos.code,
        priority=none if more.priority is None else more.priority,
        nice=none if more.nice is None else more.nice,
    )
