"""One pass over the queue, compiled: who starts now under a backfilling, for one placement policy.

The starts of a pass are a plan that can be taken back: Max-Jobs lets several policies pass over the same state.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.kernels import inlined, inner
from loadmaster.sim.queue.failed_kernel import is_hopeless, remember
from loadmaster.sim.queue.moment_kernel import promise
from loadmaster.sim.queue.neediest_kernel import begin_needs, is_satisfied, neediest, use_more
from loadmaster.sim.queue.news_kernel import first_new, holds_still, may_know, renew_news
from loadmaster.sim.queue.offers_kernel import (
    is_offered,
    may_pass_over,
    note_start,
    pass_over_array,
    restore_limits,
    was_shut_out,
)
from loadmaster.sim.queue.queue_state import (
    AT_FIRST,
    BLOCKING,
    CHOICE,
    CLOSED,
    COUNTED,
    EASY,
    HEAD,
    HOSTS,
    LONG,
    MOVES,
    NEWS,
    PARTLY,
    PENDING,
    PLANNED,
    SHORT,
    STAMP,
    THIS_HEAD,
    UNDO,
    WALK,
)
from loadmaster.sim.queue.ranked_kernel import begin_ranked, next_ranked
from loadmaster.sim.queue.reserve_kernel import flush, nobody_reserved, reopen, reserve
from loadmaster.sim.queue.taking_kernel import place, renew_if_changed
from loadmaster.sim.queue.waiting_kernel import length_of, may_fit, next_fitting, next_waiting


@inner
def serve(jobs, capacity, rules, state, waiting, ranked, stairs, moment, ends, scores, log, scans, member, bound, now):
    """One member passes over the queue; its starts go to plan_job[1] and the undo list. Returns wrong or 0."""
    count = state.tally
    _begin(state, waiting, stairs, moment, bound, rules.ticked)
    if rules.moving:
        begin_ranked(ranked)
    tried = kept = 0
    wrong = 0
    chosen = False
    state.news.number[AT_FIRST] = 0
    head = np.int64(-1)
    unseen = may_pass_over(bound)
    passing = unseen and rules.backfilling == WALK and rules.reservations == 0 and rules.lookahead < 0
    first = np.int64(0)  # jobs from here on, in their order, are tried on all hosts; those in front only on new ones
    if bound is None and passing and may_know(rules, state):
        first = _try_news(jobs, state, stairs, moment)
    while count[CLOSED] + count[PENDING] < capacity.shape[0] and tried != rules.lookahead:
        if rules.moving:
            job, project = next_ranked(ranked, stairs, moment, bound, now, passing), 0
        elif bound is None and rules.ticked:
            job, project = _next_of_two(jobs, state, waiting, stairs, moment, now, passing), 0
        else:
            job, project = _next(jobs, state, waiting, stairs, moment, now, passing, first)
        if job < 0:
            break
        if not is_offered(jobs, state, bound, job):
            continue
        tried += 1
        placed = False
        if head >= 0 and moment.number[HEAD] < 0:
            promise(jobs, state, moment, ends, log, head, now)  # not before somebody might have room beside it
            if first > 0:
                renew_news(jobs, state, moment, stairs)
        length = length_of(moment, now, jobs.expected_s[job] / state.fastest[jobs.hosts[job]])
        is_old = first > 0 and waiting.position[job] < first
        if chosen and may_fit(jobs, stairs, job, length):
            count[CHOICE] = 1
        if length == LONG and stairs.fresh[LONG] < 0 and first == 0 and jobs.tasks[job] == 1:
            renew_if_changed(jobs, state, stairs, moment, job, LONG)
        if may_fit(jobs, stairs, job, length) and not is_hopeless(jobs, state, job, length):
            flush(state, scores)
            if rules.several_speeds and moment.number[HEAD] >= 0:
                count[CHOICE] = 1  # the host may decide when the job ends
            placed, length, wrong = place(jobs, rules, state, stairs, moment, scores, scans, member, bound, job, now)
            if wrong:
                break
            if not placed and is_old:
                renew_news(jobs, state, moment, stairs)
            elif not placed and jobs.tasks[job] == 1:
                renew_if_changed(jobs, state, stairs, moment, job, length)
        if placed:
            _plan(jobs, state, bound, job, project)
            chosen |= not is_old or state.news.number[HOSTS] > 1 or jobs.tasks[job] > 1
            continue
        pass_over_array(state, bound, job)
        if rules.backfilling == BLOCKING:
            break
        if rules.backfilling == EASY and head < 0:
            head = job
            passing = unseen
            state.news.number[AT_FIRST] = 1 if count[PLANNED] == 0 else 0
            known = bound is None and count[PLANNED] == 0 and may_know(rules, state)
            if known and holds_still(jobs, state, moment, ends, log, head, now):
                first = _try_news(jobs, state, stairs, moment)
            continue
        if not was_shut_out(bound):
            if rules.everywhere and length == SHORT and jobs.smallest[jobs.kind[job]] and jobs.tasks[job] == 1:
                break
            if length == SHORT:
                remember(jobs, state, job, SHORT, jobs.tasks[job])
        if rules.backfilling == WALK and (rules.reservations < 0 or kept < rules.reservations):
            reserve(jobs, capacity, state, scores, job)
            kept += 1
    _forget(jobs, state, scores, bound)
    state.news.number[THIS_HEAD] = head
    return wrong


@inlined
def _begin(state, waiting, stairs, moment, bound, ticked):
    count = state.tally
    if bound is not None:
        moment.number[COUNTED] = -1  # hosts have changed that nobody has counted
    count[STAMP] += 1
    count[MOVES] += 1
    count[UNDO] = count[PLANNED] = count[PARTLY] = count[CHOICE] = 0
    state.paretos[0] = state.paretos[1] = 0
    nobody_reserved(state)
    moment.number[HEAD] = -1
    stairs.fresh[LONG] = -1
    for run in range(state.cursor.shape[0]):
        state.cursor[run] = waiting.span[run] if ticked else waiting.edge[0, run]
    if not ticked:
        begin_needs(state, waiting)


@inlined
def _try_news(jobs, state, stairs, moment):
    """What is known of the last pass holds; the position from which on nothing is."""
    renew_news(jobs, state, moment, stairs)
    return first_new(state)


@inlined
def _next(jobs, state, waiting, stairs, moment, now, passing, first):
    """The next job to be looked at and its group, (-1, 0) if none; those before `first` are tried on new hosts only."""
    while True:
        project = neediest(state)
        if project < 0:
            return np.int64(-1), 0
        begin, end = state.cursor[project], waiting.edge[1, project]
        if passing:
            position = np.int64(-1)
            if begin < first:
                position = next_fitting(jobs, waiting, stairs, moment, now, begin, min(first, end), NEWS)
                begin = first
            if position < 0:
                position = next_fitting(jobs, waiting, stairs, moment, now, begin, end, 0)
        else:
            position = next_waiting(jobs, waiting, begin, end)
            if begin == waiting.edge[0, project]:
                waiting.edge[0, project] = end if position < 0 else position
        if position >= 0:
            state.cursor[project] = position + 1
            return np.int64(waiting.at[position]), project
        is_satisfied(state, project)


@inlined
def _next_of_two(jobs, state, waiting, stairs, moment, now, passing):
    """The next job under a ticked order: of those sorted at the last tick and those that came since; -1 at the end."""
    first, of = np.int64(-1), 0
    for run in range(2):
        end = waiting.span[run + 1]
        if passing:
            position = next_fitting(jobs, waiting, stairs, moment, now, state.cursor[run], end, 0)
        else:
            position = next_waiting(jobs, waiting, state.cursor[run], end)
        state.cursor[run] = end if position < 0 else position
        if position >= 0:
            job = np.int64(waiting.at[position])
            ahead = waiting.rank[first] - waiting.rank[job] if first >= 0 else 1.0
            if ahead > 0.0 or (ahead == 0.0 and job < first):
                first, of = job, run
    if first >= 0:
        state.cursor[of] += 1
    return first


@inlined
def _plan(jobs, state, bound, job, project):
    """Note that `job` starts, on the hosts at the end of the undo list."""
    count = state.tally
    state.plan_job[1, count[PLANNED]] = job
    state.plan_task[count[PLANNED]] = count[UNDO] - jobs.tasks[job]
    count[PLANNED] += 1
    count[MOVES] += 1
    use_more(state, project, jobs.demand[jobs.kind[job], 0] * jobs.tasks[job])
    note_start(jobs, state, bound, job)


@inlined
def _forget(jobs, state, scores, bound):
    """The pass was but a plan: nobody has started yet, no host is reserved."""
    count = state.tally
    for i in range(count[PLANNED]):
        job = state.plan_job[1, i]
        state.used[jobs.project[job]] -= jobs.demand[jobs.kind[job], 0] * jobs.tasks[job]
    restore_limits(state, bound)
    reopen(state, scores)
