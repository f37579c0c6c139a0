"""Starts the jobs that a pass has planned, and gives back the hosts of jobs that have ended."""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.jit.heap_kernel import drop_first, push
from loadmaster.jit.kernels import inlined, inner
from loadmaster.place.cards_kernel import return_cards
from loadmaster.sim.moments_kernel import cycle_of
from loadmaster.sim.queue.engine.changed_hosts_kernel import note_amounts, note_changed_host
from loadmaster.sim.queue.engine.cluster_amounts_kernel import count_against, note_expected_end
from loadmaster.sim.queue.engine.constrained_kernel import begin_round, end_round, start_bound
from loadmaster.sim.queue.engine.cycle_ends_kernel import counts_cycles, drop, first_of_cycle, note_run
from loadmaster.sim.queue.engine.estimates_kernel import note_end
from loadmaster.sim.queue.engine.expected_ends_kernel import add_end, drop_end
from loadmaster.sim.queue.engine.fair_share_queue_kernel import change_use
from loadmaster.sim.queue.engine.host_pool_kernel import free_again, take_lowest
from loadmaster.sim.queue.engine.profile.running_jobs_kernel import give_back_early
from loadmaster.sim.queue.engine.queue_tree_kernel import leave
from loadmaster.sim.queue.engine.ranked_queue_kernel import leave_ranked
from loadmaster.sim.queue.engine.running_by_host_kernel import move_in, move_out, next_run
from loadmaster.sim.queue.engine.sleeping_hosts_kernel import take_hosts
from loadmaster.sim.queue.engine.state import EASY, PLANNED, RUNNING, STARTED, WAITING
from loadmaster.sim.queue.engine.undo_kernel import give_back


@inlined
def commit(engine, bound, now):
    """Start the planned jobs."""
    count = engine.state.tally
    if bound is not None:
        begin_round(bound)
    for i in range(count[PLANNED]):
        row = np.int64(engine.state.plan_job[1, i])
        engine.log.start_s[row if bound is None else bound.row[row].owner] = now
        slowest = _log_hosts(engine, row, engine.state.plan_task[i])
        if engine.state.cards is not None:
            _hold_cards(engine, row, i)
        if engine.state.pool.many.shape[0] > 0:
            take_lowest(engine.state.pool, row)
        start_up_s, begin_s = 0.0, now
        if bound is not None:
            first, tasks = engine.state.plan_task[i], engine.jobs.tasks[row]
            start_up_s = take_hosts(bound.sleeping, engine.state.undo_host, first, tasks, now)
            begin_s = now + start_up_s
        end_s = begin_s + engine.jobs.runtime_s[row] / slowest
        _note_run(engine, row, engine.state.plan_task[i], end_s)
        if engine.head_promise is not None and engine.rules.backfilling == EASY:
            note_running(engine, row, begin_s + engine.jobs.expected_s[row] / slowest)
        change_use(engine.jobs, engine.state, row, 1.0)
        if engine.head_promise is not None and engine.rules.backfilling == EASY:
            add_end(engine.ends, begin_s + engine.jobs.expected_s[row] / slowest, row)
        if engine.ranked is not None and bound is None and engine.rules.tracks_events:
            _record_event(engine.ranked.happened, row, now)
        if engine.rules.limited:
            note_expected_end(engine, row, begin_s, engine.state.plan_task[i])
            count_against(engine.jobs, engine.state, row, -1.0)
        if bound is not None:
            start_bound(engine, bound, row, start_up_s, end_s)
        elif engine.ranked is not None and engine.rules.moving:
            leave_ranked(engine.ranked, row)
        else:
            leave(engine.waiting, row)
    count[WAITING] -= count[PLANNED]
    count[STARTED] += count[PLANNED]
    if bound is not None:
        end_round(engine.state, bound)


@inlined
def _log_hosts(engine, row, entry):
    """Log the hosts in the undo list from `entry` on, in task order; returns the speed of the slowest."""
    slowest = engine.state.speed[0]
    for k in range(engine.jobs.tasks[row]):
        engine.log.host[engine.jobs.first_task[row] + k] = engine.state.undo_host[entry + k]
    if engine.rules.several_speeds:
        slowest = np.inf
        for k in range(engine.jobs.tasks[row]):
            slowest = min(slowest, engine.state.speed[engine.state.undo_host[entry + k]])
    return slowest


@inlined
def _note_run(engine, row, entry, end_s):
    """Note that the job runs until `end_s` on the hosts in the undo list from `entry` on."""
    jobs, state = engine.jobs, engine.state
    if state.cycle_ends is not None and counts_cycles(state.cycle_ends):
        cycle, end = cycle_of(end_s, engine.rules.interval_s), entry + jobs.tasks[row]
        while entry < end:
            host, tasks = next_run(state.undo_host, entry, end)
            note_run(state.cycle_ends, cycle, host, jobs.kind[row], tasks, jobs.project[row])
            state.tally[RUNNING] += 1
            entry += tasks
        return
    _hold(state, entry, jobs.tasks[row], jobs.first_task[row])
    state.tally[RUNNING] = push(state.end_s, state.ending, state.tally[RUNNING], end_s, row)


