"""One decision of conservative backfilling, compiled: the prefix starts, those behind it are planned.

Only the starts leave a decision, so a plan ends where nobody behind it could start now. What can start now only shrinks
within a decision: a job that no host could take stays out of the question, and so does a longer one of the same demand.
"""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,untyped-decorator"

import numpy as np

from loadmaster.kernels import inner
from loadmaster.sim.queue.ends_kernel import add_end
from loadmaster.sim.queue.outlook_kernel import (
    BEGUN,
    LATE_AT,
    MAIN_AT,
    SLOT,
    STEPS,
    SWEEP,
    first_for_many,
    first_for_one,
    hold,
    least,
    unfold,
    until,
)
from loadmaster.sim.queue.plan_pass_kernel import begin_walk, choose_in, start_prefix
from loadmaster.sim.queue.starts_kernel import (
    ARRIVED,
    FIRST,
    KEPT,
    LAST_HOST,
    RUNNING_TASKS,
    STAMP,
    STARTED,
    WAITING_TASKS,
    best_then,
    close_gap,
    fits,
    pick,
    start,
    take,
    take_back,
)  # fmt: skip


@inner
def room_needed(capacity, state):
    """A bound on the steps that a decision can need."""
    return capacity.shape[0] + state.tally[RUNNING_TASKS] + 3 * state.tally[WAITING_TASKS]


@inner
def decide_plan(jobs, capacity, rules, state, scores, later, ends, plan, log, rate, scan, now):
    """Start what may start at `now`; returns 1 on a score that is not finite."""
    count = state.tally
    limit = count[ARRIVED] - count[FIRST]
    if rules.lookahead >= 0:
        limit = min(limit, rules.lookahead)
    before = count[STARTED]
    tried, wrong = start_prefix(jobs, rules, state, scores, ends, log, scan, now, limit)
    if wrong or tried == count[STARTED] - before:
        return wrong
    begin_walk(state)
    plan.size[STEPS] = plan.size[SWEEP] = plan.size[LATE_AT] = plan.size[BEGUN] = plan.size[SLOT] = 0
    plan.size[MAIN_AT] = ends.size[0]
    head = kept = looked = count[FIRST]
    behind = looked + limit - tried + 1
    hope, witness = head + 1, np.int64(-1)  # the head is known not to fit
    while looked < behind and not wrong:
        hope, witness = _next_hope(jobs, state, plan, hope, witness, behind, now)
        if hope == behind:
            break
        job = state.queue[looked]
        placed = False
        if looked == hope:
            placed, wrong = _start_now(jobs, capacity, rules, state, scores, plan, log, rate, scan, job, now)
            hope, witness = hope + 1, np.int64(-1)
        if not placed and not wrong:
            wrong = _plan_later(jobs, capacity, rules, state, later, ends, plan, log, rate, scan, job, now)
            state.queue[kept] = job
            kept += 1
        looked += 1
    for i in range(count[KEPT]):
        state.open[state.hosts[i]] = True
    for i in range(plan.size[BEGUN]):
        add_end(ends, now + state.expected_s[plan.begun[i]], plan.begun[i])
    close_gap(state, kept, looked)
    return wrong


@inner
def _next_hope(jobs, state, plan, position, witness, behind, now):
    """The first place in the queue from `position` on whose job might start now; returns (place, a host for a task).

    The place is `behind` if there is none; `witness` is the host that was found for `position` before, or -1.
    """
    while position < behind:
        job = state.queue[position]
        if witness < 0 or not _holds(jobs, state, plan, job, witness, now):
            witness = _witness(jobs, state, plan, job, now)
        if witness >= 0:
            return position, witness
        position += 1
    return position, witness


@inner
def _witness(jobs, state, plan, job, now):
    """The first host that could hold a task of `job` from now on for its whole expected runtime, -1 if none could."""
    kind = jobs.kind[job]
    if plan.dead_at[kind] == state.tally[STAMP] and state.expected_s[job] >= plan.dead_long_s[kind]:
        return np.int64(-1)
    for host in range(state.free.shape[0]):
        if _holds(jobs, state, plan, job, host, now):
            return np.int64(host)
    plan.dead_at[kind] = state.tally[STAMP]
    plan.dead_long_s[kind] = state.expected_s[job]
    return np.int64(-1)


