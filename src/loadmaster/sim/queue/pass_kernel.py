"""One pass over the queue, compiled: who starts now under a backfilling, for one placement policy.

The starts of a pass are a plan that can be taken back: Max-Jobs lets several policies pass over the same state.
Failures are remembered within a pass: what is free, and what the promised head leaves, only shrink in it.
"""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,untyped-decorator"

import numpy as np

from loadmaster.heap_kernel import drop_first, push
from loadmaster.kernels import inlined, inner
from loadmaster.scores_kernel import changed, lowest, rate_all, refresh
from loadmaster.sim.queue.moment_kernel import close_to_long, promise, renew_long, take_for_long
from loadmaster.sim.queue.offers_kernel import (
    close_shut,
    is_offered,
    may_pass_over,
    note_start,
    pass_over_array,
    restore_limits,
    shut_hosts,
    was_shut_out,
)
from loadmaster.sim.queue.queue_state import (
    BLOCKING,
    CHANGES,
    CLOSED,
    EASY,
    HEAD,
    HEAPED,
    LAST_HOST,
    LONG,
    PARETO,
    PARTLY,
    PENDING,
    PLANNED,
    SHORT,
    STAMP,
    UNDO,
    WALK,
)
from loadmaster.sim.queue.ranked_kernel import begin_ranked, next_ranked
from loadmaster.sim.queue.waiting_kernel import length_of, may_fit, next_fitting, next_waiting, raise_to, renew


@inner
def serve(jobs, capacity, rules, state, waiting, ranked, stairs, moment, ends, scores, log, scans, member, bound, now):
    """One member passes over the queue; its starts go to plan_job[1] and the undo list. 1 on a score not finite."""
    count = state.tally
    _begin(state, waiting, stairs, moment)
    if rules.moving:
        begin_ranked(ranked)
    tried = kept = 0
    wrong = 0
    head = np.int64(-1)
    unseen = may_pass_over(bound)
    passing = unseen and rules.backfilling == WALK and rules.reservations == 0 and rules.lookahead < 0
    while count[CLOSED] + count[PENDING] < capacity.shape[0] and tried != rules.lookahead:
        if rules.moving:
            job, project = next_ranked(ranked, stairs, moment, bound, now, passing), 0
        elif bound is None and rules.ticked:
            job, project = _next_of_two(jobs, state, waiting, stairs, moment, now, passing), 0
        else:
            job, project = _next(jobs, state, waiting, stairs, moment, now, passing)
        if job < 0:
            break
        if not is_offered(jobs, state, bound, job):
            continue
        tried += 1
        placed = False
        if head >= 0 and moment.number[HEAD] < 0:
            promise(jobs, state, moment, ends, log, head, now)  # not before somebody might have room beside it
        length = length_of(moment, now, jobs.expected_s[job] / state.fastest[jobs.hosts[job]])
        if length == LONG and stairs.fresh[LONG] < 0:
            _renew_if_changed(jobs, state, stairs, moment, LONG)
        if may_fit(jobs, stairs, job, length) and not _hopeless(jobs, state, job, length):
            _flush(state)
            placed, length, wrong = _place(
                jobs, capacity, rules, state, stairs, moment, scores, scans, member, bound, job, now
            )
            if wrong:
                break
        if placed:
            _plan(jobs, state, bound, job, project)
            continue
        pass_over_array(state, bound, job)
        if rules.backfilling == BLOCKING:
            break
        if rules.backfilling == EASY and head < 0:
            head = job
            passing = unseen
            continue
        if not was_shut_out(bound):
            if rules.everywhere and length == SHORT and jobs.smallest[jobs.kind[job]] and jobs.tasks[job] == 1:
                break
            if length == SHORT:
                _remember(jobs, state, job, SHORT, jobs.tasks[job])
        if rules.backfilling == WALK and (rules.reservations < 0 or kept < rules.reservations):
            _reserve(jobs, capacity, state, job)
            kept += 1
    _forget(jobs, state, bound)
    return wrong


