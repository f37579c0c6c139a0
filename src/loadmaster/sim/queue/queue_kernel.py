"""The engine of the queue family, compiled: any placement policy, static orders, several backfillings, Max-Jobs."""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,untyped-decorator"

import numpy as np

from loadmaster.kernels import inlined, inner
from loadmaster.sim.heap_kernel import drop_first, push
from loadmaster.sim.queue.ends_kernel import add_end, drop_end
from loadmaster.sim.queue.pass_kernel import count_against, serve, take_again, take_back
from loadmaster.sim.queue.queue_state import (
    ARRIVED,
    DONE,
    EASY,
    LAST_HOST,
    MANY,
    NO_RANK,
    NOT_FINITE,
    PAUSED,
    PLANNED,
    RUNNING,
    SHORT,
    STARTED,
    UNDO,
    WAITING,
)
from loadmaster.sim.queue.ranked_kernel import join_ranked, leave_ranked
from loadmaster.sim.queue.scores_kernel import changed
from loadmaster.sim.queue.waiting_kernel import join, leave, raise_to


@inner
def at_or_after(time_s, interval_s):
    """The first moment of decision at or after `time_s`."""
    if interval_s <= 0.0:
        return time_s
    cycle = np.floor(time_s / interval_s)
    return (cycle if cycle * interval_s >= time_s else cycle + 1.0) * interval_s


@inner
def run(jobs, capacity, rules, state, waiting, ranked, stairs, moment, ends, scores, log, scans, columns, rank):
    """Go on until all is done or the records are full; changes all but jobs, capacity, rules and columns in place."""
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
        _complete(jobs, rules, state, stairs, ends, scores, log, now)
        _admit(jobs, rules, state, waiting, ranked, now)
        if count[WAITING] == 0:
            continue
        row = log.rows[0]
        log.time_s[row] = now
        log.queue_length[row] = count[WAITING]
        if rules.moving and rank(columns, ranked.queue, ranked.number[MANY], now, ranked.rank):
            return NO_RANK
        winners, wrong = _best_pass(
            jobs, capacity, rules, state, waiting, ranked, stairs, moment, ends, scores, log, scans, now
        )
        if wrong:
            return NOT_FINITE
        log.started[row] = count[PLANNED]
        log.winners[row] = winners
        log.rows[0] += 1
        _commit(jobs, rules, state, waiting, ranked, ends, log, now)
    return DONE


@inlined
def _complete(jobs, rules, state, stairs, ends, scores, log, now):
    count = state.tally
    while count[RUNNING] > 0 and state.end_s[0] <= now:
        job = np.int64(state.ending[0])
        count[RUNNING] = drop_first(state.end_s, state.ending, count[RUNNING])
        kind = jobs.kind[job]
        for task in range(jobs.first_task[job], jobs.first_task[job + 1]):
            host = np.int64(log.host[task])
            for r in range(state.free.shape[1]):
                state.free[host, r] += jobs.demand[kind, r]
            raise_to(stairs, state.free, host)
            changed(scores, host)
        state.used[jobs.project[job]] -= jobs.demand[kind, 0] * jobs.tasks[job]
        if rules.limited:
            count_against(jobs, state, job, 1.0)
        if rules.backfilling == EASY:
            drop_end(ends, job)


@inlined
def _admit(jobs, rules, state, waiting, ranked, now):
    count = state.tally
    while count[ARRIVED] < jobs.submit_s.shape[0] and jobs.submit_s[count[ARRIVED]] <= now:
        if rules.moving:
            join_ranked(ranked, count[ARRIVED])
        else:
            join(jobs, waiting, count[ARRIVED])
        count[ARRIVED] += 1
        count[WAITING] += 1


@inner
def _best_pass(jobs, capacity, rules, state, waiting, ranked, stairs, moment, ends, scores, log, scans, now):
    """Every member passes over the same state; the plan of the first best one stays. Returns (winners, wrong)."""
    count = state.tally
    best_value = -1.0
    best_planned = 0
    best_last = count[LAST_HOST]
    winners = 0
    for member in range(rules.members):
        if serve(
            jobs, capacity, rules, state, waiting, ranked, stairs, moment, ends, scores, log, scans, member, now
        ):  # fmt: skip
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
        take_back(jobs, state, stairs, moment, scores, 0, 0, SHORT)
    for i in range(best_planned):
        job = state.plan_job[0, i]
        state.plan_task[i] = count[UNDO]
        for _ in range(jobs.tasks[job]):
            take_again(jobs, state, scores, job, np.int64(state.plan_host[0, count[UNDO]]))
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
def _commit(jobs, rules, state, waiting, ranked, ends, log, now):
    """The planned starts happen."""
    count = state.tally
    for i in range(count[PLANNED]):
        job = np.int64(state.plan_job[1, i])
        log.start_s[job] = now
        slowest = np.inf
        for k in range(jobs.tasks[job]):
            host = state.undo_host[state.plan_task[i] + k]
            log.host[jobs.first_task[job] + k] = host
            slowest = min(slowest, state.speed[host])
        count[RUNNING] = push(state.end_s, state.ending, count[RUNNING], now + jobs.runtime_s[job] / slowest, job)
        state.used[jobs.project[job]] += jobs.demand[jobs.kind[job], 0] * jobs.tasks[job]
        if rules.limited:
            count_against(jobs, state, job, -1.0)
        if rules.backfilling == EASY:
            add_end(ends, now + jobs.expected_s[job] / slowest, job)
        if rules.moving:
            leave_ranked(ranked, job)
        else:
            leave(jobs, waiting, job)
    count[WAITING] -= count[PLANNED]
    count[STARTED] += count[PLANNED]
