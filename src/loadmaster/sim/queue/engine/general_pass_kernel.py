"""The general pass as a part of the engine: keeps the state that each scheduling pass reads up to date."""
# mypy: disable-error-code="no-untyped-def,assignment"

import numpy as np

from loadmaster.backfilling.pass_arrays import SINCE
from loadmaster.backfilling.queue_view_kernel import sort_line
from loadmaster.backfilling.running_ends_kernel import add_tasks, drop_tasks, note_cards
from loadmaster.jit.by_reference import value_of
from loadmaster.jit.kernels import inlined, inner
from loadmaster.place.room_arrays import LAST_HOST as LAST_IN_ROOM
from loadmaster.sim.queue.engine.constrained_kernel import advance_constrained, queue_length
from loadmaster.sim.queue.engine.constraint_state import ENDED, EVENTS, IN_QUEUE, MOMENTS, REFUSED, REPEATED, SENT_BACK
from loadmaster.sim.queue.engine.general_decision_kernel import best_pass
from loadmaster.sim.queue.engine.general_estimates_kernel import correct, next_expiry_s, predict, record_end
from loadmaster.sim.queue.engine.general_state import (
    CAME,
    CAME_BEFORE,
    COME,
    DECISION,
    EARLY_END,
    LEFT,
    LOST,
    OVER,
    REDO,
    REFUSED_BEFORE,
    STARTED,
    WAIT,
)
from loadmaster.sim.queue.engine.preemption_kernel import pass_again_if_need_be, preempt_jobs
from loadmaster.sim.queue.engine.preemption_state import FIRST, HANDLED, QUEUED
from loadmaster.sim.queue.engine.priority_events_kernel import record_event
from loadmaster.sim.queue.engine.ranked_state import MANY
from loadmaster.sim.queue.engine.slurm_timers_kernel import advance_timers
from loadmaster.sim.queue.engine.state import ARRIVED, LAST_HOST, NO_RANK, OUT_OF_ROOM, PLANNED, WAITING
from loadmaster.sim.queue.engine.stopping_kernel import join_running, leave_running, resume
from loadmaster.sim.queue.engine.work_limits_kernel import begin_work, end_work, work_again_s


@inlined
def advance_generally(engine, bound, general, preemption):
    """Do all that happens before the next pass; returns its moment, infinite if there is none."""
    if general.tally[REDO] != 0:
        general.tally[REDO] = 0
        return bound.clock[0]
    bound.tally[EVENTS] = 0
    now = advance_constrained(engine, bound)
    if now < np.inf and bound.tally[REPEATED] == 0:
        _process_events(engine, bound, general, preemption, now)
    return now


@inlined
def decide_generally(engine, bound, general, preemption, now):
    """One scheduling pass, and its row in the record; returns wrong or 0."""
    winners, wrong, first = np.int64(0), np.int64(0), False
    engine.state.tally[PLANNED] = 0
    bound.clock[1] = np.inf
    for member in range(engine.log.value.shape[1]):
        engine.log.value[engine.log.rows[0], member] = np.nan
    queued = queue_length(engine.state, bound)
    if bound.tally[IN_QUEUE] > 0:
        if preemption is not None and preemption.number[HANDLED] != 0:  # the pass is repeated
            queued = preemption.number[QUEUED]
        elif _line_up(engine, bound, general, now):
            return NO_RANK
        if preemption is not None and preemption.number[HANDLED] == 0:
            first, winners, wrong = preempt_jobs(engine, bound, general, preemption, now)
        if not first and wrong == 0:
            winners, wrong = best_pass(engine, bound, general, engine.calls.serve, now)
        if wrong != 0:
            return wrong
        if not first:
            _keep(engine.state, bound, general, now)
    if _would_overflow(engine.jobs, engine.state, general):
        return OUT_OF_ROOM
    _note(engine.state, engine.log, queued, winners, now)
    if preemption is not None:
        preemption.number[FIRST] = first
    return 0


