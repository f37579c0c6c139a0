"""Reservations that no longer fit are made again, compiled: only on the hosts where that changes something.

By the plain rule, all reservations are checked in the order of their starts, and each is held if it fits beside those
before it. On a host with room for all its reservations this changes nothing. The other hosts are cleared, and their
reservations are held again one by one. A job that no longer fits gets the earliest start that the reservations before
it leave. A host that might give this start is cleared too, of the reservations behind the job.
"""
# mypy: disable-error-code="no-untyped-def,assignment"

import numpy as np

from loadmaster.backfilling.conservative_kernel import NOW_ONLY
from loadmaster.backfilling.free_profile_kernel import first_on, hold, least, until
from loadmaster.backfilling.start_bounds_kernel import forget
from loadmaster.jit.heap_kernel import drop_first, push
from loadmaster.jit.kernels import inner
from loadmaster.sim.queue.engine.profile.displacement_kernel import (
    begin_sweep,
    has_changed,
    is_behind,
    is_likely,
    list_likely,
    may_hold,
    sweep,
)
from loadmaster.sim.queue.engine.profile.earliest_start_kernel import choose, earliest_of_all
from loadmaster.sim.queue.engine.profile.reservations_kernel import (
    entries_of,
    entry_fits,
    give_up,
    hold_total,
    note_moved,
    promise,
)
from loadmaster.sim.queue.engine.profile.state import CHOSEN, CLEARED, MOVED, PASS, WRONG


@inner
def clear_later(plan, host):
    """Mark the host to be cleared: it has less than is held there."""
    kept = plan.kept
    count = plan.tally
    if kept.cleared_at[host] != count[PASS]:
        kept.cleared_at[host] = count[PASS]
        kept.cleared[count[CLEARED]] = host
        count[CLEARED] += 1


@inner
def replace_reservations(plan, rate, now_s):
    """Check the reservations on hosts that are marked, in the order of starts, and all that follows from that."""
    requests, kept, bounds = plan.requests, plan.kept, plan.bounds
    count, size, alone = plan.tally, np.int64(0), True
    if count[CLEARED] == 0:
        return
    begin_sweep(plan)
    for i in range(count[CLEARED]):
        size = _clear(plan, np.int64(kept.cleared[i]), -np.inf, np.int64(-1), size, now_s)
    while size > 0 and not count[WRONG]:
        job, before_s = np.int64(kept.order[0]), kept.order_s[0]
        size = drop_first(kept.order_s, kept.order, size)
        if _reserve_again(plan, job, now_s):
            continue
        give_up(plan, job, now_s)
        # a job of several tasks may need any host: clear all
        if alone and requests.tasks[job] > 1:
            alone = False
            size = _clear_all(plan, job, before_s, size, now_s)
        if alone:
            start_s, able, size = _first_alone(plan, job, before_s, size, now_s)
            count[CHOSEN] = 0
            if start_s < np.inf:
                choose(plan, rate, job, able)
        else:
            start_s = earliest_of_all(plan, rate, job, now_s)
        promise(plan, job, start_s, now_s)
        first, end = entries_of(plan, job)
        for entry in range(first, end):
            has_changed(plan, plan.host[entry])
        kept.seen[job] = 0 if plan.early_end == NOW_ONLY else bounds.freed[0]
        # it moved to now, and was due later before
        if start_s <= now_s < before_s:
            note_moved(plan, job)
    _keep_due(plan, now_s)


@inner
def _clear(plan, host, before_s, before, size, now_s):
    """Take the reservations behind job `before`, whose start is `before_s`, off a host; their jobs go into the heap.

    Returns the size of the heap.
    """
    requests, kept, sky = plan.requests, plan.kept, plan.sky
    kept.cleared_at[host] = plan.tally[PASS]
    has_changed(plan, host)
    entry = np.int64(kept.on_first[host])
    while entry >= 0:
        job = np.int64(requests.task_job[entry])
        if is_behind(plan, job, before_s, before):
            start_s, demand = max(now_s, plan.start_s[job]), requests.demand[requests.kind[job]]
            end_s = until(start_s, requests.expected_s[job])
            if not _is_out(plan, job):
                size = push(kept.order_s, kept.order, size, plan.start_s[job], job)
                hold_total(plan, job, start_s, end_s, -1.0, now_s)
            kept.out[entry] = True
            hold(sky, host, start_s, end_s, demand, -1.0 * plan.tasks[entry], now_s)
        entry = np.int64(kept.on_next[entry])
    return size


