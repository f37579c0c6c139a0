"""The jobs that wait, and from when on each may start: the plain engine reads this before every pass."""

import math
from bisect import insort
from collections.abc import Iterator

import numpy as np

from loadmaster.model.arrays import Floats, Longs
from loadmaster.model.dependencies import KINDS
from loadmaster.scheduling.dependencies import CORRESPONDING, ended_well
from loadmaster.scheduling.resolved_constraints import ResolvedConstraints

_AFTER, _AFTERANY, _AFTEROK, _AFTERNOTOK = map(KINDS.index, ("after", "afterany", "afterok", "afternotok"))
UNDECIDED = -1


class WaitingJobs:
    """Jobs that wait, in the order of arrival, and what became of the others as far as dependencies ask (rule C3).

    Attributes:
        waiting: numbers of jobs that may start some day.
        stuck: how many jobs have arrived that never can.
    """

    def __init__(self, jobs: int, binding: ResolvedConstraints | None, place: Longs | None = None) -> None:
        self.waiting: list[int] = []
        self.stuck = 0
        self._binding = binding
        self._place: Longs = np.arange(jobs) if place is None else place
        self._first_start_s: Floats = np.full(jobs, np.nan)
        self._end_s: Floats = np.full(jobs, np.nan)
        self._status = np.full(jobs, UNDECIDED)
        self._running: dict[int, int] = {}  # by group of singletons, how many run
        self._tasks_running: dict[int, int] = {}  # by throttled array

    def arrive(self, job: int) -> None:
        """A job arrives, or comes back."""
        if self._binding is not None and self._binding.never[job]:
            self.stuck += 1
        else:
            insort(self.waiting, job, key=self._place.item)

    def refuse(self) -> None:
        """A job is refused as it arrives."""
        self.stuck += 1

    def start(self, job: int, now_s: float) -> None:
        """It starts."""
        self.waiting.remove(job)
        self.begin(job, now_s)

    def begin(self, job: int, now_s: float) -> None:
        """It runs from now on, and did not wait here."""
        if self._binding is not None:
            if math.isnan(self._first_start_s[job]):
                self._first_start_s[job] = now_s
            self._count(job, 1)

    def end(self, job: int, time_s: float, status: int) -> None:
        """It ends for good."""
        if self._binding is not None:
            self._end_s[job], self._status[job] = time_s, status
            self._count(job, -1)

    def requeue(self, job: int) -> None:
        """It was stopped and waits again."""
        self._count(job, -1)
        self.arrive(job)

    def eligible(self, now_s: float) -> list[int]:
        """The jobs that may start at `now_s` as far as time and other jobs go; of a throttled array the first ones."""
        if self._binding is None:
            return self.waiting
        latest_s = self._binding.latest_s
        ready = [job for job in self.waiting if self.ready_s(job) <= now_s <= latest_s[job]]
        arrays, count = self._binding.throttled, dict(self._tasks_running)
        if not len(arrays.most):
            return ready
        beyond = set()
        for job in sorted(ready, key=lambda job: int(arrays.seat[job])):
            array = int(arrays.array[job])
            count[array] = count.get(array, 0) + 1
            if array >= 0 and count[array] > arrays.most[array]:
                beyond.add(job)
        return [job for job in ready if job not in beyond]

    def next_s(self, now_s: float) -> float:
        """When a job may start that may not yet, by all that is known; infinite if there is none."""
        if self._binding is None:
            return math.inf
        times = (self.ready_s(job) for job in self.waiting)
        return min((time for time in times if time > now_s), default=math.inf)

    def ready_s(self, job: int) -> float:
        """From when on the job may start; infinite as long as that depends on what has not happened."""
        binding = self._binding
        assert binding is not None
        waits = binding.waits
        times = [self._met_s(d, job) for d in range(int(waits.first[job]), int(waits.first[job + 1]))]
        if waits.single[job]:
            times.append(-math.inf if self._is_alone(job) else math.inf)
        if not times:
            return float(binding.eligible_s[job])
        return max(float(binding.eligible_s[job]), min(times) if waits.one_is_enough[job] else max(times))

    def _met_s(self, dependency: int, job: int) -> float:
        binding = self._binding
        assert binding is not None
        waits = binding.waits
        on = waits.on[int(waits.first_on[dependency]) : int(waits.first_on[dependency + 1])]
        kind, delay_s = int(waits.kind[dependency]), float(waits.delay_s[dependency])
        return max((self._done_s(kind, int(other), delay_s) for other in on), default=-math.inf)

    def _done_s(self, kind: int, other: int, delay_s: float) -> float:
        """When what a dependency of that kind waits for in `other` happened; infinite if it has not, or cannot."""
        if kind == _AFTER:
            start_s = float(self._first_start_s[other])
            return math.inf if math.isnan(start_s) else start_s + delay_s
        end_s, status = float(self._end_s[other]), int(self._status[other])
        if status == UNDECIDED:
            return math.inf
        if kind in (_AFTEROK, CORRESPONDING) and not ended_well(status):
            return math.inf
        return math.inf if kind == _AFTERNOTOK and ended_well(status) else end_s

    def _is_alone(self, job: int) -> bool:
        binding = self._binding
        assert binding is not None
        group = int(binding.waits.group[job])
        return not self._running.get(group, 0) and all(
            self._place[j] >= self._place[job] for j in self._of_group(group)
        )

    def _of_group(self, group: int) -> Iterator[int]:
        assert self._binding is not None
        return (job for job in self.waiting if self._binding.waits.group[job] == group)

    def _count(self, job: int, by: int) -> None:
        if self._binding is None:
            return
        group, array = int(self._binding.waits.group[job]), int(self._binding.throttled.array[job])
        if group >= 0:
            self._running[group] = self._running.get(group, 0) + by
        if array >= 0:
            self._tasks_running[array] = self._tasks_running.get(array, 0) + by