@inlined
def follow(engine, bound, general, preemption, now):
    """Update the state after the starts: the running jobs, and when the next pass is due."""
    _start(engine, bound, general, preemption, now)
    if preemption is not None:
        pass_again_if_need_be(engine.state, bound, preemption, preemption.number[FIRST] != 0)
    bound.clock[1] = min(bound.clock[1], next_expiry_s(general, now))
    if engine.state.tally[WAITING] > 0:
        again_s = work_again_s(general.work, general.started_as, engine.ranked.queue, engine.ranked.number[MANY], now)
        bound.clock[1] = min(bound.clock[1], again_s)


@inlined
def _process_events(engine, bound, general, preemption, now):
    """Take in the jobs that have left their hosts, and those that have arrived, since the last moment."""
    own, moments_s, tally = bound.tally, bound.closures.moments_s, general.tally
    if own[MOMENTS] < moments_s.shape[0] and moments_s[own[MOMENTS]] <= now:
        tally[OVER] = 1
    for n in range(own[EVENTS]):
        job, time_s, how = np.int64(bound.news[n].job), bound.news[n].time_s, bound.news[n].how
        if time_s < general.expected_end_s[job]:
            tally[EARLY_END] = 1
        tally[OVER] = 1
        if how == ENDED:
            record_end(bound, general, job, time_s)
        drop_tasks(general.ends, general.runs, general.expected_end_s[job], job)
        end_work(general.work, general.started_as[job], job, time_s)
        if preemption is not None:
            leave_running(bound, general, preemption, job, how)
        record_event(general, job, time_s, LEFT)
        if how == SENT_BACK:
            record_event(general, job, now, CAME)
            tally[COME] = 1
    correct(engine.jobs, general, engine.log, now)
    if preemption is not None:
        resume(engine, bound, general, preemption, now)
    predict(bound, general, now, True)
    # a refused job does not join the queue
    come, refused = engine.state.tally[ARRIVED], own[REFUSED]
    for job in range(tally[CAME_BEFORE], come):
        record_event(general, job, bound.job[job].submit_s, CAME)
    if come - tally[CAME_BEFORE] > refused - tally[REFUSED_BEFORE]:
        tally[COME] = 1
    tally[CAME_BEFORE], tally[REFUSED_BEFORE] = come, refused


@inlined
def _line_up(engine, bound, general, now):
    """Put the rows that may start now in their order; returns 1 if a rank is not finite."""
    order, line = general.this_pass.order, general.line
    many = np.int64(0)
    for i in range(general.tally[WAIT]):
        row = order[i]
        # rows that still wait keep their relative order: the sort below is short
        line.here[row] = bound.job[general.owner[row]].queued
        if line.here[row]:
            order[many] = row
            many += 1
    for i in range(engine.ranked.number[MANY]):
        row = engine.ranked.queue[i]
        if not line.here[row]:
            line.here[row] = True
            order[many] = row
            many += 1
            _note_fresh(bound, general, np.int64(general.owner[row]), now)
    general.tally[WAIT] = many
    if general.tracks_events:
        engine.calls.update_priorities(engine.book, general, engine.ranked, now)
    elif general.moves and engine.calls.rank(
        value_of(engine.columns), engine.ranked.queue, engine.ranked.number[MANY], now, engine.ranked.rank
    ):
        return 1
    if general.tracks_events or general.moves:
        for i in range(engine.ranked.number[MANY]):
            line.key[engine.ranked.queue[i]] = engine.ranked.rank[i]
    sort_line(line, order, many)
    return 0


@inlined
def _note_fresh(bound, general, job, now):
    """Note that a row of `job` has joined the line, for the first time or again."""
    if not general.seen[job]:
        general.seen[job] = True
        general.tally[COME] = 1
        released_s = now if bound.job[job].single else bound.job[job].ready_s
        if released_s > bound.job[job].submit_s:
            record_event(general, job, released_s, CAME)


