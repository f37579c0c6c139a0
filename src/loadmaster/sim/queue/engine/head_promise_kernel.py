"""The promise of a moment, compiled: when the head of the queue fits, and what others may take until then and after.

The same as `loadmaster.backfilling.shadow_time`. All expected ends are swept in order until the head fits. Of a head of
several tasks, or on one host, it is counted how many of its tasks hosts hold (`head_slack_kernel.py`). A single task
among many hosts fits on none of them now: where the head is the same as in the last pass, only hosts that have changed
are asked when they hold it.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.jit.heap_kernel import drop_first, push
from loadmaster.jit.kernels import inlined, inner
from loadmaster.sim.queue.engine.estimates_kernel import NONE
from loadmaster.sim.queue.engine.expected_ends_kernel import next_end
from loadmaster.sim.queue.engine.head_slack_kernel import count_now, held_in, left_for_long, set_apart
from loadmaster.sim.queue.engine.queue_tree_kernel import lower_stairs, raise_stairs, stand
from loadmaster.sim.queue.engine.running_by_host_kernel import (
    OF,
    STALE,
    all_fresh,
    are_few,
    give_back_at,
    has_changed,
    next_end_at,
    next_run,
)
from loadmaster.sim.queue.engine.state import (
    COUNTED,
    HEAD,
    HELD,
    LONG,
    PLANNED,
    SAME,
    SLACK,
    STAMP_THEN,
    TOUCHED,
    UNDO,
)

AT_ONCE = 128
"""Tasks of hosts that have changed, above which all ends are swept anew."""


@inner
def promise(engine, head, now):
    """Find the first moment at which `head`, which does not fit now, fits if all ends come when expected."""
    tenants = engine.state.tenants
    engine.moment.number[HEAD] = head
    engine.moment.number[SAME] = 0
    if engine.jobs.tasks[head] > 1 or engine.state.free.shape[0] == 1:
        tenants.number[OF] = -1
        _sweep(engine, head, now)
        return
    engine.moment.number[COUNTED] = -1
    known = tenants.number[OF] == head and engine.state.tally[PLANNED] == 0 and engine.state.guess.corrects == NONE
    if known and are_few(tenants, AT_ONCE) and _promise_again(engine.jobs, engine.state, engine.moment, head, now):
        return
    _sweep(engine, head, now)
    _keep_holders(engine.moment)
    _note_bounds(engine.state, engine.moment, head)


@inlined
def _promise_again(jobs, state, moment, head, now):
    """The promise from what is known of each host; whether that is enough."""
    tenants = state.tenants
    soonest = np.nextafter(now, np.inf)
    before_s = moment.shadow_s[0]
    same = before_s >= soonest
    for i in range(tenants.number[STALE]):
        host = np.int64(tenants.stale[i])
        held_s = _holds_from(jobs, state, moment, head, host)
        tenants.soonest_s[host], tenants.known[host] = held_s, True
        same &= held_s >= before_s and (held_s == before_s) == _is_holder(moment, host)
    all_fresh(tenants)
    if not same and not _find_holders(tenants, moment, soonest):
        return False
    moment.number[SAME] = 1 if same else 0
    holders, found = moment.number[TOUCHED], np.int64(0)
    _nobody_apart(moment)
    for i in range(holders):
        host = np.int64(moment.touched[i])
        set_apart(jobs, state, moment, host)
        give_back_at(jobs, tenants, moment.then, host, -np.inf, moment.shadow_s[0])
        moment.held[host] = held_in(jobs, moment.then, head, host)
        found += moment.held[host]
    moment.number[SLACK] = found - 1
    _keep_holders(moment)
    return True


@inner
def _holds_from(jobs, state, moment, head, host):
    """When the host alone holds the head, given back to at least once; infinite if never."""
    for r in range(state.free.shape[1]):
        moment.then[host, r] = state.free[host, r]
    at_s = -np.inf
    while True:
        before_s, at_s = at_s, next_end_at(state.tenants, host, at_s)
        if at_s == np.inf:
            return at_s
        give_back_at(jobs, state.tenants, moment.then, host, before_s, at_s)
        if held_in(jobs, moment.then, head, host) > 0:
            return at_s


@inlined
def _is_holder(moment, host):
    """Whether the host held the head at the end of the last pass, at the moment then promised."""
    yes = False
    for i in range(moment.number[TOUCHED]):
        yes |= moment.touched[i] == host and moment.held[host] > 0
    return yes


@inlined
def _find_holders(tenants, moment, soonest):
    """The first moment at which some host holds the head, and who does then; whether that is known of all."""
    shadow_s = np.inf
    for host in range(tenants.soonest_s.shape[0]):
        shadow_s = min(shadow_s, tenants.soonest_s[host])
    shadow_s = max(shadow_s, soonest)
    holders = 0
    for host in range(tenants.soonest_s.shape[0]):
        if tenants.soonest_s[host] <= shadow_s < np.inf:
            if not tenants.known[host]:
                return False
            moment.touched[holders] = host
            holders += 1
    moment.shadow_s[0] = shadow_s
    moment.number[TOUCHED] = holders
    return True


@inlined
def _keep_holders(moment):
    """Hosts that do not hold the head cost it nothing: they are looked at no more."""
    kept = 0
    for i in range(moment.number[TOUCHED]):
        host = moment.touched[i]
        if moment.held[host] > 0:
            moment.touched[kept] = host
            kept += 1
        else:
            moment.then_at[host] = -1
    moment.number[TOUCHED] = kept


@inlined
def _note_bounds(state, moment, head):
    """All hosts but the holders hold the head later than at the promised moment; who is part of a plan is unsure."""
    tenants, shadow_s = state.tenants, moment.shadow_s[0]
    later_s = np.nextafter(shadow_s, np.inf)
    for host in range(tenants.soonest_s.shape[0]):
        tenants.soonest_s[host], tenants.known[host] = later_s, False
    for i in range(moment.number[TOUCHED]):
        host = moment.touched[i]
        tenants.soonest_s[host], tenants.known[host] = shadow_s, True
    all_fresh(tenants)
    for i in range(state.tally[UNDO]):
        has_changed(tenants, np.int64(state.undo_host[i]))
    tenants.number[OF] = head


@inlined
def _sweep(engine, head, now):
    """Give back what runs in the order of the expected ends, until the head fits."""
    tasks = np.int64(engine.jobs.tasks[head])
    _nobody_apart(engine.moment)
    found = np.int64(0)
    if tasks > 1 or engine.state.free.shape[0] == 1:
        count_now(engine.jobs, engine.state, engine.moment, head)
        found = engine.moment.number[HELD]
    soonest = np.nextafter(now, np.inf)
    shadow_s = now
    waiting = _heap_of_planned(engine.jobs, engine.state, engine.moment, now)
    end_s, job, i, k = next_end(engine.ends, engine.ends.size[0], np.int64(0))
    while True:
        planned = waiting > 0 and (job < 0 or engine.moment.end_s[0] < end_s)
        if not planned and job < 0:
            break
        next_s = max(engine.moment.end_s[0] if planned else end_s, soonest)
        if found >= tasks and next_s > shadow_s:
            break
        shadow_s = next_s
        if planned:
            number = engine.moment.ending[0]
            waiting = drop_first(engine.moment.end_s, engine.moment.ending, waiting)
            who = np.int64(engine.state.plan_job[1, number])
            first = engine.state.plan_task[number]
            found += _give_back(engine.jobs, engine.state, engine.moment, head, who, engine.state.undo_host, first)
        else:
            found += _give_back(
                engine.jobs, engine.state, engine.moment, head, job, engine.state.held, engine.jobs.first_task[job]
            )
            end_s, job, i, k = next_end(engine.ends, i, k)
    engine.moment.number[SLACK] = found - tasks
    engine.moment.shadow_s[0] = shadow_s if found >= tasks else np.inf


@inlined
def _heap_of_planned(jobs, state, moment, now):
    """The jobs started in this pass by their expected ends; returns how many."""
    size = 0
    for i in range(state.tally[PLANNED]):
        job = state.plan_job[1, i]
        slowest = np.inf
        for t in range(state.plan_task[i], state.plan_task[i] + jobs.tasks[job]):
            slowest = min(slowest, state.speed[state.undo_host[t]])
        size = push(moment.end_s, moment.ending, size, now + jobs.expected_s[job] / slowest, i)
    return size


@inner
def _give_back(jobs, state, moment, head, job, hosts, first):
    """`job` ends on its `hosts` from `first` on; returns how many tasks of the head these hold more."""
    more, end = np.int64(0), first + jobs.tasks[job]
    while first < end:
        host, tasks = next_run(hosts, first, end)
        first += tasks
        set_apart(jobs, state, moment, host)
        for r in range(state.free.shape[1]):
            moment.then[host, r] += tasks * jobs.demand[jobs.kind[job], r]
        held = held_in(jobs, moment.then, head, host)
        more += held - moment.held[host]
        moment.held[host] = held
    return more


@inlined
def _nobody_apart(moment):
    """No host has a row of its own for the promised moment."""
    moment.number[STAMP_THEN] += 1
    moment.number[TOUCHED] = 0


@inner
def renew_long(engine):
    """Make the stairs of long jobs exact: of a host that the head needs, what it leaves."""
    lower_stairs(engine.stairs, LONG)
    for host in range(engine.state.free.shape[0]):
        cores, memory = left_for_long(engine.jobs, engine.state, engine.moment, host)
        stand(engine.stairs, LONG, cores, memory)
    raise_stairs(engine.stairs, LONG)
