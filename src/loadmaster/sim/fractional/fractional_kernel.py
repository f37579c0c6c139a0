# mypy: disable-error-code="no-untyped-def"
"""Dynamic fractional scheduling compiled: events and admission, at a cost that grows with what runs alone.

The plain engine in reference.py says what must come out. Where everything is to be packed anew the
kernel returns, and is called again with the answer.
"""

import numpy as np

from loadmaster.jit.kernels import inner
from loadmaster.sim.fractional.fractional_hosts_kernel import (
    come,
    leave,
    mark,
    out_of_heap,
    reschedule,
    set_speeds,
    sum_up,
)
from loadmaster.sim.fractional.state import (
    ARRIVED,
    ASKING,
    DONE,
    ENDED,
    EVENTS,
    FIRST,
    IMPROVE,
    LAST,
    LAST_TRIED,
    MAKE_ROOM,
    MAY_REPACK,
    MORE,
    MOVING,
    NOW,
    PHASE,
    REFUSED,
    RUNNING,
    STARTED,
    TRIED,
)

NEXT, ADMIT, AFTER, SPEEDS = 0, 1, 2, 3
"""Phases: go to the next moment; admit; improve; set the speeds."""


@inner
def advance(world, rules, most):
    """Go on until something is to be packed anew, everything has ended, or `most` moments have passed."""
    count = world.whole
    _take_answer(world)
    while most > 0:
        if count[PHASE] == NEXT:
            most -= 1
            if not _next_moment(world, rules):
                return DONE
        if count[PHASE] == ADMIT:
            if _admit(world, rules):
                return MAKE_ROOM
            count[PHASE] = AFTER
        if count[PHASE] == AFTER:
            count[PHASE] = SPEEDS
            if count[MAY_REPACK] and _worth_improving(world, rules):
                return IMPROVE
        set_speeds(world)
        count[PHASE] = NEXT
    return MORE


@inner
def _take_answer(world):
    """Carry out what was decided outside: moves, and hosts for the job that requested room."""
    count, tasks, jobs = world.whole, world.tasks, world.jobs
    for i in range(count[MOVING]):
        leave(world, world.moving[i])
    sum_up(world)
    for i in range(count[MOVING]):
        task = world.moving[i]
        job = tasks[task].job
        come(world, task, world.target[i])
        mark(world, job)
        if jobs[job].start_s < world.real[NOW]:
            jobs[job].moves += 1
            if jobs[job].pause_s > 0.0:
                jobs[job].standing = True
                jobs[job].until = world.real[NOW] + jobs[job].pause_s
    if count[MOVING] > 0:
        count[TRIED] = 0
        count[LAST_TRIED] = -1
        count[MOVING] = 0
    job = count[ASKING]
    if job >= 0:
        if count[REFUSED]:
            count[TRIED] = 1
            count[LAST_TRIED] = job
        else:
            _start(world, job, -1)
        count[ASKING] = -1


@inner
def _next_moment(world, rules):
    """Move the clock; end, land, let arrive. Returns whether anything is still to come."""
    count, real, jobs = world.whole, world.real, world.jobs
    due = jobs[world.heap[0]].due if count[RUNNING] > 0 else np.inf
    coming = jobs[count[ARRIVED]].submit_s if count[ARRIVED] < jobs.shape[0] else np.inf
    period = _next_period(world, rules)
    now = min(due, min(coming, period))
    if now == np.inf:
        return False
    real[NOW] = now
    ended = False
    while count[RUNNING] > 0 and jobs[world.heap[0]].due == now:
        job = world.heap[0]
        count[EVENTS] += 1
        if jobs[job].standing:
            jobs[job].standing = False
            mark(world, job)
            reschedule(world, job, np.inf)
        else:
            ended = True
            _end(world, job)
    sum_up(world)
    count[EVENTS] += period == now
    while count[ARRIVED] < jobs.shape[0] and jobs[count[ARRIVED]].submit_s <= now:
        _queue_up(world, count[ARRIVED])
        count[ARRIVED] += 1
        count[EVENTS] += 1
    count[MAY_REPACK] = rules.at_events or period == now
    if ended or period == now:
        count[TRIED] = 0
        count[LAST_TRIED] = -1
    count[PHASE] = ADMIT if ended or coming == now or period == now else SPEEDS
    return True


@inner
def _next_period(world, rules):
    count = world.whole
    if not rules.at_periods or (count[RUNNING] == 0 and count[FIRST] < 0):
        return np.inf
    period = np.floor(world.real[NOW] / rules.period_s)
    while period * rules.period_s <= world.real[NOW]:
        period += 1.0
    return period * rules.period_s


