"""One decision of EASY, compiled: the prefix, the promise to the head, the jobs that may overtake it.

Failure is remembered within a decision: what is free, and what promised hosts can spare, only shrink in it, so a
demand at least as large as one that failed fails too.
"""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,untyped-decorator"

import numpy as np

from loadmaster.kernels import inner
from loadmaster.sim.queue.ends_kernel import add_end, next_end
from loadmaster.sim.queue.scores_kernel import changed, lowest, rate_again, rate_all, reload
from loadmaster.sim.queue.starts_kernel import (
    ARRIVED,
    FIRST,
    KEPT,
    LAST_HOST,
    STAMP,
    best_then,
    close_gap,
    fits,
    pick,
    place,
    start,
    take,
    take_back,
    tasks_in,
)  # fmt: skip

SHORT, LONG = 0, 1


@inner
def start_prefix(jobs, rules, state, scores, ends, log, scan, now, limit):
    """Start jobs from the head of the queue while they fit, at most `limit`; returns (tried, wrong)."""
    count = state.tally
    tried = 0
    while count[FIRST] < count[ARRIVED] and tried < limit:
        job = state.queue[count[FIRST]]
        tried += 1
        placed, wrong = place(jobs, rules, state, scores, scan, job)
        if not placed:
            return tried, wrong
        start(jobs, rules, state, log, job, now)
        add_end(ends, now + state.expected_s[job], job)
        count[FIRST] += 1
    return tried, 0


@inner
def decide_easy(jobs, capacity, rules, state, scores, later, ends, log, rate, scan, now):
    """Start what may start at `now`; returns 1 on a score that is not finite."""
    count = state.tally
    _, wrong = start_prefix(jobs, rules, state, scores, ends, log, scan, now, count[ARRIVED] - count[FIRST])
    if wrong or count[ARRIVED] - count[FIRST] < 2:
        return wrong
    head = state.queue[count[FIRST]]
    begin_walk(state)
    shadow_s, wrong = _promise(jobs, capacity, rules, state, later, ends, log, rate, scan, head, now)
    if wrong:
        return 1
    remember(jobs, state, head, SHORT)
    kept = looked = count[FIRST] + 1
    while looked < count[ARRIVED]:
        job = state.queue[looked]
        length = LONG if now + state.expected_s[job] > shadow_s else SHORT
        placed = False
        if not hopeless(jobs, state, job, length):
            if length == SHORT:
                placed, wrong = place(jobs, rules, state, scores, scan, job)
            else:
                placed, wrong = _place_beside(jobs, rules, state, scores, scan, job)
            if wrong:
                return 1
            if placed:
                start(jobs, rules, state, log, job, now)
                add_end(ends, now + state.expected_s[job], job)
            else:
                remember(jobs, state, job, length)
                if length == SHORT and jobs.smallest[jobs.kind[job]] and jobs.tasks[job] == 1:
                    break
        if not placed:
            state.queue[kept] = job
            kept += 1
        looked += 1
    close_gap(state, kept, looked)
    return 0


@inner
def begin_walk(state):
    """Forget what is known of the last decision."""
    state.tally[STAMP] += 1
    state.tally[KEPT] = 0
    state.paretos[0] = state.paretos[1] = 0


@inner
def _touch(state, touched, host):
    if state.then_at[host] == state.tally[STAMP]:
        return touched
    state.then_at[host] = state.tally[STAMP]
    for r in range(state.free.shape[1]):
        state.then[host, r] = state.free[host, r]
    state.touched[touched] = host
    return touched + 1


@inner
def _promise(jobs, capacity, rules, state, later, ends, log, rate, scan, head, now):
    """Find the shadow time and the hosts of `head`; `then` becomes what they spare. Returns (shadow_s, wrong)."""
    tasks, kind = jobs.tasks[head], jobs.kind[head]
    touched = 0
    found = 0
    if tasks > 1:
        for host in range(capacity.shape[0]):
            touched = _touch(state, touched, host)
            state.held[host] = tasks_in(state.then, host, jobs.demand, kind, tasks)
            found += state.held[host]
    soonest = np.nextafter(now, np.inf)
    shadow_s = now
    i, k = ends.size[0], np.int64(0)
    while True:
        end_s, job, i, k = next_end(ends, i, k)
        end_s = max(end_s, soonest)
        if job < 0 or (found >= tasks and end_s > shadow_s):
            break
        shadow_s = end_s
        for task in range(jobs.first_task[job], jobs.first_task[job + 1]):
            host = log.host[task]
            touched = _touch(state, touched, host)
            for r in range(state.free.shape[1]):
                state.then[host, r] += jobs.demand[jobs.kind[job], r]
            if tasks == 1:
                found += fits(state.then, host, jobs.demand, kind)
            elif state.held[host] < tasks:
                held = tasks_in(state.then, host, jobs.demand, kind, tasks)
                found += held - state.held[host]
                state.held[host] = held
    if found < tasks:
        return np.inf, 0
    return shadow_s, _promise_hosts(jobs, capacity, rules, state, later, rate, scan, head, touched)


