"""Limits on work, in resource-seconds: what each job takes in a second, what it needs, and what is left (rule C10)."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from loadmaster.model import Cluster, Constraints, SiteRules, Workload
from loadmaster.model.arrays import Bools, Floats, Longs
from loadmaster.model.limits import LIMIT_KINDS
from loadmaster.order.multifactor.decay import LN2, faded, lasting
from loadmaster.scheduling.host_eligibility import Entries, limits_s
from loadmaster.scheduling.running_limits import Counters, no_counters, uses_of_scopes

WORK = "work"
"""The name of the kind, and what its limits count (`LIMIT_KINDS`)."""
ANY = float(np.nextafter(0.0, 1.0))
"""What must be left where it only matters that the limit is not used up."""
_RUNNING_ALONE = "grp_tres_run_s"
"""The limit that counts only what running jobs may still do."""
AGAIN_S = 300.0
"""Jobs that wait for work to fade or to get done are looked at again so often: Slurm's usual PriorityCalcPeriod."""


@dataclass(frozen=True, eq=False)
class WorkLimits:
    """W limits of E entries (rule C10).

    Attributes:
        rates: the limits, and what each entry takes of them in a second.
        job: int64[E].
        limit_s: float64[J], the longest run of each job.
        counts_use: bool[W], work done counts; looks_ahead: bool[W], so does what running jobs may still do.
        half_life_s: of work done; 0: it never fades.
    """

    rates: Counters
    job: Longs
    limit_s: Floats
    counts_use: Bools
    looks_ahead: Bools
    half_life_s: float

    @property
    def most(self) -> Floats:
        """float64[W]."""
        return self.rates.most

    def uses(self, entry: int) -> tuple[tuple[int, float], ...]:
        """The work of an entry in a second: ((limit, amount), ...)."""
        return self.rates.uses(entry)

    def needs(self, entry: int) -> tuple[tuple[int, float], ...]:
        """The least that each limit must have left for the entry to start: all that it may take, or anything at all."""
        limit_s = float(self.limit_s[int(self.job[entry])])
        return tuple(
            (limit, amount * limit_s if self.looks_ahead[limit] else ANY) for limit, amount in self.uses(entry)
        )

    @property
    def beyond(self) -> Bools:
        """bool[E]: the entries that may take more than all of a limit."""
        rows = range(len(self.job))
        return np.array([any(need > self.most[limit] for limit, need in self.needs(row)) for row in rows], bool)

    def begin(self) -> "WorkUsed":
        """A count before any work is done."""
        return WorkUsed(self)

    def words(self, limit: int) -> str:
        """What `explain` says of a job that this limit keeps back."""
        which = self.rates.limits[limit]
        what = LIMIT_KINDS[which.kind].words.format(which.resource)
        return f"a limit on work was reached: {self.most[limit]:g} {what} ({which.scope})"


def limits_work(workload: Workload, cluster: Cluster) -> bool:
    """Whether work done, or to be done, is limited."""
    return bool(_limits_on_work(cluster))


def counts_work_done(cluster: Cluster) -> bool:
    """Whether a limit counts the work of jobs that have ended."""
    return bool(_limits_on_work(cluster) - {_RUNNING_ALONE})


def _limits_on_work(cluster: Cluster) -> set[str]:
    rules = cluster.rules or SiteRules()
    limits = (*(qos.limits for qos in rules.qos), *(node.limits for node in rules.accounts))
    return {name for each in limits for name in each.given if LIMIT_KINDS[name].counts == WORK}


def work_limits(workload: Workload, cluster: Cluster, entries: Entries) -> WorkLimits:
    """The limits on work of a run.

    Use that fades counts together with what running jobs may still do if the site is `limits_safe`, else alone.
    """
    rules, bound = cluster.rules or SiteRules(), workload.constraints or Constraints()
    rates = uses_of_scopes(workload, rules, bound, entries, WORK)
    kinds = np.array(rates.kind, dtype=object)
    ahead = (kinds == _RUNNING_ALONE) | ((kinds == "grp_tres_s") & rules.limits_safe)
    used = kinds != _RUNNING_ALONE
    return WorkLimits(rates, entries.job, limits_s(workload, bound), used, ahead, rules.use_half_life_s)


def no_work(jobs: int, entries: Entries) -> WorkLimits:
    """No limits on work of these jobs."""
    none = np.zeros(0, bool)
    return WorkLimits(no_counters(len(entries.job)), entries.job, np.full(jobs, np.inf), none, none, 0.0)


class WorkUsed:
    """Counts the work of running jobs against every limit: what was used so far, fading, and what may still be.

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