@inner
def _end(world, job):
    this = world.jobs[job]
    this.end_s = world.real[NOW]
    world.whole[ENDED] += 1
    out_of_heap(world, job)
    for task in range(this.first_task, this.first_task + this.tasks):
        leave(world, task)


@inner
def _queue_up(world, job):
    count, jobs = world.whole, world.jobs
    jobs[job].following = -1
    if count[LAST] >= 0:
        jobs[count[LAST]].following = job
    else:
        count[FIRST] = job
    count[LAST] = job


@inner
def _admit(world, rules):
    """Start those that find room, in the order of arrival; returns True where everything is to be packed for one."""
    count, jobs = world.whole, world.jobs
    while True:
        before = count[LAST_TRIED]
        job = jobs[before].following if before >= 0 else count[FIRST]
        while job >= 0 and count[TRIED] <= rules.lookahead:
            following = jobs[job].following
            if _hosts_for(world, rules, job):
                _start(world, job, before)
            elif count[MAY_REPACK] and count[TRIED] == 0 and _could_fit(world, rules, job):
                count[ASKING] = job
                return True
            else:
                count[TRIED] += 1
                count[LAST_TRIED] = before = job
            job = following
        if count[RUNNING] > 0 or count[FIRST] < 0:
            return False
        _unqueue(world, count[FIRST], -1)  # even an empty cluster cannot hold it
        count[ENDED] += 1
        count[TRIED] = 0
        count[LAST_TRIED] = -1


@inner
def _hosts_for(world, rules, job):
    """`Fractional.hosts_for`, into `chosen`; whether there are any."""
    this, rigid, hosts = world.jobs[job], world.rigid, world.hosts
    load, used, room, cores = world.trial_load, world.trial_used, world.room, world.cores
    for host in range(load.shape[0]):
        load[host] = hosts[host].load
        for m in range(used.shape[1]):
            used[host, m] = world.used[host, m]
    for k in range(this.tasks):
        best, least, slowest = -1, np.inf, np.inf
        for host in range(load.shape[0]):
            after = (load[host] + this.fluid) / cores[host]
            slowness = max(after, 1.0) / hosts[host].speed
            better = slowness < slowest or (slowness == slowest and after < least)
            if better and after <= rules.most_load:
                fits = True
                for m in range(used.shape[1]):
                    fits &= used[host, m] + rigid[job, m] <= room[host, m]
                if fits:
                    best, least, slowest = host, after, slowness
        if best < 0:
            return False
        load[best] += this.fluid
        for m in range(used.shape[1]):
            used[best, m] += rigid[job, m]
        world.chosen[k] = best
    return True


@inner
def _could_fit(world, rules, job):
    """Whether all hosts together have room for it, however the tasks lie."""
    this, hosts, used, capacity = world.jobs[job], world.hosts, world.used, world.capacity
    asked = there = 0.0
    for host in range(hosts.shape[0]):
        asked += hosts[host].load
        there += world.cores[host]
    if asked + this.tasks * this.fluid > there * rules.most_load:
        return False
    for m in range(used.shape[1]):
        asked = there = 0.0
        for host in range(hosts.shape[0]):
            asked += used[host, m]
            there += capacity[host, m]
        if asked + this.tasks * world.rigid[job, m] > there:
            return False
    return True


@inner
def _worth_improving(world, rules):
    """Some host is overloaded, and a better packing is not out of the question."""
    least, asked, there = 1.0, 0.0, 0.0
    for host in range(world.hosts.shape[0]):
        load = world.hosts[host].load
        asked += load
        there += world.cores[host]
        if load > world.cores[host]:
            least = min(least, world.cores[host] / load)
    return least < 1.0 and there / asked > least * (1.0 + rules.gain) * (1.0 - 1e-9)


@inner
def _start(world, job, before):
    """Let `job`, which waits behind `before`, run on `chosen`."""
    this = world.jobs[job]
    _unqueue(world, job, before)
    this.start_s = this.since_s = world.real[NOW]
    for k in range(this.tasks):
        come(world, this.first_task + k, world.chosen[k])
    this.due = np.inf
    this.place = world.whole[RUNNING]
    world.heap[this.place] = job
    world.whole[RUNNING] += 1
    world.whole[STARTED] += 1
    mark(world, job)


@inner
def _unqueue(world, job, before):
    count, jobs = world.whole, world.jobs
    if before >= 0:
        jobs[before].following = jobs[job].following
    else:
        count[FIRST] = jobs[job].following
    if count[LAST] == job:
        count[LAST] = before
