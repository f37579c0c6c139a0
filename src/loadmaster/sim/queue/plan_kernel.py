"""One decision of conservative backfilling, compiled: the prefix starts, those behind it are planned.

Only the starts leave a decision, so a plan ends where nobody behind it could start now. What can start now only shrinks
within a decision: a job that no host could take stays out of the question, and so does a longer one of the same class.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.skyline_kernel import is_out_of_room, least, until
from loadmaster.heap_kernel import drop_first
from loadmaster.kernels import inner
from loadmaster.sim.queue.plan_again_kernel import first_again
from loadmaster.sim.queue.plan_ahead_kernel import begin_plan, drop_plan, hold_planned, hold_running
from loadmaster.sim.queue.plan_bounds_kernel import put_back
from loadmaster.sim.queue.plan_earliest_kernel import choose, first_for_many, lowest_able
from loadmaster.sim.queue.plan_hope_kernel import begin_hope, holds, next_hope
from loadmaster.sim.queue.plan_unlike_kernel import (
    come_to,
    leave_off,
    note_given_up,
    note_less,
    note_promise,
    take_up,
)
from loadmaster.sim.queue.queue_state import NOT_FINITE, OUT_OF_ROOM
from loadmaster.sim.queue.starts_kernel import (
    ARRIVED,
    FIRST,
    KEPT,
    LAST_HOST,
    OVER,
    OVERDUE,
    STAMP,
    STARTED,
    close_gap,
    pick,
    place,
    start,
    take,
    take_back,
)


@inner
def decide_plan(jobs, capacity, rules, state, scores, plan, log, scan, rate, now):
    """Start what may start at `now`; returns 0, or NOT_FINITE or OUT_OF_ROOM."""
    count = state.tally
    limit = count[ARRIVED] - count[FIRST]
    if rules.lookahead >= 0:
        limit = min(limit, rules.lookahead)
    before = count[STARTED]
    _let_overdue_end(jobs, state, plan, log, now)
    tried, wrong = _start_prefix(jobs, rules, state, scores, plan, log, scan, now, limit)
    if wrong:
        return NOT_FINITE
    if tried == count[STARTED] - before:
        return 0
    begin_plan(state)
    begin_hope(plan)
    used = plan.base.used[0]
    plan.many_begun[0] = 0
    head = kept = looked = count[FIRST]
    behind = looked + limit - tried + 1
    hope, host = head + 1, np.int64(-1)  # the head is known not to fit
    hope, host = next_hope(jobs, state, plan, hope, host, behind, now)
    if hope < behind:
        take_up(plan)
    while hope < behind and not wrong:
        job = state.queue[looked]
        come_to(plan, job)
        placed = False
        if looked == hope:
            placed, wrong = _start_now(jobs, capacity, rules, state, scores, plan, log, scan, rate, job, now)
            hope, host = hope + 1, np.int64(-1)
        if not placed and not wrong:
            wrong = _plan_later(jobs, capacity, rules, state, plan, rate, job, now)
            state.queue[kept] = job
            kept += 1
        looked += 1
        hope, host = next_hope(jobs, state, plan, hope, host, behind, now)
        if hope == behind:
            leave_off(plan, job)
    status = OUT_OF_ROOM if is_out_of_room(plan.base) else 0
    drop_plan(state, plan, used)
    put_back(plan)
    for i in range(plan.many_begun[0]):
        _hold_started(jobs, state, plan, log, np.int64(plan.begun[i]), now)
    close_gap(state, kept, looked)
    return NOT_FINITE if wrong else status


@inner
def _let_overdue_end(jobs, state, plan, log, now):
    """Let jobs that run for longer than was expected end right after now."""
    count, still = state.tally, 0
    while count[OVER] > 0 and state.over_s[0] <= now:
        state.overdue[count[OVERDUE]] = state.over[0]
        count[OVERDUE] += 1
        count[OVER] = drop_first(state.over_s, state.over, count[OVER])
    for i in range(count[OVERDUE]):
        job = np.int64(state.overdue[i])
        if state.runs[job]:
            state.overdue[still] = job
            still += 1
            for task in range(jobs.first_task[job], jobs.first_task[job + 1]):
                demand = jobs.demand[jobs.kind[job]]
                hold_running(plan, log.host[task], now, np.nextafter(now, np.inf), demand, 1.0, now)
                note_less(plan.since, log.host[task], now, np.nextafter(now, np.inf))
    count[OVERDUE] = still


@inner
def _start_prefix(jobs, rules, state, scores, plan, log, scan, now, limit):
    """Start jobs from the head of the queue while they fit, at most `limit`; returns (tried, wrong)."""
    count = state.tally
    tried = 0
    while count[FIRST] < count[ARRIVED] and tried < limit:
        job = np.int64(state.queue[count[FIRST]])
        tried += 1
        placed, wrong = place(jobs, rules, state, scores, scan, job)
        if not placed:
            return tried, wrong
        start(jobs, state, log, job, now)
        note_given_up(jobs, state, plan, plan.since, job)
        _hold_started(jobs, state, plan, log, job, now)
        count[FIRST] += 1
    return tried, 0


@inner
def _hold_started(jobs, state, plan, log, job, now):
    end_s, demand = until(now, state.expected_s[job]), jobs.demand[jobs.kind[job]]
    for task in range(jobs.first_task[job], jobs.first_task[job + 1]):
        hold_running(plan, log.host[task], now, end_s, demand, 1.0, now)
        note_less(plan.since, log.host[task], now, end_s)


@inner
def _bound(jobs, state, plan, job, now):
    kind = jobs.kind[job]
    known = plan.bound_at[kind] == state.tally[STAMP] and jobs.tasks[job] >= plan.bound_tasks[kind]
    return plan.bound_s[kind] if known and state.expected_s[job] >= plan.bound_long_s[kind] else now


@inner
def _learn(jobs, state, plan, job, start_s):
    kind = jobs.kind[job]
    tasks, long_s = jobs.tasks[job], state.expected_s[job]
    fresh = plan.bound_at[kind] != state.tally[STAMP]
    if fresh or (tasks <= plan.bound_tasks[kind] and long_s <= plan.bound_long_s[kind]):
        plan.bound_at[kind] = state.tally[STAMP]
        plan.bound_tasks[kind] = tasks
        plan.bound_long_s[kind] = long_s
        plan.bound_s[kind] = start_s


@inner
def _start_now(jobs, capacity, rules, state, scores, plan, log, scan, rate, job, now):
    """Start `job` if it fits beside the plan for its whole expected runtime; returns (started, wrong)."""
    if jobs.tasks[job] > 1 and _bound(jobs, state, plan, job, now) > now:
        return False, 0
    end_s, demand = until(now, state.expected_s[job]), jobs.demand[jobs.kind[job]]
    placed, wrong = _take_now(jobs, capacity, rules, state, scores, plan, scan, rate, job, now, end_s)
    if not placed:
        return False, wrong
    note_given_up(jobs, state, plan, plan.unlike, job)
    for k in range(jobs.tasks[job]):
        hold_planned(state, plan, state.undo_host[k], now, end_s, demand, now)
        note_less(plan.unlike, state.undo_host[k], now, end_s)
    start(jobs, state, log, job, now)
    plan.begun[plan.many_begun[0]] = job
    plan.many_begun[0] += 1
    return True, 0


@inner
def _take_now(jobs, capacity, rules, state, scores, plan, scan, rate, job, now, end_s):
    count, hand, demand = state.tally, plan.hand, jobs.demand[jobs.kind[job]]
    able = 0
    for i in range(count[KEPT]):
        host = state.hosts[i]
        if holds(jobs, state, plan, job, host, now):
            least(plan.ahead, host, now, end_s, hand.window)
            hand.able[able] = host
            able += 1
    last = count[LAST_HOST]
    for k in range(jobs.tasks[job]):
        host, score, wrong = pick(jobs, rules, state, scores, scan, job, k, count[KEPT] > 0)
        if able > 0 and not wrong:
            task = jobs.first_task[job] + k
            wrong = rate(demand, hand.window, capacity, hand.able, able, last, task, rules.seed, hand.value, 0)
            other = lowest_able(hand, able)
            if other >= 0 and (host < 0 or hand.value[other] < score or (hand.value[other] == score and other < host)):
                host = other
        if host < 0 or wrong:
            take_back(state, scores, k)
            return False, wrong
        take(jobs, state, scores, job, k, host)
        for r in range(demand.shape[0]):
            hand.window[host, r] -= demand[r]
        last = host
    return True, 0


@inner
def _plan_later(jobs, capacity, rules, state, plan, rate, job, now):
    """Hold the hosts of `job` from the first moment after `now` at which it fits; returns 1 on a score not finite."""
    same = False
    if jobs.tasks[job] == 1:
        start_s, able, same = first_again(jobs, rules, state, plan, job, now)
    else:
        from_s = _bound(jobs, state, plan, job, now)
        start_s, able = np.inf, 0
        if from_s < np.inf:
            start_s, able = first_for_many(jobs, state, plan, job, from_s, now)
        _learn(jobs, state, plan, job, start_s)
    if start_s == np.inf:
        note_promise(jobs, state, plan, job, start_s, False)
        return 0
    if same:
        state.undo_host[0] = plan.promised.host[jobs.first_task[job]]
    elif choose(jobs, capacity, rules, state, plan, rate, job, able):
        return 1
    end_s, demand = until(start_s, state.expected_s[job]), jobs.demand[jobs.kind[job]]
    for k in range(jobs.tasks[job]):
        hold_planned(state, plan, state.undo_host[k], start_s, end_s, demand, now)
    note_promise(jobs, state, plan, job, start_s, able == 1 and jobs.tasks[job] == 1)
    return 0
