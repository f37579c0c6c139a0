"""Amounts of the whole cluster from now on, compiled: the same as `loadmaster.backfilling.cluster_wide`.

The amounts are those of one host, in a chain of steps as `availability_kernel` keeps them. A row's uses of them stand
before its uses of other limits. Code that calls these functions has asked whether `view.cluster_wide` is there.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.availability_kernel import covering, end_of, has_room, hold, least, step_at
from loadmaster.jit.kernels import inner

HOST = 0
"""The only host of the chain."""


@inner
def lay_out_cluster_wide(view, now):
    """Begin a pass: what is left now, and what running jobs give back."""
    wide, many = view.cluster_wide, view.cluster_wide.window.shape[1]
    wide.chain[HOST].first = wide.chain[HOST].last = 0
    wide.chain[HOST].falls_s = np.inf
    wide.step[0].start_s, wide.step[0].next, wide.size[0] = now.now_s, -1, 1
    for amount in range(many):
        wide.step_free[0, amount] = view.this_pass.left[amount]
    if not has_room(view.this_pass, wide, wide.many[0] + wide.change_s.shape[0] + 1, 0):
        return
    soonest = np.nextafter(now.now_s, np.inf)
    for i in range(wide.many[0]):
        _add_from(wide, max(wide.end_s[i], soonest), wide.held[i])
    for i in range(wide.change_s.shape[0]):
        if wide.change_s[i] > now.now_s:
            _add_from(wide, wide.change_s[i], wide.change[i])


@inner
def _add_from(wide, from_s, amounts):
    """Add the amounts to all steps from a moment on."""
    step = step_at(wide, HOST, from_s)
    while step >= 0:
        for amount in range(amounts.shape[0]):
            wide.step_free[step, amount] += amounts[amount]
        step = np.int64(wide.step[step].next)


@inner
def asks_cluster_wide(view, row):
    """Whether the row asks for any of the amounts."""
    of = view.rows.of[row]
    return of.uses > 0 and view.rows.use[of.first_use].limit < view.cluster_wide.window.shape[1]


@inner
def has_cluster_wide(view, row, start_s, lasts_s):
    """Whether the amounts of the row are there from `start_s` on for so long."""
    if not asks_cluster_wide(view, row):
        return True
    wide, of = view.cluster_wide, view.rows.of[row]
    least(wide, HOST, start_s, end_of(start_s, lasts_s))
    for use in range(of.first_use, of.first_use + of.uses):
        limit = view.rows.use[use].limit
        if limit < wide.window.shape[1] and wide.window[HOST, limit] < view.rows.use[use].amount:
            return False
    return True


@inner
def hold_cluster_wide(view, row, start_s, end_s, sign):
    """Take (`sign` 1.0) or give back (-1.0) the amounts of the row for that time.

    Returns whether there was room for the steps; if not, the pass must be repeated.
    """
    if not asks_cluster_wide(view, row):
        return True
    wide, of = view.cluster_wide, view.rows.of[row]
    if not has_room(view.this_pass, wide, 2, wide.size[0]):
        return False
    for amount in range(wide.amount.shape[0]):
        wide.amount[amount] = 0.0
    for use in range(of.first_use, of.first_use + of.uses):
        if view.rows.use[use].limit < wide.amount.shape[0]:
            wide.amount[view.rows.use[use].limit] = view.rows.use[use].amount
    hold(wide, HOST, start_s, end_s, wide.amount, wide.amount.shape[0], sign)
    return True


@inner
def next_cluster_wide_change(view, after_s):
    """The first moment after `after_s` at which an amount changes; infinite if there is none."""
    wide = view.cluster_wide
    following = wide.step[covering(wide, HOST, after_s)].next
    return wide.step[following].start_s if following >= 0 else np.inf
