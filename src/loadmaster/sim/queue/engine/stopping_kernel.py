"""What happens to jobs that are stopped for others, compiled: notice, requeue, suspension, resumption (rule C8)."""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.running_ends_kernel import add_tasks, drop_tasks
from loadmaster.host_index.scores_kernel import changed
from loadmaster.jit.heap_kernel import push
from loadmaster.jit.kernels import inner
from loadmaster.sim.queue.engine.constraint_state import ENDED, SENT_BACK, SERIAL, SUSPENDED
from loadmaster.sim.queue.engine.eligibility_kernel import finish, requeue
from loadmaster.sim.queue.engine.general_state import CAME, COME, EARLY_END, LEFT, OVER, STARTED
from loadmaster.sim.queue.engine.host_failures_kernel import free_hosts, note_cut, put_aside
from loadmaster.sim.queue.engine.preemption_state import LEAVING, REQUEUE, RUNNING, SUSPEND
from loadmaster.sim.queue.engine.priority_events_kernel import record_event
from loadmaster.sim.queue.engine.state import RUNNING as ON_HOSTS
from loadmaster.sim.queue.engine.work_limits_kernel import end_work


@inner
def stop_chosen(engine, bound, general, preemption, now):
    """Give the chosen jobs notice, or let them leave their hosts."""
    if preemption.number[LEAVING] == 0:
        return
    for at in range(preemption.number[LEAVING]):
        job = np.int64(preemption.leaving[at])
        if preemption.notices[job].given:
            _end_sooner(engine.jobs, engine.log, bound, general, preemption, job, now)
    _sort_ends(engine.state, bound, preemption)
    for at in range(preemption.number[LEAVING]):
        job = np.int64(preemption.leaving[at])
        if preemption.notices[job].leaves:
            preemption.notices[job].leaves = False
            drop_tasks(general.ends, general.runs, general.expected_end_s[job], job)
            if preemption.victim[general.started_as[job]].mode == SUSPEND:
                _suspend(engine, bound, general, preemption, job, np.int64(preemption.preemptor[at]), now)
            else:
                _stop(engine, bound, general, preemption, job, now)


@inner
def _end_sooner(jobs, log, bound, general, preemption, job, now):
    """Let `job` end when its grace time is over, unless it ends before."""
    row, notice = np.int64(general.started_as[job]), preemption.notices[job]
    end_s = now + preemption.victim[row].grace_s
    if end_s < general.expected_end_s[job]:
        general.tally[EARLY_END] = 1
        drop_tasks(general.ends, general.runs, general.expected_end_s[job], job)
        general.expected_end_s[job] = end_s
        kind, tasks = general.rows.of[row].kind, jobs.tasks[row]
        start_s = log.start_s[job]
        hosts = log.host[jobs.first_task[row] : jobs.first_task[row] + tasks]
        add_tasks(general.ends, general.runs, hosts, end_s, start_s, kind, job)
    if end_s < bound.job[job].end_s:
        notice.well, notice.teaches, notice.preempted = bound.job[job].well, general.teaches[job], True
        bound.job[job].well = general.teaches[job] = False
        bound.job[job].end_s = end_s


@inner
def _sort_ends(state, bound, preemption):
    """Rebuild the heap of ends: without the leaving jobs, and with the new end of jobs that have notice."""
    kept = np.int64(0)
    for i in range(state.tally[ON_HOSTS]):
        row = np.int64(state.ending[i])
        job = np.int64(bound.row[row].owner)
        if not preemption.notices[job].leaves:
            kept = push(state.end_s, state.ending, kept, bound.job[job].end_s, row)
    state.tally[ON_HOSTS] = kept


@inner
def _stop(engine, bound, general, preemption, job, now):
    """Send `job` back to the queue, where that is its mode; else end it."""
    row = np.int64(general.started_as[job])
    free_hosts(engine, bound, row, now)
    end_work(general.work, row, job, now)
    leave_running(bound, general, preemption, job, SENT_BACK)
    record_event(general, job, now, LEFT)
    general.tally[OVER] = 1
    if now < general.expected_end_s[job]:
        general.tally[EARLY_END] = 1
    if preemption.victim[row].mode == REQUEUE:
        put_aside(engine.jobs, engine.log, bound, row, now)
        requeue(engine, bound, job)
        record_event(general, job, now, CAME)
        general.tally[COME] = 1
        return
    preemption.notices[job].preempted = True
    bound.job[job].end_s = now
    bound.job[job].stopped = True
    finish(engine, bound, job, now, False)