@inlined
def _hold(state, entry, tasks, task):
    """Let a job hold the hosts in the undo list from `entry` on; equal hosts stand side by side."""
    if tasks == 1:
        state.held[task] = state.undo_host[entry]
        return
    for k in range(entry, entry + tasks):
        state.picked[state.undo_host[k]] += 1
    for k in range(entry, entry + tasks):
        host = state.undo_host[k]
        for _ in range(state.picked[host]):
            state.held[task] = host
            task += 1
        state.picked[host] = 0


@inner
def _hold_cards(engine, row, planned):
    """Let a job hold its cards: by task, and beside its held hosts, where equal hosts stand side by side."""
    cards, host, first = engine.state.cards, engine.state.undo_host, engine.jobs.first_task[row]
    entry, tasks = engine.state.plan_task[planned], np.int64(engine.jobs.tasks[row])
    for k in range(tasks):
        cards.taken[first + k] = cards.undo[entry + k]
    if cards.wanted[engine.jobs.kind[row]] == 0:
        return
    at = first
    for k in range(tasks):
        is_first = True
        for before in range(k):
            is_first &= host[entry + before] != host[entry + k]
        if not is_first:
            continue
        for other in range(k, tasks):
            if host[entry + other] == host[entry + k]:
                cards.held[at] = cards.undo[entry + other]
                at += 1


@inner
def note_running(engine, job, end_s):
    """Note that `job` runs on its held hosts, and is expected to end at `end_s`."""
    jobs, running_by_host = engine.jobs, engine.state.running_by_host
    running_by_host.end_s[job] = end_s
    task, end = jobs.first_task[job], jobs.first_task[job] + jobs.tasks[job]
    while task < end:
        host, tasks = next_run(engine.state.held, task, end)
        move_in(running_by_host, task, tasks, job, host)
        task += tasks


@inner
def _record_event(happened, job, time_s):
    happened.job[happened.number[0]] = job
    happened.time_s[happened.number[0]] = time_s
    happened.number[0] += 1


@inlined
def complete(engine, plan, now):
    """End the jobs whose end has come: they give back their hosts."""
    if engine.state.cycle_ends is not None and counts_cycles(engine.state.cycle_ends):
        _complete_cycle(engine, cycle_of(now, engine.rules.interval_s))
        return
    count = engine.state.tally
    while count[RUNNING] > 0 and engine.state.end_s[0] <= now:
        job = np.int64(engine.state.ending[0])
        if engine.state.estimates is not None and engine.state.estimates.predicts:
            note_end(engine.jobs, engine.state.estimates, job, engine.state.end_s[0])
        if plan is not None:
            give_back_early(plan, plan.kept, plan.replan, job, engine.state.end_s[0], now)
        if engine.ranked is not None and engine.rules.tracks_events:
            _record_event(engine.ranked.happened, -1 - job, engine.state.end_s[0])
        count[RUNNING] = drop_first(engine.state.end_s, engine.state.ending, count[RUNNING])
        kind, task = np.int64(engine.jobs.kind[job]), engine.jobs.first_task[job]
        while task < engine.jobs.first_task[job + 1]:
            host, tasks = next_run(engine.state.held, task, engine.jobs.first_task[job + 1])
            if engine.state.cards is not None:
                return_cards(engine.state.cards, kind, host, task, task + tasks)
            give_back(engine, host, kind, tasks)
            if engine.rules.keeps:
                note_changed_host(engine.state.news, host)
            if engine.head_promise is not None and engine.rules.backfilling == EASY:
                move_out(engine.state.running_by_host, task, host)
            task += tasks
        if engine.state.pool.many.shape[0] > 0:
            free_again(engine.state.pool, job)
        if engine.rules.limited:
            count_against(engine.jobs, engine.state, job, 1.0)
            note_amounts(engine.jobs, engine.state, job)
        change_use(engine.jobs, engine.state, job, -1.0)
        if engine.head_promise is not None and engine.rules.backfilling == EASY:
            drop_end(engine.ends, job)


@inlined
def _complete_cycle(engine, cycle):
    """The same where ends stand by cycle: the runs of `cycle` end."""
    ends, state = engine.state.cycle_ends, engine.state
    number = first_of_cycle(ends, cycle)
    while number > 0:
        run = ends.run[number]
        kind, host, tasks = np.int64(run.kind), np.int64(run.host), np.int64(run.tasks)
        give_back(engine, host, kind, tasks)
        if engine.rules.keeps:
            note_changed_host(state.news, host)
        if state.used.shape[0] > 1:
            state.used[run.project] -= engine.jobs.demand[kind, 0] * tasks
        state.tally[RUNNING] -= 1
        number = drop(ends, number)
