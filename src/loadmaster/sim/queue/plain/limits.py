"""The amount that is left of every limit while a log is replayed."""

import math
from collections.abc import Mapping

import numpy as np

from loadmaster.backfilling.cluster_wide import amounts_of
from loadmaster.model.arrays import Floats, Longs
from loadmaster.model.snapshot import BY_END, ExpectedEnd
from loadmaster.scheduling.resolved_constraints import ResolvedConstraints


class LimitsLeft:
    """Counts what jobs take of limits, and gives it back (rule C6).

    Attributes:
        left: float64[L], what is left of every limit of what runs.
        timed: what is left of limits under which more is left as time passes, kind by kind.
    """

    def __init__(self, binding: ResolvedConstraints) -> None:
        self._binding = binding
        self.left: Floats = binding.counters.most.copy()
        self.timed = tuple(limits.begin() for limits in binding.timed.values())
        self._left_to_submit: Floats = binding.submits.most.copy()
        self._entry: dict[int, int] = {}  # of jobs that run

    def submit(self, job: int) -> bool:
        """A job arrives: whether no limit refuses it; it counts from then on."""
        uses = self._submits(job)
        if any(self._left_to_submit[limit] < amount for limit, amount in uses):
            return False
        self.count_submitted(job)
        return True

    def count_submitted(self, job: int) -> None:
        """A job counts as submitted, whatever is left."""
        for limit, amount in self._submits(job):
            self._left_to_submit[limit] -= amount

    def left_at(self, now_s: float) -> Floats:
        """float64: what is left of every limit at a moment, timed ones behind those of what runs."""
        left = np.concatenate((self.left, *(count.left(now_s) for count in self.timed)))
        for change in self._binding.cluster_wide_changes:
            if change.end_s <= now_s:
                left[: len(change.demand)] += change.demand
        return left

    def cluster_wide_changes(self, now_s: float) -> tuple[ExpectedEnd, ...]:
        """By how much amounts of the whole cluster change after `now_s`."""
        return tuple(change for change in self._binding.cluster_wide_changes if change.end_s > now_s)

    def again_s(self, now_s: float, waiting: Longs) -> float:
        """When more is left to those of the jobs `waiting` that a timed limit keeps back; infinite if it never is."""
        rows = self._binding.entries.open_to(waiting).tolist()
        return min((count.again_s(now_s, rows) for count in self.timed), default=math.inf)

    def start(self, job: int, partition: int, now_s: float) -> None:
        """It starts in that partition."""
        entries = self._binding.entries
        rows = range(int(entries.first[job]), int(entries.first[job + 1]))
        self._entry[job] = next(row for row in rows if entries.partition[row] == partition)
        for limit, amount in self._binding.counters.uses(self._entry[job]):
            self.left[limit] -= amount
        for count in self.timed:
            count.start(job, self._entry[job], now_s)

    def stop(self, job: int, now_s: float) -> None:
        """It runs no more."""
        for count in self.timed:
            count.stop(job, now_s)
        for limit, amount in self._binding.counters.uses(self._entry.pop(job)):
            self.left[limit] += amount

    def cluster_wide_ends(self, expected_end_s: Mapping[int, float]) -> tuple[ExpectedEnd, ...]:
        """What running jobs give back of amounts of the whole cluster, by (expected end, job), as of host 0."""
        many = self._binding.cluster_wide
        ends = [
            ExpectedEnd(expected_end_s[job], job, 0, amounts)
            for job, entry in (self._entry.items() if many else ())
            if job in expected_end_s and any(amounts := amounts_of(self._binding.counters.uses(entry), many))
        ]
        return tuple(sorted(ends, key=BY_END))

    def leave(self, job: int) -> None:
        """It has left the cluster and the queue."""
        for limit, amount in self._submits(job):
            self._left_to_submit[limit] += amount

    def _submits(self, job: int) -> tuple[tuple[int, float], ...]:
        return self._binding.submits.uses(int(self._binding.entries.first[job]))