@inner
def _clear_all(plan, job, before_s, size, now_s):
    """Clear all hosts of the reservations behind the job; from then on start bounds say where to look."""
    requests, kept, bounds = plan.requests, plan.kept, plan.bounds
    for host in range(requests.capacity.shape[0]):
        if kept.cleared_at[host] != plan.tally[PASS]:
            size = _clear(plan, np.int64(host), before_s, job, size, now_s)
    forget(bounds)
    return size


@inner
def _is_out(plan, job):
    """Whether part of the job's reservation has been taken off."""
    some, (first, end) = False, entries_of(plan, job)
    for entry in range(first, end):
        some |= plan.kept.out[entry]
    return some


@inner
def _reserve_again(plan, job, now_s):
    """Hold again what was taken off the job's reservation, if it fits; if not, nothing of it is held."""
    requests, kept, sky = plan.requests, plan.kept, plan.sky
    out, (first, end) = kept.out, entries_of(plan, job)
    start_s, demand, fit = max(now_s, plan.start_s[job]), requests.demand[requests.kind[job]], True
    end_s = until(start_s, requests.expected_s[job])
    for entry in range(first, end):
        if fit and out[entry]:
            host, tasks = plan.host[entry], plan.tasks[entry]
            fit = entry_fits(plan, job, entry, start_s, end_s)
            if fit:
                hold(sky, host, start_s, end_s, demand, 1.0 * tasks, now_s)
                has_changed(plan, host)
                out[entry] = False
    if fit:
        hold_total(plan, job, start_s, end_s, 1.0, now_s)
        return True
    for entry in range(first, end):
        kept.look_s[plan.host[entry]] = -np.inf
        if not out[entry]:
            hold(sky, plan.host[entry], start_s, end_s, demand, -1.0 * plan.tasks[entry], now_s)
            has_changed(plan, plan.host[entry])
        out[entry] = False
    return False


@inner
def _first_alone(plan, job, before_s, size, now_s):
    """The earliest start for a job's one task beside the reservations before it; `before_s` was its own start.

    Returns it, how many hosts are listed for it, and the size of the heap of jobs that hosts were cleared of.
    """
    requests, kept, scratch, sky = plan.requests, plan.kept, plan.scratch, plan.sky
    demand, expected_s = requests.demand[requests.kind[job]], requests.expected_s[job]
    own, able = np.int64(plan.host[requests.first[job]]), 1
    # begin with its own host: the start found there bounds the search
    best_s = first_on(sky, own, demand, expected_s, now_s, np.inf)
    scratch.able[0] = own
    sweep(plan, before_s, now_s)
    for host in range(requests.capacity.shape[0]):
        if kept.cleared_at[host] == plan.tally[PASS] and host != own and is_likely(plan, host, demand, best_s):
            start_s = first_on(sky, host, demand, expected_s, now_s, best_s)
            if start_s < best_s:
                best_s, able = start_s, 0
            if start_s == best_s:
                scratch.able[able] = host
                able += 1
    # hosts that could give an earlier start if the reservations behind were dropped
    for i in range(list_likely(plan, demand, before_s, best_s, now_s)):
        host = np.int64(scratch.listed[i])
        if not may_hold(plan, host, job, before_s, best_s, now_s):
            continue
        size = _clear(plan, host, before_s, job, size, now_s)
        start_s = first_on(sky, host, demand, expected_s, now_s, best_s)
        if start_s < best_s:
            best_s, able = start_s, 0
        if start_s == best_s:
            scratch.able[able] = host
            able += 1
    if best_s < np.inf:
        for i in range(able):
            least(sky, scratch.able[i], best_s, until(best_s, expected_s), scratch.window)
    return best_s, able, size


@inner
def _keep_due(plan, now_s):
    """Keep those of the jobs that were to start now whose start is still now."""
    kept = plan.kept
    many, plan.tally[MOVED] = plan.tally[MOVED], 0
    for i in range(many):
        if plan.start_s[kept.moved[i]] <= now_s:
            kept.moved[plan.tally[MOVED]] = kept.moved[i]
            plan.tally[MOVED] += 1
