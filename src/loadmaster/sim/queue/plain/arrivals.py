"""Arrivals in the plain engine: as the log says, or a think time after the end of the job before (rule C11)."""

import heapq
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from loadmaster.model.arrays import Longs
from loadmaster.model.job_succession import NEVER_SENT, jobs_before
from loadmaster.model.schedule import Schedule
from loadmaster.model.snapshot import Decision, Snapshot
from loadmaster.model.workload import Workload
from loadmaster.scheduling import Discipline
from loadmaster.sim.queue.plain.scheduler_like import SchedulerLike


class Arrivals:
    """The jobs in the order in which they arrive, as far as that is known.

    Attributes:
        workload: the jobs; of one whose arrival is not known yet, `submit_s` is infinite until it is.
        place: int64[J], the place of each in the order of arrival; of one that was not known, from its arrival on.
        first_task: int64[J], what the number of its first task would be if jobs were numbered in that order.
        arrived: how many have arrived.
        next_s: when the next job arrives, as far as is known; infinite if no arrival is known.
    """

    def __init__(self, workload: Workload) -> None:
        before = jobs_before(workload)
        known = np.flatnonzero(before < 0)
        # By moment and number: jobs are numbered in the order of their arrival, so the list is a heap.
        self._coming = list(zip(workload.submit_s[known].tolist(), known.tolist(), strict=True))
        self._followers: dict[int, list[int]] = defaultdict(list)
        for job in np.flatnonzero(before >= 0).tolist():
            self._followers[int(before[job])].append(job)
        self._log, self._submit_s = workload, workload.submit_s
        self._task_count = workload.task_count
        self.closed = bool(self._followers)
        if self.closed:
            # The workload's column is a view of this one, so every order and every snapshot sees what is written.
            self._submit_s = np.array(workload.submit_s)
            workload = replace(workload, submit_s=self._submit_s)
            self._submit_s[before >= 0] = np.inf
        self.workload = workload
        self.place: Longs = np.arange(workload.jobs)
        self.first_task: Longs = workload.first_task[:-1].copy()
        self.arrived = self._tasks = 0
        self._seen_s = -math.inf
        self.next_s = self._find_next_s()

    def has_dependents(self, jobs: Iterable[int]) -> bool:
        """Whether a job is submitted after the end of one of `jobs`."""
        return bool(self._followers) and any(job in self._followers for job in jobs)

    def until(self, now_s: float) -> Iterator[int]:
        """The jobs that arrive up to a moment, in the order of arrival, of one moment by number."""
        self._seen_s = now_s
        while self.next_s <= now_s:
            _, job = heapq.heappop(self._coming)
            self.next_s = self._find_next_s()
            if self.closed:  # else jobs arrive in the order of their numbers
                self.place[job], self.first_task[job] = self.arrived, self._tasks
                self._tasks += int(self._task_count[job])
            self.arrived += 1
            yield job

    def ended(self, job: int, time_s: float) -> None:
        """A job has ended for good: its user thinks, and sends the next; behind a pass that ended it, after that."""
        for follower in self._followers.pop(job, ()):
            bound = self.workload.constraints
            think_s = 0.0 if bound is None or bound.think_s is None else float(bound.think_s[follower])
            submit_s = time_s + think_s
            if submit_s <= self._seen_s:
                submit_s = math.nextafter(self._seen_s, math.inf)
            self._submit_s[follower] = submit_s
            heapq.heappush(self._coming, (submit_s, follower))
            self.next_s = self._find_next_s()

    def close(self) -> None:
        """No further job arrives."""
        self.arrived = self.workload.jobs
        self._coming.clear()
        self.next_s = self._find_next_s()

    def lived(self, schedule: Schedule) -> tuple[Workload, Schedule]:
        """The jobs that arrived, in the order and at the times of their arrival, and their schedule.

        No job follows another in this workload, and it has no recorded starts.
        """
        came = np.flatnonzero(np.isfinite(self._submit_s))
        order = came[np.argsort(self._submit_s[came], kind="stable")]
        workload = self._log.arriving(order, self._submit_s[order])
        assert workload.constraints is not None
        settled = replace(workload.constraints, follows=None, think_s=None)
        workload = replace(workload, constraints=settled, recorded_wait_s=None, recorded_hosts=None)
        return workload, _of_those(schedule, order, self._log)

    def _find_next_s(self) -> float:
        return self._coming[0][0] if self._coming else math.inf


def _of_those(schedule: Schedule, order: Longs, workload: Workload) -> Schedule:
    """`schedule` of the jobs `order`, in that order."""
    first = workload.first_task
    tasks = np.concatenate([np.arange(first[job], first[job + 1]) for job in order.tolist()])
    number = np.full(workload.jobs, -1)
    number[order] = np.arange(order.size)
    cut = schedule.segments
    unsent = workload.jobs - order.size
    return replace(
        schedule,
        start_s=schedule.start_s[order],
        host=schedule.host[tasks],
        cards=None if schedule.cards is None else schedule.cards[tasks],
        end_s=None if schedule.end_s is None else schedule.end_s[order],
        status=None if schedule.status is None else schedule.status[order],
        segments=None if cut is None else replace(cut, job=number[cut.job]),
        never={**schedule.never, **({NEVER_SENT: unsent} if unsent else {})},
        expected_s=None if schedule.expected_s is None else schedule.expected_s[order],
        start_up_s=None if schedule.start_up_s is None else schedule.start_up_s[order],
    )


@dataclass(frozen=True)
class ByArrival:
    """Ties go by arrival, and schedulers break them by the number of a job (rule Q1): so they see places in that order.

    Attributes:
        scheduler: decides.
        arrivals: give the place of each job.
    """

    scheduler: SchedulerLike
    arrivals: Arrivals

    @property
    def discipline(self) -> Discipline:
        """As it is."""
        return self.scheduler.discipline

    def decide(self, snapshot: Snapshot) -> Decision:
        """What to start now."""
        place, queue, running = self.arrivals.place, snapshot.queue, snapshot.running
        number = {int(place[job]): int(job) for job in (*queue.job, *snapshot.promises)}
        decision = self.scheduler.decide(
            replace(
                snapshot,
                queue=replace(queue, job=place[queue.job], first_task=self.arrivals.first_task[queue.job]),
                running=replace(running, job=place[running.job]),
                promises={int(place[job]): promise for job, promise in snapshot.promises.items()},
            )
        )
        return replace(
            decision,
            place=tuple(start._replace(job=number[start.job]) for start in decision.place),
            promises={number[job]: promise for job, promise in decision.promises.items()},
        )
