"""The promise of a moment, compiled: when the head of the queue fits, and what others may take until then and after.

The same as `loadmaster.backfilling.moment`. All expected ends are swept in order until the head fits; where the head
is one task and the same as in the last pass, only hosts that have changed are asked when they hold it. Hosts that
nothing is given back to before the promised moment are looked at only where the head has several tasks: a single one
fits on none of them.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.heap_kernel import drop_first, push
from loadmaster.kernels import inlined, inner
from loadmaster.sim.queue.ends_kernel import next_end
from loadmaster.sim.queue.guess_kernel import NONE
from loadmaster.sim.queue.queue_state import HEAD, LONG, PLANNED, SAME, SLACK, STAMP, TOUCHED, UNDO
from loadmaster.sim.queue.tenants_kernel import (
    OF,
    STALE,
    all_fresh,
    are_few,
    give_back_at,
    has_changed,
    next_end_at,
)
from loadmaster.sim.queue.waiting_kernel import lower_stairs, raise_stairs, stand

AT_ONCE = 128
"""Tasks of hosts that have changed, above which all ends are swept anew."""


@inner
def promise(jobs, state, moment, ends, log, head, now):
    """Find the first moment at which `head`, which does not fit now, fits if all ends come when expected."""
    tenants = state.tenants
    moment.number[HEAD] = head
    moment.number[SAME] = 0
    known = tenants.number[OF] == head and state.tally[PLANNED] == 0 and state.guess.corrects == NONE
    if known and are_few(tenants, AT_ONCE) and _promise_again(jobs, state, moment, head, now):
        return
    _sweep(jobs, state, moment, ends, log, head, now)
    _keep_holders(moment)
    tenants.number[OF] = -1
    if jobs.tasks[head] == 1:
        _note_bounds(state, moment, head)


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
    moment.number[TOUCHED] = 0
    for i in range(holders):
        host = np.int64(moment.touched[i])
        _touch(state, moment, host)
        give_back_at(jobs, tenants, moment.then, host, -np.inf, moment.shadow_s[0])
        moment.held[host] = _held(jobs, moment.then, head, host)
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
        if _held(jobs, moment.then, head, host) > 0:
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
            moment.then_at[host] = 0
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
def _sweep(jobs, state, moment, ends, log, head, now):
    """Give back what runs in the order of the expected ends, until the head fits."""
    tasks = np.int64(jobs.tasks[head])
    moment.number[TOUCHED] = 0
    found = np.int64(0)
    if tasks > 1:
        for host in range(state.free.shape[0]):
            _touch(state, moment, host)
            moment.held[host] = _held(jobs, moment.then, head, host)
            found += moment.held[host]
    soonest = np.nextafter(now, np.inf)
    shadow_s = now
    waiting = _heap_of_planned(jobs, state, moment, now)
    end_s, job, i, k = next_end(ends, ends.size[0], np.int64(0))
    while True:
        planned = waiting > 0 and (job < 0 or moment.end_s[0] < end_s)
        if not planned and job < 0:
            break
        next_s = max(moment.end_s[0] if planned else end_s, soonest)
        if found >= tasks and next_s > shadow_s:
            break
        shadow_s = next_s
        if planned:
            number = moment.ending[0]
            waiting = drop_first(moment.end_s, moment.ending, waiting)
            who = np.int64(state.plan_job[1, number])
            for t in range(state.plan_task[number], state.plan_task[number] + jobs.tasks[who]):
                found += _give_back(jobs, state, moment, head, who, np.int64(state.undo_host[t]))
        else:
            for task in range(jobs.first_task[job], jobs.first_task[job] + jobs.tasks[job]):
                found += _give_back(jobs, state, moment, head, job, np.int64(log.host[task]))
            end_s, job, i, k = next_end(ends, i, k)
    moment.number[SLACK] = found - tasks
    moment.shadow_s[0] = shadow_s if found >= tasks else np.inf


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


@inlined
def _give_back(jobs, state, moment, head, job, host):
    """`job` ends on `host`; returns how many tasks of the head it holds more."""
    if moment.then_at[host] != state.tally[STAMP]:
        _touch(state, moment, host)
        moment.held[host] = 0
    for r in range(state.free.shape[1]):
        moment.then[host, r] += jobs.demand[jobs.kind[job], r]
    before = moment.held[host]
    if before < jobs.tasks[head]:
        moment.held[host] = _held(jobs, moment.then, head, host)
    return moment.held[host] - before


@inlined
def _touch(state, moment, host):
    moment.then_at[host] = state.tally[STAMP]
    for r in range(state.free.shape[1]):
        moment.then[host, r] = state.free[host, r]
    moment.touched[moment.number[TOUCHED]] = host
    moment.number[TOUCHED] += 1


@inner
def _held(jobs, room, head, host):
    """Tasks of the head that the host holds, at most all of them; none where it may not go."""
    if not jobs.allowed[jobs.hosts[head], host]:
        return np.int64(0)
    held = float(jobs.tasks[head])
    for r in range(room.shape[1]):
        asked = jobs.demand[jobs.kind[head], r]
        if asked > 0.0:
            held = min(held, np.floor(room[host, r] / asked))
    return np.int64(max(held, 0.0))


@inner
def close_to_long(jobs, state, moment, job):
    """Take hosts out of `usable` that a task of `job` may not have beyond the promised moment; whether there is one."""
    closed = False
    kind = jobs.kind[job]
    head = moment.number[HEAD]
    for i in range(moment.number[TOUCHED]):
        host = moment.touched[i]
        if state.usable[host]:
            state.usable[host] = _cost(jobs, moment, kind, head, host) <= moment.number[SLACK]
            closed |= not state.usable[host]
    return closed


@inner
def _cost(jobs, moment, kind, head, host):
    """How many tasks of the head the host would hold less with a task of demand number `kind`."""
    for r in range(moment.then.shape[1]):
        moment.then[host, r] -= jobs.demand[kind, r]
    cost = moment.held[host] - _held(jobs, moment.then, head, host)
    for r in range(moment.then.shape[1]):
        moment.then[host, r] += jobs.demand[kind, r]
    return cost


@inner
def take_for_long(jobs, state, moment, job, host, sign):
    """A task of `job`, which outlasts the moment, takes `host` (`sign` 1), or gives it back (-1)."""
    if moment.then_at[host] != state.tally[STAMP]:
        return
    head = moment.number[HEAD]
    for r in range(moment.then.shape[1]):
        moment.then[host, r] -= sign * jobs.demand[jobs.kind[job], r]
    held = _held(jobs, moment.then, head, host)
    moment.number[SLACK] -= moment.held[host] - held
    moment.held[host] = held


@inner
def renew_long(jobs, state, moment, stairs):
    """Make the stairs of long jobs exact: of a host that the head needs, what it leaves."""
    lower_stairs(stairs, LONG)
    for host in range(state.free.shape[0]):
        cores, memory = left_for_long(jobs, state, moment, host)
        stand(stairs, LONG, cores, memory)
    raise_stairs(stairs, LONG)


@inner
def left_for_long(jobs, state, moment, host):
    """The cores and the memory of a host that a job may take beyond the promised moment: what the head leaves."""
    resources = state.free.shape[1]
    cores, memory = state.free[host, 0], state.free[host, 1] if resources > 1 else 0.0
    if moment.number[HEAD] < 0 or moment.then_at[host] != state.tally[STAMP]:
        return cores, memory
    head, keep = moment.number[HEAD], moment.held[host] - moment.number[SLACK]
    if keep > 0:
        cores = min(cores, moment.then[host, 0] - keep * jobs.demand[jobs.kind[head], 0])
        if resources > 1:
            memory = min(memory, moment.then[host, 1] - keep * jobs.demand[jobs.kind[head], 1])
    return cores, memory
