"""Limits on work, in resource-seconds: what each job takes in a second, and what must be left when it starts."""

from dataclasses import dataclass

import numpy as np

from loadmaster.model import SiteRules
from loadmaster.model.arrays import Bools, Floats, Longs
from loadmaster.scheduling.host_eligibility import Entries
from loadmaster.scheduling.running_limits import Counters

ANY = float(np.nextafter(0.0, 1.0))
"""What must be left where it only matters that the limit is not used up."""


@dataclass(frozen=True, eq=False)
class WorkLimits:
    """W limits of E entries (rule C10).

    Attributes:
        most: float64[W].
        rates: what each entry takes of them in a second.
        job: int64[E].
        limit_s: float64[J], the longest run of each job.
        counts_use: bool[W], work done counts; looks_ahead: bool[W], so does what running jobs may still do.
        half_life_s: of work done; 0: it never fades.
    """

    most: Floats
    rates: Counters
    job: Longs
    limit_s: Floats
    counts_use: Bools
    looks_ahead: Bools
    half_life_s: float

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
        if not len(self.most):
            return np.zeros(len(self.job), bool)
        rows = range(len(self.job))
        return np.array([any(need > self.most[limit] for limit, need in self.needs(row)) for row in rows], bool)


def work_limits(rates: Counters, rules: SiteRules, entries: Entries, limit_s: Floats) -> WorkLimits:
    """The limits behind counters of work.

    Use that fades counts together with what running jobs may still do if the site is `limits_safe`, else alone.
    """
    kinds = np.array(rates.kind, dtype=object)
    ahead = (kinds == "grp_tres_run_s") | ((kinds == "grp_tres_s") & rules.limits_safe)
    return WorkLimits(rates.most, rates, entries.job, limit_s, kinds != "grp_tres_run_s", ahead, rules.use_half_life_s)
