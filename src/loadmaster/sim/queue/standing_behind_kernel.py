"""Where a job might start if those behind it were promised nothing, compiled: most hosts are told at a glance.

Promises are gone through in the order of their moments. Until the moment that is looked at a host has what it has,
since those behind begin later; then it has ever more, as nobody begins any more. So a host holds the job sooner only
where it has enough at some time before, or where something ends then.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.skyline_kernel import covering, fits, until
from loadmaster.kernels import inlined, inner
from loadmaster.sim.queue.standing_queue_kernel import bucket
from loadmaster.sim.queue.standing_state import PASS

FAR = 16
"""Stretches of time, beyond which no host is passed over for what begins in them."""


@inner
def begin_sweep(standing):
    """Nothing is known of what hosts have until the moment that is looked at."""
    for host in range(standing.again.next_s.shape[0]):
        standing.again.next_s[host] = -np.inf


@inner
def has_changed(standing, host):
    """What a host has is otherwise than it was."""
    standing.again.next_s[host] = -np.inf


@inner
def is_behind(standing, job, before_s, before):
    """Whether the job comes after another, whose moment is `before_s`, in the order of the moments."""
    return standing.start_s[job] > before_s or (standing.start_s[job] == before_s and job > before)


@inner
def sweep(standing, sky, before_s, now_s):
    """Note the most that each host has at any time before that, and when its next step begins."""
    for host in range(standing.again.next_s.shape[0]):
        if standing.again.next_s[host] < before_s:
            _sweep_host(standing.again, sky, host, before_s, now_s)


@inner
def _sweep_host(again, sky, host, before_s, now_s):
    end, at = sky.first[host] + sky.many[host], covering(sky, host, max(now_s, again.next_s[host]))
    if again.next_s[host] == -np.inf:
        for r in range(again.most.shape[0]):
            again.most[r, host] = sky.free[at, r]
        at += 1
    while at < end and sky.time_s[at] < before_s:
        for r in range(again.most.shape[0]):
            again.most[r, host] = max(again.most[r, host], sky.free[at, r])
        at += 1
    again.next_s[host] = sky.time_s[at] if at < end else np.inf


@inlined
def is_likely(again, host, demand, best_s):
    """Whether a host has enough at some time before, or something ends there until `best_s`."""
    likely = True
    for r in range(demand.shape[0]):
        likely &= again.most[r, host] >= demand[r]
    return likely or again.next_s[host] <= best_s


@inlined
def list_likely(standing, hand, demand, before_s, best_s, now_s):
    """List those hosts not cleared that might hold a task of that demand from `best_s` on or sooner; how many.

    Where a promise begins until then, something may end unseen at that moment.
    """
    again, size, first, many = standing.again, 0, np.int64(0), np.int64(0)
    far = before_s <= now_s or best_s == np.inf
    if not far and best_s >= before_s:
        first, many = bucket(before_s), bucket(best_s) - bucket(before_s) + 1
        far = many > FAR
    for host in range(again.next_s.shape[0]):
        likely = far
        if not far:
            for number in range(first, first + many):
                likely |= again.near[number % again.near.shape[0], host] > 0
        if again.cleared_at[host] != standing.tally[PASS] and (likely or is_likely(again, host, demand, best_s)):
            hand.listed[size] = host
            size += 1
    return size


@inner
def may_hold(asked, standing, sky, hand, host, job, before_s, best_s, now_s):
    """Whether a host that is listed might do so, if those behind the job were promised nothing."""
    if before_s > now_s and _fits_until(asked, sky, host, job, before_s, best_s, now_s):
        return True
    return best_s >= before_s and _is_free_then(asked, standing, sky, hand, host, job, before_s, best_s, now_s)


@inner
def _fits_until(asked, sky, host, job, before_s, best_s, now_s):
    """Whether a host has room for the job from `best_s` on or sooner, as long as it lasts or until `before_s`."""
    demand, expected_s = asked.demand[asked.kind[job]], asked.expected_s[job]
    since_s, enough_s, end = np.inf, np.inf, sky.first[host] + sky.many[host]
    for at in range(covering(sky, host, now_s), end):
        if min(since_s, sky.time_s[at]) > best_s or sky.time_s[at] >= before_s:
            return False
        if not fits(sky, at, demand):
            since_s = np.inf
        elif since_s == np.inf:
            since_s = max(sky.time_s[at], now_s)
            enough_s = min(until(since_s, expected_s), before_s)
        if since_s < np.inf and (at + 1 == end or sky.time_s[at + 1] >= enough_s):
            return since_s <= best_s
    return False


@inner
def _is_free_then(asked, standing, sky, hand, host, job, before_s, then_s, now_s):
    """Whether a host has room for a task of the job at a moment, but for what is promised behind it."""
    at, task, demand = covering(sky, host, then_s), np.int64(standing.on_first[host]), asked.demand[asked.kind[job]]
    for r in range(demand.shape[0]):
        hand.window[host, r] = sky.free[at, r]
    while task >= 0:
        other = np.int64(asked.task_job[task])
        start_s = max(now_s, standing.start_s[other])
        if is_behind(standing, other, before_s, job) and start_s <= then_s < until(start_s, asked.expected_s[other]):
            for r in range(demand.shape[0]):
                hand.window[host, r] += asked.demand[asked.kind[other], r]
        task = np.int64(standing.on_next[task])
    enough = True
    for r in range(demand.shape[0]):
        enough &= hand.window[host, r] >= demand[r]
    return enough
