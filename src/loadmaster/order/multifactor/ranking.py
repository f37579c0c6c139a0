"""Multifactor priorities of a log: running jobs are charged, and ticks calculate all anew (rules O8, O9, O11)."""

from typing import TYPE_CHECKING

import numpy as np

from loadmaster.model import Workload
from loadmaster.model.arrays import Floats, Longs
from loadmaster.model.constraints import Constraints
from loadmaster.order.multifactor.age import age_factor
from loadmaster.order.multifactor.fair_share import fair_shares, room_for
from loadmaster.order.multifactor.ledger import (
    carry_over,
    is_at_rest,
    new_ledger,
    start_charging,
    stop_charging,
    tick_ledger,
)
from loadmaster.order.multifactor.site_view import SiteView
from loadmaster.order.multifactor.state import MOST, Flags, PriorityState, Weights, fresh
from loadmaster.order.order import IgnoresEvents, Ranking

if TYPE_CHECKING:
    from loadmaster.order.multifactor.parameters import Multifactor


class Priorities(IgnoresEvents):
    """The ranking of `Multifactor`.

    Attributes:
        period_s: between two ticks.
        state: all that changes, which `priority_kernel` can go on with.
    """

    def __init__(self, period_s: float, state: PriorityState) -> None:
        self.period_s, self.state = period_s, state

    def tick(self, now_s: float) -> None:
        """Reckon use anew; fair share when it is next requested."""
        tick_ledger(self.state.ledger, now_s)
        self.state.stale[0] = 1

    @property
    def at_rest(self) -> bool:
        """Whether a tick is as good as many."""
        return is_at_rest(self.state.ledger)

    def submitted(self, job: int, now_s: float) -> None:
        """Of a job that waited for another, age counts from here on; so it does where no log told when it arrives."""
        if np.isinf(self.state.submit_s[job]):
            self.state.submit_s[job] = self.state.accrue_s[job] = now_s
        if self.state.waits[job]:
            self.state.accrue_s[job] = max(self.state.accrue_s[job], now_s)

    def started(self, job: int, now_s: float) -> None:
        """Its account pays from here on; what it waited for has come, also where it goes back to the queue."""
        self.state.waits[job] = False
        start_charging(self.state.ledger, job, now_s)

    def ended(self, job: int, now_s: float) -> None:
        """Its account pays what is left, which fair share knows of from the next tick on."""
        self._share_out()
        stop_charging(self.state.ledger, job, now_s)

    def ranks(self, jobs: Longs, now_s: float) -> Floats:
        """float64[Q]: minus the priorities, as of the last tick or, of jobs that came since, of their arrival."""
        state, weights = self.state, self.state.weights
        if state.flags.each_pass and now_s > state.ledger.times[0]:
            self.tick(now_s)
        self._share_out()
        reckoned_s = np.maximum(state.submit_s[jobs], state.ledger.times[0])
        exact = (
            state.fixed[jobs]
            + weights.age * age_factor(state.accrue_s[jobs], reckoned_s, weights.max_age_s)
            + weights.fair_share * state.room.factor[state.ledger.leaf[jobs]]
        )
        return -np.minimum(np.floor(np.maximum(exact, 1.0)), MOST)

    def resume(self, before: Ranking, was: Longs) -> None:
        """Use, what runs and since when jobs have waited go on; accounts are found again by their jobs.

        Factors stand until the next reckoning, as they do for Slurm, unless there is an account that had none.
        """
        assert isinstance(before, Priorities)
        old, new, known = before.state, self.state, np.flatnonzero(was >= 0)
        new.accrue_s[known] = old.accrue_s[was[known]]
        leaf, was_leaf = new.ledger.leaf[known], old.ledger.leaf[was[known]]
        if np.array_equal(old.tree.parent, new.tree.parent) and np.array_equal(leaf, was_leaf):
            leaf = was_leaf = np.arange(len(new.tree.parent), dtype=np.int32)
            new.room.factor[:] = old.room.factor
            new.stale[0] = old.stale[0]
        carry_over(old.ledger, new.ledger, (leaf, was_leaf), (known, was[known]))

    def _share_out(self) -> None:
        state = self.state
        if state.stale[0]:
            flags = state.flags
            fair_shares(state.tree, state.ledger.usage, flags.classic, flags.merged, state.weights.damp, state.room)
            state.stale[0] = 0


def state_of(rule: "Multifactor", workload: Workload, view: SiteView, fixed: Floats, charge: Floats) -> PriorityState:
    """The state at the start of a log: all use is 0.

    Args:
        rule: the parameters.
        workload: J jobs.
        view: what the site's rules say of them.
        fixed: float64[J], the priorities without age and fair share.
        charge: float64[J], for a second of each job.
    """
    more = Constraints() if rule.accrue_always or workload.constraints is None else workload.constraints
    waits = np.zeros(workload.jobs, bool) if more.depends is None else np.diff(more.depends.first) > 0
    eligible_s = workload.submit_s if more.eligible_s is None else more.eligible_s
    nodes = len(view.tree.parent)
    return PriorityState(
        new_ledger(nodes, view.leaf, charge, rule.half_life, rule.reset_s, rule.decay == "exact"),
        view.tree,
        room_for(nodes),
        fixed,
        workload.submit_s.copy(),
        np.maximum(workload.submit_s, eligible_s),
        waits,
        fresh(),
        Weights(*map(float, (rule.age, rule.fair_share, rule.max_age, rule.damp))),
        Flags(rule.form == "classic", rule.tied_accounts == "merged", rule.recalc == "pass"),
    )
