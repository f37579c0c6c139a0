"""Limits on work: what was used so far, fading, and what running jobs may still take of their limits (rule C10)."""

import math
from collections.abc import Iterable

import numpy as np

from loadmaster.model.arrays import Floats
from loadmaster.order.multifactor.decay import LN2, faded, lasting
from loadmaster.scheduling.resource_time_limits import WorkLimits

AGAIN_S = 300.0
"""Who waits for work to fade or to get done is looked at again so often: Slurm's usual PriorityCalcPeriod."""


class WorkUsed:
    """Counts the work of running jobs against every limit.

    Attributes:
        used: float64[W], of work done until the clock, in resource-seconds.
    """

    def __init__(self, limits: WorkLimits) -> None:
        self._limits = limits
        self.used: Floats = np.zeros(len(limits.most))
        self._rate: Floats = np.zeros(len(limits.most))
        self._clock_s = 0.0
        self._running: dict[int, tuple[int, float]] = {}  # by job: its entry, and when its limit is over

    def start(self, job: int, entry: int, now_s: float) -> None:
        """A job starts in that entry; or it has started before the clock, and is found only now."""
        self._until(now_s)
        self._running[job] = entry, now_s + float(self._limits.limit_s[job])
        missed_s = lasting(max(self._clock_s - now_s, 0.0), self._limits.half_life_s)
        for limit, amount in self._limits.uses(entry):
            self._rate[limit] += amount
            self.used[limit] += amount * missed_s

    def stop(self, job: int, now_s: float) -> None:
        """It runs no more."""
        self._until(now_s)
        entry, _ = self._running.pop(job)
        for limit, amount in self._limits.uses(entry):
            self._rate[limit] -= amount
        if not self._running:
            self._rate[:] = 0.0

    def left(self, now_s: float) -> Floats:
        """float64[W]: what is left of every limit."""
        self._until(now_s)
        taken = np.where(self._limits.counts_use, self.used, 0.0)
        for entry, over_s in self._running.values():
            for limit, amount in self._limits.uses(entry):
                if self._limits.looks_ahead[limit]:
                    taken[limit] += amount * max(over_s - now_s, 0.0)
        return np.asarray(self._limits.most - taken)

    def again_s(self, now_s: float, waiting: Iterable[int]) -> float:
        """When to look again at those of the entries `waiting` that a limit keeps back; infinite if never."""
        left = self.left(now_s)
        short = [(limit, need) for entry in waiting for limit, need in self._limits.needs(entry) if left[limit] < need]
        if not short:
            return math.inf
        if self._running:
            return (math.floor(now_s / AGAIN_S) + 1.0) * AGAIN_S
        fades_s = min(self._faded_s(limit, need) for limit, need in short)
        return now_s + max(fades_s, AGAIN_S)

    def _faded_s(self, limit: int, need: float) -> float:
        """How long use takes to fade until `need` is left, if nothing runs; infinite if it never does."""
        allowed = self._limits.most[limit] - need
        if self._limits.half_life_s <= 0.0 or allowed <= 0.0:
            return math.inf
        return self._limits.half_life_s / LN2 * math.log(self.used[limit] / allowed)

    def _until(self, now_s: float) -> None:
        passed_s, half_life_s = now_s - self._clock_s, self._limits.half_life_s
        if passed_s > 0.0:
            self.used = self.used * faded(passed_s, half_life_s) + self._rate * lasting(passed_s, half_life_s)
            self._clock_s = now_s