@inlined
def _begin(state, waiting, stairs, moment):
    count = state.tally
    count[STAMP] += 1
    count[CLOSED] = count[HEAPED] = count[UNDO] = count[PLANNED] = count[PENDING] = count[PARTLY] = 0
    state.paretos[0] = state.paretos[1] = 0
    moment.number[HEAD] = -1
    stairs.fresh[LONG] = -1
    for project in range(state.cursor.shape[0]):
        state.cursor[project] = waiting.span[project]


@inlined
def _next(jobs, state, waiting, stairs, moment, now, passing):
    """The next job to be looked at and its group, (-1, 0) at the end."""
    while True:
        project = _neediest(state, waiting)
        if project < 0:
            return np.int64(-1), 0
        end = waiting.span[project + 1]
        if passing:
            position = next_fitting(jobs, waiting, stairs, moment, now, state.cursor[project], end)
        else:
            position = next_waiting(waiting, state.cursor[project], end)
        if position >= 0:
            state.cursor[project] = position + 1
            return np.int64(waiting.at[position]), project
        state.cursor[project] = end


@inlined
def _next_of_two(jobs, state, waiting, stairs, moment, now, passing):
    """The next job under a ticked order: of those sorted at the last tick and those that came since; -1 at the end."""
    first, of = np.int64(-1), 0
    for run in range(2):
        end = waiting.span[run + 1]
        if passing:
            position = next_fitting(jobs, waiting, stairs, moment, now, state.cursor[run], end)
        else:
            position = next_waiting(waiting, state.cursor[run], end)
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
def _neediest(state, waiting):
    if state.cursor.shape[0] == 1:
        return 0 if state.cursor[0] < waiting.span[1] else -1
    best = -1
    lowest_ratio = np.inf
    for project in range(state.cursor.shape[0]):
        if state.cursor[project] < waiting.span[project + 1]:
            ratio = state.used[project] / state.share[project]
            if best < 0 or ratio < lowest_ratio:
                best, lowest_ratio = project, ratio
    return best


@inlined
def _place(jobs, capacity, rules, state, stairs, moment, scores, scans, member, bound, job, now):
    """Take a host for every task of `job` or none; returns (placed, its length, wrong)."""
    mark = state.tally[UNDO]
    expected_s = jobs.expected_s[job] / state.fastest[jobs.hosts[job]]
    while True:
        length = length_of(moment, now, expected_s)
        shut = shut_hosts(bound, job, now, expected_s)
        placed, wrong = _take_hosts(
            jobs, rules, state, stairs, moment, scores, scans, member, bound, job, length, shut
        )  # fmt: skip
        if not placed or not rules.several_speeds:
            return placed, length, wrong
        slowest = np.inf
        for entry in range(mark, state.tally[UNDO]):
            slowest = min(slowest, state.speed[state.undo_host[entry]])
        if jobs.expected_s[job] / slowest <= expected_s:
            return True, length, 0
        take_back(jobs, state, stairs, moment, scores, mark, job, length)
        expected_s = jobs.expected_s[job] / slowest


@inner
def _take_hosts(jobs, rules, state, stairs, moment, scores, scans, member, bound, job, length, shut):
    """Take the best hosts for the tasks of `job`, or none, `shut`: some are closed to it; returns (taken, wrong)."""
    count = state.tally
    mark = count[UNDO]
    kinds = jobs.demand.shape[0]
    kind = jobs.kind[job]
    demand = jobs.demand[kind]
    for k in range(jobs.tasks[job]):
        last = count[LAST_HOST] if count[UNDO] == 0 else np.int64(state.undo_host[count[UNDO] - 1])
        if (rules.varies >> member) & 1:
            slot = np.int64(0)
            wrong = rate_all(scores, scans[member], demand, state.free, last, jobs.first_task[job] + k, rules.seed)
        else:
            slot, wrong = refresh(scores, scans[member], member * kinds + kind, demand, state.free, last, rules.seed)
        if wrong:
            return False, 1
        part = shut or length == LONG or not jobs.whole[jobs.hosts[job]]
        if part:
            _find_usable(jobs, state, moment, bound, job, length)
            host = lowest(scores, slot, state.usable, True)
        else:
            host = lowest(scores, slot, state.open, count[CLOSED] > 0)
        if host < 0:
            if length == LONG and k > 0:
                count[PARTLY] = 1
            elif length == LONG and not was_shut_out(bound):
                _remember(jobs, state, job, LONG, 1)
            take_back(jobs, state, stairs, moment, scores, mark, job, length)
            _renew_if_changed(jobs, state, stairs, moment, length)
            return False, 0
        _take(jobs, state, moment, scores, job, host, length)
    return True, 0


