"""The engine decision by decision: an agent outside says which waiting job starts next, or that none does.

The arrays of the engine are the state between two decisions. One call carries an action out, and goes on to the next
moment at which a job that the agent sees can start. It uses the kernels of the loop: to go to the next event, to place
a job, to commit its start.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.jit.kernels import inlined, inner
from loadmaster.sim.queue.engine.allocate_kernel import place, renew_if_changed
from loadmaster.sim.queue.engine.commit_kernel import commit
from loadmaster.sim.queue.engine.environment_state import (
    BOUNDED_SLOWDOWN,
    DECIDING,
    FIRST,
    FIXED_COLUMNS,
    IN_MOMENT,
    NOTHING,
    NOW,
    PROMISED,
    REFUSED,
    REWARD,
    SHADOW,
    SHOWN,
    STARTABLE,
    WAIT,
)
from loadmaster.sim.queue.engine.head_promise_kernel import promise
from loadmaster.sim.queue.engine.host_reservations_kernel import flush
from loadmaster.sim.queue.engine.infeasible_cache_kernel import is_infeasible, record_failure
from loadmaster.sim.queue.engine.loop_kernel import advance_unconstrained
from loadmaster.sim.queue.engine.pass_kernel import begin_pass, end_pass, plan_start
from loadmaster.sim.queue.engine.queue_tree_kernel import length_of, may_fit, next_waiting
from loadmaster.sim.queue.engine.state import (
    ARRIVED,
    DONE,
    HEAD,
    LAST_HOST,
    PAUSED,
    RUNNING,
    SHORT,
    UNDO,
    WAITING,
)
from loadmaster.sim.queue.engine.undo_kernel import take_again, take_back


@inner
def step(engine, agent, acts, action, host):
    """Carry one action out, and go on to the next decision; changes all but jobs, capacity and rules in place.

    Args:
        engine: a `queue_engine.QueueEngine` without constraints, of fixed positions by arrival.
        agent: an `environment_state.AgentView`.
        acts: there is an action; not before the first decision, nor after `PAUSED`.
        action: row of a waiting job in the view; any other number starts none.
        host: the host for all its tasks; -1 leaves that to the placement policy.

    Returns:
        `DECIDING` at the next decision, `DONE` at the end, `PAUSED` where the record is full, else what is wrong.
    """
    if acts:
        wrong, decides = _carry_out(engine, agent, action, host)
        if wrong != 0 or decides:
            return wrong if wrong != 0 else DECIDING
    return _go_to_decision(engine, agent)


@inlined
def _carry_out(engine, agent, action, host):
    """Start the job of an action, if any; returns (wrong, whether another job of the view can start now)."""
    agent.clock[REWARD] = 0.0
    row, agent.number[REFUSED] = _row_of(engine, agent, action)
    if row < 0:
        return 0, False
    wrong, started = _start(engine, agent, np.int64(agent.row[row]), host)
    if wrong == 0:
        agent.number[REFUSED] += not started
        if started:
            wrong = _look(engine, agent)
    return wrong, started and agent.number[STARTABLE] > 0


@inlined
def _go_to_decision(engine, agent):
    """Go on to the next moment at which a job of the view can start; returns as `step` does."""
    log = engine.log
    while True:
        if agent.number[IN_MOMENT]:
            agent.number[IN_MOMENT] = 0
            log.rows[0] += 1
        if log.rows[0] == log.time_s.shape[0]:
            return PAUSED
        now = advance_unconstrained(engine, None)
        if now == np.inf:
            _look_at_nothing(agent)
            return DONE
        if engine.state.tally[WAITING] == 0:
            continue
        at = log.rows[0]
        log.time_s[at], log.queue_length[at], log.started[at], log.winners[at] = now, engine.state.tally[WAITING], 0, 0
        agent.clock[NOW], agent.number[IN_MOMENT] = now, 1
        wrong = _look(engine, agent)
        if wrong != 0:
            return wrong
        if agent.number[STARTABLE] > 0:
            return DECIDING


@inlined
def _row_of(engine, agent, action):
    """(row of the job to start or -1, 1 if the action requests a job that cannot start).

    Where nothing runs and nothing will arrive, some job has to start: it is the first that can.
    """
    refused = 0
    if 0 <= action < agent.row.shape[0]:
        if agent.startable[action]:
            return np.int64(action), 0
        refused = 1
    if agent.startable[agent.startable.shape[0] - 1]:
        return np.int64(-1), refused
    return np.int64(agent.number[FIRST]), refused


@inlined
def _start(engine, agent, job, host):
    """Start `job` now; returns (wrong, whether it has started)."""
    count, now = engine.state.tally, agent.clock[NOW]
    begin_pass(engine, None, False)
    head = agent.number[PROMISED]
    is_behind = head >= 0 and engine.waiting.position[head] < engine.waiting.position[job]
    if engine.head_promise is not None and is_behind:
        promise(engine, head, now)
    flush(engine.state, engine.scores)
    if host < 0:
        placed, _, wrong = place(engine, 0, None, job, now)
    else:
        placed, wrong = _holds(engine, job, host), 0
        if placed:
            take_again(engine, job, host, np.int64(engine.jobs.tasks[job]))
    if wrong == 0 and placed:
        plan_start(engine, None, job, 0, now)
        count[LAST_HOST] = engine.state.undo_host[count[UNDO] - 1]
    end_pass(engine)
    if wrong != 0 or not placed:
        return wrong, False
    commit(engine, None, now)
    engine.log.started[engine.log.rows[0]] += 1
    agent.clock[REWARD] = _reward(engine, agent, job, now)
    return 0, True


@inlined
def _holds(engine, job, host):
    """Whether the host has room for all tasks of `job`."""
    demand, fits = engine.jobs.demand[engine.jobs.kind[job]], host < engine.state.free.shape[0]
    for r in range(demand.shape[0]):
        fits = fits and demand[r] * engine.jobs.tasks[job] <= engine.state.free[host, r]
    return fits


@inlined
def _reward(engine, agent, job, now):
    """What the start pays: the job's part of a mean over all jobs, as a loss; 0 for any other metric."""
    wait_s = now - engine.jobs.submit_s[job]
    if agent.metric == WAIT:
        return -wait_s / engine.jobs.submit_s.shape[0]
    if agent.metric == BOUNDED_SLOWDOWN:
        slowest = np.inf
        for task in range(engine.jobs.first_task[job], engine.jobs.first_task[job] + engine.jobs.tasks[job]):
            slowest = min(slowest, engine.state.speed[engine.log.host[task]])
        runtime_s = engine.jobs.runtime_s[job] / slowest
        slowdown = max(1.0, (wait_s + runtime_s) / max(runtime_s, agent.bound_s))
        return -slowdown / engine.jobs.submit_s.shape[0]
    return 0.0


