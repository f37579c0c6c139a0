"""The first start of a job if the reservations behind it are dropped, compiled: a few values rule out most hosts.

Reservations are checked in the order of their starts. The job at hand has the start `before_s`; the jobs behind it
start no earlier. So dropping them changes nothing on a host before `before_s`. After that moment no other reservation
begins, so the host's free capacity never falls. A host can therefore hold the job sooner in two cases only: it has
enough free at some moment before `before_s`, or something ends there after it. `most` and `next_s` answer both.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.free_profile_kernel import covering, fits, until
from loadmaster.jit.kernels import inlined, inner
from loadmaster.sim.queue.engine.profile.reservations_kernel import bucket
from loadmaster.sim.queue.engine.profile.state import PASS

FAR = 16
"""Spans of time above which all hosts are checked for reservations that begin in them."""


@inner
def begin_sweep(plan):
    """Forget what hosts have free before the moment at hand."""
    kept = plan.kept
    for host in range(kept.next_s.shape[0]):
        kept.next_s[host] = -np.inf


@inner
def has_changed(plan, host):
    """Forget the host's values: its profile has changed."""
    kept = plan.kept
    kept.next_s[host] = -np.inf


@inner
def is_behind(plan, job, before_s, before):
    """Whether the job comes after job `before`, whose start is `before_s`, in the order of starts."""
    return plan.start_s[job] > before_s or (plan.start_s[job] == before_s and job > before)


@inner
def sweep(plan, before_s, now_s):
    """Find, for each host, the most that it has free at any moment before `before_s`, and its first step after that."""
    kept = plan.kept
    for host in range(kept.next_s.shape[0]):
        if kept.next_s[host] < before_s:
            _sweep_host(plan, host, before_s, now_s)


@inner
def _sweep_host(plan, host, before_s, now_s):
    kept, sky = plan.kept, plan.sky
    end, at = sky.first[host] + sky.many[host], covering(sky, host, max(now_s, kept.next_s[host]))
    if kept.next_s[host] == -np.inf:
        for r in range(kept.most.shape[0]):
            kept.most[r, host] = sky.free[at, r]
        at += 1
    while at < end and sky.time_s[at] < before_s:
        for r in range(kept.most.shape[0]):
            kept.most[r, host] = max(kept.most[r, host], sky.free[at, r])
        at += 1
    kept.next_s[host] = sky.time_s[at] if at < end else np.inf


@inlined
def is_likely(plan, host, demand, best_s):
    """Whether a host has enough free at some moment before, or something ends there until `best_s`."""
    kept = plan.kept
    likely = True
    for r in range(demand.shape[0]):
        likely &= kept.most[r, host] >= demand[r]
    return likely or kept.next_s[host] <= best_s


@inlined
def list_likely(plan, demand, before_s, best_s, now_s):
    """List the hosts not cleared that may hold a task of that demand from `best_s` on or sooner; returns how many.

    Where a reservation begins until then, a step of the profile may hide an end at the same moment, so the host is
    listed.
    """
    kept, scratch = plan.kept, plan.scratch
    size, first, many = 0, np.int64(0), np.int64(0)
    far = before_s <= now_s or best_s == np.inf
    if not far and best_s >= before_s:
        first, many = bucket(before_s), bucket(best_s) - bucket(before_s) + 1
        far = many > FAR
    for host in range(kept.next_s.shape[0]):
        likely = far
        if not far:
            for number in range(first, first + many):
                likely |= kept.near[number % kept.near.shape[0], host] > 0
        if kept.cleared_at[host] != plan.tally[PASS] and (likely or is_likely(plan, host, demand, best_s)):
            scratch.listed[size] = host
            size += 1
    return size


@inner
def may_hold(plan, host, job, before_s, best_s, now_s):
    """Whether a listed host can do so, if the reservations behind the job are dropped."""
    if before_s > now_s and _fits_until(plan, host, job, before_s, best_s, now_s):
        return True
    return best_s >= before_s and _is_free_then(plan, host, job, before_s, best_s, now_s)


@inner
def _fits_until(plan, host, job, before_s, best_s, now_s):
    """Whether a host has room from `best_s` on or sooner, until the job ends or until `before_s`."""
    requests, sky = plan.requests, plan.sky
    demand, expected_s = requests.demand[requests.kind[job]], requests.expected_s[job]
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
def _is_free_then(plan, host, job, before_s, then_s, now_s):
    """Whether a host has room for a task of the job at a moment, without the reservations behind the job."""
    requests, kept, scratch, sky = plan.requests, plan.kept, plan.scratch, plan.sky
    at, entry, demand = covering(sky, host, then_s), np.int64(kept.on_first[host]), requests.demand[requests.kind[job]]
    for r in range(demand.shape[0]):
        scratch.window[host, r] = sky.free[at, r]
    while entry >= 0:
        other = np.int64(requests.task_job[entry])
        start_s = max(now_s, plan.start_s[other])
        if is_behind(plan, other, before_s, job) and start_s <= then_s < until(start_s, requests.expected_s[other]):
            for r in range(demand.shape[0]):
                scratch.window[host, r] += plan.tasks[entry] * requests.demand[requests.kind[other], r]
        entry = np.int64(kept.on_next[entry])
    enough = True
    for r in range(demand.shape[0]):
        enough &= scratch.window[host, r] >= demand[r]
    return enough
