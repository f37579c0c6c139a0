"""A pass of conservative backfilling that makes a new plan, compiled: jobs at the front start, the others get a plan.

Only the starts outlive a pass, so it ends as soon as no job behind could start now. Within a pass the set of jobs that
can start now only shrinks: if no host could hold a job, none can hold it later, nor a longer job of the same demand. A
job that was planned before gets the same reservation, unless a host has more free than then, or its own host less.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.free_profile_kernel import is_free, is_out_of_room, least, until
from loadmaster.host_index.lowest_kernel import lowest
from loadmaster.host_index.scores_kernel import rate_all, refresh, score_in
from loadmaster.jit.kernels import inlined, inner
from loadmaster.sim.queue.engine.profile.earliest_start_kernel import choose, last_taken, lowest_able
from loadmaster.sim.queue.engine.profile.multi_task_kernel import first_of_several
from loadmaster.sim.queue.engine.profile.pass_profile_kernel import (
    drop_ahead,
    first_or_later,
    hold_ahead,
    lower_bounds,
    show_running,
)
from loadmaster.sim.queue.engine.profile.plan_diff_kernel import (
    add_loss,
    continue_plan,
    end_plan,
    is_promised,
    note_given_up,
    note_promise,
    take_up,
)
from loadmaster.sim.queue.engine.profile.reservations_kernel import entries_of, hold_hosts
from loadmaster.sim.queue.engine.profile.running_jobs_kernel import list_overdue, note_start, take_best
from loadmaster.sim.queue.engine.profile.state import BLOCK, CHOSEN, PASS, PLANNED_HOSTS, WRONG
from loadmaster.sim.queue.engine.queue_tree_kernel import next_waiting
from loadmaster.sim.queue.engine.running_by_host_kernel import next_run
from loadmaster.sim.queue.engine.state import ARRIVED, NOT_FINITE, OUT_OF_ROOM, PLANNED, SHORT, UNDO
from loadmaster.sim.queue.engine.undo_kernel import take_again, take_back


@inner
def serve_anew(engine, plan, now_s):
    """Start the jobs that may start now; returns wrong or 0."""
    count, state, replan = plan.tally, plan.state, plan.replan
    count[PASS] += 1
    _let_overdue_end(plan, now_s)
    head, tried = _start_prefix(engine, plan, now_s)
    if count[WRONG] or head < 0:
        return count[WRONG]
    replan.many_roomy[0] = -1
    # everything from here on is dropped at the end of the pass
    used, prefix, end = plan.sky.used[0], state.tally[PLANNED], _end_of_pass(plan, head, tried)
    start_candidate, host = next_start_candidate(plan, head + 1, np.int64(-1), end, now_s)  # the head does not fit
    if start_candidate < end:
        take_up(plan)
    job = head
    while start_candidate < end and not count[WRONG]:
        # plan the jobs up to the next one that might start now
        continue_plan(plan, job)
        started = False
        if job == start_candidate:
            started = _start_now(engine, plan, job, now_s)
            start_candidate, host = start_candidate + 1, np.int64(-1)
        if not started and not count[WRONG]:
            _plan_later(plan, engine.calls.rates[0], job, now_s)
        start_candidate, host = next_start_candidate(plan, start_candidate, host, end, now_s)
        if start_candidate >= end:
            end_plan(plan, job)
        job = _next(plan, job + 1)
    if is_out_of_room(plan.sky) and not count[WRONG]:
        count[WRONG] = OUT_OF_ROOM
    drop_ahead(plan, used)
    for i in range(prefix, state.tally[PLANNED]):
        _hold_started(plan, np.int64(state.plan_job[1, i]), now_s)
    return count[WRONG]


@inlined
def _next(plan, job):
    """The first waiting job from `job` on, -1 if there is none."""
    return next_waiting(plan.jobs, plan.waiting, job, plan.state.tally[ARRIVED])


@inner
def _end_of_pass(plan, head, tried):
    """The number behind the last job that the pass may try; `tried` jobs are done, the last is `head`."""
    if plan.rules.lookahead < 0:
        return plan.state.tally[ARRIVED]
    job = _next(plan, head + 1)
    while job >= 0 and tried < plan.rules.lookahead:
        tried += 1
        head, job = job, _next(plan, job + 1)
    return head + 1


@inner
def _let_overdue_end(plan, now_s):
    """Extend jobs that run longer than expected to just after now."""
    soonest = np.nextafter(now_s, np.inf)
    for i in range(list_overdue(plan, now_s)):
        job = np.int64(plan.overdue[i])
        _hold_running(plan, job, soonest, now_s)


@inner
def _hold_running(plan, job, until_s, now_s):
    """Let the job hold its hosts until then."""
    first, end = entries_of(plan, job)
    hold_hosts(plan, job, now_s, until_s, 1.0, now_s)
    show_running(plan, plan.total)
    for entry in range(first, end):
        show_running(plan, plan.host[entry])
        add_loss(plan.replan.since, plan.host[entry], now_s, until_s)


@inner
def _hold_started(plan, job, now_s):
    """Let the job hold its hosts until its expected end."""
    _hold_running(plan, job, until(now_s, plan.requests.expected_s[job]), now_s)


@inner
def _start_prefix(engine, plan, now_s):
    """Start jobs from the head of the queue while they fit; returns the first that does not, or -1, and how many."""
    tried, job = 0, _next(plan, 0)
    while job >= 0 and tried != plan.rules.lookahead:
        tried += 1
        placed, wrong = take_best(engine, plan, job, now_s)
        if wrong:
            plan.tally[WRONG] = wrong
        if not placed:
            return job, tried
        note_given_up(plan, plan.replan.since, job)
        _note_start(plan, job)
        _hold_started(plan, job, now_s)
        job = _next(plan, job + 1)
    return np.int64(-1), tried


@inner
def _note_start(plan, job):
    state, first, last = plan.state, plan.requests.first[job], plan.state.tally[UNDO]
    at, entry = last - plan.requests.tasks[job], first
    while at < last:
        plan.host[entry], tasks = next_run(state.undo_host, at, last)
        plan.tasks[entry] = tasks
        at, entry = at + tasks, entry + 1
    plan.entries[job] = entry - first
    note_start(plan, job)


@inner
def next_start_candidate(plan, job, host, end, now_s):
    """The first waiting job from `job` on, before `end`, that might start now, and a host for a task of it.

    The job is `end` if there is none; `host` is the host that was found for `job` before, or -1.
    """
    while job < end:
        if host >= 0 and plan.waiting.here[job] and holds(plan, job, host, now_s):
            return job, host
        if plan.waiting.here[job] and not _has_failed(plan, job):
            host = _host_with_room(plan, job, now_s)
            if host >= 0:
                return job, host
        job, host = _next(plan, job + 1), np.int64(-1)
        job = job if job >= 0 else end
    return np.int64(end), host


@inlined
def _has_failed(plan, job):
    """Whether no host can hold a task of the job in this pass, by an earlier failure."""
    kind = plan.requests.kind[job]
    dead = plan.replan.dead_at[kind] == plan.tally[PASS]
    return dead and plan.requests.expected_s[job] >= plan.replan.dead_long_s[kind]


@inner
def _host_with_room(plan, job, now_s):
    """A host that can hold a task of the job from now on for its whole expected runtime, -1 if there is none."""
    replan, kind = plan.replan, plan.requests.kind[job]
    if replan.many_roomy[0] < 0:
        _list_roomy(plan)
    for i in range(replan.many_roomy[0]):
        if holds(plan, job, replan.roomy[i], now_s):
            return np.int64(replan.roomy[i])
    replan.dead_at[kind] = plan.tally[PASS]
    replan.dead_long_s[kind] = plan.requests.expected_s[job]
    return np.int64(-1)


@inner
def _list_roomy(plan):
    """List the hosts with room for the least demand of the log."""
    replan, free = plan.replan, plan.state.free
    replan.many_roomy[0] = 0
    for host in range(free.shape[0]):
        enough = True
        for r in range(replan.least.shape[0]):
            enough &= free[host, r] >= replan.least[r]
        if enough:
            replan.roomy[replan.many_roomy[0]] = host
            replan.many_roomy[0] += 1


@inner
def holds(plan, job, host, now_s):
    """Whether `host` can hold a task of the job from now on for its whole expected runtime."""
    requests = plan.requests
    return is_free(plan.ahead, host, now_s, until(now_s, requests.expected_s[job]), requests.demand[requests.kind[job]])


@inner
def _start_now(engine, plan, job, now_s):
    """Start the job if it fits beside all reservations for its whole expected runtime; returns whether it did."""
    requests, diff, scratch = plan.requests, plan.replan.diff, plan.scratch
    if not _take_now(engine, plan, job, now_s):
        return False
    note_given_up(plan, diff, job)
    _note_start(plan, job)
    first, plan.tally[CHOSEN] = requests.first[job], plan.entries[job]
    for k in range(plan.entries[job]):
        scratch.host[k], scratch.tasks[k] = plan.host[first + k], plan.tasks[first + k]
        add_loss(diff, scratch.host[k], now_s, until(now_s, requests.expected_s[job]))
    hold_ahead(plan, job, now_s, now_s)
    return True


@inner
def _take_now(engine, plan, job, now_s):
    """Take the best hosts for all tasks of the job, without a reservation on them or beside it; or none."""
    requests, state, scratch, scores = plan.requests, plan.state, plan.scratch, plan.scores
    demand, mark, able = requests.demand[requests.kind[job]], state.tally[UNDO], 0
    end_s = until(now_s, requests.expected_s[job])
    for i in range(plan.tally[PLANNED_HOSTS]):
        host = plan.replan.planned[i]
        if holds(plan, job, host, now_s):
            # the policy sees the least free capacity during the runtime
            least(plan.ahead, host, now_s, end_s, scratch.window)
            scratch.able[able] = host
            able += 1
    for k in range(requests.tasks[job]):
        last, task, seed = last_taken(state), requests.first[job] + k, plan.rules.seed
        if plan.rules.varies:
            slot = np.int64(0)
            wrong = rate_all(scores, engine.calls.scans[0], demand, state.free, last, task, seed)
        else:
            slot, wrong = refresh(scores, engine.calls.scans[0], requests.kind[job], demand, state.free, last, seed)
        host = np.int64(-1)
        if not wrong:
            host = lowest(scores, slot, state.open, plan.tally[PLANNED_HOSTS] > 0)
        # compare with the best host that has a reservation but still holds the task
        if able > 0 and not wrong:
            wrong = engine.calls.rates[0](
                demand, scratch.window, plan.capacity, scratch.able, able, last, task, seed, scratch.value, 0
            )
            other, score = lowest_able(scratch, able), score_in(scores, slot, host) if host >= 0 else np.inf
            value = scratch.value[other] if other >= 0 else np.inf
            if other >= 0 and (host < 0 or value < score or (value == score and other < host)):
                host = other
        if wrong:
            plan.tally[WRONG] = NOT_FINITE
        if wrong or host < 0:
            take_back(engine, mark, job, SHORT)
            return False
        take_again(engine, job, host, 1)
        for r in range(demand.shape[0]):
            scratch.window[host, r] -= demand[r]
    return True


@inner
def _plan_later(plan, rate, job, now_s):
    """Hold the hosts of the job from its earliest start on."""
    requests, same = plan.requests, False
    if requests.tasks[job] == 1:
        start_s, able, same = _first_again(plan, job, now_s)
    else:
        start_s, able = first_of_several(plan, job, np.inf, now_s)
    if start_s < np.inf:
        if same:
            plan.tally[CHOSEN], plan.scratch.tasks[0] = 1, 1
            plan.scratch.host[0] = plan.host[requests.first[job]]
        else:
            choose(plan, rate, job, able)
            plan.replan.likely[plan.bounds.of[job]] = plan.scratch.host[0]
        if plan.tally[WRONG]:
            return
        hold_ahead(plan, job, start_s, now_s)
    note_promise(plan, job, start_s, able == 1 and requests.tasks[job] == 1)


@inner
def _first_again(plan, job, now_s):
    """The earliest start for a job of one task, how many hosts are `able`, and whether the old choice stands."""
    requests, diff, scratch = plan.requests, plan.replan.diff, plan.scratch
    start_s, host = plan.start_s[job], np.int64(plan.host[requests.first[job]])
    if not is_promised(plan, job) or not plan.replan.alone[job] or start_s <= now_s:
        start_s, able = _first_of_one(plan, job, now_s)
        return start_s, able, False
    end_s, kind = until(start_s, requests.expected_s[job]), np.int64(plan.bounds.of[job])
    # its own host has lost capacity in that time
    less = diff.less_from_s[host] < end_s and start_s < diff.less_until_s[host]
    if less and not is_free(plan.ahead, host, start_s, end_s, requests.demand[requests.kind[job]]):
        start_s, able = _first_of_one(plan, job, now_s)
        return start_s, able, False
    lower_bounds(plan, kind, now_s)
    best_s, able = start_s, 1
    scratch.able[0] = host
    # only hosts that have gained capacity can give an earlier start
    if _may_start_sooner(plan, kind, host, start_s, end_s):
        best_s, able = first_or_later(plan, job, host, now_s, start_s, 0)
    for i in range(diff.many[0]):
        other = np.int64(diff.hosts[i])
        if other != host and _may_start_sooner(plan, kind, other, best_s, end_s):
            best_s, able = first_or_later(plan, job, other, now_s, best_s, able)
    more = diff.more_from_s[host] < end_s and start_s < diff.more_until_s[host]
    if best_s == start_s and able == 1 and not (less or more or plan.rules.varies):
        return best_s, able, True
    for i in range(able):
        least(plan.ahead, scratch.able[i], best_s, until(best_s, requests.expected_s[job]), scratch.window)
    return best_s, able, False


@inlined
def _may_start_sooner(plan, kind, host, best_s, end_s):
    """Whether capacity gained on a host might let a job of the class start by `best_s`."""
    soon_s, diff = plan.bounds.soon_s[kind, host], plan.replan.diff
    return diff.more_from_s[host] < end_s and soon_s <= best_s and soon_s < diff.more_until_s[host]


@inner
def _first_of_one(plan, job, now_s):
    """The earliest start for a job of one task, and the number of hosts, now in `able`, that can hold it then."""
    kind, replan, scratch, able = np.int64(plan.bounds.of[job]), plan.replan, plan.scratch, 0
    soon_s = plan.bounds.soon_s
    lower_bounds(plan, kind, now_s)
    likely = np.int64(replan.likely[kind])
    best_s, able = first_or_later(plan, job, likely, now_s, np.inf, 0)
    for block in range(replan.block_s.shape[1]):
        if replan.block_s[kind, block] > best_s:
            continue
        for host in range(block * BLOCK, min((block + 1) * BLOCK, soon_s.shape[1])):
            if host != likely and soon_s[kind, host] <= best_s:
                best_s, able = first_or_later(plan, job, host, now_s, best_s, able)
    if best_s < np.inf:
        for i in range(able):
            least(plan.ahead, scratch.able[i], best_s, until(best_s, plan.requests.expected_s[job]), scratch.window)
    return best_s, able
