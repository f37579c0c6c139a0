"""The general engine, compiled: any placement policy, any number of resources and tasks; walks queues in cycles.

Serves the disciplines `NetBatch`, `Fcfs` and `FairShare`, alone or under Max-Jobs, exactly as `reference.py` does.
The order of the jobs is one list a project; with a single project it is the order of arrival.
"""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,untyped-decorator"

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.compiled import lean
from loadmaster.sim.heap_kernel import drop_first, push
from loadmaster.sim.scores_kernel import changed, lowest, rate_all, refresh

DONE, PAUSED, NOT_FINITE = 0, 1, 2
"""What `run` returns: finished; the records are full, call again; a policy's score is not a finite number."""
PARETO = 32
"""Failed demands remembered in a cycle beside the exact ones."""


class Jobs(NamedTuple):
    """J jobs of K distinct demands.

    Attributes:
        submit_s: float64[J].
        runtime_s: float64[J].
        kind: int32[J], the row of the job's demand in `demand`.
        tasks: int32[J].
        first_task: int64[J + 1].
        project: int32[J].
        demand: float64[K, R].
        smallest: bool[K], no job of the log asks for less of anything.
        holdable: bool[K], every host could hold it when empty.
    """

    submit_s: NDArray[np.float64]
    runtime_s: NDArray[np.float64]
    kind: NDArray[np.int32]
    tasks: NDArray[np.int32]
    first_task: NDArray[np.int64]
    project: NDArray[np.int32]
    demand: NDArray[np.float64]
    smallest: NDArray[np.bool_]
    holdable: NDArray[np.bool_]


class Rules(NamedTuple):
    """How the queue is served; -1 stands for no limit."""

    interval_s: float
    members: int
    reservations: int
    lookahead: int
    blocking: bool
    varies: int  # bit m: member m's scores are never remembered
    target: int  # 0: jobs, 1: cores, 2: weighted
    seed: int


class State(NamedTuple):
    """Everything that changes; H hosts, P projects.

    Attributes:
        free: float64[H, R].
        open: bool[H], not reserved in this cycle.
        closed: int32[H], the hosts reserved in this cycle.
        following: int32[J], the next job of the same project in the queue, -1 at the end.
        head, tail: int32[P], first and last waiting job of a project, -1 if none.
        used, share: float64[P], cores in use and share.
        cursor: int32[P], the job that a walk looks at next.
        end_s, ending: float64[J], int32[J], heap of running jobs by their end.
        failed: int64[K], stamp of the walk in which the demand failed; failed_tasks: with how many tasks.
        pareto: float64[PARETO, R + 1], other failed demands of this walk, tasks last.
        left, holder: float64[H], int32[H], heap of open hosts by most free memory.
        undo_host, undo_free: int32[U], float64[U, R], hosts changed in this walk and what they had before.
        plan_job, plan_host: int32[2, U], starts of the best walk so far and of the present one.
        tally: int64[12], see the constants below.
    """

    free: NDArray[np.float64]
    open: NDArray[np.bool_]
    closed: NDArray[np.int32]
    following: NDArray[np.int32]
    head: NDArray[np.int32]
    tail: NDArray[np.int32]
    used: NDArray[np.float64]
    share: NDArray[np.float64]
    cursor: NDArray[np.int32]
    end_s: NDArray[np.float64]
    ending: NDArray[np.int32]
    failed: NDArray[np.int64]
    failed_tasks: NDArray[np.int32]
    pareto: NDArray[np.float64]
    left: NDArray[np.float64]
    holder: NDArray[np.int32]
    undo_host: NDArray[np.int32]
    undo_free: NDArray[np.float64]
    plan_job: NDArray[np.int32]
    plan_host: NDArray[np.int32]
    tally: NDArray[np.int64]


ARRIVED, WAITING, RUNNING, LAST_HOST, STAMP, CLOSED, PARETOS, HEAPED, UNDO, PLANNED, PENDING, STARTED = range(12)


class Log(NamedTuple):
    """Results: start_s float64[J], host int32[T], and C rows of cycles."""

    start_s: NDArray[np.float64]
    host: NDArray[np.int32]
    time_s: NDArray[np.float64]
    queue_length: NDArray[np.int64]
    started: NDArray[np.int64]
    winners: NDArray[np.int64]
    rows: NDArray[np.int64]


