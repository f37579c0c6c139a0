"""The NetBatch engine, compiled: cores and memory, the rules of the thesis and Max-Jobs over them.

What makes it fast: hosts in rows (`rows_kernel.py`); a demand no smaller than one that failed is not tried again in
this walk, nor later until somebody leaves a host that could take it; ended jobs lie in a calendar by cycle, so idle
cycles cost nothing; Max-Jobs walks on one state and takes its moves back. Jobs of several tasks are served first come,
first served. Agrees with `reference.py` to the bit.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.kernels import inlined, inner
from loadmaster.sim.queue.levels_kernel import able, outranked, release_reserved, reserve
from loadmaster.sim.queue.queue_state import OUT_OF_ROOM
from loadmaster.sim.queue.rows_failed_kernel import forget, learn, may_fit
from loadmaster.sim.queue.rows_kernel import find, move
from loadmaster.sim.queue.rows_state import (
    ANYWHERE,
    ARRIVED,
    CYCLE,
    EXACT,
    FAILING,
    FULL,
    HEAD,
    KNOWN,
    LAST,
    PENDING,
    PLANNED,
    RESERVED,
    RUNNING,
    RUNS,
    STARTED,
)

DONE, PAUSED = 0, 1


@inner
def run_rows(jobs, rules, rows, calendar, plan, queue, tally, log):
    """Go on until all is done or the records are full; changes everything but `jobs` and `rules` in place."""
    total = jobs.submit_s.shape[0]
    log.rows[0] = 0
    while tally[ARRIVED] < total or (tally[HEAD] < tally[ARRIVED] and tally[RUNNING] > 0):
        if log.rows[0] == log.time_s.shape[0]:
            return PAUSED
        _next_cycle(jobs, rules, calendar, tally)
        now = tally[CYCLE] * rules.interval_s
        _complete(rows, calendar, plan, tally)
        arrived = tally[ARRIVED]
        while arrived < total and jobs.submit_s[arrived] <= now:
            queue[arrived] = arrived
            arrived += 1
        tally[ARRIVED] = arrived
        waiting = arrived - tally[HEAD]
        if waiting == 0:
            continue
        row = log.rows[0]
        log.time_s[row] = now
        log.queue_length[row] = waiting
        log.winners[row] = _best_walk(jobs, rules, rows, plan, queue, tally, log.value[row])
        if tally[FULL] or tally[RUNNING] + tally[PLANNED] >= calendar.run.shape[0]:
            return OUT_OF_ROOM
        before = tally[STARTED]
        _commit(jobs, rules, calendar, plan, queue, tally, log, now)
        log.started[row] = tally[STARTED] - before
        log.rows[0] += 1
    return DONE


@inlined
def cycle_of(time_s, interval_s):
    """The number of the first cycle at or after `time_s`."""
    cycle = np.int64(np.floor(time_s / interval_s))
    return cycle if cycle * interval_s >= time_s else cycle + 1


@inner
def _next_cycle(jobs, rules, calendar, tally):
    """Go to the next cycle before which a job came or ended."""
    arrival = np.int64(2**62)
    if tally[ARRIVED] < jobs.submit_s.shape[0]:
        arrival = cycle_of(jobs.submit_s[tally[ARRIVED]], rules.interval_s)
    cycle = tally[CYCLE] + 1
    if tally[RUNNING] == 0:
        cycle = arrival
    mask = calendar.latest.shape[0] - 1
    while cycle < arrival and calendar.latest[cycle & mask] < 0:
        cycle += 1
    tally[CYCLE] = cycle


@inner
def _complete(rows, calendar, plan, tally):
    slot = tally[CYCLE] & (calendar.latest.shape[0] - 1)
    number = calendar.latest[slot]
    calendar.latest[slot] = -1
    if number >= 0:
        tally[KNOWN] = 0
    while number >= 0:
        run = calendar.run[number]
        move(rows, run.host, -np.int64(run.cores), -run.memory)
        forget(rows, plan, run.host)
        tally[RUNNING] -= 1
        following = run.after
        run.after = calendar.run[0].after
        calendar.run[0].after = number
        number = following


@inner
def _walk(jobs, rules, rows, plan, queue, tally, rule):
    """Try the queue under one rule; starts go to `plan` and are taken from the hosts at once.

    Reservations are only counted, in runs of equal needs, until a host is chosen that may be among them.
    """
    for cores in range(plan.failed.shape[0]):
        plan.failed[cores] = plan.known[cores]
    tally[PLANNED] = tally[RUNS] = tally[PENDING] = tally[ANYWHERE] = tally[RESERVED] = 0
    tally[EXACT] = tally[KNOWN]
    tally[FAILING] = 0
    kept, groups = 0, rows.level.shape[0] // rows.levels
    stop = tally[ARRIVED]
    if rules.lookahead >= 0:
        stop = min(stop, tally[HEAD] + rules.lookahead)
    for position in range(tally[HEAD], stop):
        if tally[RESERVED] + tally[ANYWHERE] >= rows.spot.shape[0]:
            break  # every one of these takes some host that is open, so none is left
        job = queue[position]
        wanted = np.int64(jobs.demand[job, 0])
        memory = np.int64(jobs.demand[job, 1])
        if may_fit(jobs, rows, plan, tally, wanted, memory):
            if _place(jobs, rows, plan, tally, rule, position, job, wanted, memory):
                continue
            learn(jobs, plan, tally, wanted, memory)
        if rules.blocking or plan.failed[rules.least_cores] <= rules.least_memory:
            break
        if rules.reservations < 0 or kept < rules.reservations:
            kept += 1
            _promise(rows, plan, tally, groups, np.int64(1) if groups == 1 else able(rows.kind, wanted, memory))
    release_reserved(rows)


@inlined
def _place(jobs, rows, plan, tally, rule, position, job, cores, memory):
    """Take a host for every task of a job, or none; says whether they are placed."""
    first = tally[PLANNED]
    tasks = jobs.first_task[job + 1] - jobs.first_task[job] if jobs.first_task.shape[0] > 0 else np.int64(1)
    while tally[PLANNED] - first < tasks:
        last = np.int64(plan.host[tally[PLANNED] - 1]) if tally[PLANNED] > 0 else tally[LAST]
        host = _choose(jobs, rows, plan, tally, rule, cores, memory, last)
        if host < 0:
            while tally[PLANNED] > first:
                tally[PLANNED] -= 1
                move(rows, plan.host[tally[PLANNED]], -cores, -memory)
            return False
        if tally[PLANNED] == plan.host.shape[0]:
            tally[FULL] = 1
            return False
        move(rows, host, cores, memory)
        tally[EXACT] = tally[FAILING] = 0
        plan.position[tally[PLANNED]] = position
        plan.host[tally[PLANNED]] = host
        tally[PLANNED] += 1
    return True


@inlined
def _choose(jobs, rows, plan, tally, rule, cores, memory, last):
    """The rule's host among the unreserved ones, -1 if none fits; settles the reservations only if they matter."""
    while True:
        host = find(rows, rule, cores, memory, last)
        if host < 0 or tally[PENDING] == 0 or outranked(rows, host, tally[PENDING]):
            return host
        _settle(rows, plan, tally)
        if not may_fit(jobs, rows, plan, tally, cores, memory):
            return np.int64(-1)


