"""Hosts for the tasks of one job, as a placement policy picks them.

`place` first tries the fastest speed among the job's hosts. Where hosts differ in speed, a job may be SHORT on fast
hosts and LONG on slow ones; then it is tried again with the speed of the slowest host taken.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.host_index.core_rows_kernel import RATED, WORSE_MEMORY
from loadmaster.host_index.lowest_kernel import lowest, lowest_open
from loadmaster.host_index.open_room_kernel import is_infeasible
from loadmaster.host_index.scores_kernel import best_by_rule, changed, rate_all, refresh, take_in_lane
from loadmaster.host_index.shut_kernel import open_again, shut
from loadmaster.jit.kernels import inlined, inner
from loadmaster.sim.queue.engine.cluster_amounts_kernel import lacks_amounts
from loadmaster.sim.queue.engine.eligible_hosts_kernel import exclude_closed_hosts, shut_hosts
from loadmaster.sim.queue.engine.head_promise_kernel import renew_long_frontier
from loadmaster.sim.queue.engine.head_slack_kernel import (
    allowed_on,
    cost_of_next,
)
from loadmaster.sim.queue.engine.host_blocks_kernel import fill, next_in_turn
from loadmaster.sim.queue.engine.host_reservations_kernel import flush, may_be_reserved
from loadmaster.sim.queue.engine.infeasible_cache_kernel import failed_partly, record_failure, record_partial_failure
from loadmaster.sim.queue.engine.queue_tree_kernel import length_of, renew_frontier, still_has
from loadmaster.sim.queue.engine.running_by_host_kernel import next_run
from loadmaster.sim.queue.engine.state import (
    CHANGES,
    CLOSED,
    LAST_HOST,
    LONG,
    NOT_FINITE,
    OUT_OF_ROOM,
    PARTLY,
    PLANNED,
    SHORT,
    SLACK,
    UNDO,
)
from loadmaster.sim.queue.engine.undo_kernel import take, take_back


@inlined
def place(engine, member, bound, job, now):
    """Take a host for each task of `job`, or none; returns (placed, its length, wrong).

    The length of a job that found no host is LONG if only some hosts were tried.
    """
    mark = engine.state.tally[UNDO]
    speed = fastest = engine.state.fastest[engine.jobs.hosts[job]]
    too_slow = 0.0
    while True:
        length = length_of(engine.head_promise, now, engine.jobs.expected_s[job] / speed)
        shut = shut_hosts(bound, job, now, engine.jobs.expected_s[job] / speed)
        placed, wrong = False, 0
        # the pass has looked whether it lacks amounts at the fastest speed
        if speed == fastest or not lacks_amounts(engine, job, now, speed, length):
            placed, wrong = _take_hosts(engine, member, bound, job, length, shut, too_slow)
        if wrong or not engine.rules.several_speeds or (not placed and speed == fastest):
            return placed, length if too_slow == 0.0 else LONG, wrong
        if not placed:
            too_slow, speed = speed, fastest  # on faster hosts alone it may end before the shadow time
            continue
        # a job ends when its slowest host ends
        slowest = np.inf
        for entry in range(mark, engine.state.tally[UNDO]):
            slowest = min(slowest, engine.state.speed[engine.state.undo_host[entry]])
        if slowest >= speed:
            return True, length, 0
        take_back(engine, mark, job, length)
        speed = slowest


@inner
def _take_hosts(engine, member, bound, job, length, shut, too_slow):
    """Take the best hosts, faster than `too_slow`, for all tasks of `job`, or none; returns (taken, wrong).

    `shut`: some hosts are closed to the job.
    """
    count, tasks = engine.state.tally, np.int64(engine.jobs.tasks[job])
    number = member * engine.jobs.demand.shape[0] + engine.jobs.kind[job]
    on_all = not shut and too_slow == 0.0  # the hosts are the full set, so a failure holds for others of that set
    in_order = ((engine.rules.first_fit >> member) & 1) != 0
    in_turn = ((engine.rules.next_fit >> member) & 1) != 0
    varies = ((engine.rules.varies >> member) & 1) != 0
    # a job of one task takes most hosts without knowing which hosts are reserved
    if tasks > 1 or length == LONG or not on_all or varies or not engine.jobs.whole[engine.jobs.hosts[job]]:
        flush(engine.state, engine.scores)
    by_rows = _rule_of(engine.scores, member) != RATED
    if (
        length == SHORT
        and count[CLOSED] > 0
        and not (in_order or in_turn or by_rows)
        and is_infeasible(engine.scores, number, engine.jobs.demand[engine.jobs.kind[job]], engine.state.free)
    ):
        return False, 0
    if (
        engine.head_promise is not None
        and tasks > 1
        and length == LONG
        and on_all
        and not varies
        and failed_partly(engine.jobs, engine.state, job)
    ):
        count[PARTLY] = count[PLANNED] + 1
        return False, 0
    # usable hosts are marked only where they differ from the open hosts
    some_are_not = not on_all or not engine.jobs.whole[engine.jobs.hosts[job]]
    if some_are_not:
        _find_usable(engine.jobs, engine.state, bound, job, too_slow)
    alone, left, wrong = np.int64(0), np.int64(0), np.int64(0)
    if tasks > 1 or (in_order and length == SHORT):
        # several tasks: ask first, in host order, whether enough hosts have room at all
        alone = left = fill(engine.jobs, engine.state, engine.head_promise, job, SHORT, some_are_not)
        if left == 0 and may_be_reserved(engine.state, np.int64(engine.state.undo_host[count[UNDO]])):
            flush(engine.state, engine.scores)
            alone = left = fill(engine.jobs, engine.state, engine.head_promise, job, SHORT, some_are_not)
        if left > 0 and on_all:
            record_failure(engine.jobs, engine.state, job, SHORT, tasks - left + 1)
    if left == 0 and in_order:
        if engine.head_promise is not None and length == LONG:
            left = fill(engine.jobs, engine.state, engine.head_promise, job, LONG, some_are_not)
        if left == 0:
            _take_filled(engine, job, length)
    elif left == 0 and in_turn:
        left = _take_in_turn(engine, job, length, some_are_not)
    elif left == 0:
        left, wrong = _take_rated(engine, member, job, length, some_are_not)
    if some_are_not:
        for host in range(engine.state.usable.shape[0]):
            engine.state.usable[host] = True
    if left < 0:
        return False, OUT_OF_ROOM
    if engine.head_promise is not None and left > 0 and alone == 0 and length == LONG:
        if left < tasks:
            count[PARTLY] = count[PLANNED] + 1
        if on_all and left < tasks and not varies:
            record_partial_failure(engine.jobs, engine.state, job, tasks - left + 1)
        elif on_all and left == tasks:
            record_failure(engine.jobs, engine.state, job, LONG, 1)
    return left == 0 and wrong == 0, wrong


@inner
def _take_filled(engine, job, length):
    """Take the hosts that `fill` has written."""
    first, end = engine.state.tally[UNDO], engine.state.tally[UNDO] + engine.jobs.tasks[job]
    while first < end:
        host, tasks = next_run(engine.state.undo_host, first, end)
        take(engine, job, host, tasks, length)
        first += tasks


@inner
def _take_in_turn(engine, job, length, some_are_not):
    """Take the next host after the last one taken, task by task; returns how many tasks find none.

    A negative number means that the undo list is full.
    """
    state, count, left = engine.state, engine.state.tally, np.int64(engine.jobs.tasks[job])
    mark, closed = count[UNDO], np.int64(0)
    hosts = state.usable if some_are_not or length == LONG else state.open
    while left > 0:
        last = count[LAST_HOST] if count[UNDO] == 0 else np.int64(state.undo_host[count[UNDO] - 1])
        host = next_in_turn(state, hosts, engine.jobs.demand[engine.jobs.kind[job]], last)
        if host < 0:
            take_back(engine, mark, job, length)
            break
        if may_be_reserved(state, host):
            flush(state, engine.scores)
            continue
        if engine.head_promise is not None and length == LONG and not _is_spared(engine, job, host):
            closed = _pass_by(state, host, closed)
        elif count[UNDO] == state.undo_host.shape[0]:
            left = np.int64(-1)
        else:
            state.undo_host[count[UNDO]] = host
            take(engine, job, host, 1, length)
            left -= 1
    _use_again(state, closed)
    return left


@inlined
def _is_spared(engine, job, host):
    """Whether the head's reservation leaves the host to a task of the job."""
    allowed, _ = allowed_on(
        engine.jobs, engine.state, engine.head_promise, job, host, 1, engine.head_promise.number[SLACK]
    )
    return allowed > 0


