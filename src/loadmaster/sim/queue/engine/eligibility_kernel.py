"""Which waiting jobs may start, and when the others may: kept up to date event by event (rules C2, C3).

The plain engine checks each waiting job before each pass. Here a job is checked only when something that it waits for
happens.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.jit.heap_kernel import drop_first, push
from loadmaster.jit.kernels import inlined, inner
from loadmaster.sim.queue.engine.array_throttle_kernel import (
    begin_throttled,
    fill,
    join_queue,
    leave_queue,
    make_ready,
    make_unready,
)
from loadmaster.sim.queue.engine.constraint_state import (
    ABLE_REFUSED,
    AFTER,
    EXPIRED,
    ILL,
    NOBODY,
    REFUSED,
    STUCK,
    TIMERS,
    WELL,
)
from loadmaster.sim.queue.engine.state import ARRIVED, WAITING


@inner
def admit_constrained(engine, bound):
    """Let jobs that have arrived by now wait, unless a limit refuses them or they can never run."""
    count = engine.state.tally
    while count[ARRIVED] < bound.job.shape[0] - 1 and bound.job[count[ARRIVED]].submit_s <= bound.clock[0]:
        job = count[ARRIVED]
        count[ARRIVED] += 1
        if bound.job[job].has_begun:  # it ran as the run began
            continue
        if not _submit(bound, job):
            bound.tally[STUCK] += 1
            bound.tally[REFUSED] += 1
            bound.tally[ABLE_REFUSED] += not bound.job[job].never
        elif bound.job[job].never:
            bound.tally[STUCK] += 1
        else:
            wait(engine, bound, job)


@inner
def wait(engine, bound, job):
    """Let `job` wait from now on."""
    engine.state.tally[WAITING] += 1
    bound.job[job].waits = True
    group = bound.job[job].group
    if group >= 0:
        bound.on.group[group].lead = min(bound.on.group[group].lead, bound.job[job].place)
        _regroup(engine, bound, group)
    _refresh(engine, bound, job)


@inner
def begin(engine, bound, job):
    """Start `job` now."""
    if bound.job[job].throttled >= 0:
        begin_throttled(engine.rules, engine.waiting, engine.ranked, bound, job)
    elif bound.job[job].queued:
        leave_queue(engine.rules, engine.waiting, engine.ranked, bound, job)
    bound.job[job].waits = False
    if not bound.job[job].has_begun:
        bound.job[job].has_begun = True
        _update_dependents(engine, bound, job, bound.clock[0], True)
    _count(engine, bound, job, 1)


@inner
def finish(engine, bound, job, time_s, well):
    """End `job` for good."""
    _make_room(engine, bound, job)
    for use in range(bound.job[job].submits, bound.job[job + 1].submits):
        bound.most[bound.limit[use]] += 1.0
    _update_dependents(engine, bound, job, time_s, False, well)
    _count(engine, bound, job, -1)


@inner
def requeue(engine, bound, job):
    """Put `job`, which was stopped, back among the waiting jobs."""
    _make_room(engine, bound, job)
    _count(engine, bound, job, -1)
    wait(engine, bound, job)


@inner
def release(engine, bound):
    """Let jobs join the queue whose start time has come, and leave it when their latest start is past."""
    own, now = bound.tally, bound.clock[0]
    while own[TIMERS] > 0 and bound.timer_s[0] <= now:
        job = np.int64(bound.timer[0])
        own[TIMERS] = drop_first(bound.timer_s, bound.timer, own[TIMERS])
        _refresh(engine, bound, job)
    while own[EXPIRED] < bound.by_latest.shape[0] and bound.job[bound.by_latest[own[EXPIRED]]].latest_s < now:
        _refresh(engine, bound, np.int64(bound.by_latest[own[EXPIRED]]))
        own[EXPIRED] += 1


@inner
def next_ready(bound):
    """The next time from which a waiting job may start; infinite if there is none."""
    own = bound.tally
    while own[TIMERS] > 0:
        job, time_s = bound.timer[0], bound.timer_s[0]
        if bound.job[job].waits and bound.job[job].ready_s == time_s and time_s > bound.clock[0]:
            return time_s
        own[TIMERS] = drop_first(bound.timer_s, bound.timer, own[TIMERS])
    return np.inf


@inlined
def _submit(bound, job):
    """Whether no limit refuses `job`; if so, the job counts against its limits."""
    for use in range(bound.job[job].submits, bound.job[job + 1].submits):
        if bound.most[bound.limit[use]] < 1.0:
            return False
    for use in range(bound.job[job].submits, bound.job[job + 1].submits):
        bound.most[bound.limit[use]] -= 1.0
    return True


@inner
def _refresh(engine, bound, job):
    """Compute again from when on `job` may start, and let it join or leave the queue."""
    one = bound.job[job]
    if not one.waits:
        return
    now, ready_s = bound.clock[0], _ready_s(bound, job)
    one.ready_s = ready_s
    may = ready_s <= now and now <= one.latest_s
    if one.throttled >= 0:
        if may and not one.ripe:
            make_ready(engine, bound, job)
        elif one.ripe and not may:
            make_unready(engine, bound, job)
    elif may and not one.queued:
        join_queue(engine, bound, job)
    elif one.queued and not may:
        leave_queue(engine.rules, engine.waiting, engine.ranked, bound, job)
    if now < ready_s < np.inf:
        _set_timer(bound, job)


@inlined
def _ready_s(bound, job):
    one, behind = bound.job[job], bound.job[job + 1]
    soonest, latest = np.inf, -np.inf
    for d in range(one.depends, behind.depends):
        dependency = bound.on.dependency[d]
        met_s = dependency.met_s if dependency.todo == 0 else np.inf
        soonest, latest = min(soonest, met_s), max(latest, met_s)
    if one.single:
        met_s = -np.inf if bound.on.group[one.group].turn == job else np.inf
        soonest, latest = min(soonest, met_s), max(latest, met_s)
    elif one.depends == behind.depends:
        return one.eligible_s
    return max(one.eligible_s, soonest if one.one_is_enough else latest)


@inner
def _make_room(engine, bound, job):
    """One task less of the array of `job` runs; the next task may join the queue."""
    number = np.int64(bound.job[job].throttled)
    if number >= 0:
        bound.on.throttled[number].busy -= 1
        fill(engine, bound, number)


@inlined
def _set_timer(bound, job):
    own = bound.tally
    if own[TIMERS] == bound.timer_s.shape[0]:  # full: rebuild it from the waiting jobs, most timers are out of date
        own[TIMERS] = 0
        for other in range(bound.job.shape[0] - 1):
            if bound.job[other].waits and bound.clock[0] < bound.job[other].ready_s < np.inf:
                own[TIMERS] = push(bound.timer_s, bound.timer, own[TIMERS], bound.job[other].ready_s, other)
    own[TIMERS] = push(bound.timer_s, bound.timer, own[TIMERS], bound.job[job].ready_s, job)


@inner
def _update_dependents(engine, bound, job, time_s, began, well=True):
    """Update the jobs that depend on `job`: it has begun, or it has ended, well or not."""
    for i in range(bound.job[job].named_by, bound.job[job + 1].named_by):
        dependency = bound.on.dependency[bound.on.telling[i]]
        kind = dependency.kind
        if began != (kind == AFTER) or (kind == WELL and not well) or (kind == ILL and well):
            continue
        dependency.todo -= 1
        dependency.met_s = max(dependency.met_s, time_s + dependency.delay_s)
        if dependency.todo == 0:
            _refresh(engine, bound, np.int64(dependency.owner))


@inlined
def _count(engine, bound, job, by):
    """One more job of the group of `job` runs, or one less."""
    group = bound.job[job].group
    if group >= 0:
        bound.on.group[group].busy += by
        _regroup(engine, bound, group)


@inner
def _regroup(engine, bound, group):
    """Find whose turn it is in a group that runs one job at a time."""
    one, member = bound.on.group[group], bound.on.member
    at, end = one.lead, bound.on.group[group + 1].members
    while at < end and not bound.job[member[at]].waits:
        at += 1
    one.lead = at
    before = np.int64(one.turn)
    turn = np.int64(member[at]) if at < end and one.busy == 0 else np.int64(NOBODY)
    one.turn = turn
    if before != turn:
        if before >= 0:
            _refresh(engine, bound, before)
        if turn >= 0:
            _refresh(engine, bound, turn)
