"""Schedules made by a list: the order in which jobs may start, and where they go."""

from dataclasses import dataclass

import numpy as np

from loadmaster.model.arrays import Floats, Ints
from loadmaster.search.list_kernel import Begun, Listed, ListState, run_list
from loadmaster.search.rigid import Rigid


@dataclass(frozen=True, eq=False)
class Planned:
    """Starts of all jobs of a queue.

    Attributes:
        start_s, end_s: float64[J].
        host: int32[T], of every task, job after job.
    """

    start_s: Floats
    end_s: Floats
    host: Ints

    @property
    def sum_s(self) -> float:
        """The sum of all starts: lower by as much as the sum of the waits is."""
        return float(self.start_s.sum())


def listed(queue: Rigid, key: Floats, tight_in: int) -> Planned:
    """Whenever there is room, the job of the lowest `key` float64[J] that fits starts on the tightest host.

    Args:
        queue: the jobs.
        key: ties go to the first in the log.
        tight_in: the resource of which a host is to have little left.
    """
    jobs, tasks = queue.jobs, int(queue.tasks.sum())
    job_at = np.argsort(key, kind="stable")
    place = np.empty(jobs, np.int64)
    place[job_at] = np.arange(jobs)
    first = np.concatenate(([0], np.cumsum(queue.tasks)))
    hosts = len(queue.class_of)
    begun = Begun(np.empty(jobs), np.empty(jobs), np.empty(tasks, np.int32))
    run_list(
        Listed(queue.ready_s, np.argsort(queue.ready_s, kind="stable"), queue.lasts_s, queue.demand, first, place,
               job_at, queue.class_of),
        ListState(queue.capacity[queue.class_of], np.empty(jobs, np.int64), np.empty(jobs), np.empty(jobs, np.int64)),
        begun, tight_in, np.arange(hosts), np.empty(tasks, np.int64),
    )  # fmt: skip
    return Planned(*begun)


def area_s(queue: Rigid) -> Floats:
    """float64[J]: seconds for which a job would hold all hosts, of the resource of which it holds most."""
    total = (queue.capacity * queue.hosts[:, None]).sum(axis=0)
    held = queue.demand * queue.tasks[:, None] / np.where(total > 0, total, 1.0)
    return np.asarray(held.max(axis=1) * queue.lasts_s.min(axis=1))


def lengths(queue: Rigid) -> Floats:
    """float64[J]: less goes first, short and small jobs, in the mixture that does best on real logs."""
    return np.asarray(queue.lasts_s.min(axis=1) ** 0.25 * area_s(queue) ** 0.75)
