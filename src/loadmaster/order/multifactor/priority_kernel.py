"""Multifactor priorities compiled, on the state of `ranking.Priorities`, which says what must come out (rule O8)."""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.jit.kernels import LEAN, cached_njit
from loadmaster.order.multifactor import fair_share_kernel, ledger_kernel
from loadmaster.order.multifactor.state import MOST

fair_shares, tick_ledger = fair_share_kernel.fair_shares, ledger_kernel.tick_ledger
is_at_rest = ledger_kernel.is_at_rest
start_charging, stop_charging = ledger_kernel.start_charging, ledger_kernel.stop_charging


@cached_njit(**LEAN)
def _share_out(state):
    """As `Priorities._share_out`."""
    if state.stale[0]:
        flags, damp = state.flags, state.weights.damp
        fair_shares(state.tree, state.ledger.usage, flags.classic, flags.merged, damp, state.room)
        state.stale[0] = 0


@cached_njit(**LEAN)
def tick(state, now_s):
    """As `Priorities.tick`."""
    tick_ledger(state.ledger, now_s)
    state.stale[0] = 1


@cached_njit(**LEAN)
def tick_until(state, time_s, until_s):
    """Tick at every multiple of the period up to `until_s`; time_s float64[2]: the last tick, and the period.

    As `order.tick_until`.
    """
    while time_s[0] + time_s[1] <= until_s:
        if is_at_rest(state.ledger):
            time_s[0] += time_s[1] * max(np.floor((until_s - time_s[0]) / time_s[1]) - 1.0, 0.0)
        time_s[0] += time_s[1]
        tick(state, time_s[0])


@cached_njit(**LEAN)
def submitted(state, job, now_s):
    """As `Priorities.submitted`."""
    if state.waits[job]:
        state.accrue_s[job] = max(state.accrue_s[job], now_s)


@cached_njit(**LEAN)
def started(state, job, now_s):
    """As `Priorities.started`."""
    state.waits[job] = False
    start_charging(state.ledger, job, now_s)


@cached_njit(**LEAN)
def ended(state, job, now_s):
    """As `Priorities.ended`."""
    _share_out(state)
    stop_charging(state.ledger, job, now_s)


@cached_njit(**LEAN)
def rank(state, jobs, n, now_s, out):
    """Write to out[k] the rank of job jobs[k], for k below n; where `jobs` has no entry, of job k itself."""
    flags, weights = state.flags, state.weights
    if flags.each_pass and now_s > state.ledger.times[0]:
        tick(state, now_s)
    _share_out(state)
    last_s = state.ledger.times[0]
    for k in range(n):
        job = jobs[k] if jobs.shape[0] > 0 else k
        waited_s = max(max(state.submit_s[job], last_s) - state.accrue_s[job], 0.0)
        age = min(waited_s / weights.max_age_s, 1.0)
        if weights.max_age_s <= 0.0:
            age = 1.0 if waited_s > 0.0 else 0.0
        exact = state.fixed[job] + weights.age * age + weights.fair_share * state.room.factor[state.ledger.leaf[job]]
        out[k] = -min(np.floor(max(exact, 1.0)), MOST)
