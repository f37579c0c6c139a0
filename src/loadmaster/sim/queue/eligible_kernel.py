"""Which waiting jobs may start, and from when on the others may: kept up to date as things happen (rules C2, C3).

The plain engine asks every waiting job before every pass; here a job is asked when something that it waits for happens.
"""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,untyped-decorator"

import numpy as np

from loadmaster.kernels import inlined, inner
from loadmaster.sim.heap_kernel import drop_first, push
from loadmaster.sim.queue.bound_state import (
    AFTER,
    ENTERED,
    EXPIRED,
    ILL,
    IN_QUEUE,
    NOBODY,
    REFUSED,
    ROUND,
    STUCK,
    TIMERS,
    WELL,
)
from loadmaster.sim.queue.queue_state import ARRIVED, WAITING
from loadmaster.sim.queue.ranked_kernel import join_ranked, leave_ranked
from loadmaster.sim.queue.waiting_kernel import join, leave


@inner
def admit_bound(jobs, rules, state, waiting, ranked, bound):
    """Jobs that have come by now wait, unless a limit refuses them or they never can run."""
    count = state.tally
    while count[ARRIVED] < bound.submit_s.shape[0] and bound.submit_s[count[ARRIVED]] <= bound.clock[0]:
        job = count[ARRIVED]
        count[ARRIVED] += 1
        if not _submit(bound, job):
            bound.tally[STUCK] += 1
            bound.tally[REFUSED] += 1
        elif bound.never[job]:
            bound.tally[STUCK] += 1
        else:
            wait(jobs, rules, state, waiting, ranked, bound, job)


@inner
def wait(jobs, rules, state, waiting, ranked, bound, job):
    """`job` waits from now on."""
    state.tally[WAITING] += 1
    bound.waits[job] = True
    group = bound.on.group[job]
    if group >= 0:
        bound.on.lead[group] = min(bound.on.lead[group], bound.on.place[job])
        _regroup(jobs, rules, waiting, ranked, bound, group)
    _refresh(jobs, rules, waiting, ranked, bound, job)


@inner
def begin(jobs, rules, waiting, ranked, bound, job):
    """`job` starts now."""
    if bound.queued[job]:
        _leave_queue(jobs, rules, waiting, ranked, bound, job)
    bound.waits[job] = False
    if not bound.begun[job]:
        bound.begun[job] = True
        _tell(jobs, rules, waiting, ranked, bound, job, bound.clock[0], True)
    _count(jobs, rules, waiting, ranked, bound, job, 1)


@inner
def finish(jobs, rules, waiting, ranked, bound, job, time_s, well):
    """`job` ends for good."""
    for use in range(bound.submits[job], bound.submits[job + 1]):
        bound.most[bound.limit[use]] += 1.0
    _tell(jobs, rules, waiting, ranked, bound, job, time_s, False, well)
    _count(jobs, rules, waiting, ranked, bound, job, -1)


@inner
def come_back(jobs, rules, state, waiting, ranked, bound, job):
    """`job` was stopped and waits anew."""
    _count(jobs, rules, waiting, ranked, bound, job, -1)
    wait(jobs, rules, state, waiting, ranked, bound, job)


@inner
def release(jobs, rules, waiting, ranked, bound):
    """Jobs whose moment has come join the queue; those whose last moment is over leave it."""
    own, now = bound.tally, bound.clock[0]
    while own[TIMERS] > 0 and bound.timer_s[0] <= now:
        job = np.int64(bound.timer[0])
        own[TIMERS] = drop_first(bound.timer_s, bound.timer, own[TIMERS])
        _refresh(jobs, rules, waiting, ranked, bound, job)
    while own[EXPIRED] < bound.by_latest.shape[0] and bound.latest_s[bound.by_latest[own[EXPIRED]]] < now:
        _refresh(jobs, rules, waiting, ranked, bound, np.int64(bound.by_latest[own[EXPIRED]]))
        own[EXPIRED] += 1


@inner
def next_ready(bound):
    """When a job may start that may not yet, by all that is known; infinite if there is none."""
    own = bound.tally
    while own[TIMERS] > 0:
        job, time_s = bound.timer[0], bound.timer_s[0]
        if bound.waits[job] and bound.ready_s[job] == time_s and time_s > bound.clock[0]:
            return time_s
        own[TIMERS] = drop_first(bound.timer_s, bound.timer, own[TIMERS])
    return np.inf