@inlined
def _promise(rows, plan, tally, groups, mask):
    """Count one more reservation of a host of the kinds in `mask`, which may be all the `groups` that there are."""
    last = tally[RUNS] - 1
    if last >= 0 and plan.run_mask[last] == mask:
        plan.run_size[last] += 1
    else:
        if tally[RUNS] == plan.run_mask.shape[0]:
            _settle(rows, plan, tally)
        plan.run_mask[tally[RUNS]] = mask
        plan.run_size[tally[RUNS]] = 1
        tally[RUNS] += 1
    tally[PENDING] += 1
    tally[ANYWHERE] += mask == (np.int64(1) << groups) - 1


@inner
def _settle(rows, plan, tally):
    """Make the reservations counted so far, in order."""
    for i in range(tally[RUNS]):
        tally[RESERVED] += reserve(rows, plan.run_size[i], plan.run_mask[i])
    tally[RUNS] = tally[PENDING] = tally[ANYWHERE] = tally[EXACT] = 0


@inner
def _best_walk(jobs, rules, rows, plan, queue, tally, values):
    """Every member walks on the same state; the plan of the first best one is carried out. Returns the winners.

    What each is worth goes into `values`, float64[M].
    """
    waiting = tally[ARRIVED] - tally[HEAD]
    best = -1.0
    best_planned = 0
    winners = 0
    values[:] = np.nan
    for member in range(plan.members.shape[0]):
        _walk(jobs, rules, rows, plan, queue, tally, plan.members[member])
        planned = tally[PLANNED]
        if plan.members.shape[0] == 1:
            return values.shape[0]  # the bit of a meta-rule's only member, none without a meta-rule
        value = values[member] = _value(jobs, rules, plan, queue, planned)
        if value > best:
            best, winners, best_planned = value, 1 << member, planned
            for i in range(planned):
                plan.best_position[i], plan.best_host[i] = plan.position[i], plan.host[i]
        elif value == best:
            winners |= 1 << member
        for i in range(planned - 1, -1, -1):
            job = queue[plan.position[i]]
            move(rows, plan.host[i], -np.int64(jobs.demand[job, 0]), -np.int64(jobs.demand[job, 1]))
        if planned == waiting and not rules.log_ties:
            break
    for i in range(best_planned):
        job = queue[plan.best_position[i]]
        move(rows, plan.best_host[i], np.int64(jobs.demand[job, 0]), np.int64(jobs.demand[job, 1]))
        plan.position[i] = plan.best_position[i]
        plan.host[i] = plan.best_host[i]
    tally[PLANNED] = best_planned
    return winners