@inlined
def _pass_by(state, host, closed):
    """Close the host to this job: a task costs the head more than the slack, which only shrinks.

    Returns how many hosts are closed to the job.
    """
    state.usable[host] = False
    state.closed[state.tally[CLOSED] + closed] = host
    return closed + 1


@inlined
def _use_again(state, closed):
    """Open the hosts again that `_pass_by` closed."""
    for i in range(closed):
        state.usable[state.closed[state.tally[CLOSED] + i]] = True


@inlined
def _take_rated(engine, member, job, length, some_are_not):
    """Take the lowest rated host, task by task; returns (how many tasks find none, wrong).

    A negative number means that the undo list is full.
    """
    if engine.scores.rows is not None:
        rule = _rule_of(engine.scores, member)
        if rule != RATED:
            return _take_in_rows(engine, member, rule, job), np.int64(0)
    by_card = False  # lanes count picks of amounts, and not which cards they are on
    if engine.state.cards is not None:
        by_card = engine.jobs.tasks[job] > 1 and engine.state.cards.wanted[engine.jobs.kind[job]] > 0
    if by_card or (engine.rules.varies >> member) & 1:
        return _allocate_rerated(engine, member, job, length, some_are_not)
    return _take_remembered(engine, member, job, length, some_are_not)


@inlined
def _rule_of(scores, member):
    """The rule of a member by which hosts are found in rows, or `RATED`."""
    if scores.rows is not None:
        return np.int64(scores.rows.rule[member])
    return np.int64(RATED)


