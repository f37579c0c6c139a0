"""Hosts for the tasks of one job, as a policy picks them: taken, noted, and given back."""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.kernels import inlined, inner
from loadmaster.lowest_kernel import lowest, lowest_open
from loadmaster.open_room_kernel import is_in_vain
from loadmaster.scores_kernel import changed, rate_all, refresh
from loadmaster.sim.queue.beside_kernel import allowed_on, is_counted, recount, set_apart, take_for_long
from loadmaster.sim.queue.blocks_kernel import next_in_turn, raise_block
from loadmaster.sim.queue.bulk_kernel import fill
from loadmaster.sim.queue.failed_kernel import failed_partly, remember, remember_partly
from loadmaster.sim.queue.moment_kernel import renew_long
from loadmaster.sim.queue.offers_kernel import close_shut, shut_hosts
from loadmaster.sim.queue.queue_state import (
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
from loadmaster.sim.queue.runs_kernel import next_run
from loadmaster.sim.queue.waiting_kernel import length_of, raise_to, renew, still_has


@inlined
def place(jobs, rules, state, stairs, moment, scores, scans, member, bound, job, now):
    """Take a host for every task of `job` or none; returns (placed, its length, wrong).

    Who found nothing is said to be LONG where that is known of some hosts alone.
    """
    mark = state.tally[UNDO]
    speed = fastest = state.fastest[jobs.hosts[job]]
    too_slow = 0.0
    while True:
        length = length_of(moment, now, jobs.expected_s[job] / speed)
        shut = shut_hosts(bound, job, now, jobs.expected_s[job] / speed)
        placed, wrong = _take_hosts(
            jobs, rules, state, stairs, moment, scores, scans, member, bound, job, length, shut, too_slow
        )  # fmt: skip
        if wrong or not rules.several_speeds or (not placed and speed == fastest):
            return placed, length if too_slow == 0.0 else LONG, wrong
        if not placed:
            too_slow, speed = speed, fastest  # on hosts that are quicker it may be over in time
            continue
        slowest = np.inf
        for entry in range(mark, state.tally[UNDO]):
            slowest = min(slowest, state.speed[state.undo_host[entry]])
        if slowest >= speed:
            return True, length, 0
        take_back(jobs, state, stairs, moment, scores, mark, job, length)
        speed = slowest


@inner
def _take_hosts(jobs, rules, state, stairs, moment, scores, scans, member, bound, job, length, shut, too_slow):
    """Take the best hosts, quicker than `too_slow`, for the tasks of `job`, or none; returns (taken, wrong).

    `shut`: some are closed to it.
    """
    count, tasks = state.tally, np.int64(jobs.tasks[job])
    number = member * jobs.demand.shape[0] + jobs.kind[job]
    on_all = not shut and too_slow == 0.0  # that others of its set of hosts may use
    in_order = ((rules.first_fit >> member) & 1) != 0
    in_turn = ((rules.next_fit >> member) & 1) != 0
    if (
        length == SHORT
        and count[CLOSED] > 0
        and not (in_order or in_turn)
        and is_in_vain(scores, number, jobs.demand[jobs.kind[job]], state.free)
    ):
        return False, 0
    if tasks > 1 and length == LONG and on_all and failed_partly(jobs, state, job):
        count[PARTLY] = count[PLANNED] + 1
        return False, 0
    some_are_not = not on_all or not jobs.whole[jobs.hosts[job]]
    if some_are_not:
        _find_usable(jobs, state, bound, job, too_slow)
    alone, left, wrong = np.int64(0), np.int64(0), np.int64(0)
    if tasks > 1 or (in_order and length == SHORT):
        alone = left = fill(jobs, state, moment, job, SHORT, some_are_not)
        if left > 0 and on_all:
            remember(jobs, state, job, SHORT, tasks - left + 1)
    if left == 0 and in_order:
        if length == LONG:
            left = fill(jobs, state, moment, job, LONG, some_are_not)
        if left == 0:
            _take_filled(jobs, state, stairs, moment, scores, job, length)
    elif left == 0 and in_turn:
        left = _take_in_turn(jobs, state, stairs, moment, scores, job, length, some_are_not)
    elif left == 0:
        left, wrong = _take_rated(
            jobs, rules, state, stairs, moment, scores, scans, member, job, length, some_are_not
        )  # fmt: skip
    if some_are_not:
        state.usable[:] = True
    if left < 0:
        return False, OUT_OF_ROOM
    if left > 0 and alone == 0 and length == LONG:
        if left < tasks:
            count[PARTLY] = count[PLANNED] + 1
        if on_all and left < tasks:
            remember_partly(jobs, state, job, tasks - left + 1)
        elif on_all:
            remember(jobs, state, job, LONG, 1)
    return left == 0 and wrong == 0, wrong


@inner
def _take_filled(jobs, state, stairs, moment, scores, job, length):
    """Take the hosts that `fill` has written."""
    first, end = state.tally[UNDO], state.tally[UNDO] + jobs.tasks[job]
    while first < end:
        host, tasks = next_run(state.undo_host, first, end)
        _take(jobs, state, stairs, moment, scores, job, host, tasks, length)
        first += tasks


@inner
def _take_in_turn(jobs, state, stairs, moment, scores, job, length, some_are_not):
    """Take the next host after the last one that was taken, for one task after another; returns as `_take_rated`."""
    count, mark, left = state.tally, state.tally[UNDO], np.int64(jobs.tasks[job])
    closed, hosts = np.int64(0), state.usable if some_are_not or length == LONG else state.open
    while left > 0:
        last = count[LAST_HOST] if count[UNDO] == 0 else np.int64(state.undo_host[count[UNDO] - 1])
        host = next_in_turn(state, hosts, jobs.demand[jobs.kind[job]], last)
        if host < 0:
            take_back(jobs, state, stairs, moment, scores, mark, job, length)
            break
        if length == LONG and allowed_on(jobs, state, moment, job, host, 1, moment.number[SLACK])[0] == 0:
            closed = _pass_by(state, host, closed)
        elif count[UNDO] == state.undo_host.shape[0]:
            left = np.int64(-1)
        else:
            state.undo_host[count[UNDO]] = host
            _take(jobs, state, stairs, moment, scores, job, host, 1, length)
            left -= 1
    _use_again(state, closed)
    return left


@inlined
def _pass_by(state, host, closed):
    """The host is too dear to the head for a task of this job, and so for its others: what it can spare only shrinks.

    So many hosts are closed to the job.
    """
    state.usable[host] = False
    state.closed[state.tally[CLOSED] + closed] = host
    return closed + 1


@inlined
def _use_again(state, closed):
    for i in range(closed):
        state.usable[state.closed[state.tally[CLOSED] + i]] = True


@inner
def _take_rated(jobs, rules, state, stairs, moment, scores, scans, member, job, length, some_are_not):
    """Take the lowest rated host for one task after another; returns (how many tasks find none, wrong).

    Less than 0 tasks: there is no room to write them down.
    """
    count, mark = state.tally, state.tally[UNDO]
    number, demand = member * jobs.demand.shape[0] + jobs.kind[job], jobs.demand[jobs.kind[job]]
    closed, left, wrong = np.int64(0), np.int64(jobs.tasks[job]), np.int64(0)
    for k in range(jobs.tasks[job]):
        last = count[LAST_HOST] if count[UNDO] == 0 else np.int64(state.undo_host[count[UNDO] - 1])
        slot = np.int64(0)
        if (rules.varies >> member) & 1:
            wrong = rate_all(scores, scans[member], demand, state.free, last, jobs.first_task[job] + k, rules.seed)
        else:
            slot, wrong = refresh(scores, scans[member], number, demand, state.free, last, rules.seed)
        if wrong:
            wrong = np.int64(NOT_FINITE)
            break
        if length == SHORT and not some_are_not:
            host = lowest_open(scores, slot, count[CLOSED] > 0)
        else:
            host, closed = _lowest_beside(jobs, state, moment, scores, slot, job, length, some_are_not, closed)
        if host < 0:
            take_back(jobs, state, stairs, moment, scores, mark, job, length)
            break
        if count[UNDO] == state.undo_host.shape[0]:
            left = np.int64(-1)
            break
        state.undo_host[count[UNDO]] = host
        _take(jobs, state, stairs, moment, scores, job, host, 1, length)
        left -= 1
    _use_again(state, closed)
    return left, wrong


@inner
def _lowest_beside(jobs, state, moment, scores, slot, job, length, some_are_not, closed):
    """The lowest rated usable host that the head leaves to a task, -1 if none; and how many are closed to the job."""
    while True:
        host = lowest(scores, slot, state.usable, some_are_not or closed > 0)
        if host < 0 or length == SHORT:
            return host, closed
        allowed, _ = allowed_on(jobs, state, moment, job, host, 1, moment.number[SLACK])
        if allowed > 0:
            return host, closed
        closed = _pass_by(state, host, closed)


@inner
def _find_usable(jobs, state, bound, job, too_slow):
    allowed = jobs.hosts[job]
    for host in range(state.open.shape[0]):
        state.usable[host] = state.open[host] and jobs.allowed[allowed, host] and state.speed[host] > too_slow
    close_shut(state, bound)


@inner
def renew_if_changed(jobs, state, stairs, moment, job, length):
    """`job` seemed to fit and did not: make the stairs exact, if they may not have been.

    They were for it where the host that they speak of still has as much: then that one is reserved, or closed to it.
    """
    if stairs.fresh[length] == state.tally[CHANGES]:
        return
    if length == SHORT and still_has(stairs, state.free, jobs.demand[jobs.kind[job]]):
        return
    stairs.fresh[length] = state.tally[CHANGES]
    if length == LONG:
        renew_long(jobs, state, moment, stairs)
    else:
        renew(stairs, state.free)


@inlined
def _take(jobs, state, stairs, moment, scores, job, host, tasks, length):
    """So many tasks take a host, which the undo list has for each."""
    count, kind = state.tally, jobs.kind[job]
    for entry in range(count[UNDO], count[UNDO] + tasks):
        state.undo_kind[entry] = kind
    count[UNDO] += tasks
    count[CHANGES] += 1
    if is_counted(moment):
        set_apart(jobs, state, moment, host)
    _change(jobs, state, stairs, moment, scores, host, kind, -tasks)
    if length == LONG:
        take_for_long(jobs, state, moment, job, host, tasks)


@inner
def take_again(jobs, state, stairs, moment, scores, job, host):
    """Take a host that a plan has named."""
    state.undo_host[state.tally[UNDO]] = host
    _take(jobs, state, stairs, moment, scores, job, host, 1, SHORT)


@inner
def take_back(jobs, state, stairs, moment, scores, mark, job, length):
    """Give back what was taken since there were `mark` notes; where `job` is LONG, to the promised moment too."""
    count = state.tally
    for entry in range(count[UNDO] - 1, mark - 1, -1):
        host = np.int64(state.undo_host[entry])
        _change(jobs, state, stairs, moment, scores, host, np.int64(state.undo_kind[entry]), 1)
        raise_to(stairs, state.free, host)
        raise_block(state, host)
        if length == LONG:
            take_for_long(jobs, state, moment, job, host, -1)
    if count[UNDO] > mark:
        count[CHANGES] += 1
    count[UNDO] = mark


@inner
def give_back(jobs, state, stairs, moment, scores, host, kind, tasks):
    """So many tasks have ended on the host."""
    _change(jobs, state, stairs, moment, scores, host, kind, tasks)
    raise_to(stairs, state.free, host)
    raise_block(state, host)


@inlined
def _change(jobs, state, stairs, moment, scores, host, kind, tasks):
    """Let so many tasks of a demand more be free."""
    for r in range(state.free.shape[1]):
        state.free[host, r] += tasks * jobs.demand[kind, r]
    stairs.total[0] += tasks * jobs.demand[kind, 0]
    changed(scores, host)
    recount(jobs, state, moment, host)
