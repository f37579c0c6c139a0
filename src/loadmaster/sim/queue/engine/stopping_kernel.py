"""What becomes of those who are stopped for others, compiled: told to end, sent back, suspended, resumed (rule C8)."""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.running_ends_kernel import add_tasks, drop_tasks
from loadmaster.host_index.scores_kernel import changed
from loadmaster.jit.heap_kernel import push
from loadmaster.jit.kernels import inner
from loadmaster.sim.queue.engine.constraint_state import ENDED, SENT_BACK, SERIAL, SUSPENDED
from loadmaster.sim.queue.engine.eligibility_kernel import come_back, finish
from loadmaster.sim.queue.engine.general_state import CAME, COME, EARLY_END, LEFT, OVER, STARTED
from loadmaster.sim.queue.engine.host_failures_kernel import free_hosts, note_cut, put_aside
from loadmaster.sim.queue.engine.preemption_state import LEAVING, REQUEUE, RUNNING, SUSPEND
from loadmaster.sim.queue.engine.priority_events_kernel import tell
from loadmaster.sim.queue.engine.state import RUNNING as ON_HOSTS
from loadmaster.sim.queue.engine.work_limits_kernel import end_work


@inner
def stop_chosen(engine, bound, desk, stops, now):
    """Those chosen are told to end, or leave their hosts."""
    if stops.number[LEAVING] == 0:
        return
    for at in range(stops.number[LEAVING]):
        job = np.int64(stops.leaving[at])
        if stops.told[job].told:
            _end_sooner(engine.jobs, engine.log, bound, desk, stops, job, now)
    _order_ends_anew(engine.state, bound, stops)
    for at in range(stops.number[LEAVING]):
        job = np.int64(stops.leaving[at])
        if stops.told[job].leaves:
            stops.told[job].leaves = False
            drop_tasks(desk.ends, desk.runs, desk.expected_end_s[job], job)
            if stops.victim[desk.started_as[job]].mode == SUSPEND:
                _suspend(engine, bound, desk, stops, job, np.int64(stops.preemptor[at]), now)
            else:
                _stop(engine, bound, desk, stops, job, now)


@inner
def _end_sooner(jobs, log, bound, desk, stops, job, now):
    """`job` ends when its time of grace is over, unless it would have before."""
    row, told = np.int64(desk.started_as[job]), stops.told[job]
    end_s = now + stops.victim[row].grace_s
    if end_s < desk.expected_end_s[job]:
        desk.tally[EARLY_END] = 1
        drop_tasks(desk.ends, desk.runs, desk.expected_end_s[job], job)
        desk.expected_end_s[job] = end_s
        kind, tasks = desk.rows.of[row].kind, jobs.tasks[row]
        start_s = log.start_s[job]
        hosts = log.host[jobs.first_task[row] : jobs.first_task[row] + tasks]
        add_tasks(desk.ends, desk.runs, hosts, end_s, start_s, kind, job)
    if end_s < bound.job[job].end_s:
        told.well, told.teaches, told.preempted = bound.job[job].well, desk.teaches[job], True
        bound.job[job].well = desk.teaches[job] = False
        bound.job[job].end_s = end_s


@inner
def _order_ends_anew(state, bound, stops):
    """The heap of ends has those no more who leave, and those who are told to end at their new end."""
    kept = np.int64(0)
    for i in range(state.tally[ON_HOSTS]):
        row = np.int64(state.ending[i])
        job = np.int64(bound.row[row].owner)
        if not stops.told[job].leaves:
            kept = push(state.end_s, state.ending, kept, bound.job[job].end_s, row)
    state.tally[ON_HOSTS] = kept


@inner
def _stop(engine, bound, desk, stops, job, now):
    """`job` goes back to the queue, where that is its mode; else it has ended."""
    row = np.int64(desk.started_as[job])
    free_hosts(engine, row)
    end_work(desk.work, row, job, now)
    leave_running(bound, desk, stops, job, SENT_BACK)
    tell(desk, job, now, LEFT)
    desk.tally[OVER] = 1
    if now < desk.expected_end_s[job]:
        desk.tally[EARLY_END] = 1
    if stops.victim[row].mode == REQUEUE:
        put_aside(engine.jobs, engine.log, bound, row, now)
        come_back(engine, bound, job)
        tell(desk, job, now, CAME)
        desk.tally[COME] = 1
        return
    stops.told[job].preempted = True
    bound.job[job].end_s = now
    bound.job[job].stopped = True
    finish(engine, bound, job, now, False)


