"""The engine of the queue family, compiled: any placement policy, any order, several backfillings, Max-Jobs."""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.heap_kernel import drop_first, push
from loadmaster.kernels import inlined, inner
from loadmaster.sim.moments_kernel import at_or_after
from loadmaster.sim.queue.bound_kernel import (
    advance,
    begin_round,
    end_round,
    has_cut_runs,
    is_another_pass,
    next_bound_event,
    queue_length,
    somebody_may_start,
    start_bound,
)
from loadmaster.sim.queue.ends_kernel import add_end, drop_end
from loadmaster.sim.queue.guess_kernel import NONE, correct, next_expiry, note_end, predict_until
from loadmaster.sim.queue.news_kernel import learn, note_newest, note_news
from loadmaster.sim.queue.pass_kernel import serve
from loadmaster.sim.queue.pool_kernel import free_again, take_lowest
from loadmaster.sim.queue.profile.pass_kernel import next_due, serve_profile
from loadmaster.sim.queue.profile.running_kernel import give_back_early, lacks_room, note_starts
from loadmaster.sim.queue.profile.state import UNDER_WAY
from loadmaster.sim.queue.queue_state import (
    ARRIVED,
    AT_FIRST,
    CHOICE,
    DONE,
    EASY,
    HEAD,
    LAST_HOST,
    MANY,
    NO_RANK,
    PARTLY,
    PAUSED,
    PLANNED,
    RUNNING,
    SHORT,
    STARTED,
    UNDO,
    WAITING,
)
from loadmaster.sim.queue.ranked_kernel import join_ranked, leave_ranked
from loadmaster.sim.queue.runs_kernel import next_run
from loadmaster.sim.queue.taking_kernel import give_back, take_again, take_back
from loadmaster.sim.queue.tenants_kernel import move_in, move_out
from loadmaster.sim.queue.waiting_kernel import join, leave


@inner
def run(
    jobs, capacity, rules, state, waiting, ranked, stairs, moment, ends, scores, log, scans, columns, rank, book,
    reckon, bound, plan, rate,
):  # fmt: skip
    """Go on until all is done or the records are full; changes all but jobs, capacity, rules and columns in place.

    `bound` is a `bound_state.Bound`, or None where no constraint binds; `plan` is a `profile.state.Reservations`, and
    `rate` the policy that rates hosts for it, or None but for conservative backfilling: compiled for None, nothing of
    it is left.
    """
    log.rows[0] = 0
    while log.rows[0] < log.time_s.shape[0] and not has_cut_runs(bound):
        if bound is None:
            now = _go_on(jobs, rules, state, waiting, ranked, stairs, moment, ends, scores, log, plan)
        else:
            now = go_on_bound(jobs, rules, state, waiting, ranked, stairs, ends, scores, log, bound)
        if now == np.inf:
            return DONE
        if queue_length(state, bound) == 0:
            continue
        if plan is not None:
            wrong = _reserve(plan, scans, rate, now)
            if wrong != 0:
                return wrong
            commit(jobs, rules, state, waiting, ranked, ends, log, bound, now)
            note_starts(plan, now)
            continue
        wrong = _decide(
            jobs, capacity, rules, state, waiting, ranked, stairs, moment, ends, scores, log, scans, columns, rank,
            book, reckon, bound, now,
        )  # fmt: skip
        if wrong != 0:
            return wrong
        commit(jobs, rules, state, waiting, ranked, ends, log, bound, now)
    return PAUSED


@inner
def go_on_bound(jobs, rules, state, waiting, ranked, stairs, ends, scores, log, bound):
    """All that happens to bound jobs before the next pass; returns its moment, infinite if there is none."""
    if is_another_pass(bound):
        return bound.clock[0]
    event = next_bound_event(state, bound)
    if event == np.inf:
        return event
    now = at_or_after(event, rules.interval_s)
    advance(jobs, rules, state, waiting, ranked, stairs, ends, scores, log, bound, now)
    return now


@inlined
def _reserve(plan, scans, rate, now):
    """One pass of conservative backfilling, and its row in the record; returns what is wrong, 0 if nothing."""
    log, row = plan.log, plan.log.rows[0]
    wrong = lacks_room(plan, now)
    if wrong == 0:
        log.time_s[row], log.queue_length[row], log.winners[row] = now, plan.state.tally[WAITING], 0
        wrong = serve_profile(plan, plan.kept, plan.replan, scans, rate, now)
        log.started[row] = plan.state.tally[PLANNED]
        log.rows[0] += wrong == 0
    return wrong