@inner
def _find_usable(jobs, state, moment, bound, job, length):
    allowed = jobs.hosts[job]
    for host in range(state.open.shape[0]):
        state.usable[host] = state.open[host] and jobs.allowed[allowed, host]
    close_shut(state, bound)
    if length == LONG:
        close_to_long(jobs, state, moment, job)


@inner
def _renew_if_changed(jobs, state, stairs, moment, length):
    """A job that seemed to fit did not: make the stairs exact, if anything has changed since they were."""
    if stairs.fresh[length] == state.tally[CHANGES]:
        return
    stairs.fresh[length] = state.tally[CHANGES]
    if length == LONG:
        renew_long(jobs, state, moment, stairs)
    else:
        renew(stairs, SHORT, state.free)


@inlined
def _take(jobs, state, moment, scores, job, host, length):
    """Take a task's demand from a host, noting what the host had."""
    count = state.tally
    entry = count[UNDO]
    kind = jobs.kind[job]
    state.undo_host[entry] = host
    for r in range(state.free.shape[1]):
        state.undo_free[entry, r] = state.free[host, r]
        state.free[host, r] -= jobs.demand[kind, r]
    count[UNDO] = entry + 1
    count[CHANGES] += 1
    changed(scores, host)
    if length == LONG:
        take_for_long(jobs, state, moment, job, host, 1.0)


@inner
def take_again(jobs, state, scores, job, host):
    """Take a host that a plan has named."""
    entry = state.tally[UNDO]
    state.undo_host[entry] = host
    for r in range(state.free.shape[1]):
        state.undo_free[entry, r] = state.free[host, r]
        state.free[host, r] -= jobs.demand[jobs.kind[job], r]
    state.tally[UNDO] = entry + 1
    state.tally[CHANGES] += 1
    changed(scores, host)


@inner
def take_back(jobs, state, stairs, moment, scores, mark, job, length):
    """Give back what was taken since there were `mark` notes; where `job` is LONG, to the promised moment too."""
    count = state.tally
    for entry in range(count[UNDO] - 1, mark - 1, -1):
        host = np.int64(state.undo_host[entry])
        for r in range(state.free.shape[1]):
            state.free[host, r] = state.undo_free[entry, r]
        raise_to(stairs, state.free, host)
        changed(scores, host)
        if length == LONG:
            take_for_long(jobs, state, moment, job, host, -1.0)
    if count[UNDO] > mark:
        count[CHANGES] += 1
    count[UNDO] = mark


@inlined
def _plan(jobs, state, bound, job, project):
    """Note that `job` starts, on the hosts at the end of the undo list."""
    count = state.tally
    state.plan_job[1, count[PLANNED]] = job
    state.plan_task[count[PLANNED]] = count[UNDO] - jobs.tasks[job]
    count[PLANNED] += 1
    state.used[project] += jobs.demand[jobs.kind[job], 0] * jobs.tasks[job]
    note_start(jobs, state, bound, job)


@inlined
def _forget(jobs, state, bound):
    """The pass was but a plan: nobody has started yet, no host is reserved."""
    count = state.tally
    for i in range(count[PLANNED]):
        job = state.plan_job[1, i]
        state.used[jobs.project[job]] -= jobs.demand[jobs.kind[job], 0] * jobs.tasks[job]
    restore_limits(state, bound)
    for i in range(count[CLOSED]):
        state.open[state.closed[i]] = True
    count[CLOSED] = 0


