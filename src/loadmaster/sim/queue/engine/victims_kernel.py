"""Which jobs a row may stop, and which of them it takes, compiled: as `loadmaster.sim.queue.plain.victims` (rule C8).

Candidates leave their hosts one by one, as a trial, until a pass with that row alone starts it. No pass can start the
row while all hosts together hold too few of its tasks; this is counted without a pass.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.host_choice_kernel import tasks_in
from loadmaster.backfilling.running_ends_kernel import add_tasks, drop_tasks
from loadmaster.host_index.scores_kernel import changed
from loadmaster.jit.heap_kernel import drop_first, push
from loadmaster.jit.kernels import inner
from loadmaster.sim.queue.engine.general_decision_kernel import pass_alone, take_back_plan
from loadmaster.sim.queue.engine.preemption_state import (
    CHOSEN,
    IF_OUTRANKED,
    NEVER,
    OFF,
    RUNNING,
    STAMP,
    SUSPEND,
    TAKEN,
)
from loadmaster.sim.queue.engine.state import PLANNED

_MOST = 65535


@inner
def list_candidates(jobs, log, general, preemption, row, now):
    """List in `order` the jobs that the row may stop, in the order of trial; returns how many."""
    many = np.int64(0)
    for i in range(preemption.number[RUNNING]):
        if _may_be_stopped(log, general, preemption, row, np.int64(preemption.running[i]), now):
            many = push(
                preemption.key,
                preemption.heap,
                many,
                _key(jobs, log, general, preemption, np.int64(preemption.running[i])),
                i,
            )
    size = many
    for at in range(many):
        preemption.order[at] = preemption.running[preemption.heap[0]]
        size = drop_first(preemption.key, preemption.heap, size)
    return many


@inner
def _may_be_stopped(log, general, preemption, row, job, now):
    own, victim, ran_s = general.owner[row], preemption.victim[general.started_as[job]], now - log.start_s[job]
    may = preemption.may[preemption.victim[row].kind, victim.kind]
    if may == NEVER or (may == IF_OUTRANKED and not preemption.priority[own] > preemption.priority[job]):
        return False
    if ran_s == 0.0 or preemption.notices[job].given or preemption.notices[job].leaves or victim.mode == OFF:
        return False
    return victim.mode == SUSPEND or ran_s >= victim.exempt_s


@inner
def _key(jobs, log, general, preemption, job):
    """The sort key of a candidate; the lowest goes first."""
    if preemption.youngest_first:
        return -log.start_s[job]
    worth = preemption.victim[general.started_as[job]].worth
    return min(worth, _MOST) * 65536.0 + min(_hosts_of(jobs, log, general, preemption, job, 0), _MOST)


@inner
def _hosts_of(jobs, log, general, preemption, job, mark):
    """The number of hosts of the job, or if `mark` is not 0 of its hosts with that mark."""
    hosts, as_row = np.int64(0), np.int64(general.started_as[job])
    preemption.number[STAMP] += 1
    for task in range(jobs.first_task[as_row], jobs.first_task[as_row] + jobs.tasks[as_row]):
        host = np.int64(log.host[task])
        if preemption.seen[host] != preemption.number[STAMP] and (mark == 0 or preemption.taken[host] == mark):
            preemption.seen[host] = preemption.number[STAMP]
            hosts += 1
    return hosts


@inner
def find_victims(engine, bound, general, preemption, row, many, now):
    """List in `chosen` the victims among the first `many` of `order`, none if they would not do; returns wrong or 0."""
    preemption.number[CHOSEN] = 0
    for at in range(many):
        preemption.trial[at] = preemption.order[at]
    found, wrong = _until_it_fits(engine, bound, general, preemption, row, many, now)
    for _ in range(preemption.reorder_count):
        if found > 0:
            _reorder(engine.jobs, engine.log, general, preemption, np.int64(preemption.trial[found - 1]), many)
            found, wrong = _until_it_fits(engine, bound, general, preemption, row, many, now)
    # a victim that frees no host of the start is spared
    for at in range(found):
        if (
            _hosts_of(
                engine.jobs, engine.log, general, preemption, np.int64(preemption.trial[at]), preemption.number[TAKEN]
            )
            > 0
        ):
            preemption.chosen[preemption.number[CHOSEN]] = preemption.trial[at]
            preemption.number[CHOSEN] += 1
    return wrong


@inner
def _reorder(jobs, log, general, preemption, last, many):
    """Try `last` first, and then the jobs on the most of the taken hosts."""
    size, at = np.int64(0), np.int64(1)
    for i in range(many):
        if preemption.order[i] != last:
            shared = _hosts_of(jobs, log, general, preemption, np.int64(preemption.order[i]), preemption.number[TAKEN])
            size = push(preemption.key, preemption.heap, size, -np.float64(shared), i)
    preemption.trial[0] = last
    while size > 0:
        preemption.trial[at] = preemption.order[preemption.heap[0]]
        size = drop_first(preemption.key, preemption.heap, size)
        at += 1


@inner
def _until_it_fits(engine, bound, general, preemption, row, many, now):
    """How many of `trial` must leave until the row starts, 0 if it does not; its hosts are marked; and wrong or 0."""
    total, found, lent, wrong = (
        count_held(engine.state, general, preemption, row),
        np.int64(0),
        np.int64(0),
        np.int64(0),
    )
    while found == 0 and wrong == 0 and lent < many:
        job = np.int64(preemption.trial[lent])
        assume_released(engine, general, preemption, job, 1.0, preemption.exact_ends)
        lent += 1
        total += _held_more(engine, general, preemption, row, job)
        if total >= general.rows.of[row].tasks:
            _, wrong = pass_alone(engine, bound, general, row, now)
            if wrong == 0 and engine.state.tally[PLANNED] > 0:
                found = lent
                _mark_taken(engine.jobs, engine.state, preemption, row)
            if wrong == 0:
                take_back_plan(engine.state, general)
    for at in range(lent):
        assume_released(engine, general, preemption, np.int64(preemption.trial[at]), -1.0, preemption.exact_ends)
    return found, wrong


@inner
def _mark_taken(jobs, state, preemption, row):
    """Mark the hosts of the only planned start."""
    preemption.number[STAMP] += 1
    preemption.number[TAKEN] = preemption.number[STAMP]
    for at in range(state.plan_task[0], state.plan_task[0] + jobs.tasks[row]):
        preemption.taken[state.undo_host[at]] = preemption.number[TAKEN]


@inner
def count_held(state, general, preemption, row):
    """The number of the row's tasks that its allowed hosts hold together, by host in `held`; each at most all."""
    total = np.int64(0)
    for host in range(state.free.shape[0]):
        preemption.held[host] = _tasks_that_fit(state, general, row, host)
        total += preemption.held[host]
    return total


