"""The event loop of the queue, compiled: any placement policy, any order, several backfillings, Max-Jobs.

One turn of the loop is: go to the next event, let jobs end and arrive, make one scheduling pass, commit its starts.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.jit.by_reference import value_of
from loadmaster.jit.kernels import inlined, inner
from loadmaster.sim.moments_kernel import at_or_after
from loadmaster.sim.queue.engine.allocate_kernel import renew_if_changed
from loadmaster.sim.queue.engine.changed_hosts_kernel import note_newest
from loadmaster.sim.queue.engine.cluster_amounts_kernel import cap_change_s, cap_changes_come, change_cap, is_infeasible
from loadmaster.sim.queue.engine.commit_kernel import commit, complete
from loadmaster.sim.queue.engine.constrained_kernel import (
    advance_constrained,
    eligible_jobs,
    has_cut_runs,
    queue_length,
)
from loadmaster.sim.queue.engine.cycle_ends_kernel import counts_cycles, next_end_s
from loadmaster.sim.queue.engine.estimates_kernel import NONE, correct, next_expiry, predict_until
from loadmaster.sim.queue.engine.general_pass_kernel import advance_generally, decide_generally, follow
from loadmaster.sim.queue.engine.meta_rule_kernel import best_pass
from loadmaster.sim.queue.engine.profile.profile_pass_kernel import next_due, serve_profile
from loadmaster.sim.queue.engine.profile.running_jobs_kernel import lacks_room, note_starts
from loadmaster.sim.queue.engine.profile.state import UNDER_WAY
from loadmaster.sim.queue.engine.queue_tree_kernel import join
from loadmaster.sim.queue.engine.ranked_queue_kernel import join_ranked, may_fit_at
from loadmaster.sim.queue.engine.ranked_state import MANY
from loadmaster.sim.queue.engine.state import ARRIVED, DONE, NO_RANK, PAUSED, PLANNED, RUNNING, SHORT, WAITING
from loadmaster.sim.queue.engine.twin_kernel import serve_as_best


@inner
def run(engine, bound, shadow, plan, general, preemption, twin):
    """Run until all is done or the records are full; changes all but jobs, capacity, rules and columns in place.

    The other arguments are parts that a run may lack; compiled for None, such a part costs nothing. Exactly one of
    `shadow`, `plan`, `general` and `twin` is there: it makes the passes.

    Args:
        engine: a `queue_engine.QueueEngine`.
        bound: a `constraint_state.ConstraintState`: constraints.
        shadow: anything: passes that give the head of the queue a shadow time, or make no reservation.
        plan: a `profile.state.Reservations`: each waiting job gets a reservation.
        general: a `general_state.GeneralPass`: any backfilling, through a scheduling pass; `bound` must be there too.
        preemption: a `preemption_state.PreemptionState`: jobs are stopped for others; only beside `general`.
        twin: a `twin_arrays.TwinArrays`: each pass is that of the member that it follows.
    """
    log = engine.log
    log.rows[0] = 0
    while log.rows[0] < log.time_s.shape[0] and not has_cut_runs(bound):
        now = _advance(engine, bound, shadow, plan, general, preemption, twin)
        if now == np.inf:
            return DONE
        # no job waits: this moment has no pass and no row in the record
        if queue_length(engine.state, bound) == 0:
            continue
        wrong = _decide(engine, bound, shadow, plan, general, preemption, twin, now)
        if wrong != 0:
            return wrong
        commit(engine, bound, now)
        if plan is not None:
            note_starts(plan, now)
        if general is not None:
            follow(engine, bound, general, preemption, now)
    return PAUSED


@inlined
def _advance(engine, bound, shadow, plan, general, preemption, twin):
    """Do all that happens before the next pass; returns its moment, infinite if there is none."""
    now = np.inf
    if shadow is not None:
        now = advance_unconstrained(engine, None) if bound is None else advance_constrained(engine, bound)
    if plan is not None:
        now = advance_unconstrained(engine, plan)
    if general is not None:
        now = advance_generally(engine, bound, general, preemption)
    if twin is not None:
        now = advance_unconstrained(engine, None)
    return now


@inlined
def _decide(engine, bound, shadow, plan, general, preemption, twin, now):
    """One pass, and its row in the record; returns wrong or 0."""
    wrong = 0
    if shadow is not None:
        wrong = _serve(engine, bound, now)
    if plan is not None:
        wrong = _reserve(engine, plan, now)
    if general is not None:
        wrong = decide_generally(engine, bound, general, preemption, now)
    if twin is not None:
        wrong = serve_as_best(engine, twin, now)
    return wrong


@inlined
def _reserve(engine, plan, now):
    """A pass that gives each waiting job a reservation."""
    log, row = plan.log, plan.log.rows[0]
    wrong = lacks_room(plan, now)
    if wrong == 0:
        log.time_s[row], log.queue_length[row], log.winners[row] = now, plan.state.tally[WAITING], 0
        wrong = serve_profile(engine, plan, plan.kept, plan.replan, now)
        log.started[row] = plan.state.tally[PLANNED]
        log.rows[0] += wrong == 0
    return wrong


@inlined
def advance_unconstrained(engine, plan):
    """As `_advance`, in a run without constraints."""
    if plan is not None and plan.tally[UNDER_WAY]:
        return plan.now[0]
    count, total = engine.state.tally, engine.jobs.submit_s.shape[0]
    change_s = cap_change_s(engine.state, cap_changes_come(engine.state))
    stands = plan is None and count[RUNNING] == 0 and change_s == np.inf
    if count[ARRIVED] == total and (count[WAITING] == 0 or stands):
        return np.inf
    arrival_s = engine.jobs.submit_s[count[ARRIVED]] if count[ARRIVED] < total else np.inf
    event = min(_next_end_s(engine, arrival_s), arrival_s)
    if count[WAITING] > 0:
        event = min(event, change_s)
    estimates = engine.state.estimates
    if estimates is not None and estimates.expires and count[WAITING] > 0:
        event = min(event, next_expiry(estimates, engine.ends))
    if plan is not None:
        event = min(event, next_due(plan, plan.kept))
    now = at_or_after(max(event, engine.rules.begins_s), engine.rules.interval_s)
    if estimates is not None:
        estimates.last_s[0] = now
    if engine.state.amounts is not None:
        change_cap(engine.state, now)
    complete(engine, plan, now)
    if estimates is not None and estimates.corrects != NONE:
        correct(estimates, engine.ends, engine.log, now)
    _admit(engine, now)
    return now


@inlined
def _next_end_s(engine, until_s):
    """When the next job ends; may be infinite if that is not before `until_s`."""
    if engine.state.tally[RUNNING] == 0:
        return np.inf
    if engine.state.cycle_ends is not None and counts_cycles(engine.state.cycle_ends):
        return next_end_s(engine.state.cycle_ends, until_s, engine.rules.interval_s)
    return engine.state.end_s[0]


@inlined
def _serve(engine, bound, now):
    """A pass of the engine's own, by one policy or the best of several."""
    count = engine.state.tally
    row = engine.log.rows[0]
    tries = eligible_jobs(engine.state, bound) > 0
    engine.log.time_s[row] = now
    engine.log.queue_length[row] = queue_length(engine.state, bound)
    if engine.ranked is not None and bound is None and engine.rules.tracks_events:
        # ranks need an update only if they move, jobs arrived or a tick is due
        if engine.rules.moving or engine.ranked.number[MANY] > 0 or now >= engine.ranked.happened.due_s[0]:
            engine.calls.update_priorities(engine.book, engine.waiting, engine.ranked, engine.jobs, now)
    elif engine.ranked is not None and engine.rules.moving:
        ranked = engine.ranked
        if engine.log.value.shape[1] == 0 and not _may_start_some(engine):
            tries = False
        elif engine.calls.rank(value_of(engine.columns), ranked.queue, ranked.number[MANY], now, ranked.rank):
            return NO_RANK
    winners = count[PLANNED] = 0
    if tries:
        winners, wrong = best_pass(engine, bound, now)
        if wrong:
            return wrong
    engine.log.started[row] = count[PLANNED]
    engine.log.winners[row] = winners
    engine.log.rows[0] += 1
    return 0


