"""Multifactor priorities at work on a log: what runs is charged, at ticks all is reckoned anew (rules O8, O9, O11)."""

from typing import TYPE_CHECKING

import numpy as np

from loadmaster.model import Workload
from loadmaster.model.arrays import Floats, Longs
from loadmaster.model.constraints import Constraints
from loadmaster.order.multifactor.age import age_factor
from loadmaster.order.multifactor.fair_share import fair_shares, room_for
from loadmaster.order.multifactor.ledger import new_ledger, start_charging, stop_charging, tick_ledger
from loadmaster.order.multifactor.site_view import SiteView
from loadmaster.order.order import Unmoved

if TYPE_CHECKING:
    from loadmaster.order.multifactor.parameters import Multifactor

MOST = 2.0**32 - 1.0
"""The highest priority that Slurm counts."""


class Priorities(Unmoved):
    """The ranking of `Multifactor`.

    Attributes:
        period_s: between two ticks.
    """

    def __init__(self, rule: "Multifactor", workload: Workload, view: SiteView, fixed: Floats, charge: Floats) -> None:
        nodes, more = len(view.tree.parent), workload.constraints or Constraints()
        self.period_s = rule.calc_period
        self._rule, self._view, self._fixed = rule, view, fixed
        self._submit_s = workload.submit_s
        self._accrue_s = workload.submit_s.copy()
        if more.eligible_s is not None and not rule.accrue_always:
            self._accrue_s = np.maximum(workload.submit_s, more.eligible_s)
        self._waits_for_others = np.zeros(workload.jobs, bool)
        if more.depends is not None and not rule.accrue_always:
            self._waits_for_others = np.diff(more.depends.first) > 0
        self._ledger = new_ledger(nodes, view.leaf, charge, rule.half_life, rule.reset_s, rule.decay == "exact")
        self._room = room_for(nodes)
        self._share_out()

    def tick(self, now_s: float) -> None:
        """Reckon use and fair share anew."""
        tick_ledger(self._ledger, now_s)
        self._share_out()

    def submitted(self, job: int, now_s: float) -> None:
        """Of a job that waited for another, age counts from here on."""
        if self._waits_for_others[job]:
            self._accrue_s[job] = max(self._accrue_s[job], now_s)

    def started(self, job: int, now_s: float) -> None:
        """Its account pays from here on."""
        start_charging(self._ledger, job, now_s)

    def ended(self, job: int, now_s: float) -> None:
        """Its account pays what is left."""
        stop_charging(self._ledger, job, now_s)

    def ranks(self, jobs: Longs, now_s: float) -> Floats:
        """float64[Q]: minus the priorities."""
        return -self.priorities(jobs, now_s)

    def priorities(self, jobs: Longs, now_s: float) -> Floats:
        """float64[Q]: whole numbers from 1 up, as of the last tick or, of jobs that came since, of their arrival."""
        if self._rule.recalc == "pass" and now_s > self._ledger.times[0]:
            self.tick(now_s)
        rule, reckoned_s = self._rule, np.maximum(self._submit_s[jobs], self._ledger.times[0])
        exact = (
            self._fixed[jobs]
            + rule.age * age_factor(self._accrue_s[jobs], reckoned_s, rule.max_age)
            + rule.fair_share * self._room.factor[self._view.leaf[jobs]]
        )
        return np.clip(np.floor(np.maximum(exact, 1.0)), 1.0, MOST)

    def _share_out(self) -> None:
        rule = self._rule
        fair_shares(
            self._view.tree, self._ledger.usage, rule.form == "classic", rule.tied_accounts == "merged", rule.damp,
            self._room,
        )  # fmt: skip
