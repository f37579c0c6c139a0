"""One walk over the queue in the general engine: place what fits, reserve for what does not.

Hopeless jobs are passed over, and reservations that any host will do for are only counted until someone looks.
"""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,untyped-decorator"

import numpy as np

from loadmaster.kernels import inlined, inner
from loadmaster.sim.heap_kernel import drop_first, push
from loadmaster.sim.queue.cycle_state import CLOSED, HEAPED, LAST_HOST, PARETO, PARETOS, PENDING, PLANNED, STAMP, UNDO
from loadmaster.sim.queue.scores_kernel import changed, lowest, rate_all, refresh


@inlined
def walk(jobs, capacity, rules, state, scores, scans, member):
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
            placed, wrong = _place(jobs, rules, state, scores, scans, member, job)
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


@inlined
def _begin(state):
    count = state.tally
    count[STAMP] += 1
    count[CLOSED] = count[PARETOS] = count[HEAPED] = count[UNDO] = count[PLANNED] = count[PENDING] = 0
    for project in range(state.head.shape[0]):
        state.cursor[project] = state.head[project]


@inlined
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


@inlined
def _place(jobs, rules, state, scores, scans, member, job):
    """Take a host for every task or none; returns (placed, wrong)."""
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
        host = lowest(scores, slot, state.open, count[CLOSED] > 0)
        if host < 0:
            take_back(state, scores, mark)
            return False, 0
        take(demand, state, scores, host)
    return True, 0


@inlined
def take(demand, state, scores, host):
    """Take a task's demand from a host, noting what the host had."""
    count = state.tally
    entry = count[UNDO]
    state.undo_host[entry] = host
    for r in range(demand.shape[0]):
        state.undo_free[entry, r] = state.free[host, r]
        state.free[host, r] -= demand[r]
    count[UNDO] = entry + 1
    changed(scores, host)


@inner
def take_back(state, scores, mark):
    """Give back what was taken since there were `mark` notes."""
    count = state.tally
    for entry in range(count[UNDO] - 1, mark - 1, -1):
        host = state.undo_host[entry]
        for r in range(state.free.shape[1]):
            state.free[host, r] = state.undo_free[entry, r]
        changed(scores, host)
    count[UNDO] = mark


@inner
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


@inner
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


@inlined
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
