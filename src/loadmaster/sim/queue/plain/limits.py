"""What is left of every limit while a log is replayed."""

from collections.abc import Mapping

import numpy as np

from loadmaster.backfilling.cluster_wide import amounts_of
from loadmaster.model.arrays import Floats
from loadmaster.model.snapshot import BY_END, ExpectedEnd
from loadmaster.scheduling.resolved_constraints import ResolvedConstraints
from loadmaster.sim.queue.plain.work_limits import WorkUsed


class LimitsLeft:
    """Counts what jobs take of limits, and gives it back (rule C6).

    Attributes:
        left: float64[L], what is left of every limit of what runs.
        work: what is left of limits on work.
    """

    def __init__(self, binding: ResolvedConstraints) -> None:
        self._binding = binding
        self.left: Floats = binding.counters.most.copy()
        self.work = WorkUsed(binding.work)
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
        """float64: what is left of every limit at a moment, those on work behind those of what runs."""
        left = np.concatenate((self.left, self.work.left(now_s)))
        for change in self._binding.cluster_wide_changes:
            if change.end_s <= now_s:
                left[: len(change.demand)] += change.demand
        return left

    def cluster_wide_changes(self, now_s: float) -> tuple[ExpectedEnd, ...]:
        """By how much amounts of the whole cluster change after `now_s`."""
        return tuple(change for change in self._binding.cluster_wide_changes if change.end_s > now_s)

    def start(self, job: int, partition: int, now_s: float) -> None:
        """It starts in that partition."""
        entries = self._binding.entries
        rows = range(int(entries.first[job]), int(entries.first[job + 1]))
        self._entry[job] = next(row for row in rows if entries.partition[row] == partition)
        for limit, amount in self._binding.counters.uses(self._entry[job]):
            self.left[limit] -= amount
        self.work.start(job, self._entry[job], now_s)

    def stop(self, job: int, now_s: float) -> None:
        """It runs no more."""
        self.work.stop(job, now_s)
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
        """It neither runs nor waits any more."""
        for limit, amount in self._submits(job):
            self._left_to_submit[limit] += amount

    def _submits(self, job: int) -> tuple[tuple[int, float], ...]:
        return self._binding.submits.uses(int(self._binding.entries.first[job]))