@inner
def _suspend(engine, bound, desk, stops, job, preemptor, now):
    """`job` gives its cores back for as long as `preemptor` runs."""
    row, at = np.int64(desk.started_as[job]), bound.tally[SUSPENDED]
    _give_cores(engine, desk, row, 1.0, engine.jobs.tasks[row])
    if now > engine.log.start_s[job]:
        note_cut(engine.jobs, engine.log, bound, row, now, False)
    one = stops.suspended[at]
    one.job, one.preemptor = job, preemptor
    one.end_s, one.expected_end_s = bound.job[job].end_s - now, desk.expected_end_s[job] - now
    one.began_s = desk.began_s[job] - now
    bound.tally[SUSPENDED] += 1
    stops.is_suspended[job] = True
    leave_running(bound, desk, stops, job, ENDED)
    tell(desk, job, now, LEFT)


@inner
def resume(engine, bound, desk, stops, now):
    """Those go on whose preemptor no longer runs, as far as their cores are free."""
    many = np.int64(0)
    for at in range(bound.tally[SUSPENDED]):
        one = stops.suspended[at]
        job = np.int64(one.job)
        if _holds_back(stops, one.preemptor) or not _goes_on(engine, bound, desk, stops, at, now):
            if many < at:
                _move(stops.suspended, at, many)
            many += 1
        else:
            stops.is_suspended[job] = False
    bound.tally[SUSPENDED] = many


@inner
def _holds_back(stops, preemptor):
    """Whether it runs, or is suspended itself."""
    holds = stops.is_suspended[preemptor]
    for i in range(stops.number[RUNNING]):
        holds |= stops.running[i] == preemptor
    return holds


@inner
def _goes_on(engine, bound, desk, stops, at, now):
    """Give the suspended job number `at` its cores again, if they are free; whether they were."""
    one = stops.suspended[at]
    job = np.int64(one.job)
    row = np.int64(desk.started_as[job])
    kind, first, tasks = desk.rows.of[row].kind, engine.jobs.first_task[row], engine.jobs.tasks[row]
    for n in range(tasks):
        if engine.state.free[engine.log.host[first + n], 0] < desk.rows.demand[kind, 0]:
            _give_cores(engine, desk, row, 1.0, n)
            return False
        engine.state.free[engine.log.host[first + n], 0] -= desk.rows.demand[kind, 0]
        changed(desk.scores, np.int64(engine.log.host[first + n]))
    end_s = one.end_s + now
    bound.job[job].end_s, desk.expected_end_s[job] = end_s, one.expected_end_s + now
    desk.began_s[job], engine.log.start_s[job] = one.began_s + now, now
    bound.row[row].serial = bound.tally[SERIAL]
    bound.tally[SERIAL] += 1
    engine.state.tally[ON_HOSTS] = push(
        engine.state.end_s, engine.state.ending, engine.state.tally[ON_HOSTS], end_s, row
    )
    add_tasks(desk.ends, desk.runs, engine.log.host[first : first + tasks], desk.expected_end_s[job], now, kind, job)
    join_running(stops, job)
    tell(desk, job, now, STARTED)
    return True


@inner
def _give_cores(engine, desk, row, sign, tasks):
    """The first `tasks` tasks of the row give their cores back, or with sign -1 take them."""
    for task in range(engine.jobs.first_task[row], engine.jobs.first_task[row] + tasks):
        host = np.int64(engine.log.host[task])
        engine.state.free[host, 0] += sign * desk.rows.demand[desk.rows.of[row].kind, 0]
        changed(desk.scores, host)


@inner
def _move(suspended, one, other):
    suspended[other].job, suspended[other].preemptor = suspended[one].job, suspended[one].preemptor
    suspended[other].end_s, suspended[other].began_s = suspended[one].end_s, suspended[one].began_s
    suspended[other].expected_end_s = suspended[one].expected_end_s


@inner
def join_running(stops, job):
    """`job` runs, behind all others."""
    stops.running[stops.number[RUNNING]] = job
    stops.number[RUNNING] += 1


@inner
def leave_running(bound, desk, stops, job, how):
    """`job` runs no more; what it had been told to is forgotten unless it has ended."""
    many = np.int64(0)
    for i in range(stops.number[RUNNING]):
        if stops.running[i] != job:
            stops.running[many] = stops.running[i]
            many += 1
    stops.number[RUNNING] = many
    told = stops.told[job]
    if how != ENDED and told.preempted:
        told.preempted = False
        bound.job[job].well, desk.teaches[job] = told.well, told.teaches
    told.told = False