@inlined
def _go_on(jobs, rules, state, waiting, ranked, stairs, moment, ends, scores, log, plan):
    """The same where no constraint binds."""
    if plan is not None and plan.tally[UNDER_WAY]:
        return plan.now[0]
    count, total = state.tally, jobs.submit_s.shape[0]
    if count[ARRIVED] == total and (count[WAITING] == 0 or (plan is None and count[RUNNING] == 0)):
        return np.inf
    event = state.end_s[0] if count[RUNNING] > 0 else np.inf
    if count[ARRIVED] < total:
        event = min(event, jobs.submit_s[count[ARRIVED]])
    if state.guess.expires and count[WAITING] > 0:
        event = min(event, next_expiry(state.guess, ends))
    if plan is not None:
        event = min(event, next_due(plan, plan.kept))
    now = at_or_after(event, rules.interval_s)
    state.guess.last_s[0] = now
    _complete(jobs, rules, state, ranked, stairs, moment, ends, scores, log, plan, now)
    if state.guess.corrects != NONE:
        correct(state.guess, ends, log, now)
    _admit(jobs, rules, state, waiting, ranked, now)
    return now


@inlined
def _decide(
    jobs, capacity, rules, state, waiting, ranked, stairs, moment, ends, scores, log, scans, columns, rank, book,
    reckon, bound, now,
):  # fmt: skip
    """One pass, and its row in the record; returns what is wrong, 0 if nothing."""
    count = state.tally
    row = log.rows[0]
    log.time_s[row] = now
    log.queue_length[row] = queue_length(state, bound)
    if bound is None and rules.told:
        if rules.moving or ranked.number[MANY] > 0 or now >= ranked.happened.due_s[0]:
            reckon(book, waiting, ranked, jobs, now)
    elif rules.moving and rank(columns, ranked.queue, ranked.number[MANY], now, ranked.rank):
        return NO_RANK
    winners = count[PLANNED] = 0
    if somebody_may_start(state, bound):
        winners, wrong = _best_pass(
            jobs, capacity, rules, state, waiting, ranked, stairs, moment, ends, scores, log, scans, bound, now
        )
        if wrong:
            return wrong
    log.started[row] = count[PLANNED]
    log.winners[row] = winners
    log.rows[0] += 1
    return 0


@inlined
def _complete(jobs, rules, state, ranked, stairs, moment, ends, scores, log, plan, now):
    count = state.tally
    while count[RUNNING] > 0 and state.end_s[0] <= now:
        job = np.int64(state.ending[0])
        if state.guess.predicts:
            note_end(jobs, state.guess, job, state.end_s[0])
        if plan is not None:
            give_back_early(plan, plan.kept, plan.replan, job, state.end_s[0], now)
        if rules.told:
            _tell(ranked.happened, -1 - job, state.end_s[0])
        count[RUNNING] = drop_first(state.end_s, state.ending, count[RUNNING])
        kind, task = np.int64(jobs.kind[job]), jobs.first_task[job]
        while task < jobs.first_task[job + 1]:
            host, tasks = next_run(log.host, task, jobs.first_task[job + 1])
            give_back(jobs, state, stairs, moment, scores, host, kind, tasks)
            note_news(state.news, host)
            if rules.backfilling == EASY:
                move_out(state.tenants, task, host)
            task += tasks
        if state.pool.free.shape[0] > 0:
            free_again(state.pool, job)
        state.used[jobs.project[job]] -= jobs.demand[kind, 0] * jobs.tasks[job]
        if rules.backfilling == EASY:
            drop_end(ends, job)


@inlined
def _admit(jobs, rules, state, waiting, ranked, now):
    count = state.tally
    if state.guess.predicts:
        predict_until(jobs, state.guess, now, True)
    while count[ARRIVED] < jobs.submit_s.shape[0] and jobs.submit_s[count[ARRIVED]] <= now:
        if rules.moving or rules.ticked:
            join_ranked(jobs, ranked, count[ARRIVED])
        else:
            join(jobs, waiting, count[ARRIVED])
            note_newest(state.news, np.int64(waiting.position[count[ARRIVED]]))
        count[ARRIVED] += 1
        count[WAITING] += 1