@lean
def at_or_after(time_s, interval_s):
    """The first moment of decision at or after `time_s`."""
    if interval_s <= 0.0:
        return time_s
    cycle = np.floor(time_s / interval_s)
    return (cycle if cycle * interval_s >= time_s else cycle + 1.0) * interval_s


@lean
def run(jobs, capacity, rules, state, scores, log, raters):
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
        winners, wrong = _best_walk(jobs, capacity, rules, state, scores, raters)
        if wrong:
            return NOT_FINITE
        _commit(jobs, state, log, now)
        log.started[row] = count[STARTED] - before
        log.winners[row] = winners
        log.rows[0] += 1
    return DONE


@lean
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


@lean
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


@lean
def _best_walk(jobs, capacity, rules, state, scores, raters):
    """Every member walks on the same state; the plan of the first best one stays. Returns (winners, wrong)."""
    count = state.tally
    best_value = -1.0
    best_planned = 0
    best_last = count[LAST_HOST]
    winners = 0
    for member in range(rules.members):
        if _walk(jobs, capacity, rules, state, scores, raters, member):
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
        _take_back(state, scores, 0)
    hosts = 0
    for i in range(best_planned):
        job = state.plan_job[0, i]
        for _ in range(jobs.tasks[job]):
            _take(jobs.demand[jobs.kind[job]], state, scores, state.plan_host[0, hosts])
            hosts += 1
        state.plan_job[1, i] = job
    count[PLANNED] = best_planned
    count[LAST_HOST] = best_last
    return winners, 0


@lean
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


@lean
def _walk(jobs, capacity, rules, state, scores, raters, member):
    """One member tries the queue; starts go to plan_job[1] and the undo list. Returns 1 on a score not finite."""
    count = state.tally
    _begin(state)
    tried = 0
    kept = 0
    wrong = 0
    while True:
        project = _neediest(state)
        if project < 0 or count[CLOSED] + count[PENDING] >= capacity.shape[0]:
            break
        if rules.lookahead >= 0 and tried >= rules.lookahead:
            break
        job = state.cursor[project]
        state.cursor[project] = state.following[job]
        tried += 1
        placed = False
        if not _hopeless(jobs, state, job):
            _flush(state)
            placed, wrong = _place(jobs, capacity, rules, state, scores, raters, member, job)
            if wrong:
                break
        if placed:
            state.plan_job[1, count[PLANNED]] = job
            count[PLANNED] += 1
            state.used[project] += jobs.demand[jobs.kind[job], 0] * jobs.tasks[job]
            continue
        if rules.blocking or (jobs.smallest[jobs.kind[job]] and jobs.tasks[job] == 1):
            break
        _remember(jobs, state, job)
        if rules.reservations < 0 or kept < rules.reservations:
            _reserve(jobs, capacity, state, job)
            kept += 1
    for i in range(count[PLANNED]):
        job = state.plan_job[1, i]
        state.used[jobs.project[job]] -= jobs.demand[jobs.kind[job], 0] * jobs.tasks[job]
    for i in range(count[CLOSED]):
        state.open[state.closed[i]] = True
    count[CLOSED] = 0
    return wrong


@lean
def _begin(state):
    count = state.tally
    count[STAMP] += 1
    count[CLOSED] = count[PARETOS] = count[HEAPED] = count[UNDO] = count[PLANNED] = count[PENDING] = 0
    for project in range(state.head.shape[0]):
        state.cursor[project] = state.head[project]


@lean
def _neediest(state):
    if state.head.shape[0] == 1:
        return 0 if state.cursor[0] >= 0 else -1
    best = -1
    lowest_ratio = np.inf
    for project in range(state.head.shape[0]):
        if state.cursor[project] >= 0:
            ratio = state.used[project] / state.share[project]
            if best < 0 or ratio < lowest_ratio:
                best, lowest_ratio = project, ratio
    return best