@inlined
def _keep(state, bound, general, now):
    """Keep the results of the pass: its reservations, and when to decide again."""
    this_pass, tally = general.this_pass, general.tally
    state.tally[LAST_HOST] = general.room.tally[LAST_IN_ROOM]
    wake_s = this_pass.wake_s[0]
    if general.looped:
        wake_s = min(wake_s, advance_timers(general, now, state.tally[PLANNED] > 0))
    tally[EARLY_END] = tally[COME] = tally[OVER] = 0
    tally[DECISION] += 1
    for c in range(general.calendar.time.shape[0]):
        if general.calendar.time[c].to_s > now:
            wake_s = min(wake_s, general.calendar.time[c].to_s)
    bound.clock[1] = wake_s
    for i in range(tally[WAIT] if general.keeps else 0):
        if _is_soonest(general, this_pass.order[i]):
            _keep_for_job(general, this_pass.order[i])


@inner
def _is_soonest(general, row):
    """Whether the row got a reservation in this pass, and no other row of its job an earlier one."""
    this_pass, rows = general.this_pass, general.rows.of
    if this_pass.promised[row].number <= this_pass.tally[SINCE] or this_pass.promised[row].start_s == np.inf:
        return False
    other, start_s = np.int64(rows[row].next_row), this_pass.promised[row].start_s
    while other != row:
        if this_pass.promised[other].number > this_pass.tally[SINCE]:
            other_s = this_pass.promised[other].start_s
            if other_s < start_s or (other_s == start_s and other < row):
                return False
        other = np.int64(rows[other].next_row)
    return True


@inner
def _keep_for_job(general, row):
    """Keep the row's reservation for the next pass, for the first row of its job that may use the hosts."""
    this_pass, rows, standing, other = general.this_pass, general.rows.of, general.standing, np.int64(row)
    many, first = this_pass.promised[row].many, rows[row].first_host
    while True:
        general.kept_in[other] = general.tally[DECISION]
        standing.promise[other].start_s, standing.promise[other].many = this_pass.promised[row].start_s, many
        for k in range(many):
            standing.host[rows[other].first_host + k] = this_pass.promised_host[first + k]
            if general.cards is not None:
                general.cards.standing[rows[other].first_host + k] = general.cards.promised[first + k]
        other = np.int64(rows[other].next_row)
        if other == row:
            return


@inlined
def _note(state, log, queued, winners, now):
    """Write the pass into the record."""
    row = log.rows[0]
    log.time_s[row] = now
    log.queue_length[row] = queued
    log.started[row] = state.tally[PLANNED]
    log.winners[row] = winners
    log.rows[0] += 1


@inlined
def _would_overflow(jobs, state, general):
    """Whether an array is full: the list of ends for the planned tasks, or the events for the order."""
    last = state.tally[PLANNED] - 1
    starting = state.plan_task[last] + jobs.tasks[state.plan_job[1, last]] if last >= 0 else np.int64(0)
    return general.tally[LOST] != 0 or general.ends.many[0] + starting > general.ends.end.shape[0]


@inlined
def _start(engine, bound, general, preemption, now):
    """Add the started jobs to the running ones."""
    for i in range(engine.state.tally[PLANNED]):
        row = np.int64(engine.state.plan_job[1, i])
        job, first, slowest = np.int64(general.owner[row]), engine.state.plan_task[i], np.inf
        for at in range(first, first + engine.jobs.tasks[row]):
            slowest = min(slowest, engine.state.speed[engine.state.undo_host[at]])
        begin_s = now + bound.job[job].start_up_s
        end_s = begin_s + general.rows.of[row].expected_s / slowest
        general.expected_end_s[job], general.slowest_speed[job], general.started_as[job] = end_s, slowest, row
        general.began_s[job] = begin_s
        if preemption is not None:
            join_running(preemption, job)
        begin_work(general.work, row, job, now)
        kind = general.rows.of[row].kind
        hosts = engine.state.undo_host[first : first + engine.jobs.tasks[row]]
        add_tasks(general.ends, general.runs, hosts, end_s, now, kind, job)
        if general.cards is not None:
            first = engine.jobs.first_task[row]
            bits = general.cards.taken[first : first + engine.jobs.tasks[row]]
            note_cards(general.ends, general.runs, end_s, job, bits)
        record_event(general, job, now, STARTED)