@inner
def _hopeless(jobs, state, job, length):
    """A demand no larger, with no more tasks, has failed in this pass on the same hosts."""
    kind, hosts = jobs.kind[job], jobs.hosts[job]
    known = state.failed[length, hosts, kind] == state.tally[STAMP]
    if known and jobs.tasks[job] >= state.failed_tasks[length, hosts, kind]:
        return True
    resources = jobs.demand.shape[1]
    for i in range(state.paretos[length]):
        more = jobs.tasks[job] >= state.pareto[length, i, resources]
        more &= hosts == np.int64(state.pareto[length, i, resources + 1])
        for r in range(resources):
            more &= jobs.demand[kind, r] >= state.pareto[length, i, r]
        if more:
            return True
    return False


@inner
def _remember(jobs, state, job, length, tasks):
    """So many tasks of `job` find no hosts any more in this pass.

    Of LONG jobs that is known of one task alone: of several, the first take what they are allowed on hosts where it is
    dear, and a larger demand, which fits on fewer, may come off better.
    """
    kind, hosts = jobs.kind[job], jobs.hosts[job]
    stamp = state.tally[STAMP]
    if state.failed[length, hosts, kind] == stamp and state.failed_tasks[length, hosts, kind] <= tasks:
        return
    known = _hopeless(jobs, state, job, length)
    state.failed[length, hosts, kind] = stamp
    state.failed_tasks[length, hosts, kind] = tasks
    if not known and state.paretos[length] < PARETO:
        resources = jobs.demand.shape[1]
        row = state.pareto[length, state.paretos[length]]
        for r in range(resources):
            row[r] = jobs.demand[kind, r]
        row[resources] = tasks
        row[resources + 1] = hosts
        state.paretos[length] += 1


@inlined
def _reserve(jobs, capacity, state, job):
    """Reserve hosts for `job`; where any host will do, only count it, and choose when someone looks."""
    kind, hosts = jobs.kind[job], jobs.hosts[job]
    if jobs.tasks[job] == 1 and jobs.holdable[kind] and jobs.whole[hosts]:
        state.tally[PENDING] += 1
        return
    _flush(state)
    demand = jobs.demand[kind]
    missing = float(jobs.tasks[job])
    memory = min(1, capacity.shape[1] - 1)
    while missing > 0.0:
        best = -1
        for host in range(capacity.shape[0]):
            if state.open[host] and (best < 0 or state.free[host, memory] > state.free[best, memory]):
                able = jobs.allowed[hosts, host]
                for r in range(demand.shape[0]):
                    able &= capacity[host, r] >= demand[r]
                if able:
                    best = host
        if best < 0:
            return
        _close(state, best)
        held = np.inf
        for r in range(demand.shape[0]):
            if demand[r] > 0.0:
                held = min(held, np.floor(capacity[best, r] / demand[r]))
        missing -= held


@inlined
def _close(state, host):
    state.open[host] = False
    state.closed[state.tally[CLOSED]] = host
    state.tally[CLOSED] += 1


@inner
def _flush(state):
    """Choose the hosts of the reservations counted so far: most free memory first, lower index among equals."""
    count = state.tally
    if count[PENDING] == 0:
        return
    memory = min(1, state.free.shape[1] - 1)
    if count[HEAPED] == 0:
        for host in range(state.open.shape[0]):
            if state.open[host]:
                count[HEAPED] = push(state.left_free, state.holder, count[HEAPED], -state.free[host, memory], host)
    while count[PENDING] > 0 and count[HEAPED] > 0:
        host = state.holder[0]
        key = -state.free[host, memory]
        stale = state.left_free[0] != key
        count[HEAPED] = drop_first(state.left_free, state.holder, count[HEAPED])
        if not state.open[host]:
            continue
        if stale:
            count[HEAPED] = push(state.left_free, state.holder, count[HEAPED], key, host)
        else:
            _close(state, host)
            count[PENDING] -= 1