@inner
def _held_more(engine, general, preemption, row, job):
    """How many more tasks the hosts hold since `job` left them."""
    more, as_row = np.int64(0), np.int64(general.started_as[job])
    for task in range(engine.jobs.first_task[as_row], engine.jobs.first_task[as_row] + engine.jobs.tasks[as_row]):
        host = np.int64(engine.log.host[task])
        held = _tasks_that_fit(engine.state, general, row, host)
        more += held - preemption.held[host]
        preemption.held[host] = held
    return more


@inner
def _tasks_that_fit(state, general, row, host):
    one = general.rows.of[row]
    if not general.hosts.allowed[one.hosts, host]:
        return np.int64(0)
    return tasks_in(state.free, host, general.rows.demand, one.kind, one.tasks)


@inner
def assume_released(engine, general, preemption, job, sign, ends_too):
    """Act as if `job` had given back what a stop frees, or with sign -1 no longer.

    `ends_too`: also remove it from the running tasks.
    """
    as_row = np.int64(general.started_as[job])
    kind, first, tasks = general.rows.of[as_row].kind, engine.jobs.first_task[as_row], engine.jobs.tasks[as_row]
    resources = 1 if preemption.victim[as_row].mode == SUSPEND else engine.state.free.shape[1]
    for task in range(first, first + tasks):
        host = np.int64(engine.log.host[task])
        for r in range(resources):
            engine.state.free[host, r] += sign * general.rows.demand[kind, r]
        changed(general.scores, host)
        general.ends.changed[host] = True
    if ends_too and sign > 0.0:
        drop_tasks(general.ends, general.runs, general.expected_end_s[job], job)
    elif ends_too:
        end_s, start_s = general.expected_end_s[job], engine.log.start_s[job]
        add_tasks(general.ends, general.runs, engine.log.host[first : first + tasks], end_s, start_s, kind, job)
