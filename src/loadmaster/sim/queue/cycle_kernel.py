"""The general engine, compiled: any placement policy, any number of resources and tasks; walks queues in cycles.

Serves the disciplines `NetBatch`, `Fcfs` and `FairShare`, alone or under Max-Jobs, exactly as `reference.py` does.
The order of the jobs is one list a project; with a single project it is the order of arrival.
"""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,untyped-decorator"

import numpy as np

from loadmaster.kernels import inlined, inner
from loadmaster.sim.heap_kernel import drop_first, push
from loadmaster.sim.queue.cycle_state import (
    ARRIVED,
    DONE,
    LAST_HOST,
    NOT_FINITE,
    PAUSED,
    PLANNED,
    RUNNING,
    STARTED,
    UNDO,
    WAITING,
)
from loadmaster.sim.queue.scores_kernel import changed
from loadmaster.sim.queue.walk_kernel import take, take_back, walk


@inner
def at_or_after(time_s, interval_s):
    """The first moment of decision at or after `time_s`."""
    if interval_s <= 0.0:
        return time_s
    cycle = np.floor(time_s / interval_s)
    return (cycle if cycle * interval_s >= time_s else cycle + 1.0) * interval_s


@inner
def run(jobs, capacity, rules, state, scores, log, scans):
    """Go on until all is done or the records are full; changes `state`, `scores` and `log` in place."""
    count = state.tally
    total = jobs.submit_s.shape[0]
    log.rows[0] = 0
    while count[ARRIVED] < total or (count[WAITING] > 0 and count[RUNNING] > 0):
        if log.rows[0] == log.time_s.shape[0]:
            return PAUSED
        event = np.inf
        if count[RUNNING] > 0:
            event = state.end_s[0]
        if count[ARRIVED] < total:
            event = min(event, jobs.submit_s[count[ARRIVED]])
        now = at_or_after(event, rules.interval_s)
        _complete(jobs, state, scores, log, now)
        _admit(jobs, state, now)
        if count[WAITING] == 0:
            continue
        row = log.rows[0]
        log.time_s[row] = now
        log.queue_length[row] = count[WAITING]
        before = count[STARTED]
        winners, wrong = _best_walk(jobs, capacity, rules, state, scores, scans)
        if wrong:
            return NOT_FINITE
        _commit(jobs, state, log, now)
        log.started[row] = count[STARTED] - before
        log.winners[row] = winners
        log.rows[0] += 1
    return DONE


@inlined
def _complete(jobs, state, scores, log, now):
    count = state.tally
    while count[RUNNING] > 0 and state.end_s[0] <= now:
        job = state.ending[0]
        count[RUNNING] = drop_first(state.end_s, state.ending, count[RUNNING])
        demand = jobs.demand[jobs.kind[job]]
        for task in range(jobs.first_task[job], jobs.first_task[job + 1]):
            host = log.host[task]
            for r in range(demand.shape[0]):
                state.free[host, r] += demand[r]
            changed(scores, host)
        state.used[jobs.project[job]] -= demand[0] * jobs.tasks[job]


@inlined
def _admit(jobs, state, now):
    count = state.tally
    while count[ARRIVED] < jobs.submit_s.shape[0] and jobs.submit_s[count[ARRIVED]] <= now:
        job = count[ARRIVED]
        project = jobs.project[job]
        if state.tail[project] < 0:
            state.head[project] = job
        else:
            state.following[state.tail[project]] = job
        state.tail[project] = job
        count[ARRIVED] += 1
        count[WAITING] += 1


@inner
def _best_walk(jobs, capacity, rules, state, scores, scans):
    """Every member walks on the same state; the plan of the first best one stays. Returns (winners, wrong)."""
    count = state.tally
    best_value = -1.0
    best_planned = 0
    best_last = count[LAST_HOST]
    winners = 0
    for member in range(rules.members):
        if walk(jobs, capacity, rules, state, scores, scans, member):
            return 0, 1
        if rules.members == 1:
            count[LAST_HOST] = count[LAST_HOST] if count[UNDO] == 0 else state.undo_host[count[UNDO] - 1]
            return 0, 0
        value = _value(jobs, capacity, rules, state)
        if value > best_value:
            best_value, winners, best_planned = value, 1 << member, count[PLANNED]
            best_last = count[LAST_HOST] if count[UNDO] == 0 else state.undo_host[count[UNDO] - 1]
            for i in range(count[PLANNED]):
                state.plan_job[0, i] = state.plan_job[1, i]
            for i in range(count[UNDO]):
                state.plan_host[0, i] = state.undo_host[i]
        elif value == best_value:
            winners |= 1 << member
        take_back(state, scores, 0)
    hosts = 0
    for i in range(best_planned):
        job = state.plan_job[0, i]
        for _ in range(jobs.tasks[job]):
            take(jobs.demand[jobs.kind[job]], state, scores, state.plan_host[0, hosts])
            hosts += 1
        state.plan_job[1, i] = job
    count[PLANNED] = best_planned
    count[LAST_HOST] = best_last
    return winners, 0


@inner
def _value(jobs, capacity, rules, state):
    planned = state.tally[PLANNED]
    if rules.target == 0:
        return float(planned)
    value = 0.0
    for i in range(planned):
        job = state.plan_job[1, i]
        demand = jobs.demand[jobs.kind[job]]
        if rules.target == 1:
            value += demand[0] * jobs.tasks[job]
        else:
            for r in range(demand.shape[0]):
                total = 0.0
                for h in range(capacity.shape[0]):
                    total += capacity[h, r]
                if total > 0.0:
                    value += demand[r] * jobs.tasks[job] / total
    return value


@inlined
def _commit(jobs, state, log, now):
    """Write the planned starts down and drop started jobs from their queues."""
    count = state.tally
    task = 0
    for i in range(count[PLANNED]):
        job = state.plan_job[1, i]
        log.start_s[job] = now
        for k in range(jobs.tasks[job]):
            log.host[jobs.first_task[job] + k] = state.undo_host[task]
            task += 1
        count[RUNNING] = push(state.end_s, state.ending, count[RUNNING], now + jobs.runtime_s[job], job)
        state.used[jobs.project[job]] += jobs.demand[jobs.kind[job], 0] * jobs.tasks[job]
    count[WAITING] -= count[PLANNED]
    count[STARTED] += count[PLANNED]
    if count[PLANNED] > 0:
        _drop_started(state, log)


@inlined
def _drop_started(state, log):
    left = state.tally[PLANNED]
    for project in range(state.head.shape[0]):
        before = -1
        job = state.head[project]
        while job >= 0 and left > 0:
            following = state.following[job]
            if np.isnan(log.start_s[job]):
                before = job
            else:
                left -= 1
                if before < 0:
                    state.head[project] = following
                else:
                    state.following[before] = following
                if following < 0:
                    state.tail[project] = before
            job = following