@inner
def _may_start_some(engine):
    """Whether some host may have room for a waiting job; if not, no order of the jobs can start one."""
    ranked, frontier = engine.ranked, engine.frontier
    for i in range(ranked.number[MANY]):
        if may_fit_at(ranked, frontier, SHORT, i):
            # the frontier may be too high: make it exact
            renew_if_changed(engine, ranked.queue[i], SHORT)
            if may_fit_at(ranked, frontier, SHORT, i):
                return True
    return False


@inlined
def _admit(engine, now):
    count = engine.state.tally
    if engine.state.estimates is not None and engine.state.estimates.predicts:
        predict_until(engine.jobs, engine.state.estimates, now, True)
    while count[ARRIVED] < engine.jobs.submit_s.shape[0] and engine.jobs.submit_s[count[ARRIVED]] <= now:
        job = count[ARRIVED]
        count[ARRIVED] += 1
        # it ran as the run began, or it can never run
        if not np.isnan(engine.log.start_s[job]) or is_infeasible(engine.state, job):
            continue
        if engine.ranked is not None and (engine.rules.moving or engine.rules.ticked):
            join_ranked(engine.jobs, engine.ranked, job)
        else:
            join(engine.jobs, engine.waiting, job)
            note_newest(engine.state.news, np.int64(engine.waiting.position[job]))
        count[WAITING] += 1