@inner
def _take_in_rows(engine, member, rule, job):
    """As `_take_rated`, for a rule by which hosts are found in rows; all open hosts may be used."""
    state, count, mark = engine.state, engine.state.tally, np.int64(engine.state.tally[UNDO])
    kind, left = engine.jobs.kind[job], np.int64(engine.jobs.tasks[job])
    number, demand = member * engine.jobs.demand.shape[0], engine.jobs.demand[kind]
    if rule != WORSE_MEMORY:
        number += kind
    while left > 0:
        host = best_by_rule(engine.scores, rule, number, demand, state.free)
        if host < 0:
            take_back(engine, mark, job, SHORT)
            break
        if may_be_reserved(state, host):
            flush(state, engine.scores)
            continue
        if count[UNDO] == state.undo_host.shape[0]:
            return np.int64(-1)
        state.undo_host[count[UNDO]] = host
        take(engine, job, host, 1, SHORT)
        left -= 1
    return left


@inner
def _take_remembered(engine, member, job, length, some_are_not):
    """As `_take_rated`, where a score depends on the host's free capacity alone: pick all hosts, then take them.

    Before it is taken, a host may be picked again while its score is the lowest: its lane in the index counts the
    picks.
    """
    state, scores, scan, seed = engine.state, engine.scores, engine.calls.scans[member], engine.rules.seed
    count, mark, tasks = state.tally, np.int64(state.tally[UNDO]), np.int64(engine.jobs.tasks[job])
    number, demand = (
        member * engine.jobs.demand.shape[0] + engine.jobs.kind[job],
        engine.jobs.demand[engine.jobs.kind[job]],
    )
    last = count[LAST_HOST] if mark == 0 else np.int64(state.undo_host[mark - 1])
    slot, unsound = refresh(scores, scan, number, demand, state.free, last, seed)
    wrong = NOT_FINITE * unsound
    at, closed, slack = mark, np.int64(0), np.int64(0)
    if engine.head_promise is not None:
        slack = engine.head_promise.number[SLACK]
    while at < mark + tasks and wrong == 0:
        if length == SHORT and not some_are_not:
            # every open host may be used: ask the index alone
            host = lowest_open(scores, slot, count[CLOSED] > 0)
        elif not some_are_not:
            # only hosts that the job has passed by may not be used: they are shut in the index
            host = lowest_open(scores, slot, closed > 0)
        else:
            host = lowest(scores, slot, state.usable, True)
        if host < 0:
            break
        if may_be_reserved(state, host):
            flush(state, scores)
            continue
        if at == state.undo_host.shape[0]:
            wrong = np.int64(OUT_OF_ROOM)
            break
        if engine.head_promise is not None and length == LONG:
            cost = cost_of_next(engine.jobs, state, engine.head_promise, job, host, state.picked[host])
            if cost > slack:
                closed = _pass_by(state, host, closed)
                if not some_are_not:
                    shut(scores, host)
                continue
            slack -= cost
        state.undo_host[at] = host
        state.picked[host] += 1
        at += 1
        wrong = NOT_FINITE * take_in_lane(scores, scan, slot, demand, host, last, seed)
    left = mark + tasks - at
    # take all hosts at once if each task has one; otherwise none
    for entry in range(mark, at):
        host = np.int64(state.undo_host[entry])
        picked = np.int64(state.picked[host])
        if picked > 0 and left == 0 and wrong == 0:
            take(engine, job, host, picked, length)
        elif picked > 0:
            changed(scores, host)  # its lane still counts the pick
        state.picked[host] = 0
    _use_again(state, closed)
    if not some_are_not:
        for i in range(closed):
            open_again(scores, np.int64(state.closed[count[CLOSED] + i]))
    return left, wrong


