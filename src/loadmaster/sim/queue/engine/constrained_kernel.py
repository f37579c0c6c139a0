"""The moments of a run with constraints: the next event, and what happens before a pass (rule Q1).

Ends and host failures come in the order of time, an end before a failure of the same time; then come arrivals and
releases. So a pass sees all that has happened up to its moment.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.jit.heap_kernel import drop_first
from loadmaster.jit.kernels import inlined, inner
from loadmaster.sim.moments_kernel import at_or_after
from loadmaster.sim.queue.engine.cluster_amounts_kernel import change_cap, infeasible_count
from loadmaster.sim.queue.engine.constraint_state import (
    AGAIN,
    CUTS,
    ENDED,
    ENTERED,
    IN_QUEUE,
    MOMENTS,
    REPEATED,
    ROUND,
    SERIAL,
    STUCK,
    SUSPENDED,
)
from loadmaster.sim.queue.engine.eligibility_kernel import admit_constrained, begin, finish, next_ready, release
from loadmaster.sim.queue.engine.expected_ends_kernel import drop_end
from loadmaster.sim.queue.engine.host_failures_kernel import fail, free_hosts, next_failure_s, tell_shell
from loadmaster.sim.queue.engine.state import ARRIVED, EASY, PLANNED, RUNNING, WAITING


@inner
def advance_constrained(engine, bound):
    """Do all that happens to bound jobs before the next pass; returns its moment, infinite if there is none."""
    if is_another_pass(bound):
        return bound.clock[0]
    event = next_bound_event(engine.state, bound)
    if event == np.inf:
        return event
    now = at_or_after(max(event, engine.rules.begins_s), engine.rules.interval_s)
    advance(engine, bound, now)
    return now


@inner
def next_bound_event(state, bound):
    """The next event that could start a job; infinite if no job can start any more."""
    count = state.tally
    coming, waits = count[ARRIVED] < bound.job.shape[0] - 1, count[WAITING] > 0
    fail_s = next_failure_s(bound)
    event = bound.job[count[ARRIVED]].submit_s if coming else np.inf
    suspended = bound.tally[SUSPENDED] > 0
    if count[RUNNING] > 0 and (coming or waits or suspended or fail_s < np.inf):
        event = min(event, state.end_s[0])
    if coming or waits or count[RUNNING] > 0:
        event = min(event, fail_s)
    if waits:
        event = min(event, next_ready(bound), _next_moment_s(bound))
        if bound.clock[1] > bound.clock[0]:
            event = min(event, bound.clock[1])
    return event


@inner
def is_another_pass(bound):
    """Whether there is one more pass at the present moment; the answer is yes only once."""
    bound.tally[REPEATED] = bound.tally[AGAIN]
    bound.tally[AGAIN] = 0
    return bound.tally[REPEATED] != 0


@inner
def advance(engine, bound, now):
    """Do all that happens up to `now`: ends and host failures in the order of time, arrivals, releases."""
    count = engine.state.tally
    bound.clock[0] = now
    if engine.state.amounts is not None:
        change_cap(engine.state, now)
    while True:
        end_s = engine.state.end_s[0] if count[RUNNING] > 0 else np.inf
        fail_s = next_failure_s(bound)
        if min(end_s, fail_s) > now:
            break
        if end_s <= fail_s:
            _end(engine, bound)
        else:
            fail(engine, bound)
    admit_constrained(engine, bound)
    release(engine, bound)


@inner
def start_bound(engine, bound, row, start_up_s, end_s):
    """Start the row's job now, for all that concerns constraints."""
    job = np.int64(bound.row[row].owner)
    bound.job[job].start_up_s, bound.job[job].end_s = start_up_s, end_s
    bound.row[row].serial = bound.tally[SERIAL]
    bound.tally[SERIAL] += 1
    begin(engine, bound, job)


@inner
def begin_round(bound):
    """Begin a round of starts: a job that joins the queue from now on does so because of one of them."""
    bound.tally[ROUND] += 1
    bound.tally[ENTERED] = 0


@inner
def end_round(state, bound):
    """End a round of starts; if one made another job eligible, there is one more pass at this moment."""
    bound.tally[AGAIN] = 1 if state.tally[PLANNED] > 0 and bound.tally[ENTERED] > 0 else 0


@inner
def queue_length(state, bound):
    """Jobs that have arrived and not started, including those that can never start."""
    return state.tally[WAITING] + (infeasible_count(state) if bound is None else bound.tally[STUCK])


@inner
def eligible_jobs(state, bound):
    """How many jobs in the queue may start now."""
    return state.tally[WAITING] if bound is None else bound.tally[IN_QUEUE]


@inner
def has_cut_runs(bound):
    """Whether the shell still has to record runs that were cut short."""
    return False if bound is None else bound.tally[CUTS] > 0


@inlined
def _end(engine, bound):
    count = engine.state.tally
    end_s, row = engine.state.end_s[0], np.int64(engine.state.ending[0])
    count[RUNNING] = drop_first(engine.state.end_s, engine.state.ending, count[RUNNING])
    free_hosts(engine, bound, row, end_s)
    if engine.head_promise is not None and engine.rules.backfilling == EASY:
        drop_end(engine.ends, row)
    job = np.int64(bound.row[row].owner)
    tell_shell(bound, job, end_s, ENDED)
    finish(engine, bound, job, end_s, bound.job[job].well)


@inlined
def _next_moment_s(bound):
    """The next change of the calendar, infinite if there is none."""
    moments_s = bound.closures.moments_s
    own = bound.tally
    while own[MOMENTS] < moments_s.shape[0] and moments_s[own[MOMENTS]] <= bound.clock[0]:
        own[MOMENTS] += 1
    return moments_s[own[MOMENTS]] if own[MOMENTS] < moments_s.shape[0] else np.inf
