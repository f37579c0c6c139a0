"""One decision over what a run keeps for the compiled board: a pass, or the best of several members'.

`serve` is a door of `desk_pass_kernel`; `scans` and `rates` are the members' policies.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.pass_arrays import MORE_ROOM, STATUS
from loadmaster.backfilling.pass_arrays import NOT_FINITE as NOT_FINITE_PASS
from loadmaster.backfilling.pass_arrays import STARTED as PLACED
from loadmaster.host_index.scores_kernel import changed
from loadmaster.jit.heap_kernel import drop_first, push
from loadmaster.jit.kernels import inlined, inner
from loadmaster.place.room_arrays import LAST_HOST as LAST_IN_ROOM
from loadmaster.sim.queue.engine.general_state import AGAIN, CLOSED, DECISION, LEFT_TO_OTHERS, STAND, WAIT
from loadmaster.sim.queue.engine.meta_rule_kernel import value_of_plan
from loadmaster.sim.queue.engine.state import LAST_HOST, NOT_FINITE, OUT_OF_ROOM, PLANNED
from loadmaster.sim.queue.engine.work_limits_kernel import find_left


@inner
def best_pass(engine, bound, desk, serve, now):
    """One pass through `serve`, of several members the first best one's; returns (winners, what is wrong or 0)."""
    best, winners = np.int64(0), np.int64(engine.log.value.shape[1])  # the bit of a meta-rule's only member
    best_value = -1.0
    for member in range(engine.rules.members if engine.rules.members > 1 else 0):
        wrong = _pass(engine, bound, desk, serve, member, now)
        if wrong == 0:
            value = engine.log.value[engine.log.rows[0], member] = value_of_plan(engine)
            if value > best_value:
                best, best_value, winners = np.int64(member), value, np.int64(0)
            if value == best_value:
                winners |= 1 << member
        take_back_plan(engine.state, desk)
        if wrong != 0:
            return winners, wrong
        if engine.rules.pruned and engine.state.tally[PLANNED] == desk.tally[WAIT]:
            break
    wrong = _pass(engine, bound, desk, serve, best, now)
    if wrong != 0:
        take_back_plan(engine.state, desk)
    return winners, wrong


@inner
def pass_alone(engine, bound, desk, row, now):
    """A pass in which nobody waits but one row, to which nothing was promised; returns (winners, wrong)."""
    order, waiting, decision = desk.board.order, desk.tally[WAIT], desk.tally[DECISION]
    first = order[0]
    order[0], desk.tally[WAIT], desk.tally[DECISION] = row, 1, 0
    winners, wrong = best_pass(engine, bound, desk, engine.calls.alone, now)
    order[0], desk.tally[WAIT], desk.tally[DECISION] = first, waiting, decision
    return winners, wrong


@inner
def _pass(engine, bound, desk, serve, member, now):
    """Let one member decide; its starts are the plan. Returns what is wrong, 0 if nothing."""
    lay(engine.state, bound, desk, now)
    serve(desk, now, member, engine.calls.scans[member], engine.calls.rates[member])
    board = desk.board
    if board.place[board.tally[PLACED]].first > engine.state.undo_host.shape[0]:
        return OUT_OF_ROOM
    engine.state.tally[PLANNED] = board.tally[PLACED]
    for i in range(board.tally[PLACED]):
        engine.state.plan_job[1, i] = board.place[i].row
        engine.state.plan_task[i] = board.place[i].first
    for at in range(board.place[board.tally[PLACED]].first):
        engine.state.undo_host[at] = board.started_host[at]
    status = board.tally[STATUS]
    if status == MORE_ROOM:
        return AGAIN
    if status == NOT_FINITE_PASS:
        return NOT_FINITE
    return LEFT_TO_OTHERS if status != 0 else 0


@inner
def take_back_plan(state, desk):
    """The pass was but a plan: the hosts have what they had before."""
    board, free = desk.board, state.free
    for i in range(board.tally[PLACED]):
        kind = desk.rows.of[board.place[i].row].kind
        for at in range(board.place[i].first, board.place[i + 1].first):
            host = np.int64(board.started_host[at])
            for r in range(free.shape[1]):
                free[host, r] += desk.rows.demand[kind, r]
            changed(desk.scores, host)


@inner
def lay(state, bound, desk, now):
    """What holds now: limits, groups, the calendar, and what earlier passes promised."""
    board = desk.board
    find_left(desk.work, desk.started_as, now)
    counted = board.left.shape[0] - desk.work.left.shape[0]
    for limit in range(counted):
        board.left[limit] = state.left[limit]
    for limit in range(desk.work.left.shape[0]):
        board.left[counted + limit] = desk.work.left[limit]
    desk.room.tally[LAST_IN_ROOM] = state.tally[LAST_HOST]
    at, groups = np.int64(0), board.group.shape[0]
    for group in range(groups):
        board.group[group].first = at
        while at < desk.tally[WAIT] and (groups == 1 or desk.rows.of[board.order[at]].group == group):
            at += 1
        board.group[group].end = at
        board.group[group].used = state.used[group]
    desk.tally[CLOSED] = 0
    for c in range(bound.closures.closure.shape[0]):
        one, time = bound.closures.closure[c], desk.calendar.time[c]
        known = one.to_s > now and (not one.unforeseen or one.from_s <= now)
        time.from_s, time.to_s = (one.from_s, one.to_s) if known else (np.inf, np.inf)
        if known:
            desk.tally[CLOSED] = 1
    if desk.keeps:
        _find_standing(desk)


@inlined
def _find_standing(desk):
    """List the rows, in the order of arrival, to which the last decision promised something."""
    board, size = desk.board, 0
    for i in range(desk.tally[WAIT]):
        row = board.order[i]
        if desk.tally[DECISION] > 0 and desk.kept_in[row] == desk.tally[DECISION]:
            size = push(board.key_s, board.heap, size, np.float64(row), row)
    desk.tally[STAND] = size
    for i in range(desk.tally[STAND]):
        desk.standing.row[i] = board.heap[0]
        size = drop_first(board.key_s, board.heap, size)