@lean
def _place(jobs, capacity, rules, state, scores, raters, member, job):
    """Take a host for every task or none; returns (placed, wrong)."""
    count = state.tally
    mark = count[UNDO]
    kinds = jobs.demand.shape[0]
    kind = jobs.kind[job]
    demand = jobs.demand[kind]
    for k in range(jobs.tasks[job]):
        last = count[LAST_HOST] if count[UNDO] == 0 else np.int64(state.undo_host[count[UNDO] - 1])
        if (rules.varies >> member) & 1:
            slot = 0
            wrong = rate_all(
                scores, raters[member], demand, state.free, capacity, last, jobs.first_task[job] + k, rules.seed
            )
        else:
            slot, wrong = refresh(
                scores, raters[member], member * kinds + kind, demand, state.free, capacity, last, rules.seed
            )
        if wrong:
            return False, 1
        host = lowest(scores, slot, state.open, count[CLOSED] > 0)
        if host < 0:
            _take_back(state, scores, mark)
            return False, 0
        _take(demand, state, scores, host)
    return True, 0


@lean
def _take(demand, state, scores, host):
    count = state.tally
    entry = count[UNDO]
    state.undo_host[entry] = host
    for r in range(demand.shape[0]):
        state.undo_free[entry, r] = state.free[host, r]
        state.free[host, r] -= demand[r]
    count[UNDO] = entry + 1
    changed(scores, host)


@lean
def _take_back(state, scores, mark):
    count = state.tally
    for entry in range(count[UNDO] - 1, mark - 1, -1):
        host = state.undo_host[entry]
        for r in range(state.free.shape[1]):
            state.free[host, r] = state.undo_free[entry, r]
        changed(scores, host)
    count[UNDO] = mark


@lean
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


@lean
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


@lean
def _hopeless(jobs, state, job):
    """A demand no larger, with no more tasks, has failed in this walk: free resources only shrink within it."""
    kind = jobs.kind[job]
    if state.failed[kind] == state.tally[STAMP] and jobs.tasks[job] >= state.failed_tasks[kind]:
        return True
    resources = jobs.demand.shape[1]
    for i in range(state.tally[PARETOS]):
        more = jobs.tasks[job] >= state.pareto[i, resources]
        for r in range(resources):
            more &= jobs.demand[kind, r] >= state.pareto[i, r]
        if more:
            return True
    return False


@lean
def _remember(jobs, state, job):
    kind = jobs.kind[job]
    count = state.tally
    if state.failed[kind] == count[STAMP] and state.failed_tasks[kind] <= jobs.tasks[job]:
        return
    known = _hopeless(jobs, state, job)
    state.failed[kind] = count[STAMP]
    state.failed_tasks[kind] = jobs.tasks[job]
    if not known and count[PARETOS] < PARETO:
        resources = jobs.demand.shape[1]
        for r in range(resources):
            state.pareto[count[PARETOS], r] = jobs.demand[kind, r]
        state.pareto[count[PARETOS], resources] = jobs.tasks[job]
        count[PARETOS] += 1


@lean
def _reserve(jobs, capacity, state, job):
    """Reserve hosts for `job`; where any host will do, only count it, and choose when someone looks."""
    kind = jobs.kind[job]
    if jobs.tasks[job] == 1 and jobs.holdable[kind]:
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
                able = True
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


@lean
def _close(state, host):
    state.open[host] = False
    state.closed[state.tally[CLOSED]] = host
    state.tally[CLOSED] += 1


@lean
def _flush(state):
    """Choose the hosts of the reservations counted so far: most free memory first, lower index among equals."""
    count = state.tally
    if count[PENDING] == 0:
        return
    memory = min(1, state.free.shape[1] - 1)
    if count[HEAPED] == 0:
        for host in range(state.open.shape[0]):
            if state.open[host]:
                count[HEAPED] = push(state.left, state.holder, count[HEAPED], -state.free[host, memory], host)
    while count[PENDING] > 0 and count[HEAPED] > 0:
        host = state.holder[0]
        key = -state.free[host, memory]
        stale = state.left[0] != key
        count[HEAPED] = drop_first(state.left, state.holder, count[HEAPED])
        if not state.open[host]:
            continue
        if stale:
            count[HEAPED] = push(state.left, state.holder, count[HEAPED], key, host)
        else:
            _close(state, host)
            count[PENDING] -= 1