@inner
def _value(jobs, rules, plan, queue, planned):
    if rules.target == 0:
        return float(planned)
    value = 0.0
    for i in range(planned):
        job = queue[plan.position[i]]
        if rules.target == 1:
            value += jobs.demand[job, 0]
        else:
            if rules.total_cores > 0.0:
                value += jobs.demand[job, 0] / rules.total_cores
            if rules.total_memory > 0.0:
                value += jobs.demand[job, 1] / rules.total_memory
    return value


@inner
def _commit(jobs, rules, calendar, plan, queue, tally, log, now):
    """Write the planned starts down, enter their ends, and close the gaps they leave in the queue."""
    planned = tally[PLANNED]
    mask = calendar.latest.shape[0] - 1
    several = jobs.first_task.shape[0] > 0
    task = np.int64(0)
    for i in range(planned):
        job = queue[plan.position[i]]
        if i == 0 or plan.position[i - 1] != plan.position[i]:
            log.start_s[job] = now
            tally[STARTED] += 1
            task = jobs.first_task[job] if several else np.int64(job)
        log.host[task] = plan.host[i]
        task += 1
        slot = cycle_of(now + jobs.runtime_s[job], rules.interval_s) & mask
        number = calendar.run[0].after
        run = calendar.run[number]
        calendar.run[0].after = run.after
        run.cores, run.memory = np.int32(jobs.demand[job, 0]), np.int64(jobs.demand[job, 1])
        run.host, run.after = plan.host[i], calendar.latest[slot]
        calendar.latest[slot] = number
    tally[RUNNING] += planned
    if planned == 0:
        return
    tally[KNOWN] = 0
    tally[LAST] = plan.host[planned - 1]
    # Jobs before the last start move up to it, so that the queue's rest need not be touched.
    target = np.int64(plan.position[planned - 1])
    gap = planned - 1
    for position in range(target, tally[HEAD] - 1, -1):
        if gap >= 0 and plan.position[gap] == position:
            while gap >= 0 and plan.position[gap] == position:
                gap -= 1
        else:
            queue[target] = queue[position]
            target -= 1
    tally[HEAD] = target + 1
