"""The free profile of one planning pass, compiled: its reservations are dropped at the end, running jobs stay.

When a pass first reserves something on a host, it copies the host's steps behind those that are kept, and works on the
copy. At the end of the pass the host refers to the kept steps again. Start bounds that the pass learned on such a host
hold in this pass only, so they are undone too.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.free_profile_kernel import LEAST_ROOM, first_on, hold, until
from loadmaster.backfilling.start_bounds_kernel import LAST, may_lower_start
from loadmaster.jit.kernels import inner
from loadmaster.sim.queue.engine.profile.state import BLOCK, CHOSEN, PASS, PLANNED_HOSTS


@inner
def hold_ahead(plan, job, start_s, now_s):
    """Hold the hosts in `scratch` for the job from that moment on, until the end of the pass."""
    requests, replan, ahead, count = plan.requests, plan.replan, plan.ahead, plan.tally
    for k in range(count[CHOSEN]):
        host = plan.scratch.host[k]
        if replan.planned_at[host] != count[PASS]:
            replan.planned_at[host] = count[PASS]
            replan.planned[count[PLANNED_HOSTS]] = host
            count[PLANNED_HOSTS] += 1
            plan.state.open[host] = False
            _copy(ahead, host)
        end_s = until(start_s, requests.expected_s[job])
        tasks = 1.0 * plan.scratch.tasks[k]
        hold(ahead, host, start_s, end_s, requests.demand[requests.kind[job]], tasks, now_s)
        _note_change(replan, host)
    if plan.total >= 0:
        if replan.planned_at[plan.total] != count[PASS]:
            replan.planned_at[plan.total] = count[PASS]
            _copy(ahead, plan.total)
        end_s = until(start_s, requests.expected_s[job])
        hold(ahead, plan.total, start_s, end_s, requests.demand[requests.kind[job]], 1.0 * requests.tasks[job], now_s)


@inner
def drop_ahead(plan, used):
    """Drop all reservations of the pass; `used` steps were in use before."""
    replan, bounds = plan.replan, plan.bounds
    for i in range(plan.tally[PLANNED_HOSTS]):
        plan.state.open[replan.planned[i]] = True
        show_running(plan, replan.planned[i])
    show_running(plan, plan.total)
    plan.tally[PLANNED_HOSTS] = 0
    plan.sky.used[0] = used
    for at in range(replan.undo[0] - 1, -1, -1):
        kind, host, bound_s = replan.undo_class[at], replan.undo_host[at], replan.undo_s[at]
        bounds.soon_s[kind, host] = bound_s
        replan.block_s[kind, host // BLOCK] = min(replan.block_s[kind, host // BLOCK], bound_s)
    replan.undo[0] = 0


@inner
def show_running(plan, host):
    """Let the pass see the kept steps of a host, or of the total, which have changed."""
    sky, ahead = plan.sky, plan.ahead
    if host < 0:
        return
    ahead.first[host], ahead.many[host] = sky.first[host], sky.many[host]
    ahead.base[host], ahead.room[host] = sky.base[host], sky.room[host]
    _note_change(plan.replan, host)


@inner
def _note_change(replan, host):
    replan.changes[0] += 1
    replan.changed_at[host] = replan.changes[0]


@inner
def _copy(ahead, host):
    old, many, new = ahead.first[host], ahead.many[host], ahead.used[0]
    if new + many + LEAST_ROOM > ahead.time_s.shape[0]:
        ahead.used[0] = ahead.time_s.shape[0] + 1
        return
    ahead.base[host] = ahead.first[host] = new
    ahead.room[host] = many + LEAST_ROOM
    ahead.used[0] = new + many + LEAST_ROOM
    for i in range(many):
        ahead.time_s[new + i] = ahead.time_s[old + i]
        for r in range(ahead.free.shape[1]):
            ahead.free[new + i, r] = ahead.free[old + i, r]


@inner
def lower_bounds(plan, kind, now_s):
    """Lower the bounds of a class by what was freed since the class was last requested."""
    bounds, block_s = plan.bounds, plan.replan.block_s
    known, freed = bounds.known[kind], bounds.freed[0]
    if known == freed:
        return
    bounds.known[kind] = freed
    if freed - known > bounds.freed_host.shape[0]:
        bounds.soon_s[kind, :] = -np.inf
        block_s[kind, :] = -np.inf
        return
    for entry in range(known, freed):
        at = entry & LAST
        host, from_s = bounds.freed_host[at], max(now_s, bounds.freed_s[at] - bounds.long_s[kind] - 1.0)  # for rounding
        if from_s < bounds.until_s[at] and may_lower_start(bounds, at, kind):
            bounds.soon_s[kind, host] = min(bounds.soon_s[kind, host], from_s)
            block_s[kind, host // BLOCK] = min(block_s[kind, host // BLOCK], from_s)


@inner
def first_or_later(plan, job, host, now_s, best_s, able):
    """The earliest start up to `best_s` for a job's one task, with one more host, and how many hosts give it."""
    requests, bounds, replan, kind = plan.requests, plan.bounds, plan.replan, np.int64(plan.bounds.of[job])
    start_s, demand = max(now_s, bounds.soon_s[kind, host]), requests.demand[requests.kind[job]]
    if replan.exact_at[kind, host] != replan.changed_at[host] and start_s <= best_s:
        start_s = _bound_on(plan, kind, host, now_s, best_s)
    is_least = requests.expected_s[job] <= bounds.short_s[kind]  # least of its class: the bound is exact
    for r in range(demand.shape[0]):
        is_least &= demand[r] <= bounds.need[kind, r]
    if start_s <= best_s and not is_least:
        start_s = first_on(plan.ahead, host, demand, requests.expected_s[job], start_s, best_s)
    if start_s < best_s:
        best_s, able = start_s, 0
    if start_s == best_s and start_s < np.inf:
        plan.scratch.able[able] = host
        able += 1
    return best_s, able


@inner
def _bound_on(plan, kind, host, now_s, latest_s):
    """The bound of a class on a host, at most `latest_s` before: made exact unless it becomes later than that."""
    bounds, replan = plan.bounds, plan.replan
    known_s = bounds.soon_s[kind, host]
    bound_s = first_on(plan.ahead, host, bounds.need[kind], bounds.short_s[kind], max(now_s, known_s), latest_s)
    if bound_s > known_s:
        _note_bound(plan, kind, host, bound_s)
    if bound_s <= latest_s and bound_s <= bounds.soon_s[kind, host]:  # and the undo list had room for it
        replan.exact_at[kind, host] = replan.changed_at[host]
    return bound_s


@inner
def _note_bound(plan, kind, host, bound_s):
    replan, soon_s = plan.replan, plan.bounds.soon_s
    if replan.planned_at[host] == plan.tally[PASS]:
        at = replan.undo[0]
        if at == replan.undo_s.shape[0]:
            return
        replan.undo_class[at], replan.undo_host[at], replan.undo_s[at] = kind, host, soon_s[kind, host]
        replan.undo[0] += 1
    soon_s[kind, host] = bound_s
    first, least_s = host // BLOCK * BLOCK, np.inf
    for other in range(first, min(first + BLOCK, soon_s.shape[1])):
        least_s = min(least_s, soon_s[kind, other])
    replan.block_s[kind, host // BLOCK] = least_s
