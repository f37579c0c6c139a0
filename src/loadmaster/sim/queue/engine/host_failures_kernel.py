"""Hosts that fail during a run: jobs there are stopped, and go back to the queue if they may (rule C7)."""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.host_index.scores_kernel import changed
from loadmaster.jit.heap_kernel import drop_first, push
from loadmaster.jit.kernels import inlined, inner
from loadmaster.place.cards_kernel import amounts_of, return_cards, sum_up
from loadmaster.sim.queue.engine.cluster_amounts_kernel import count_against
from loadmaster.sim.queue.engine.constraint_state import CUT_TASKS, CUTS, EVENTS, FAILED, SENT_BACK, STOPPED
from loadmaster.sim.queue.engine.eligibility_kernel import finish, requeue
from loadmaster.sim.queue.engine.fair_share_queue_kernel import change_use
from loadmaster.sim.queue.engine.host_blocks_kernel import raise_block
from loadmaster.sim.queue.engine.queue_tree_kernel import raise_to
from loadmaster.sim.queue.engine.running_by_host_kernel import move_out, next_run
from loadmaster.sim.queue.engine.sleeping_hosts_kernel import leave_hosts
from loadmaster.sim.queue.engine.state import EASY, RUNNING


@inner
def next_failure_s(bound):
    """The next failure of hosts, infinite if there is none."""
    closures = bound.closures
    if bound.tally[FAILED] == closures.failing.shape[0]:
        return np.inf
    return closures.closure[closures.failing[bound.tally[FAILED]]].from_s


@inner
def fail(engine, bound):
    """Let the next failure happen; the jobs that it stops are stopped in the order of their starts."""
    closure = bound.closures.failing[bound.tally[FAILED]]
    time_s = bound.closures.closure[closure].from_s
    bound.tally[FAILED] += 1
    hits = _take_out(engine.jobs, engine.state, engine.log, bound, closure)
    while hits > 0:
        row = np.int64(bound.cut.row[0])
        hits = drop_first(bound.cut.key, bound.cut.row, hits)
        free_hosts(engine, bound, row, time_s)
        job = np.int64(bound.row[row].owner)
        if bound.job[job].requeue:
            tell_shell(bound, job, time_s, SENT_BACK)
            put_aside(engine.jobs, engine.log, bound, row, time_s)
            requeue(engine, bound, job)
        else:
            tell_shell(bound, job, time_s, STOPPED)
            bound.job[job].end_s = time_s
            bound.job[job].stopped = True
            finish(engine, bound, job, time_s, False)


@inner
def tell_shell(bound, job, time_s, how):
    """Record that a job has left its hosts, if the shell wants to know."""
    at = bound.tally[EVENTS]
    if at < bound.news.shape[0]:
        bound.news[at].job, bound.news[at].time_s, bound.news[at].how = job, time_s, how
        bound.tally[EVENTS] += 1


@inner
def free_hosts(engine, bound, row, time_s):
    """End the run of the row's job: hosts, project and limits get back what it held."""
    kind = engine.jobs.kind[row]
    leave_hosts(bound.sleeping, engine.state.held, engine.jobs.first_task[row], engine.jobs.tasks[row], time_s)
    task, end = engine.jobs.first_task[row], engine.jobs.first_task[row] + engine.jobs.tasks[row]
    while task < end:
        host, tasks = next_run(engine.state.held, task, end)
        for r in range(amounts_of(engine.state)):
            engine.state.free[host, r] += tasks * engine.jobs.demand[kind, r]
        if engine.state.cards is not None:
            return_cards(engine.state.cards, kind, host, task, task + tasks)
            sum_up(engine.state.cards, engine.state.cards.free[host], engine.state.free[host])
        engine.frontier.total[0] += tasks * engine.jobs.demand[kind, 0]
        raise_to(engine.frontier, engine.state.free, host)
        raise_block(engine.state, host)
        changed(engine.scores, host)
        if engine.head_promise is not None and engine.rules.backfilling == EASY:
            move_out(engine.state.running_by_host, task, host)
        task += tasks
    change_use(engine.jobs, engine.state, row, -1.0)
    if engine.rules.limited:
        count_against(engine.jobs, engine.state, row, 1.0)


@inlined
def _take_out(jobs, state, log, bound, closure):
    """Move the running rows on hosts of the closure from the heap of ends to a heap by start; returns how many."""
    hits = kept = 0
    for i in range(state.tally[RUNNING]):
        end_s, row = state.end_s[i], np.int64(state.ending[i])
        hit = False
        for task in range(jobs.first_task[row], jobs.first_task[row] + jobs.tasks[row]):
            hit |= bound.closures.hosts[closure, log.host[task]]
        if hit:
            hits = push(bound.cut.key, bound.cut.row, hits, float(bound.row[row].serial), row)
        else:
            kept = push(state.end_s, state.ending, kept, end_s, row)
    state.tally[RUNNING] = kept
    return hits


@inner
def put_aside(jobs, log, bound, row, time_s):
    """Record the run that is lost; the job has no start until it runs again."""
    note_cut(jobs, log, bound, row, time_s, True)
    job, first = bound.row[row].owner, jobs.first_task[row]
    log.start_s[job] = bound.job[job].end_s = np.nan
    for task in range(first, first + jobs.tasks[row]):
        log.host[task] = -1


@inner
def note_cut(jobs, log, bound, row, time_s, lost):
    """Record a run that ends before its job does."""
    own, cut, job = bound.tally, bound.cut, bound.row[row].owner
    cut.run[own[CUTS]].job, cut.run[own[CUTS]].lost = job, lost
    cut.run[own[CUTS]].start_s, cut.run[own[CUTS]].end_s = log.start_s[job], time_s
    own[CUTS] += 1
    if own[CUTS] == 1:
        own[CUT_TASKS] = 0
    first = jobs.first_task[row]
    for task in range(first, first + jobs.tasks[row]):
        cut.host[own[CUT_TASKS]] = log.host[task]
        own[CUT_TASKS] += 1
