"""Amounts of the whole cluster from now on, compiled: the same as `loadmaster.backfilling.cluster_wide`.

The amounts are those of one host, in a chain of steps as `availability_kernel` keeps them. A row's uses of them stand
before its uses of other limits. Code that calls these functions has asked whether `view.cluster_wide` is there.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.availability_kernel import covering, end_of, has_room, hold
from loadmaster.jit.kernels import inner

HOST = 0
"""The only host of the chain."""


@inner
def lay_out_cluster_wide(view, now):
    """Begin a pass: what is left now, and what running jobs give back."""
    wide, many = view.cluster_wide, view.cluster_wide.step_free.shape[1]
    wide.chain[HOST].first = wide.chain[HOST].last = 0
    wide.chain[HOST].falls_s = np.inf
    wide.step[0].start_s, wide.step[0].next, wide.size[0] = now.now_s, -1, 1
    for amount in range(many):
        wide.step_free[0, amount] = view.this_pass.left[amount]
    if not has_room(view.this_pass, wide, wide.many[0] + wide.change_s.shape[0] + 1, 0):
        return
    soonest, last = np.nextafter(now.now_s, np.inf), np.int64(0)
    end, change = np.int64(0), np.int64(0)
    while change < wide.change_s.shape[0] and wide.change_s[change] <= now.now_s:
        change += 1
    # both lists ascend: the steps are made in their order
    while end < wide.many[0] or change < wide.change_s.shape[0]:
        change_s = wide.change_s[change] if change < wide.change_s.shape[0] else np.inf
        if end < wide.many[0] and wide.end_s[end] <= change_s:
            last = _append(wide, last, max(wide.end_s[end], soonest), wide.held[end])
            end += 1
        else:
            last = _append(wide, last, change_s, wide.change[change])
            for amount in range(many):
                if wide.change[change, amount] < 0.0:
                    wide.chain[HOST].falls_s = min(wide.chain[HOST].falls_s, change_s)
            change += 1


@inner
def _append(wide, last, from_s, amounts):
    """Add the amounts from a moment on, which is not before the last step; returns the last step."""
    if wide.step[last].start_s < from_s:
        new = wide.size[0]
        wide.size[0] += 1
        wide.step[new].start_s, wide.step[new].next, wide.step[last].next = from_s, -1, new
        for amount in range(amounts.shape[0]):
            wide.step_free[new, amount] = wide.step_free[last, amount]
        last = new
    for amount in range(amounts.shape[0]):
        wide.step_free[last, amount] += amounts[amount]
    return last


@inner
def asks_cluster_wide(view, row):
    """Whether the row requests any of the amounts."""
    of = view.rows.of[row]
    return of.uses > 0 and view.rows.use[of.first_use].limit < view.cluster_wide.step_free.shape[1]


@inner
def has_cluster_wide(view, row, start_s, lasts_s):
    """Whether the amounts of the row are there from `start_s` on for so long."""
    if not asks_cluster_wide(view, row):
        return True
    return _has_from(view, row, covering(view.cluster_wide, HOST, start_s), end_of(start_s, lasts_s))


@inner
def first_cluster_wide(view, row, from_s, lasts_s):
    """The first moment from `from_s` on from which the amounts of the row are there for so long; infinite if never."""
    wide, at = view.cluster_wide, covering(view.cluster_wide, HOST, from_s)
    while True:
        if _has_from(view, row, at, end_of(from_s, lasts_s)):
            return from_s
        at = np.int64(wide.step[at].next)
        if at < 0:
            return np.inf
        from_s = wide.step[at].start_s


@inner
def _has_from(view, row, at, end_s):
    """Whether the amounts of the row are there from step `at` on until `end_s`."""
    wide = view.cluster_wide
    if not _covers(view, row, at):
        return False
    if end_s <= wide.chain[HOST].falls_s:
        return True  # until then amounts only grow
    at = np.int64(wide.step[at].next)
    while at >= 0 and wide.step[at].start_s < end_s:
        if not _covers(view, row, at):
            return False
        at = np.int64(wide.step[at].next)
    return True


@inner
def _covers(view, row, at):
    """Whether a step has the amounts of the row."""
    wide, of = view.cluster_wide, view.rows.of[row]
    for use in range(of.first_use, of.first_use + of.uses):
        limit = view.rows.use[use].limit
        if limit < wide.step_free.shape[1] and wide.step_free[at, limit] < view.rows.use[use].amount:
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
