"""Schedules made by a list: the order in which jobs may start, and where they go."""

from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np

from loadmaster.model.arrays import Floats, Ints, Longs
from loadmaster.search.list_kernel import ListProblem, ListSchedule, ListState, run_list
from loadmaster.search.reserving_kernel import Runs, run_reserving
from loadmaster.search.rigid import Rigid


@dataclass(frozen=True, eq=False)
class PlannedSchedule:
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


def listed(queue: Rigid, key: Floats, tight_in: int) -> PlannedSchedule:
    """Whenever there is room, the job of the lowest `key` float64[J] that fits starts on the tightest host.

    Args:
        queue: the jobs.
        key: ties go to the first in the log.
        tight_in: the resource of which a host is to have little left.
    """
    order, room, begun = _list(queue, key, tight_in)
    run_list(order, room, begun, np.empty(len(begun.host), np.int64))
    return PlannedSchedule(*begun)


def listed_reserving(queue: Rigid, key: Floats, tight_in: int) -> PlannedSchedule:
    """The same with a reservation: no job may delay the first job of the list that finds no room.

    Raises:
        ValueError: a job has several tasks.
    """
    if not queue.of_one_task:
        raise ValueError("a place is kept for jobs of one task only")
    order, room, begun = _list(queue, key, tight_in)
    none, amounts = np.full(queue.jobs, -1), np.empty((2, queue.demand.shape[1]))
    runs = Runs(np.full(len(room.free), -1), none, *amounts)
    run_reserving(order, room, begun, runs, np.empty(queue.jobs + 1, np.int64))
    return PlannedSchedule(*begun)


def _list(queue: Rigid, key: Floats, tight_in: int) -> tuple[ListProblem, ListState, ListSchedule]:
    """The jobs in the order of `key`, all hosts free, and where the starts are written."""
    jobs = queue.jobs
    job_at = np.argsort(key, kind="stable")
    place = np.empty(jobs, np.int64)
    place[job_at] = np.arange(jobs)
    first = np.concatenate(([0], np.cumsum(queue.tasks)))
    by_ready = np.argsort(queue.ready_s, kind="stable")
    free = queue.capacity[queue.class_of]
    order = ListProblem(
        queue.ready_s,
        by_ready,
        queue.lasts_s,
        queue.demand,
        first,
        place,
        job_at,
        queue.class_of,
        np.arange(len(free)),
        tight_in,
    )
    room = ListState(free, np.empty(jobs, np.int64), np.empty(jobs), np.empty(jobs, np.int64))
    return order, room, ListSchedule(np.empty(jobs), np.empty(jobs), np.empty(first[-1], np.int32))


def handed_out(planned: PlannedSchedule, tasks: Longs, hosts: int) -> PlannedSchedule:
    """Where hosts were only counted: a host for each of the `tasks` int64[J], the lowest that are free at the start."""
    first = np.concatenate(([0], np.cumsum(tasks)))
    host = np.empty(first[-1], np.int32)
    free, running = list(range(hosts)), [(np.inf, -1)]
    for j in np.lexsort((planned.end_s, planned.start_s)).tolist():
        while running[0][0] <= planned.start_s[j]:
            over = heappop(running)[1]
            for h in host[first[over] : first[over + 1]].tolist():
                heappush(free, h)
        host[first[j] : first[j + 1]] = [heappop(free) for _ in range(tasks[j])]
        heappush(running, (float(planned.end_s[j]), j))
    return PlannedSchedule(planned.start_s, planned.end_s, host)


def area_s(queue: Rigid) -> Floats:
    """float64[J]: seconds for which a job would hold all hosts, of the resource of which it holds most."""
    total = (queue.capacity * queue.hosts[:, None]).sum(axis=0)
    held = queue.demand * queue.tasks[:, None] / np.where(total > 0, total, 1.0)
    return np.asarray(held.max(axis=1) * queue.lasts_s.min(axis=1))


def lengths(queue: Rigid) -> Floats:
    """float64[J]: less goes first, short and small jobs, in the mixture that does best on real logs."""
    return np.asarray(queue.lasts_s.min(axis=1) ** 0.25 * area_s(queue) ** 0.75)
