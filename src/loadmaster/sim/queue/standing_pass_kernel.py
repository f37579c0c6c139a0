"""One decision of conservative backfilling whose promises stand, compiled: the plan is kept, and changed where need be.

Promises fit beside each other from pass to pass, unless a running job outlives its estimate, or a start comes late:
only then are all of them gone through again, as `Board.stand` does.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.conservative_kernel import ARRIVAL, IN_THEIR_ORDER, NOW_ONLY
from loadmaster.backfilling.releases import INSTANT_S
from loadmaster.backfilling.skyline_kernel import begin_skyline, hold, is_free, is_overfull, until
from loadmaster.backfilling.soon_kernel import forget, note_freed
from loadmaster.heap_kernel import drop_first, push
from loadmaster.kernels import inner
from loadmaster.scores_kernel import changed
from loadmaster.sim.queue.queue_state import NOT_FINITE
from loadmaster.sim.queue.standing_again_kernel import clear_later, stand_again
from loadmaster.sim.queue.standing_earliest_kernel import earliest, list_hosts
from loadmaster.sim.queue.standing_moves_kernel import move_all, start_sooner
from loadmaster.sim.queue.standing_queue_kernel import (
    hold_promise,
    leave,
    link,
    next_due_s,
    note_due,
    note_moved,
    note_need,
    promise,
    put_off,
    renew_due,
    unlink,
)
from loadmaster.sim.queue.standing_state import (
    ARRIVED,
    CLEARED,
    DUE,
    EARLY,
    LAST_HOST,
    MOVED,
    OVER,
    OVERDUE,
    PASS,
    PROMISED,
    RUNNING,
    RUNNING_TASKS,
    STARTED,
    WRONG,
)
from loadmaster.sim.queue.starts_kernel import place


@inner
def complete(jobs, asked, rules, standing, sky, soon, scores, log, now_s):
    """Free the hosts of all jobs that have ended by now, and the plan of those that ended early."""
    count = standing.tally
    while count[RUNNING] > 0 and standing.end_s[0] <= now_s:
        job = np.int64(standing.ending[0])
        end_s = standing.end_s[0]
        count[RUNNING] = drop_first(standing.end_s, standing.ending, count[RUNNING])
        expected_s = log.start_s[job] + asked.expected_s[job]
        count[EARLY] |= end_s < expected_s
        held_s = until(log.start_s[job], asked.expected_s[job])
        if held_s > now_s:
            for task in range(asked.first[job], asked.first[job + 1]):
                host = standing.host[task]
                hold(sky, host, now_s, held_s, asked.demand[asked.kind[job]], -1.0, now_s)
                note_freed(soon, sky, host, now_s, held_s)
                standing.look_s[host] = -np.inf
        if rules.as_pool:
            _give_back(jobs, standing, scores, log, job)
        standing.runs[job] = False
        count[RUNNING_TASKS] -= asked.tasks[job]


@inner
def decide(jobs, asked, rules, standing, sky, soon, hand, scores, log, scan, rate, now_s):
    """Start whose time has come, promise what is not promised yet; when to decide again, though nothing happens."""
    count, end = standing.tally, standing.waits.shape[0]
    count[PASS] += 1
    count[MOVED] = count[CLEARED] = 0
    _take_over(asked, standing, sky, now_s)
    if 2 * count[CLEARED] <= asked.capacity.shape[0]:
        stand_again(asked, rules, standing, sky, soon, hand, rate, now_s)
    else:
        _stand(asked, rules, standing, sky, soon, hand, log, rate, now_s)
    if rules.early_end == NOW_ONLY:
        start_sooner(asked, rules, standing, sky, soon, hand, rate, now_s)
    elif count[EARLY] and (rules.early_end == ARRIVAL or rules.early_end == IN_THEIR_ORDER):
        move_all(asked, rules, standing, sky, soon, hand, rate, now_s, rules.early_end == IN_THEIR_ORDER)
    count[EARLY] = 0
    size = 0
    for i in range(count[MOVED]):
        size = push(standing.order_s, standing.order, size, np.float64(standing.moved[i]), standing.moved[i])
    before = count[PROMISED]
    tried = 0
    if rules.lookahead >= 0:
        job = np.int64(standing.following[end])
        while job < before:
            tried += 1
            job = np.int64(standing.following[job])
    while size > 0 and not count[WRONG]:
        job = np.int64(standing.order[0])
        size = drop_first(standing.order_s, standing.order, size)
        unlink(asked, standing, job)
        _start(jobs, asked, rules, standing, scores, log, scan, job, now_s)
    while count[PROMISED] < count[ARRIVED] and tried != rules.lookahead and not count[WRONG]:
        _serve_new(jobs, asked, rules, standing, sky, soon, hand, scores, log, scan, rate, count[PROMISED], now_s)
        tried += 1
    return _wake_s(standing, now_s)


@inner
def _take_over(asked, standing, sky, now_s):
    """Let overdue jobs end right after now, and due promises begin now, as far as the plan goes.

    Hosts where something no longer fits are to be cleared; the jobs that are due are `moved`.
    """
    count, soonest = standing.tally, np.nextafter(now_s, np.inf)
    while count[OVER] > 0 and standing.over_s[0] <= now_s:
        job = standing.over[0]
        count[OVER] = drop_first(standing.over_s, standing.over, count[OVER])
        if standing.runs[job]:
            standing.overdue[count[OVERDUE]] = job
            count[OVERDUE] += 1
    many, count[OVERDUE] = count[OVERDUE], 0
    for i in range(many):
        job = np.int64(standing.overdue[i])
        if not standing.runs[job]:
            continue
        standing.overdue[count[OVERDUE]] = job
        count[OVERDUE] += 1
        for task in range(asked.first[job], asked.first[job + 1]):
            host = np.int64(standing.host[task])
            hold(sky, host, now_s, soonest, asked.demand[asked.kind[job]], 1.0, now_s)
            if is_overfull(sky, host, now_s, soonest):
                clear_later(standing, host)
            standing.look_s[host] = min(standing.look_s[host], soonest)
    while next_due_s(standing) <= now_s:
        job = np.int64(standing.due[0])
        count[DUE] = drop_first(standing.due_s, standing.due, count[DUE])
        _begin_now(asked, standing, sky, job, now_s)


@inner
def _begin_now(asked, standing, sky, job, now_s):
    """Let a due promise begin now, which may be late."""
    count, start_s = standing.tally, standing.start_s[job]
    if count[MOVED] > 0 and standing.moved[count[MOVED] - 1] == job:
        return  # twice in the heap
    note_moved(standing, job)
    held_s, end_s = until(start_s, asked.expected_s[job]), until(now_s, asked.expected_s[job])
    if start_s < now_s:
        held_s = max(held_s, now_s)
        for task in range(asked.first[job], asked.first[job + 1]):
            hold(sky, standing.host[task], held_s, end_s, asked.demand[asked.kind[job]], 1.0, now_s)
            if is_overfull(sky, standing.host[task], held_s, end_s):
                clear_later(standing, np.int64(standing.host[task]))


@inner
def _stand(asked, rules, standing, sky, soon, hand, log, rate, now_s):
    """Promise all again, in the order of the moments; who no longer fits is promised the first moment that is free."""
    count, end, soonest = standing.tally, standing.waits.shape[0], np.nextafter(now_s, np.inf)
    begin_skyline(sky, asked.capacity, now_s)
    for i in range(count[RUNNING]):
        job = np.int64(standing.ending[i])
        end_s = max(log.start_s[job] + asked.expected_s[job], soonest)
        for task in range(asked.first[job], asked.first[job + 1]):
            hold(sky, standing.host[task], now_s, end_s, asked.demand[asked.kind[job]], 1.0, now_s)
    forget(soon)
    for host in range(standing.look_s.shape[0]):
        standing.look_s[host] = -np.inf
    size, count[MOVED] = 0, 0
    job = np.int64(standing.following[end])
    while job < count[PROMISED]:
        size = push(standing.order_s, standing.order, size, standing.start_s[job], job)
        job = np.int64(standing.following[job])
    while size > 0 and not count[WRONG]:
        job = np.int64(standing.order[0])
        size = drop_first(standing.order_s, standing.order, size)
        put_off(asked, standing, job, max(now_s, standing.start_s[job]))
        if not _hold_again(asked, standing, sky, job, now_s):
            unlink(asked, standing, job)
            many = list_hosts(asked, soon, sky, hand, job, np.inf, -1, now_s)
            start_s = earliest(asked, rules, standing, sky, soon, hand, rate, job, np.inf, many, now_s)
            promise(asked, standing, sky, hand, job, start_s, now_s)
        standing.seen[job] = 0
        if standing.start_s[job] <= now_s:
            note_moved(standing, job)
    renew_due(standing)


@inner
def _hold_again(asked, standing, sky, job, now_s):
    """Hold exactly what the job was promised, if all of it still fits; whether it does."""
    start_s, demand = standing.start_s[job], asked.demand[asked.kind[job]]
    end_s, first = until(start_s, asked.expected_s[job]), asked.first[job]
    for task in range(first, asked.first[job + 1]):
        if not is_free(sky, standing.host[task], start_s, end_s, demand):
            for k in range(first, task):
                hold(sky, standing.host[k], start_s, end_s, demand, -1.0, now_s)
            return False
        hold(sky, standing.host[task], start_s, end_s, demand, 1.0, now_s)
    return True


@inner
def _serve_new(jobs, asked, rules, standing, sky, soon, hand, scores, log, scan, rate, job, now_s):
    """Start the job now if it fits, else promise it the first moment at which it does."""
    count = standing.tally
    many = list_hosts(asked, soon, sky, hand, job, np.inf, -1, now_s)
    start_s = earliest(asked, rules, standing, sky, soon, hand, rate, job, np.inf, many, now_s)
    if count[WRONG]:
        return
    standing.start_s[job] = start_s
    for k in range(asked.tasks[job]):
        standing.host[asked.first[job] + k] = hand.host[k]
    hold_promise(asked, standing, sky, job, 1.0, now_s)
    count[PROMISED] += 1
    if start_s <= now_s:
        _start(jobs, asked, rules, standing, scores, log, scan, job, now_s)
        return
    link(asked, standing, job)
    note_due(standing, job)
    note_need(asked, standing, job)
    standing.seen[job] = 0 if rules.early_end == NOW_ONLY else soon.freed[0]


@inner
def _start(jobs, asked, rules, standing, scores, log, scan, job, now_s):
    """Start the job on the hosts that the plan holds for it; where it counts hosts, on the best of all."""
    count, first, tasks = standing.tally, jobs.first_task[job], jobs.tasks[job]
    if rules.as_pool:
        _, wrong = place(jobs, rules, standing, scores, scan, job)
        if wrong:
            count[WRONG] = NOT_FINITE
        for k in range(tasks):
            log.host[first + k] = standing.undo_host[k]
    else:
        for k in range(tasks):
            log.host[first + k] = standing.host[first + k]
    count[LAST_HOST] = log.host[first + tasks - 1]
    log.start_s[job] = now_s
    leave(asked, standing, job)
    standing.runs[job] = True
    count[RUNNING] = push(standing.end_s, standing.ending, count[RUNNING], now_s + jobs.runtime_s[job], job)
    count[OVER] = push(standing.over_s, standing.over, count[OVER], now_s + asked.expected_s[job], job)
    count[RUNNING_TASKS] += asked.tasks[job]
    count[STARTED] += 1


@inner
def _give_back(jobs, standing, scores, log, job):
    for task in range(jobs.first_task[job], jobs.first_task[job + 1]):
        host = log.host[task]
        for r in range(standing.free.shape[1]):
            standing.free[host, r] += jobs.demand[jobs.kind[job], r]
        changed(scores, host)


@inner
def _wake_s(standing, now_s):
    """The first promised moment, but for those at this very instant."""
    soonest_s = now_s + INSTANT_S
    first_s = next_due_s(standing)
    if first_s > soonest_s:
        return first_s
    first_s, end = np.inf, standing.waits.shape[0]
    job = np.int64(standing.following[end])
    while job < standing.tally[PROMISED]:
        if standing.start_s[job] > soonest_s:
            first_s = min(first_s, standing.start_s[job])
        job = np.int64(standing.following[job])
    return first_s
