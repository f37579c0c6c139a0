"""One decision over the state of the general pass: one pass, or the best of several members' passes.

`serve` is an entry point of `backfilling_passes_kernel`; `scans` and `rates` are the members' policies.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.cluster_wide_kernel import asks_cluster_wide
from loadmaster.backfilling.pass_arrays import MORE_ROOM, STATUS
from loadmaster.backfilling.pass_arrays import NOT_FINITE as NOT_FINITE_PASS
from loadmaster.backfilling.pass_arrays import STARTED as PLACED
from loadmaster.host_index.scores_kernel import changed
from loadmaster.jit.heap_kernel import drop_first, push
from loadmaster.jit.kernels import inlined, inner
from loadmaster.place.cards_kernel import amounts_of, give_to, sum_up
from loadmaster.place.room_arrays import LAST_HOST as LAST_IN_ROOM
from loadmaster.sim.queue.engine.general_state import AGAIN, CLOSED, DECISION, LEFT_TO_OTHERS, STAND, WAIT
from loadmaster.sim.queue.engine.meta_rule_kernel import value_of_plan
from loadmaster.sim.queue.engine.state import LAST_HOST, NOT_FINITE, OUT_OF_ROOM, PLANNED
from loadmaster.sim.queue.engine.work_limits_kernel import find_left


@inner
def best_pass(engine, bound, general, serve, now):
    """One pass through `serve`, or the first best of several members; returns (winners, wrong or 0)."""
    best, winners = np.int64(0), np.int64(engine.log.value.shape[1])  # the bit of a meta-rule's only member
    best_value = -1.0
    for member in range(engine.rules.members if engine.rules.members > 1 else 0):
        wrong = _pass(engine, bound, general, serve, member, now)
        if wrong == 0:
            value = engine.log.value[engine.log.rows[0], member] = value_of_plan(engine)
            if value > best_value:
                best, best_value, winners = np.int64(member), value, np.int64(0)
            if value == best_value:
                winners |= 1 << member
        take_back_plan(engine.state, general)
        if wrong != 0:
            return winners, wrong
        if engine.rules.pruned and engine.state.tally[PLANNED] == general.tally[WAIT]:
            break
    wrong = _pass(engine, bound, general, serve, best, now)
    if wrong != 0:
        take_back_plan(engine.state, general)
    return winners, wrong


@inner
def pass_alone(engine, bound, general, row, now):
    """A pass with one waiting row, which has no reservation; returns (winners, wrong)."""
    order, waiting, decision = general.this_pass.order, general.tally[WAIT], general.tally[DECISION]
    first = order[0]
    order[0], general.tally[WAIT], general.tally[DECISION] = row, 1, 0
    winners, wrong = best_pass(engine, bound, general, engine.calls.alone, now)
    order[0], general.tally[WAIT], general.tally[DECISION] = first, waiting, decision
    return winners, wrong


@inner
def _pass(engine, bound, general, serve, member, now):
    """Let one member decide; its starts are the plan. Returns wrong or 0."""
    lay(engine.state, bound, general, now)
    serve(general, now, member, engine.calls.scans[member], engine.calls.rates[member])
    this_pass = general.this_pass
    if this_pass.place[this_pass.tally[PLACED]].first > engine.state.undo_host.shape[0]:
        return OUT_OF_ROOM
    engine.state.tally[PLANNED] = this_pass.tally[PLACED]
    for i in range(this_pass.tally[PLACED]):
        engine.state.plan_job[1, i] = this_pass.place[i].row
        engine.state.plan_task[i] = this_pass.place[i].first
    for at in range(this_pass.place[this_pass.tally[PLACED]].first):
        engine.state.undo_host[at] = this_pass.started_host[at]
        if general.cards is not None:
            engine.state.cards.undo[at] = general.cards.started[at]
    status = this_pass.tally[STATUS]
    if status == MORE_ROOM:
        return AGAIN
    if status == NOT_FINITE_PASS:
        return NOT_FINITE
    return LEFT_TO_OTHERS if status != 0 else 0


@inner
def take_back_plan(state, general):
    """Give the hosts back what the plan took from them."""
    this_pass, free = general.this_pass, state.free
    for i in range(this_pass.tally[PLACED]):
        kind = general.rows.of[this_pass.place[i].row].kind
        for at in range(this_pass.place[i].first, this_pass.place[i + 1].first):
            host = np.int64(this_pass.started_host[at])
            for r in range(amounts_of(state)):
                free[host, r] += general.rows.demand[kind, r]
            if general.cards is not None:
                give_to(general.cards.free[host], general.cards.started[at], general.cards.share[kind])
                sum_up(general.cards, general.cards.free[host], free[host])
            changed(general.scores, host)


@inner
def lay(state, bound, general, now):
    """Set what holds now: limits, groups, the calendar, and the reservations of earlier passes."""
    this_pass = general.this_pass
    find_left(general.work, general.started_as, now)
    counted = this_pass.left.shape[0] - general.work.left.shape[0]
    for limit in range(counted):
        this_pass.left[limit] = state.left[limit]
    for limit in range(general.work.left.shape[0]):
        this_pass.left[counted + limit] = general.work.left[limit]
    if general.cluster_wide is not None:
        _find_cluster_wide_ends(general)
        for i in range(general.cluster_wide.change_s.shape[0]):
            if general.cluster_wide.change_s[i] <= now:
                for amount in range(general.cluster_wide.change.shape[1]):
                    this_pass.left[amount] += general.cluster_wide.change[i, amount]
    general.room.tally[LAST_IN_ROOM] = state.tally[LAST_HOST]
    at, groups = np.int64(0), this_pass.group.shape[0]
    for group in range(groups):
        this_pass.group[group].first = at
        while at < general.tally[WAIT] and (groups == 1 or general.rows.of[this_pass.order[at]].group == group):
            at += 1
        this_pass.group[group].end = at
        this_pass.group[group].used = state.used[group]
    general.tally[CLOSED] = 0
    for c in range(bound.closures.closure.shape[0]):
        one, time = bound.closures.closure[c], general.calendar.time[c]
        known = one.to_s > now and (not one.unforeseen or one.from_s <= now)
        time.from_s, time.to_s = (one.from_s, one.to_s) if known else (np.inf, np.inf)
        if known:
            general.tally[CLOSED] = 1
    if general.keeps:
        _find_standing(general)


@inner
def _find_cluster_wide_ends(general):
    """List what running jobs hold of the whole cluster; the tasks of a job stand side by side in `ends`."""
    wide, last, many = general.cluster_wide, np.int64(-1), np.int64(0)
    for i in range(general.ends.many[0]):
        job = np.int64(general.runs[i])
        if job == last:
            continue
        last, row = job, np.int64(general.started_as[job])
        if asks_cluster_wide(general, row):
            wide.end_s[many] = general.ends.end[i].end_s
            for amount in range(wide.held.shape[1]):
                wide.held[many, amount] = 0.0
            for use in range(
                general.rows.of[row].first_use, general.rows.of[row].first_use + general.rows.of[row].uses
            ):
                if general.rows.use[use].limit < wide.held.shape[1]:
                    wide.held[many, general.rows.use[use].limit] = general.rows.use[use].amount
            many += 1
    wide.many[0] = many


@inlined
def _find_standing(general):
    """List, in the order of arrival, the rows with a reservation from the last decision."""
    this_pass, size = general.this_pass, 0
    for i in range(general.tally[WAIT]):
        row = this_pass.order[i]
        if general.tally[DECISION] > 0 and general.kept_in[row] == general.tally[DECISION]:
            size = push(this_pass.key_s, this_pass.heap, size, np.float64(row), row)
    general.tally[STAND] = size
    for i in range(general.tally[STAND]):
        general.standing.row[i] = this_pass.heap[0]
        size = drop_first(this_pass.key_s, this_pass.heap, size)