@inner
def _allocate_rerated(engine, member, job, length, some_are_not):
    """As `_take_rated`, where each host is rated again for each task."""
    state, count, mark = engine.state, engine.state.tally, engine.state.tally[UNDO]
    demand = engine.jobs.demand[engine.jobs.kind[job]]
    closed, left, wrong = np.int64(0), np.int64(engine.jobs.tasks[job]), np.int64(0)
    for k in range(engine.jobs.tasks[job]):
        last = count[LAST_HOST] if count[UNDO] == 0 else np.int64(state.undo_host[count[UNDO] - 1])
        task, seed = engine.jobs.first_task[job] + k, engine.rules.seed
        if rate_all(engine.scores, engine.calls.scans[member], demand, state.free, last, task, seed):
            wrong = np.int64(NOT_FINITE)
            break
        host, closed = _lowest_beside(engine, np.int64(0), job, length, some_are_not, closed)
        if host < 0:
            take_back(engine, mark, job, length)
            break
        if count[UNDO] == state.undo_host.shape[0]:
            left = np.int64(-1)
            break
        state.undo_host[count[UNDO]] = host
        take(engine, job, host, 1, length)
        left -= 1
    _use_again(state, closed)
    return left, wrong


@inner
def _lowest_beside(engine, slot, job, length, some_are_not, closed):
    """The lowest rated usable host that the slack allows, -1 if none; and how many hosts are closed to the job."""
    while True:
        if length == SHORT and not some_are_not:
            return lowest_open(engine.scores, slot, engine.state.tally[CLOSED] > 0), closed
        host = lowest(engine.scores, slot, engine.state.usable, some_are_not or closed > 0)
        if engine.head_promise is None or host < 0 or length == SHORT or _is_spared(engine, job, host):
            return host, closed
        closed = _pass_by(engine.state, host, closed)


@inner
def _find_usable(jobs, state, bound, job, too_slow):
    """Mark the open hosts that the job may use and that are faster than `too_slow`."""
    allowed = jobs.hosts[job]
    for host in range(state.open.shape[0]):
        state.usable[host] = state.open[host] and jobs.allowed[allowed, host] and state.speed[host] > too_slow
    exclude_closed_hosts(state, bound)


@inner
def renew_if_changed(engine, job, length):
    """Make the capacity frontier exact if it may be too high: `job` seemed to fit and did not.

    It was exact for the job if the host behind its value still has as much: that host is reserved, or closed to the
    job.
    """
    if engine.frontier.fresh[length] == engine.state.tally[CHANGES]:
        return
    if length == SHORT and still_has(engine.frontier, engine.state.free, engine.jobs.demand[engine.jobs.kind[job]]):
        return
    engine.frontier.fresh[length] = engine.state.tally[CHANGES]
    if engine.head_promise is not None and length == LONG:
        renew_long_frontier(engine)
    else:
        renew_frontier(engine.frontier, engine.state.free)
