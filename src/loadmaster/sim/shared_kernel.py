# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,untyped-decorator"
"""Time-shared hosts compiled: events in order, at a cost that grows with the logarithm of what runs.

The plain engine in shared_reference.py says what must come out.
"""

import numpy as np
from numba import njit

from loadmaster.place.policy import Context
from loadmaster.sim.pairing_heap_kernel import insert, without
from loadmaster.sim.shared_hosts_kernel import bring_up, reschedule, settle_on, start, stop
from loadmaster.sim.shared_movers_kernel import (
    draw_contacts,
    draw_order,
    enhanced_turn,
    hashed,
    mosix_turn,
    unstable_task,
)
from loadmaster.sim.shared_state import (
    ARRIVED,
    ASSIGN_U_R,
    ENDED,
    EVENTS,
    FLYING_ROOT,
    LAST_HOST,
    MOSIX,
    NOW,
    SCALE,
    TICK,
)


def handle_events(jobs, hosts, tasks, clock, rules, buffers, plain_score, context_score, most):
    """Handle up to `most` events; returns whether tasks are left.

    Of the events at one moment ends come first (the lower task first), then landings, arrivals, the tick.
    """
    whole, real = clock.whole, clock.real
    total = jobs.owner.shape[0]
    for _ in range(most):
        if whole[ENDED] == total:
            return False
        due = hosts.due[hosts.heap[0]]
        flying = whole[FLYING_ROOT]
        landing = tasks.key[flying] if flying >= 0 else 1e300
        coming = jobs.submit_s[whole[ARRIVED]] if whole[ARRIVED] < jobs.submit_s.shape[0] else 1e300
        tick = _next_tick(clock, rules, due < 1e300 or flying >= 0)
        now = min(min(due, landing), min(coming, tick))
        real[NOW] = now
        if due == now:
            _end(jobs, hosts, tasks, clock, rules, hosts.root[hosts.heap[0]])
        elif landing == now:
            _land(jobs, hosts, tasks, clock, rules, flying)
        elif coming == now:
            _arrive(jobs, hosts, tasks, clock, rules, buffers, plain_score, context_score)
        else:
            _take_turns(jobs, hosts, tasks, clock, rules, buffers)
    return whole[ENDED] < total


@njit(cache=True, nogil=True)
def _next_tick(clock, rules, anybody):
    if rules.period_s <= 0.0 or not anybody:
        return 1e300
    # Counted up from the clock, not tick by tick: a quiet stretch may be long. Rounding may miss by one.
    tick = max(clock.whole[TICK], np.int64(clock.real[NOW] / rules.period_s) - 1)
    while tick * rules.period_s < clock.real[NOW]:
        tick += 1
    clock.whole[TICK] = tick
    return tick * rules.period_s


@njit(cache=True, nogil=True)
def _end(jobs, hosts, tasks, clock, rules, task):
    stop(jobs, hosts, tasks, clock, task, rules.thrash)
    tasks.end_s[task] = clock.real[NOW]
    clock.whole[ENDED] += 1
    clock.whole[EVENTS] += 1
    if rules.mover == ASSIGN_U_R:
        moving, target = unstable_task(jobs, hosts, tasks, rules.base)
        while moving >= 0:
            _migrate(jobs, hosts, tasks, clock, rules, moving, target)
            moving, target = unstable_task(jobs, hosts, tasks, rules.base)


@njit(cache=True, nogil=True)
def _land(jobs, hosts, tasks, clock, rules, task):
    clock.whole[FLYING_ROOT] = without(tasks.key, tasks.child, tasks.right, tasks.back, task, task)
    tasks.travelling[task] = False
    clock.whole[EVENTS] += 1
    start(jobs, hosts, tasks, clock, task, rules.thrash)


@njit(cache=True, nogil=True)
def _arrive(jobs, hosts, tasks, clock, rules, buffers, plain_score, context_score):
    """All tasks of the next job, each placed with those before it already in place."""
    job = clock.whole[ARRIVED]
    for r in range(buffers.demand.shape[0]):
        buffers.demand[r] = jobs.seen[job, r]
    for task in range(jobs.first_task[job], jobs.first_task[job + 1]):
        host = _choose(hosts, clock, rules, buffers, plain_score, context_score, task)
        settle_on(jobs, hosts, tasks, clock, task, host)
        start(jobs, hosts, tasks, clock, task, rules.thrash)
        tasks.first_host[task] = host
        clock.whole[LAST_HOST] = host
        clock.whole[EVENTS] += 1
    clock.whole[ARRIVED] += 1


@njit(cache=True, nogil=True)
def _choose(hosts, clock, rules, buffers, plain_score, context_score, task):
    """The lowest rated host of the best class of hosts that has any, the lowest index among equals."""
    demand, free, capacity = buffers.demand, buffers.free, buffers.capacity
    amount, resources = hosts.cores.shape[0], demand.shape[0]
    best, best_class, best_score = -1, 3, 0.0
    for host in range(amount):
        for r in range(resources):
            capacity[r] = hosts.capacity[host, r]
        capacity[0] = hosts.unit[host] * (clock.real[SCALE] if rules.scaled else 1.0)
        room = 0
        for r in range(resources):
            free[r] = capacity[r] - hosts.used[host, r]
            if not rules.overcommit and free[r] < demand[r]:
                room = max(room, 1 if r == 0 else 2)
        if room > best_class:
            continue
        if rules.contextual:
            context = Context(host, amount, clock.whole[LAST_HOST], task, rules.seed)
            score = context_score(demand, free, capacity, context)
        else:
            score = plain_score(demand, free, capacity)
        if best < 0 or room < best_class or score < best_score:
            best, best_class, best_score = host, room, score
    return best


@njit(cache=True, nogil=True)
def _take_turns(jobs, hosts, tasks, clock, rules, buffers):
    amount, tick = hosts.cores.shape[0], clock.whole[TICK]
    draw_order(buffers.order, rules.seed, tick)
    for turn in range(amount):
        host = buffers.order[turn]
        if hosts.root[host] < 0:
            continue
        known = draw_contacts(buffers.contacts, rules.seed, tick, host, amount, rules.fanout)
        if rules.mover == MOSIX:
            pick = hashed(rules.seed, tick, host, 3 << 20, 1 << 32)
            task, target = mosix_turn(jobs, hosts, tasks, rules, host, buffers.contacts, known, pick)
        else:
            task, target = enhanced_turn(jobs, hosts, tasks, clock, host, buffers.contacts, known)
        if task >= 0:
            _migrate(jobs, hosts, tasks, clock, rules, task, target)
    clock.whole[TICK] += 1


@njit(cache=True, nogil=True)
def _migrate(jobs, hosts, tasks, clock, rules, task, target):
    """The task is counted on its new host at once, and runs there when its memory has travelled."""
    stop(jobs, hosts, tasks, clock, task, rules.thrash)
    settle_on(jobs, hosts, tasks, clock, task, target)
    tasks.moves[task] += 1
    pause = jobs.pause_s[jobs.owner[task]]
    if pause <= 0.0:
        start(jobs, hosts, tasks, clock, task, rules.thrash)
        return
    bring_up(hosts, target, clock.real[NOW])  # its memory fills up at once
    reschedule(hosts, tasks, target, rules.thrash)
    tasks.travelling[task] = True
    tasks.key[task] = clock.real[NOW] + pause
    clock.whole[FLYING_ROOT] = insert(tasks.key, tasks.child, tasks.right, tasks.back, clock.whole[FLYING_ROOT], task)