@inner
def _look(engine, agent):
    """Show the first waiting jobs, and which of them can start now; returns wrong or 0."""
    now, head, shown, startable, wrong = agent.clock[NOW], np.int64(-1), 0, 0, 0
    begin_pass(engine, None, False)
    agent.clock[SHADOW] = np.inf
    position, end = engine.waiting.edge[0, 0], engine.waiting.edge[1, 0]
    while shown < agent.row.shape[0]:
        position = next_waiting(engine.jobs, engine.waiting, position, end)
        if shown == 0:
            engine.waiting.edge[0, 0] = end if position < 0 else position
        if position < 0:
            break
        job = np.int64(engine.waiting.at[position])
        position += 1
        _show(engine, agent, shown, job, now)
        if engine.head_promise is not None and head >= 0 and engine.head_promise.number[HEAD] < 0:
            promise(engine, head, now)
            agent.clock[SHADOW] = engine.head_promise.shadow_s[0]
        fits, wrong = _can_start(engine, job, now)
        if wrong != 0:
            break
        if fits and startable == 0:
            agent.number[FIRST] = shown
        if not fits and head < 0 and agent.promises:
            head = job
        agent.startable[shown] = fits
        startable += fits
        shown += 1
    end_pass(engine)
    for left in range(shown, agent.number[SHOWN]):
        agent.row[left], agent.startable[left] = -1, False
        agent.jobs[left, :] = 0.0
    agent.number[SHOWN], agent.number[STARTABLE], agent.number[PROMISED] = shown, startable, head
    coming = engine.state.tally[RUNNING] > 0 or engine.state.tally[ARRIVED] < engine.jobs.submit_s.shape[0]
    agent.startable[agent.startable.shape[0] - 1] = coming
    return wrong


@inlined
def _can_start(engine, job, now):
    """Whether `job` finds hosts for all its tasks now, beside the promise to the head; returns (whether, wrong)."""
    placed, wrong = False, 0
    fastest = engine.state.fastest[engine.jobs.hosts[job]]
    length = length_of(engine.head_promise, now, engine.jobs.expected_s[job] / fastest)
    if may_fit(engine.jobs, engine.frontier, job, length) and not is_infeasible(engine.jobs, engine.state, job, length):
        flush(engine.state, engine.scores)
        mark = engine.state.tally[UNDO]
        placed, length, wrong = place(engine, 0, None, job, now)
        if placed:
            take_back(engine, mark, job, length)
        elif length == SHORT and engine.jobs.tasks[job] == 1:
            renew_if_changed(engine, job, SHORT)
    if not placed and length == SHORT:
        record_failure(engine.jobs, engine.state, job, SHORT, engine.jobs.tasks[job])
    return placed, wrong


@inlined
def _show(engine, agent, shown, job, now):
    """Write what an agent may know of a waiting job: never its real runtime."""
    seen = agent.jobs[shown]
    agent.row[shown] = job
    seen[0], seen[1], seen[2] = now - engine.jobs.submit_s[job], engine.jobs.expected_s[job], engine.jobs.tasks[job]
    for r in range(engine.capacity.shape[1]):
        seen[FIXED_COLUMNS + r] = engine.jobs.demand[engine.jobs.kind[job], r]


@inlined
def _look_at_nothing(agent):
    """The view after the end: no job waits."""
    agent.row[:] = NOTHING
    agent.startable[:] = False
    agent.jobs[:] = 0.0
    agent.number[SHOWN] = agent.number[STARTABLE] = 0
    agent.clock[SHADOW] = np.inf
