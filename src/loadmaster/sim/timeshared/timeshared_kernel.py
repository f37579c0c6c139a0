# mypy: disable-error-code="no-untyped-def"
"""Time-shared hosts compiled: events in order, at a cost that grows with the logarithm of what runs.

The plain engine in reference.py says what must come out.
"""

import numpy as np

from loadmaster.jit.kernels import inner
from loadmaster.sim.pairing_heap_kernel import insert, without
from loadmaster.sim.timeshared.choose_kernel import choose
from loadmaster.sim.timeshared.costs_kernel import note_all
from loadmaster.sim.timeshared.enhanced_kernel import enhanced_turn
from loadmaster.sim.timeshared.hosts_kernel import bring_up, reschedule, settle_on, start, stop
from loadmaster.sim.timeshared.movers_kernel import (
    draw_contacts,
    draw_order,
    hashed,
    mosix_turn,
    unstable_task,
)
from loadmaster.sim.timeshared.quiet_kernel import all_content
from loadmaster.sim.timeshared.state import (
    ARRIVED,
    ASSIGN_U_R,
    CONTENT,
    ENDED,
    ENDLESS,
    EVENTS,
    FLYING_ROOT,
    LAST_HOST,
    MOSIX,
    NEVER_S,
    NOW,
    SCALE,
    STILL,
    TICK,
    WRONG,
)


@inner
def handle_events(world, jobs, clock, rules, buffers, plain_score, context_score, most):
    """Handle up to `most` events; returns whether tasks are left.

    Of the events at one moment ends come first (the lower task first), then landings, arrivals, the tick. Ticks that
    could move no task are skipped, which changes nothing: draws depend on a tick's number alone.
    """
    whole, real = clock.whole, clock.real
    hosts, tasks, heap, submit_s = world.hosts, world.tasks, world.heap, jobs.submit_s
    for _ in range(most):
        if whole[ENDED] == tasks.shape[0] or whole[WRONG]:
            return False
        due = hosts[heap[0]].due
        flying = whole[FLYING_ROOT]
        landing = tasks[flying].key if flying >= 0 else NEVER_S
        coming = submit_s[whole[ARRIVED]] if whole[ARRIVED] < submit_s.shape[0] else NEVER_S
        tick = _next_tick(clock, rules, due < NEVER_S or flying >= 0)
        if whole[CONTENT]:
            tick = NEVER_S
        now = min(min(due, landing), min(coming, tick))
        if not now < NEVER_S:  # an arrival would be that of a job after the last one
            whole[ENDLESS] = 1
            return False
        real[NOW] = now
        if now < tick:
            whole[STILL] = whole[CONTENT] = 0
        if due == now:
            _end(world, jobs, clock, rules, hosts[heap[0]].root)
        elif landing == now:
            _enter_host(world, clock, rules, flying)
        elif coming == now:
            _arrive(world, jobs, clock, rules, buffers, plain_score, context_score)
        else:
            _tick(world, jobs, clock, rules, buffers)
    return whole[ENDED] < tasks.shape[0]


@inner
def _next_tick(clock, rules, anybody):
    if rules.period_s <= 0.0 or not anybody:
        return NEVER_S
    # Counted up from the clock, not tick by tick: a quiet stretch may be long. Rounding may miss by one.
    tick = max(clock.whole[TICK], np.int64(clock.real[NOW] / rules.period_s) - 1)
    while tick * rules.period_s < clock.real[NOW]:
        tick += 1
    clock.whole[TICK] = tick
    return tick * rules.period_s


@inner
def _end(world, jobs, clock, rules, task):
    stop(world, clock, task, rules.thrash)
    world.tasks[task].end_s = clock.real[NOW]
    clock.whole[ENDED] += 1
    clock.whole[EVENTS] += 1
    if rules.mover == ASSIGN_U_R:
        moving, target = unstable_task(world, clock.real[SCALE])
        while moving >= 0:
            _migrate(world, jobs, clock, rules, moving, target)
            moving, target = unstable_task(world, clock.real[SCALE])


@inner
def _enter_host(world, clock, rules, task):
    clock.whole[FLYING_ROOT] = without(world.tasks, task, task)
    world.tasks[task].travelling = False
    clock.whole[EVENTS] += 1
    start(world, clock, task, rules.thrash)


@inner
def _arrive(world, jobs, clock, rules, buffers, plain_score, context_score):
    """All tasks of the next job, each placed with those before it already in place."""
    job = clock.whole[ARRIVED]
    for r in range(buffers.demand.shape[0]):
        buffers.demand[r] = jobs.seen[job, r]
    if job == 0:
        note_all(world, clock)
    for task in range(jobs.first_task[job], jobs.first_task[job + 1]):
        host = choose(world, clock, rules, buffers, plain_score, context_score, task)
        settle_on(world, clock, task, host)
        start(world, clock, task, rules.thrash)
        world.tasks[task].first_host = host
        clock.whole[LAST_HOST] = host
        clock.whole[EVENTS] += 1
    clock.whole[ARRIVED] += 1


@inner
def _tick(world, jobs, clock, rules, buffers):
    """Let all hosts take their turns; after some ticks without a move see whether there can be any."""
    whole = clock.whole
    if _take_turns(world, jobs, clock, rules, buffers):
        whole[STILL] = 0
        return
    whole[STILL] += 1
    # To see costs no more than a tick does, but for Enhanced Mosix with many kinds of tasks on many hosts.
    many = rules.mover != MOSIX and buffers.seen_at.shape[0] > 16
    still = whole[STILL]
    if still & (still - 1) == 0:
        exactly = not (many and still * 64 < world.hosts.shape[0])
        whole[CONTENT] = all_content(world, jobs, clock, rules, buffers, exactly)


@inner
def _take_turns(world, jobs, clock, rules, buffers):
    """One tick; returns whether a task moved."""
    moved = False
    amount, tick = world.hosts.shape[0], clock.whole[TICK]
    draw_order(buffers.order, rules.seed, tick)
    for turn in range(amount):
        host = buffers.order[turn]
        if world.hosts[host].root < 0:
            continue
        known = draw_contacts(buffers.contacts, rules.seed, tick, host, amount, rules.fanout)
        if rules.mover == MOSIX:
            pick = hashed(rules.seed, tick, host, 3 << 20, 1 << 32)
            task, target = mosix_turn(world, rules, host, buffers.contacts, known, pick)
        else:
            task, target = enhanced_turn(world, jobs, clock, buffers, host, known)
        if task >= 0:
            _migrate(world, jobs, clock, rules, task, target)
            moved = True
    clock.whole[TICK] += 1
    return moved


@inner
def _migrate(world, jobs, clock, rules, task, target):
    """The task is counted on its new host at once, and runs there when its memory has travelled."""
    stop(world, clock, task, rules.thrash)
    settle_on(world, clock, task, target)
    world.tasks[task].moves += 1
    pause = jobs.pause_s[world.tasks[task].job]
    if pause <= 0.0:
        start(world, clock, task, rules.thrash)
        return
    bring_up(world.hosts, target, clock.real[NOW])  # its memory fills up at once
    reschedule(world, target, rules.thrash)
    world.tasks[task].travelling = True
    world.tasks[task].key = clock.real[NOW] + pause
    clock.whole[FLYING_ROOT] = insert(world.tasks, clock.whole[FLYING_ROOT], task)
