"""Which jobs are stopped for which before a pass, compiled: as `loadmaster.sim.queue.plain.preemption` (rule C8)."""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.pass_rows_kernel import within_limits
from loadmaster.jit.kernels import inner
from loadmaster.place.room_arrays import LAST_HOST as LAST_IN_ROOM
from loadmaster.sim.queue.engine.constrained_kernel import begin_round, queue_length
from loadmaster.sim.queue.engine.constraint_state import AGAIN, ENTERED
from loadmaster.sim.queue.engine.general_decision_kernel import lay, pass_alone, take_back_plan
from loadmaster.sim.queue.engine.general_state import WAIT
from loadmaster.sim.queue.engine.preemption_state import BACK, CANCEL, CHOSEN, HANDLED, LEAVING, QUEUED, RUNNING
from loadmaster.sim.queue.engine.state import LAST_HOST, PLANNED
from loadmaster.sim.queue.engine.stopping_kernel import stop_chosen
from loadmaster.sim.queue.engine.victims_kernel import assume_released, count_held, find_victims, list_candidates


@inner
def preempt_jobs(engine, bound, general, preemption, now):
    """Stop jobs for rows in the line that need their hosts; returns (whether a row starts first, winners, wrong or 0).

    Slurm's clock stays as it was, because its loops have made no pass.
    """
    preemption.number[QUEUED] = queue_length(engine.state, bound)
    one, two, three, four = general.clock[0], general.clock[1], general.clock[2], general.clock[3]
    first, winners, wrong = choose_victims(engine, bound, general, preemption, now)
    general.clock[0], general.clock[1], general.clock[2], general.clock[3] = one, two, three, four
    if wrong != 0:
        return False, winners, wrong
    if first:
        engine.state.tally[LAST_HOST] = general.room.tally[LAST_IN_ROOM]
    else:
        engine.state.tally[PLANNED] = 0
        for member in range(engine.log.value.shape[1]):
            engine.log.value[engine.log.rows[0], member] = np.nan
    begin_round(bound)
    stop_chosen(engine, bound, general, preemption, now)
    preemption.number[BACK], preemption.number[HANDLED] = bound.tally[ENTERED], 1
    return first, winners, wrong


@inner
def pass_again_if_need_be(state, bound, preemption, first):
    """Ask for one more pass at this moment if this one was for one row alone, or let jobs back into the queue."""
    if first or (preemption.number[BACK] > 0 and state.tally[PLANNED] > 0):
        bound.tally[AGAIN] = 1
    preemption.number[BACK] = preemption.number[HANDLED] = 0


@inner
def choose_victims(engine, bound, general, preemption, now):
    """Choose the jobs that leave or get notice, and start the first row for which jobs leave at once.

    `alone` is an entry point for passes with one row. Returns (whether a row starts, winners, wrong or 0); that start
    is the plan, and its hosts are taken. The jobs that leave are still on their hosts.
    """
    order, winners, wrong = general.this_pass.order, np.int64(0), np.int64(0)
    preemption.number[LEAVING] = 0
    _assume_notified_ended(engine, general, preemption, 1.0)
    for i in range(general.tally[WAIT]):
        row = np.int64(order[i])
        if not preemption.able[preemption.victim[row].kind]:
            continue
        many = list_candidates(engine.jobs, engine.log, general, preemption, row, now)
        if many == 0:
            continue
        lay(engine.state, bound, general, now)
        if not within_limits(general.rows, general.this_pass, row, 0):
            continue
        # a row that fits without victims needs none
        fits, wrong = _fits(engine, bound, general, preemption, row, now)
        if not fits and wrong == 0:
            wrong = find_victims(engine, bound, general, preemption, row, many, now)
        if wrong != 0:
            break
        if fits or preemption.number[CHOSEN] == 0 or _note_chosen(engine, general, preemption, row):
            continue
        _assume_notified_ended(engine, general, preemption, -1.0)
        _assume_leaving_left(engine, general, preemption, 1.0)
        # jobs that leave at once make room now, jobs with notice do not
        winners, wrong = pass_alone(engine, bound, general, row, now)
        _assume_leaving_left(engine, general, preemption, -1.0)
        if wrong == 0 and engine.state.tally[PLANNED] > 0:
            return True, winners, wrong
        _assume_notified_ended(engine, general, preemption, 1.0)
        if wrong != 0:
            break
    _assume_notified_ended(engine, general, preemption, -1.0)
    if wrong != 0:
        _forget_chosen(preemption)
    return False, np.int64(0), wrong


@inner
def _fits(engine, bound, general, preemption, row, now):
    """Whether the row would start if no other row waited; returns (whether, wrong or 0)."""
    if count_held(engine.state, general, preemption, row) < general.rows.of[row].tasks:
        return False, np.int64(0)
    _, wrong = pass_alone(engine, bound, general, row, now)
    if wrong != 0:
        return False, wrong
    take_back_plan(engine.state, general)
    return engine.state.tally[PLANNED] > 0, wrong


@inner
def _note_chosen(engine, general, preemption, row):
    """Give chosen jobs with a grace time notice, and mark the others to leave; whether any has a grace time."""
    anybody = False
    for at in range(preemption.number[CHOSEN]):
        job = np.int64(preemption.chosen[at])
        preemption.leaving[preemption.number[LEAVING]] = job
        preemption.preemptor[preemption.number[LEAVING]] = general.owner[row]
        preemption.number[LEAVING] += 1
        victim = preemption.victim[general.started_as[job]]
        if victim.mode == CANCEL and victim.grace_s > 0.0:
            anybody = True
            preemption.notices[job].given = True
            assume_released(engine, general, preemption, job, 1.0, False)
        else:
            preemption.notices[job].leaves = True
    return anybody


@inner
def _forget_chosen(preemption):
    """Undo the choice of victims: the pass will be made again from the beginning."""
    for at in range(preemption.number[LEAVING]):
        preemption.notices[preemption.leaving[at]].given = preemption.notices[preemption.leaving[at]].leaves = False
    preemption.number[LEAVING] = 0


@inner
def _assume_notified_ended(engine, general, preemption, sign):
    """Act as if jobs in their grace time had ended, or with sign -1 no longer."""
    for i in range(preemption.number[RUNNING]):
        job = np.int64(preemption.running[i])
        if preemption.notices[job].given:
            assume_released(engine, general, preemption, job, sign, False)


@inner
def _assume_leaving_left(engine, general, preemption, sign):
    """Act as if the leaving jobs had left, or with sign -1 no longer."""
    for at in range(preemption.number[LEAVING]):
        job = np.int64(preemption.leaving[at])
        if preemption.notices[job].leaves:
            assume_released(engine, general, preemption, job, sign, preemption.exact_ends)
