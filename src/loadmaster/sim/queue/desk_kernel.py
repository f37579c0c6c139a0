"""The engine over the compiled board: moments, passes and starts of a bound run, with any backfilling that it knows.

What happens between two passes is told by the kernels of the general engine (`queue_kernel`); what a pass sees is kept
up to date here.
"""
# mypy: disable-error-code="no-untyped-def,assignment"

import numpy as np

from loadmaster.backfilling.board_arrays import SINCE
from loadmaster.backfilling.line_kernel import sort_line
from loadmaster.backfilling.running_kernel import add_tasks, drop_tasks
from loadmaster.kernels import inlined, inner
from loadmaster.place.room_arrays import LAST_HOST as LAST_IN_ROOM
from loadmaster.sim.queue.bound_kernel import has_cut_runs, queue_length
from loadmaster.sim.queue.bound_state import ENDED, HEARD, IN_QUEUE, MOMENTS, REFUSED, REPEATED, SENT_BACK
from loadmaster.sim.queue.desk_decide_kernel import best_pass
from loadmaster.sim.queue.desk_guess_kernel import correct, hear_end, next_expiry_s, predict
from loadmaster.sim.queue.desk_state import (
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
from loadmaster.sim.queue.desk_work_kernel import begin_work, end_work, work_again_s
from loadmaster.sim.queue.heard_kernel import tell
from loadmaster.sim.queue.loops_kernel import pass_loops_by
from loadmaster.sim.queue.preempt_kernel import make_way, pass_again_if_need_be
from loadmaster.sim.queue.preempt_state import HANDLED, QUEUED
from loadmaster.sim.queue.queue_kernel import commit, go_on_bound
from loadmaster.sim.queue.queue_state import (
    ARRIVED,
    DONE,
    LAST_HOST,
    MANY,
    NO_RANK,
    OUT_OF_ROOM,
    PAUSED,
    PLANNED,
    WAITING,
)
from loadmaster.sim.queue.stopping_kernel import join_running, leave_running, resume


@inner
def run_at_desk(
    jobs, capacity, rules, state, waiting, ranked, stairs, ends, scores, log, bound, desk, columns, rank, book, reckon,
    scans, rates, serve, stops, alone,
):  # fmt: skip
    """Go on until all is done or the records are full, or a pass needs something of the shell.

    `serve` and `alone` are doors of `desk_pass_kernel`, for the queue and for one row of it; `scans` and `rates` are
    the members' policies. `stops` is `preempt_state.Preempts`, or None where nobody is stopped for another.
    """
    log.rows[0] = 0
    while log.rows[0] < log.time_s.shape[0] and not has_cut_runs(bound):
        now = _next_pass(jobs, rules, state, waiting, ranked, stairs, ends, scores, log, bound, desk, stops)
        if now == np.inf:
            return DONE
        if queue_length(state, bound) == 0:
            continue
        winners, wrong, first = np.int64(0), np.int64(0), False
        state.tally[PLANNED] = 0
        bound.clock[1] = np.inf
        log.value[log.rows[0], :] = np.nan
        queued = queue_length(state, bound)
        if bound.tally[IN_QUEUE] > 0:
            if stops is not None and stops.number[HANDLED] != 0:  # the pass is made once more
                queued = stops.number[QUEUED]
            elif _line_up(ranked, bound, desk, columns, rank, book, reckon, now):
                return NO_RANK
            if stops is not None and stops.number[HANDLED] == 0:
                first, winners, wrong = make_way(
                    jobs, capacity, rules, state, waiting, ranked, stairs, log, bound, desk, stops, scans, rates, alone,
                    now,
                )  # fmt: skip
            if not first and wrong == 0:
                winners, wrong = best_pass(jobs, capacity, rules, state, log, bound, desk, scans, rates, serve, now)
            if wrong != 0:
                return wrong
            if not first:
                _keep(state, bound, desk, now)
        if _would_overflow(jobs, state, desk):
            return OUT_OF_ROOM
        _note(state, log, queued, winners, now)
        _start(jobs, rules, state, waiting, ranked, ends, log, bound, desk, stops, now)
        if stops is not None:
            pass_again_if_need_be(state, bound, stops, first)
        bound.clock[1] = min(bound.clock[1], next_expiry_s(desk, now))
        if state.tally[WAITING] > 0:
            again_s = work_again_s(desk.work, desk.started_as, ranked.queue, ranked.number[MANY], now)
            bound.clock[1] = min(bound.clock[1], again_s)
    return PAUSED


@inlined
def _next_pass(jobs, rules, state, waiting, ranked, stairs, ends, scores, log, bound, desk, stops):
    """The moment of the next pass, after all that happens before it."""
    if desk.tally[REDO] != 0:
        desk.tally[REDO] = 0
        return bound.clock[0]
    bound.tally[HEARD] = 0
    now = go_on_bound(jobs, rules, state, waiting, ranked, stairs, ends, scores, log, bound)
    if now < np.inf and bound.tally[REPEATED] == 0:
        _hear(jobs, state, bound, desk, log, stops, now)
    return now


@inlined
def _hear(jobs, state, bound, desk, log, stops, now):
    """Who has left the hosts, and who has come, since the last moment."""
    own, moments_s, tally = bound.tally, bound.closures.moments_s, desk.tally
    if own[MOMENTS] < moments_s.shape[0] and moments_s[own[MOMENTS]] <= now:
        tally[OVER] = 1
    for n in range(own[HEARD]):
        job, time_s, how = np.int64(bound.news[n].job), bound.news[n].time_s, bound.news[n].how
        if time_s < desk.expected_end_s[job]:
            tally[EARLY_END] = 1
        tally[OVER] = 1
        if how == ENDED:
            hear_end(bound, desk, job, time_s)
        drop_tasks(desk.ends, desk.runs, desk.expected_end_s[job], job)
        end_work(desk.work, desk.started_as[job], job, time_s)
        if stops is not None:
            leave_running(bound, desk, stops, job, how)
        tell(desk, job, time_s, LEFT)
        if how == SENT_BACK:
            tell(desk, job, now, CAME)
            tally[COME] = 1
    correct(jobs, desk, log, now)
    if stops is not None:
        resume(jobs, state, log, bound, desk, stops, now)
    predict(bound, desk, now, True)
    come, refused = state.tally[ARRIVED], own[REFUSED]
    for job in range(tally[CAME_BEFORE], come):
        tell(desk, job, bound.job[job].submit_s, CAME)
    if come - tally[CAME_BEFORE] > refused - tally[REFUSED_BEFORE]:
        tally[COME] = 1
    tally[CAME_BEFORE], tally[REFUSED_BEFORE] = come, refused


@inlined
def _line_up(ranked, bound, desk, columns, rank, book, reckon, now):
    """Put the rows that may start now in their order; 1 on a rank that is not finite."""
    order, line = desk.board.order, desk.line
    many = np.int64(0)
    for i in range(desk.tally[WAIT]):
        row = order[i]
        line.here[row] = bound.job[desk.owner[row]].queued
        if line.here[row]:
            order[many] = row
            many += 1
    for i in range(ranked.number[MANY]):
        row = ranked.queue[i]
        if not line.here[row]:
            line.here[row] = True
            order[many] = row
            many += 1
            _note_fresh(bound, desk, np.int64(desk.owner[row]), now)
    desk.tally[WAIT] = many
    if desk.told:
        reckon(book, desk, ranked, now)
    elif desk.moves and rank(columns, ranked.queue, ranked.number[MANY], now, ranked.rank):
        return 1
    if desk.told or desk.moves:
        for i in range(ranked.number[MANY]):
            line.key[ranked.queue[i]] = ranked.rank[i]
    sort_line(line, order, many)
    return 0


@inlined
def _note_fresh(bound, desk, job, now):
    """A row of `job` has come into the line: the job might start for the first time, or once more."""
    if not desk.seen[job]:
        desk.seen[job] = True
        desk.tally[COME] = 1
        released_s = now if bound.job[job].single else bound.job[job].ready_s
        if released_s > bound.job[job].submit_s:
            tell(desk, job, released_s, CAME)


@inlined
def _keep(state, bound, desk, now):
    """The pass is decided: what it promised stands, and it says when to decide again."""
    board, tally = desk.board, desk.tally
    state.tally[LAST_HOST] = desk.room.tally[LAST_IN_ROOM]
    wake_s = board.wake_s[0]
    if desk.looped:
        wake_s = min(wake_s, pass_loops_by(desk, now, state.tally[PLANNED] > 0))
    tally[EARLY_END] = tally[COME] = tally[OVER] = 0
    tally[DECISION] += 1
    for c in range(desk.calendar.time.shape[0]):
        if desk.calendar.time[c].to_s > now:
            wake_s = min(wake_s, desk.calendar.time[c].to_s)
    bound.clock[1] = wake_s
    for i in range(tally[WAIT] if desk.keeps else 0):
        if _is_soonest(desk, board.order[i]):
            _keep_for_job(desk, board.order[i])


@inner
def _is_soonest(desk, row):
    """Whether the row was promised something in this pass, and no other row of its job anything sooner."""
    board, rows = desk.board, desk.rows.of
    if board.promised[row].number <= board.tally[SINCE] or board.promised[row].start_s == np.inf:
        return False
    other, start_s = np.int64(rows[row].next_row), board.promised[row].start_s
    while other != row:
        if board.promised[other].number > board.tally[SINCE]:
            other_s = board.promised[other].start_s
            if other_s < start_s or (other_s == start_s and other < row):
                return False
        other = np.int64(rows[other].next_row)
    return True


@inner
def _keep_for_job(desk, row):
    """What the row is promised stands in the next pass, for the first row of its job that may have the hosts."""
    board, rows, standing, other = desk.board, desk.rows.of, desk.standing, np.int64(row)
    many, first = board.promised[row].many, rows[row].first_host
    while True:
        desk.kept_in[other] = desk.tally[DECISION]
        standing.promise[other].start_s, standing.promise[other].many = board.promised[row].start_s, many
        for k in range(many):
            standing.host[rows[other].first_host + k] = board.promised_host[first + k]
        other = np.int64(rows[other].next_row)
        if other == row:
            return


@inlined
def _note(state, log, queued, winners, now):
    """Write the pass down."""
    row = log.rows[0]
    log.time_s[row] = now
    log.queue_length[row] = queued
    log.started[row] = state.tally[PLANNED]
    log.winners[row] = winners
    log.rows[0] += 1


@inlined
def _would_overflow(jobs, state, desk):
    """Whether the plan's tasks have no room beside those that run, or something that the order is to hear had none."""
    last = state.tally[PLANNED] - 1
    starting = state.plan_task[last] + jobs.tasks[state.plan_job[1, last]] if last >= 0 else np.int64(0)
    return desk.tally[LOST] != 0 or desk.ends.many[0] + starting > desk.ends.end.shape[0]


@inlined
def _start(jobs, rules, state, waiting, ranked, ends, log, bound, desk, stops, now):
    """The plan is carried out."""
    commit(jobs, rules, state, waiting, ranked, ends, log, bound, now)
    for i in range(state.tally[PLANNED]):
        row = np.int64(state.plan_job[1, i])
        job, first, slowest = np.int64(desk.owner[row]), state.plan_task[i], np.inf
        for at in range(first, first + jobs.tasks[row]):
            slowest = min(slowest, state.speed[state.undo_host[at]])
        end_s = now + desk.rows.of[row].expected_s / slowest
        desk.expected_end_s[job], desk.pace[job], desk.started_as[job] = end_s, slowest, row
        desk.began_s[job] = now
        if stops is not None:
            join_running(stops, job)
        begin_work(desk.work, row, job, now)
        kind = desk.rows.of[row].kind
        add_tasks(desk.ends, desk.runs, state.undo_host, first, jobs.tasks[row], end_s, now, kind, job)
        tell(desk, job, now, STARTED)
