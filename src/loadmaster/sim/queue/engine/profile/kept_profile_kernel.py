"""One pass of conservative backfilling that keeps its reservations, compiled: the plan changes only where it must.

Reservations that fit together still fit in the next pass, with two exceptions: a running job outlives its estimate, or
a reserved start comes late. Only then are reservations checked again, as `SchedulingPass.renew_promises` does: on the
hosts concerned (`replace_kernel.py`), or all of them if more than half of the hosts are concerned.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.conservative_kernel import ARRIVAL, IN_THEIR_ORDER, NOW_ONLY
from loadmaster.backfilling.free_profile_kernel import begin_profile, hold, is_out_of_room, is_overfull, until
from loadmaster.backfilling.releases import INSTANT_S
from loadmaster.backfilling.start_bounds_kernel import forget
from loadmaster.jit.heap_kernel import drop_first, push
from loadmaster.jit.kernels import inner
from loadmaster.sim.queue.engine.profile.earliest_start_kernel import earliest_of_all
from loadmaster.sim.queue.engine.profile.early_ends_kernel import move_all, start_sooner
from loadmaster.sim.queue.engine.profile.replace_kernel import clear_later, replace_reservations
from loadmaster.sim.queue.engine.profile.reservations_kernel import (
    entries_of,
    entry_fits,
    heap_by_start,
    hold_hosts,
    hold_promise,
    hold_total,
    link,
    next_due_s,
    next_promised,
    note_due,
    note_moved,
    promise,
    put_off,
    renew_due,
    unlink,
    write_hosts,
)
from loadmaster.sim.queue.engine.profile.running_jobs_kernel import list_overdue, note_start, take_best
from loadmaster.sim.queue.engine.profile.state import CLEARED, DUE, EARLY, MOVED, PASS, PROMISED, WRONG
from loadmaster.sim.queue.engine.state import ARRIVED, OUT_OF_ROOM, RUNNING, WAITING
from loadmaster.sim.queue.engine.undo_kernel import take_again


@inner
def serve_kept(engine, plan, now_s):
    """Start the jobs whose start has come, give new jobs a reservation; returns wrong or 0."""
    requests, kept, count, queue = plan.requests, plan.kept, plan.tally, plan.state.tally
    count[PASS] += 1
    count[MOVED] = count[CLEARED] = 0
    _take_over(plan, now_s)
    if 2 * count[CLEARED] <= requests.capacity.shape[0]:
        replace_reservations(plan, engine.calls.rates[0], now_s)
    else:
        _renew_reservations(plan, engine.calls.rates[0], now_s)
    if plan.early_end == NOW_ONLY:
        start_sooner(plan, engine.calls.rates[0], now_s)
    elif count[EARLY] and (plan.early_end == ARRIVAL or plan.early_end == IN_THEIR_ORDER):
        move_all(plan, engine.calls.rates[0], now_s, plan.early_end == IN_THEIR_ORDER)
    count[EARLY] = 0
    size = 0
    # start in the order of arrival
    for i in range(count[MOVED]):
        size = push(kept.order_s, kept.order, size, np.float64(kept.moved[i]), kept.moved[i])
    tried = queue[WAITING] - (queue[ARRIVED] - count[PROMISED])
    while size > 0 and not count[WRONG]:
        job = np.int64(kept.order[0])
        size = drop_first(kept.order_s, kept.order, size)
        unlink(plan, job)
        _start(engine, plan, job, now_s)
    limit = plan.rules.lookahead
    while count[PROMISED] < queue[ARRIVED] and (limit < 0 or tried < limit) and not count[WRONG]:
        _serve_new(engine, plan, count[PROMISED], now_s)
        tried += 1
    return OUT_OF_ROOM if is_out_of_room(plan.sky) and not count[WRONG] else count[WRONG]


@inner
def _take_over(plan, now_s):
    """Extend overdue jobs to just after now, and let due reservations begin now.

    Hosts where something no longer fits are marked to be cleared; due jobs are put into `moved`.
    """
    kept, sky = plan.kept, plan.sky
    count, soonest = plan.tally, np.nextafter(now_s, np.inf)
    for i in range(list_overdue(plan, now_s)):
        job = np.int64(plan.overdue[i])
        hold_hosts(plan, job, now_s, soonest, 1.0, now_s)
        first, end = entries_of(plan, job)
        for entry in range(first, end):
            host = np.int64(plan.host[entry])
            if is_overfull(sky, host, now_s, soonest):
                clear_later(plan, host)
            kept.look_s[host] = min(kept.look_s[host], soonest)
    while next_due_s(plan) <= now_s:
        job = np.int64(kept.due[0])
        count[DUE] = drop_first(kept.due_s, kept.due, count[DUE])
        _begin_now(plan, job, now_s)


@inner
def _begin_now(plan, job, now_s):
    """Let a due reservation begin now, which may be late."""
    requests, kept, sky = plan.requests, plan.kept, plan.sky
    count, start_s = plan.tally, plan.start_s[job]
    if count[MOVED] > 0 and kept.moved[count[MOVED] - 1] == job:
        return  # twice in the heap
    note_moved(plan, job)
    held_s, end_s = until(start_s, requests.expected_s[job]), until(now_s, requests.expected_s[job])
    if start_s < now_s:
        held_s, (first, end) = max(held_s, now_s), entries_of(plan, job)
        hold_hosts(plan, job, held_s, end_s, 1.0, now_s)
        for entry in range(first, end):
            if is_overfull(sky, plan.host[entry], held_s, end_s):
                clear_later(plan, np.int64(plan.host[entry]))


@inner
def _renew_reservations(plan, rate, now_s):
    """Make all reservations again, in the order of their starts; a job that no longer fits gets its earliest start."""
    requests, kept, state = plan.requests, plan.kept, plan.state
    count, soonest = plan.tally, np.nextafter(now_s, np.inf)
    begin_profile(plan.sky, kept.capacity, now_s)
    for i in range(state.tally[RUNNING]):
        job = np.int64(state.ending[i])
        end_s = max(plan.log.start_s[job] + requests.expected_s[job], soonest)
        hold_hosts(plan, job, now_s, end_s, 1.0, now_s)
    forget(plan.bounds)
    kept.look_s[:] = -np.inf
    size, count[MOVED] = heap_by_start(plan), 0
    while size > 0 and not count[WRONG]:
        job = np.int64(kept.order[0])
        size = drop_first(kept.order_s, kept.order, size)
        put_off(plan, job, max(now_s, plan.start_s[job]))
        if not _reserve_again(plan, job, now_s):
            unlink(plan, job)
            start_s = earliest_of_all(plan, rate, job, now_s)
            promise(plan, job, start_s, now_s)
        kept.seen[job] = 0
        if plan.start_s[job] <= now_s:
            note_moved(plan, job)
    renew_due(plan)


@inner
def _reserve_again(plan, job, now_s):
    """Hold exactly what the job had reserved, if all of it still fits; returns whether it does."""
    requests, sky = plan.requests, plan.sky
    start_s, demand = plan.start_s[job], requests.demand[requests.kind[job]]
    end_s, (first, end) = until(start_s, requests.expected_s[job]), entries_of(plan, job)
    for entry in range(first, end):
        if not entry_fits(plan, job, entry, start_s, end_s):
            for k in range(first, entry):
                hold(sky, plan.host[k], start_s, end_s, demand, -1.0 * plan.tasks[k], now_s)
            return False
        hold(sky, plan.host[entry], start_s, end_s, demand, 1.0 * plan.tasks[entry], now_s)
    hold_total(plan, job, start_s, end_s, 1.0, now_s)
    return True


@inner
def _serve_new(engine, plan, job, now_s):
    """Start the job now if it fits, else reserve its earliest start."""
    kept, bounds = plan.kept, plan.bounds
    count = plan.tally
    start_s = earliest_of_all(plan, engine.calls.rates[0], job, now_s)
    if count[WRONG]:
        return
    plan.start_s[job] = start_s
    write_hosts(plan, job)
    hold_promise(plan, job, 1.0, now_s)
    count[PROMISED] += 1
    if start_s <= now_s:
        _start(engine, plan, job, now_s)
        return
    link(plan, job)
    note_due(plan, job)
    kept.seen[job] = 0 if plan.early_end == NOW_ONLY else bounds.freed[0]


@inner
def _start(engine, plan, job, now_s):
    """Start the job on its reserved hosts; where hosts are counted, on the best of all."""
    if plan.as_pool:
        _, wrong = take_best(engine, plan, job, now_s)
        if wrong:
            plan.tally[WRONG] = wrong
            return
    else:
        first, end = entries_of(plan, job)
        for entry in range(first, end):
            take_again(engine, job, np.int64(plan.host[entry]), np.int64(plan.tasks[entry]))
    note_start(plan, job)


@inner
def wake_s(plan):
    """The first reserved start after the last pass, except those at its very instant."""
    soonest_s = plan.now[0] + INSTANT_S
    first_s = next_due_s(plan)
    if first_s > soonest_s:
        return first_s
    first_s, job = np.inf, next_promised(plan, 0)
    while job < plan.tally[PROMISED]:
        if plan.start_s[job] > soonest_s:
            first_s = min(first_s, plan.start_s[job])
        job = next_promised(plan, job + 1)
    return first_s
