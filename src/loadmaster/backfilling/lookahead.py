"""Lookahead backfilling: of the jobs behind the blocked head, start those that together use most cores."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from loadmaster.backfilling.positive_count import refuse_none
from loadmaster.backfilling.scheduling_pass import SchedulingPass
from loadmaster.model.arrays import Longs

MOST_CELLS = 1 << 18
"""Of the table of free cores now and at the shadow time; beyond it cores are counted in larger units."""


class PackedJob(NamedTuple):
    """What a job would take, in whole units: now, and past the shadow time (0 if it ends before)."""

    now: int
    later: int


@dataclass(frozen=True)
class Lookahead:
    """LOS, the lookahead optimizing scheduler (Shmueli and Feitelson 2005; rule Q23).

    Jobs start in their order. The first job that does not fit gets a reservation, as under EASY. Of the next `window`
    jobs behind it those start that together use most cores now, without delay to the reservation. EASY takes them
    one after another instead, so that a small early job may keep out a better set.

    Differs from the paper: cores are counted over all hosts; a chosen job that finds no hosts waits. Jobs
    behind the window, and those left out, start as under EASY if they still fit.

    Attributes:
        window: how many jobs behind the head are packed; the paper finds that 50 are enough.
    """

    window: int = 50
    forgets = True

    def __post_init__(self) -> None:
        refuse_none("window", self.window, "easy packs nothing")

    def serve(self, this_pass: SchedulingPass) -> None:
        """Start jobs in order, make the reservation, then start the best set and whatever else fits."""
        rows = this_pass.rows()
        head = next((row for row in rows if not this_pass.start(row)), None)
        if head is None:
            return
        shadow_s = this_pass.promise(head, moment=True)
        behind = list(rows)
        window = behind[: self.window]
        chosen = self._best_set(this_pass, head, shadow_s, window)
        others = [row for row in behind if row not in chosen]
        for row in [*(row for row in window if row in chosen), *others]:
            if self._may_start(this_pass, row):
                this_pass.start(row)

    def _best_set(self, this_pass: SchedulingPass, head: int, shadow_s: float, window: list[int]) -> set[int]:
        """The rows of the window that together use most cores."""
        free = sum(float(amounts[0]) for amounts in this_pass.room.amounts)
        given_back = sum(float(end.demand[0]) for end in this_pass.releases() if end.end_s <= shadow_s)
        left = free + given_back - _cores(this_pass, head) if shadow_s < np.inf else free
        left = min(max(left, 0.0), free)
        unit = max(1.0, np.ceil(np.sqrt((free + 1) * (left + 1) / MOST_CELLS)))
        jobs = []
        for row in window:
            cores = int(np.ceil(_cores(this_pass, row) / unit))
            ends_before = this_pass.now_s + this_pass.expected_s(row) <= shadow_s
            jobs.append(PackedJob(cores, 0 if ends_before else cores))
        picked = best_packing(jobs, int(free // unit), int(left // unit))
        return {row for row, take in zip(window, picked, strict=True) if take}

    @staticmethod
    def _may_start(this_pass: SchedulingPass, row: int) -> bool:
        """Whether the job is still within limits, and has not started in another partition."""
        job = this_pass.job(row)
        return this_pass.within_limits(row) and all(place.job != job for place in this_pass.started)


def best_packing(jobs: list[PackedJob], free: int, left: int) -> list[bool]:
    """Which of `jobs` to take so that they use most units now: a knapsack with two capacities.

    Args:
        jobs: in their order; of equally good sets that with the earlier jobs is taken.
        free: units that are free now.
        left: units that jobs may hold past the shadow time.

    Example:
        >>> best_packing([PackedJob(3, 0), PackedJob(2, 0), PackedJob(2, 0)], 4, 0)
        [False, True, True]
    """
    best: list[Longs] = [np.zeros((free + 1, left + 1), np.int64)]
    for job in reversed(jobs):
        after = best[-1]
        with_job = after.copy()
        if job.now <= free and job.later <= left:
            taken = after[: free + 1 - job.now, : left + 1 - job.later] + job.now
            place = with_job[job.now :, job.later :]
            np.maximum(place, taken, out=place)
        best.append(with_job)
    picked = []
    for number, job in enumerate(jobs):
        after = best[len(jobs) - 1 - number]
        fits = job.now <= free and job.later <= left
        take = fits and job.now + after[free - job.now, left - job.later] >= after[free, left]
        picked.append(bool(take))
        if take:
            free, left = free - job.now, left - job.later
    return picked


def _cores(this_pass: SchedulingPass, row: int) -> float:
    """Cores of the whole job."""
    queue = this_pass.snapshot.queue
    return float(queue.demand[row, 0]) * int(queue.tasks[row])