@inner
def _holds(jobs, state, plan, job, host, now):
    """Whether `host` could hold a task of `job` from now on for its whole expected runtime."""
    kind = jobs.kind[job]
    if not fits(state.free, host, jobs.demand, kind):
        return False
    if state.kept[host] != state.tally[STAMP]:
        return True
    least(plan, host, plan.first_step[host], until(now, state.expected_s[job]))
    return fits(plan.window, host, jobs.demand, kind)


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
def _start_now(jobs, capacity, rules, state, scores, plan, log, rate, scan, job, now):
    """Start `job` if it fits beside the plan for its whole expected runtime; returns (started, wrong)."""
    if _bound(jobs, state, plan, job, now) > now:
        return False, 0
    end_s = until(now, state.expected_s[job])
    placed, wrong = _take_now(jobs, capacity, rules, state, scores, plan, rate, scan, job, now, end_s)
    if not placed:
        return False, wrong
    for k in range(jobs.tasks[job]):
        if state.kept[state.undo_host[k]] == state.tally[STAMP]:
            hold(plan, jobs, jobs.kind[job], state.undo_host[k], now, end_s)
    start(jobs, rules, state, log, job, now)
    plan.begun[plan.size[BEGUN]] = job
    plan.size[BEGUN] += 1
    for k in range(jobs.tasks[job]):
        unfold(jobs, state, plan, log, state.undo_host[k], now)
    return True, 0


@inner
def _take_now(jobs, capacity, rules, state, scores, plan, rate, scan, job, now, end_s):
    count = state.tally
    kind = jobs.kind[job]
    demand = jobs.demand[kind]
    able = 0
    for i in range(count[KEPT]):
        host = state.hosts[i]
        if _holds(jobs, state, plan, job, host, now):
            state.touched[able] = host
            able += 1
    last = count[LAST_HOST]
    for k in range(jobs.tasks[job]):
        host, score, wrong = pick(jobs, rules, state, scores, scan, job, k, count[KEPT] > 0)
        if able > 0 and not wrong:
            task = jobs.first_task[job] + k
            wrong = rate(demand, plan.window, capacity, state.touched, able, last, task, rules.seed, state.value, 0)
            other = best_then(state, able)
            if other >= 0 and (
                host < 0 or state.value[other] < score or (state.value[other] == score and other < host)
            ):
                host = np.int64(other)
        if host < 0 or wrong:
            take_back(state, scores, k)
            return False, wrong
        take(jobs, state, scores, job, k, host)
        for r in range(demand.shape[0]):
            plan.window[host, r] -= demand[r]
        last = host
    return True, 0


@inner
def _plan_later(jobs, capacity, rules, state, later, ends, plan, log, rate, scan, job, now):
    """Hold the hosts of `job` from the first moment after `now` at which it fits; returns 1 on a score not finite."""
    from_s = _bound(jobs, state, plan, job, now)
    if from_s == np.inf:
        return 0
    if jobs.tasks[job] == 1:
        start_s, able = first_for_one(jobs, state, ends, plan, log, job, from_s, now)
    else:
        start_s, able = first_for_many(jobs, capacity, state, ends, plan, log, job, from_s, now)
    _learn(jobs, state, plan, job, start_s)
    if start_s == np.inf:
        return 0
    kind = jobs.kind[job]
    if jobs.tasks[job] == 1:
        last, task = state.tally[LAST_HOST], jobs.first_task[job]
        wrong = rate(
            jobs.demand[kind], plan.window, capacity, state.touched, able, last, task, rules.seed, state.value, 0
        )
        state.undo_host[0] = best_then(state, able)
    else:
        wrong = choose_in(plan.window, jobs, rules, state, later, scan, job)
    if wrong:
        return 1
    for k in range(jobs.tasks[job]):
        host = state.undo_host[k]
        unfold(jobs, state, plan, log, host, now)
        hold(plan, jobs, kind, host, start_s, until(start_s, state.expected_s[job]))
    return 0