@inner
def _best_pass(jobs, capacity, rules, state, waiting, ranked, stairs, moment, ends, scores, log, scans, bound, now):
    """Every member passes over the same state; the plan of the first best one stays. Returns (winners, wrong)."""
    count = state.tally
    best_value = -1.0
    best_planned = 0
    best_last = count[LAST_HOST]
    winners = 0
    log.value[log.rows[0], :] = np.nan
    certain, leans = True, False
    for member in range(rules.members):
        wrong = serve(
            jobs, capacity, rules, state, waiting, ranked, stairs, moment, ends, scores, log, scans, member,
            bound, now,
        )  # fmt: skip
        if wrong:
            return 0, wrong
        certain &= rules.members == 1 or (count[PARTLY] == 0 and state.news.number[AT_FIRST] == 1)
        leans |= moment.number[HEAD] >= 0
        one = bound is None and member == 0 and count[PARTLY] == 0 and count[CHOICE] == 0
        if rules.members == 1 or one:  # every member would start the same jobs
            count[LAST_HOST] = count[LAST_HOST] if count[UNDO] == 0 else state.undo_host[count[UNDO] - 1]
            if rules.members > 1:
                certain = certain and count[PARTLY] == 0
            learn(rules, state, moment, leans, certain)
            return _all_tie(rules, log, count[PLANNED] == count[WAITING]), 0
        value = log.value[log.rows[0], member] = value_of_plan(jobs, capacity, rules, state)
        starts_all = count[PLANNED] == count[WAITING]
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
        if bound is None and rules.pruned and starts_all:
            break
    for i in range(best_planned):
        job = state.plan_job[0, i]
        state.plan_task[i] = count[UNDO]
        for _ in range(jobs.tasks[job]):
            take_again(jobs, state, stairs, moment, scores, job, np.int64(state.plan_host[0, count[UNDO]]))
        state.plan_job[1, i] = job
    count[PLANNED] = best_planned
    count[LAST_HOST] = best_last
    learn(rules, state, moment, leans, certain)
    return winners, 0


@inlined
def _all_tie(rules, log, starts_all):
    """Whom the log names where all members would start the same: not those that are not tried."""
    if rules.members == 1:
        return np.int64(log.value.shape[1])  # the bit of a meta-rule's only member, none without a meta-rule
    return np.int64(1) if rules.pruned and starts_all else (np.int64(1) << rules.members) - 1


@inner
def value_of_plan(jobs, capacity, rules, state):
    """What the jobs of the plan at hand are worth to Max-Jobs."""
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
def commit(jobs, rules, state, waiting, ranked, ends, log, bound, now):
    """The planned starts happen."""
    count = state.tally
    if bound is not None:
        begin_round(bound)
    for i in range(count[PLANNED]):
        row = np.int64(state.plan_job[1, i])
        log.start_s[row if bound is None else bound.row[row].owner] = now
        slowest = np.inf
        for k in range(jobs.tasks[row]):
            host = state.undo_host[state.plan_task[i] + k]
            log.host[jobs.first_task[row] + k] = host
            slowest = min(slowest, state.speed[host])
        if state.pool.free.shape[0] > 0:
            take_lowest(state.pool, row)
        end_s = now + jobs.runtime_s[row] / slowest
        if rules.backfilling == EASY:
            _move_in(jobs, state, log, row, now + jobs.expected_s[row] / slowest)
        count[RUNNING] = push(state.end_s, state.ending, count[RUNNING], end_s, row)
        state.used[jobs.project[row]] += jobs.demand[jobs.kind[row], 0] * jobs.tasks[row]
        if rules.backfilling == EASY:
            add_end(ends, now + jobs.expected_s[row] / slowest, row)
        if bound is None and rules.told:
            _tell(ranked.happened, row, now)
        if bound is not None:
            start_bound(jobs, rules, state, waiting, ranked, bound, row, end_s)
        elif rules.moving:
            leave_ranked(ranked, row)
        else:
            leave(waiting, row)
    count[WAITING] -= count[PLANNED]
    count[STARTED] += count[PLANNED]
    if bound is not None:
        end_round(state, bound)


@inlined
def _move_in(jobs, state, log, row, end_s):
    state.tenants.end_s[row] = end_s
    task, end = jobs.first_task[row], jobs.first_task[row] + jobs.tasks[row]
    while task < end:
        host, tasks = next_run(log.host, task, end)
        move_in(state.tenants, task, tasks, row, host)
        task += tasks


@inner
def _tell(happened, job, time_s):
    happened.job[happened.number[0]] = job
    happened.time_s[happened.number[0]] = time_s
    happened.number[0] += 1