@inner
def _promise_hosts(jobs, capacity, rules, state, later, rate, scan, head, touched):
    kind = jobs.kind[head]
    demand = jobs.demand[kind]
    if jobs.tasks[head] == 1:
        last, task = state.tally[LAST_HOST], jobs.first_task[head]
        wrong = rate(demand, state.then, capacity, state.touched, touched, last, task, rules.seed, state.value, 0)
        if not wrong:
            host = best_then(state, touched)
            keep(state, host)
            for r in range(state.free.shape[1]):
                state.then[host, r] -= jobs.demand[kind, r]
        return wrong
    wrong = choose_in(state.then, jobs, rules, state, later, scan, head)
    for k in range(0 if wrong else jobs.tasks[head]):
        keep(state, state.undo_host[k])
    return wrong


@inner
def choose_in(room, jobs, rules, state, later, scan, job):
    """Take the best hosts for the tasks of `job`, which fits, in `room` float64[H, R]; they go to `undo_host`."""
    kind = jobs.kind[job]
    demand = jobs.demand[kind]
    host = state.tally[LAST_HOST]
    reload(later)
    for k in range(jobs.tasks[job]):
        task = jobs.first_task[job] + k
        if k == 0 or rules.varies:
            wrong = rate_all(later, scan, demand, room, host, task, rules.seed)
        else:
            wrong = rate_again(later, scan, demand, room, host, task, rules.seed)
        if wrong:
            return wrong
        host = lowest(later, 0, state.open, False)
        state.undo_host[k] = host
        for r in range(demand.shape[0]):
            room[host, r] -= demand[r]
        changed(later, host)
    return 0


@inner
def keep(state, host):
    """Note that `host` is kept in this decision."""
    count = state.tally
    if state.kept[host] != count[STAMP]:
        state.kept[host] = count[STAMP]
        state.hosts[count[KEPT]] = host
        count[KEPT] += 1


@inner
def _place_beside(jobs, rules, state, scores, scan, job):
    """Like `place`, but of promised hosts only what they spare may be used; it is taken from `then` too."""
    count = state.tally
    kind = jobs.kind[job]
    tasks = jobs.tasks[job]
    closed = 0
    for i in range(count[KEPT]):
        host = state.hosts[i]
        state.open[host] = fits(state.then, host, jobs.demand, kind)
        closed += not state.open[host]
    placed = True
    wrong = 0
    for k in range(tasks):
        host, _, wrong = pick(jobs, rules, state, scores, scan, job, k, closed > 0)
        if host < 0:
            take_back(state, scores, k)
            _spare_back(state, k)
            placed = False
            break
        take(jobs, state, scores, job, k, host)
        if state.kept[host] == count[STAMP]:
            for r in range(state.free.shape[1]):
                state.undo_spare[k, r] = state.then[host, r]
                state.then[host, r] -= jobs.demand[kind, r]
            state.open[host] = fits(state.then, host, jobs.demand, kind)
            closed += not state.open[host]
    for i in range(count[KEPT]):
        state.open[state.hosts[i]] = True
    return placed, wrong


@inner
def _spare_back(state, tasks):
    for k in range(tasks - 1, -1, -1):
        host = state.undo_host[k]
        if state.kept[host] == state.tally[STAMP]:
            for r in range(state.free.shape[1]):
                state.then[host, r] = state.undo_spare[k, r]


@inner
def hopeless(jobs, state, job, length):
    """A demand no larger, with no more tasks, has failed in this decision under rules no stricter."""
    kind = jobs.kind[job]
    if state.failed[length, kind] == state.tally[STAMP] and jobs.tasks[job] >= state.failed_tasks[length, kind]:
        return True
    resources = jobs.demand.shape[1]
    for i in range(state.paretos[length]):
        more = jobs.tasks[job] >= state.pareto[length, i, resources]
        for r in range(resources):
            more &= jobs.demand[kind, r] >= state.pareto[length, i, r]
        if more:
            _mark(jobs, state, job, length)
            return True
    return False


@inner
def remember(jobs, state, job, length):
    """Note that `job` failed; a short one would have failed as a long one too."""
    resources = jobs.demand.shape[1]
    for row in range(length, 2):
        if not hopeless(jobs, state, job, row):
            _mark(jobs, state, job, row)
            if state.paretos[row] < state.pareto.shape[1]:
                at = state.paretos[row]
                for r in range(resources):
                    state.pareto[row, at, r] = jobs.demand[jobs.kind[job], r]
                state.pareto[row, at, resources] = jobs.tasks[job]
                state.paretos[row] += 1


@inner
def _mark(jobs, state, job, row):
    kind = jobs.kind[job]
    state.failed[row, kind] = state.tally[STAMP]
    state.failed_tasks[row, kind] = jobs.tasks[job]