@inner
def _suspend(engine, bound, general, preemption, job, preemptor, now):
    """Suspend `job`: its cores are free as long as `preemptor` runs."""
    row, at = np.int64(general.started_as[job]), bound.tally[SUSPENDED]
    _give_cores(engine, general, row, 1.0, engine.jobs.tasks[row])
    if now > engine.log.start_s[job]:
        note_cut(engine.jobs, engine.log, bound, row, now, False)
    one = preemption.suspended[at]
    one.job, one.preemptor = job, preemptor
    one.end_s, one.expected_end_s = bound.job[job].end_s - now, general.expected_end_s[job] - now
    one.began_s = general.began_s[job] - now
    bound.tally[SUSPENDED] += 1
    preemption.is_suspended[job] = True
    leave_running(bound, general, preemption, job, ENDED)
    record_event(general, job, now, LEFT)


@inner
def resume(engine, bound, general, preemption, now):
    """Resume suspended jobs whose preemptor no longer runs, as far as their cores are free."""
    many = np.int64(0)
    for at in range(bound.tally[SUSPENDED]):
        one = preemption.suspended[at]
        job = np.int64(one.job)
        if _holds_back(preemption, one.preemptor) or not _goes_on(engine, bound, general, preemption, at, now):
            if many < at:
                _move(preemption.suspended, at, many)
            many += 1
        else:
            preemption.is_suspended[job] = False
    bound.tally[SUSPENDED] = many


@inner
def _holds_back(preemption, preemptor):
    """Whether the preemptor runs, or is suspended itself."""
    holds = preemption.is_suspended[preemptor]
    for i in range(preemption.number[RUNNING]):
        holds |= preemption.running[i] == preemptor
    return holds


@inner
def _goes_on(engine, bound, general, preemption, at, now):
    """Give the suspended job number `at` its cores again, if they are free; returns whether they were."""
    one = preemption.suspended[at]
    job = np.int64(one.job)
    row = np.int64(general.started_as[job])
    kind, first, tasks = general.rows.of[row].kind, engine.jobs.first_task[row], engine.jobs.tasks[row]
    for n in range(tasks):
        if engine.state.free[engine.log.host[first + n], 0] < general.rows.demand[kind, 0]:
            # one host lacks cores: give back those of the tasks before
            _give_cores(engine, general, row, 1.0, n)
            return False
        engine.state.free[engine.log.host[first + n], 0] -= general.rows.demand[kind, 0]
        changed(general.scores, np.int64(engine.log.host[first + n]))
    end_s = one.end_s + now
    bound.job[job].end_s, general.expected_end_s[job] = end_s, one.expected_end_s + now
    general.began_s[job], engine.log.start_s[job] = one.began_s + now, now
    bound.row[row].serial = bound.tally[SERIAL]
    bound.tally[SERIAL] += 1
    engine.state.tally[ON_HOSTS] = push(
        engine.state.end_s, engine.state.ending, engine.state.tally[ON_HOSTS], end_s, row
    )
    add_tasks(
        general.ends, general.runs, engine.log.host[first : first + tasks], general.expected_end_s[job], now, kind, job
    )
    join_running(preemption, job)
    record_event(general, job, now, STARTED)
    return True


@inner
def _give_cores(engine, general, row, sign, tasks):
    """Let the first `tasks` tasks of the row give their cores back, or with sign -1 take them."""
    for task in range(engine.jobs.first_task[row], engine.jobs.first_task[row] + tasks):
        host = np.int64(engine.log.host[task])
        engine.state.free[host, 0] += sign * general.rows.demand[general.rows.of[row].kind, 0]
        changed(general.scores, host)


@inner
def _move(suspended, one, other):
    suspended[other].job, suspended[other].preemptor = suspended[one].job, suspended[one].preemptor
    suspended[other].end_s, suspended[other].began_s = suspended[one].end_s, suspended[one].began_s
    suspended[other].expected_end_s = suspended[one].expected_end_s


@inner
def join_running(preemption, job):
    """Add `job` behind all running jobs."""
    preemption.running[preemption.number[RUNNING]] = job
    preemption.number[RUNNING] += 1


@inner
def leave_running(bound, general, preemption, job, how):
    """Remove `job` from the running jobs; its notice is dropped unless it has ended."""
    many = np.int64(0)
    for i in range(preemption.number[RUNNING]):
        if preemption.running[i] != job:
            preemption.running[many] = preemption.running[i]
            many += 1
    preemption.number[RUNNING] = many
    notice = preemption.notices[job]
    if how != ENDED and notice.preempted:
        notice.preempted = False
        bound.job[job].well, general.teaches[job] = notice.well, notice.teaches
    notice.given = False