@inlined
def _submit(bound, job):
    """Whether no limit refuses `job`; it counts from then on."""
    for use in range(bound.submits[job], bound.submits[job + 1]):
        if bound.most[bound.limit[use]] < 1.0:
            return False
    for use in range(bound.submits[job], bound.submits[job + 1]):
        bound.most[bound.limit[use]] -= 1.0
    return True


@inner
def _refresh(jobs, rules, waiting, ranked, bound, job):
    """Look anew from when on `job` may start."""
    if not bound.waits[job]:
        return
    now, ready_s = bound.clock[0], _ready_s(bound, job)
    bound.ready_s[job] = ready_s
    may = ready_s <= now and now <= bound.latest_s[job]
    if may and not bound.queued[job]:
        _join_queue(jobs, rules, waiting, ranked, bound, job)
    elif bound.queued[job] and not may:
        _leave_queue(jobs, rules, waiting, ranked, bound, job)
    if now < ready_s < np.inf:
        _set_timer(bound, job)


@inlined
def _ready_s(bound, job):
    on = bound.on
    soonest, latest = np.inf, -np.inf
    for d in range(on.first[job], on.first[job + 1]):
        met_s = on.met_s[d] if on.todo[d] == 0 else np.inf
        soonest, latest = min(soonest, met_s), max(latest, met_s)
    if on.single[job]:
        met_s = -np.inf if on.turn[on.group[job]] == job else np.inf
        soonest, latest = min(soonest, met_s), max(latest, met_s)
    elif on.first[job] == on.first[job + 1]:
        return bound.eligible_s[job]
    return max(bound.eligible_s[job], soonest if on.one_is_enough[job] else latest)


@inner
def _join_queue(jobs, rules, waiting, ranked, bound, job):
    bound.queued[job] = True
    bound.entered[job] = bound.tally[ROUND]
    bound.tally[ENTERED] += 1
    bound.tally[IN_QUEUE] += 1
    for row in range(bound.rows[job], bound.rows[job + 1]):
        if rules.moving:
            join_ranked(ranked, row)
        else:
            join(jobs, waiting, row)


@inner
def _leave_queue(jobs, rules, waiting, ranked, bound, job):
    bound.queued[job] = False
    if bound.entered[job] == bound.tally[ROUND]:
        bound.tally[ENTERED] -= 1
    bound.tally[IN_QUEUE] -= 1
    for row in range(bound.rows[job], bound.rows[job + 1]):
        if rules.moving:
            leave_ranked(ranked, row)
        else:
            leave(jobs, waiting, row)


@inlined
def _set_timer(bound, job):
    own = bound.tally
    if own[TIMERS] == bound.timer_s.shape[0]:  # most of them hold no longer
        own[TIMERS] = 0
        for other in range(bound.waits.shape[0]):
            if bound.waits[other] and bound.clock[0] < bound.ready_s[other] < np.inf:
                own[TIMERS] = push(bound.timer_s, bound.timer, own[TIMERS], bound.ready_s[other], other)
    own[TIMERS] = push(bound.timer_s, bound.timer, own[TIMERS], bound.ready_s[job], job)


@inner
def _tell(jobs, rules, waiting, ranked, bound, job, time_s, began, well=True):
    """Those that wait for `job` are told that it has begun, or that it has ended, well or not."""
    on = bound.on
    for i in range(on.told[job], on.told[job + 1]):
        d = on.telling[i]
        kind = on.kind[d]
        if began != (kind == AFTER) or (kind == WELL and not well) or (kind == ILL and well):
            continue
        on.todo[d] -= 1
        on.met_s[d] = max(on.met_s[d], time_s + on.delay_s[d])
        if on.todo[d] == 0:
            _refresh(jobs, rules, waiting, ranked, bound, np.int64(on.owner[d]))


@inlined
def _count(jobs, rules, waiting, ranked, bound, job, by):
    """One more of the group of `job` runs, or one less."""
    group = bound.on.group[job]
    if group >= 0:
        bound.on.busy[group] += by
        _regroup(jobs, rules, waiting, ranked, bound, group)


@inner
def _regroup(jobs, rules, waiting, ranked, bound, group):
    """See whose turn it is in a group of which one runs at a time."""
    on = bound.on
    at, end = on.lead[group], on.members[group + 1]
    while at < end and not bound.waits[on.member[at]]:
        at += 1
    on.lead[group] = at
    before = np.int64(on.turn[group])
    turn = np.int64(on.member[at]) if at < end and on.busy[group] == 0 else np.int64(NOBODY)
    on.turn[group] = turn
    if before != turn:
        if before >= 0:
            _refresh(jobs, rules, waiting, ranked, bound, before)
        if turn >= 0:
            _refresh(jobs, rules, waiting, ranked, bound, turn)
