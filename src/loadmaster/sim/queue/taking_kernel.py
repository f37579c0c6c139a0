"""Hosts for the tasks of one job, as a policy picks them: taken, noted, and given back."""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.kernels import inlined, inner
from loadmaster.lowest_kernel import lowest, lowest_open
from loadmaster.open_room_kernel import is_in_vain
from loadmaster.scores_kernel import changed, rate_all, refresh
from loadmaster.sim.queue.failed_kernel import remember
from loadmaster.sim.queue.moment_kernel import close_to_long, renew_long, take_for_long
from loadmaster.sim.queue.offers_kernel import close_shut, shut_hosts, was_shut_out
from loadmaster.sim.queue.queue_state import (
    CHANGES,
    CLOSED,
    LAST_HOST,
    LONG,
    NOT_FINITE,
    OUT_OF_ROOM,
    PARTLY,
    SHORT,
    TOUCHED,
    UNDO,
)
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
    count = state.tally
    mark = count[UNDO]
    kinds = jobs.demand.shape[0]
    kind = jobs.kind[job]
    demand = jobs.demand[kind]
    if length == SHORT and count[CLOSED] > 0 and is_in_vain(scores, member * kinds + kind, demand, state.free):
        return False, 0
    for k in range(jobs.tasks[job]):
        last = count[LAST_HOST] if count[UNDO] == 0 else np.int64(state.undo_host[count[UNDO] - 1])
        if (rules.varies >> member) & 1:
            slot = np.int64(0)
            wrong = rate_all(scores, scans[member], demand, state.free, last, jobs.first_task[job] + k, rules.seed)
        else:
            slot, wrong = refresh(scores, scans[member], member * kinds + kind, demand, state.free, last, rules.seed)
        if wrong:
            return False, NOT_FINITE
        if shut or too_slow > 0.0 or not jobs.whole[jobs.hosts[job]]:
            _find_usable(jobs, state, moment, bound, job, length, too_slow)
            host = lowest(scores, slot, state.usable, True)
            state.usable[:] = True
        elif length == LONG:
            some_are_not = close_to_long(jobs, state, moment, job)
            host = lowest(scores, slot, state.usable, some_are_not)
            _use_again(state, moment)
        else:
            host = lowest_open(scores, slot, count[CLOSED] > 0)
        if host < 0:
            if length == LONG and k > 0:
                count[PARTLY] = 1
            elif length == LONG and too_slow == 0.0 and not was_shut_out(bound):
                remember(jobs, state, job, LONG, 1)
            take_back(jobs, state, stairs, moment, scores, mark, job, length)
            return False, 0
        if count[UNDO] == state.undo_host.shape[0]:
            return False, OUT_OF_ROOM
        _take(jobs, state, moment, scores, job, host, length)
    return True, 0


@inner
def _find_usable(jobs, state, moment, bound, job, length, too_slow):
    allowed = jobs.hosts[job]
    for host in range(state.open.shape[0]):
        state.usable[host] = state.open[host] and jobs.allowed[allowed, host] and state.speed[host] > too_slow
    close_shut(state, bound)
    if length == LONG:
        close_to_long(jobs, state, moment, job)


@inlined
def _use_again(state, moment):
    """Hosts closed to a LONG job, of whom no other is reserved, are usable for the next."""
    for i in range(moment.number[TOUCHED]):
        state.usable[moment.touched[i]] = True


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
def _take(jobs, state, moment, scores, job, host, length):
    """Take a task's demand from a host, noting what the host had."""
    count = state.tally
    entry = count[UNDO]
    kind = jobs.kind[job]
    state.undo_host[entry] = host
    for r in range(state.free.shape[1]):
        state.undo_free[entry, r] = state.free[host, r]
        state.free[host, r] -= jobs.demand[kind, r]
    count[UNDO] = entry + 1
    count[CHANGES] += 1
    changed(scores, host)
    if length == LONG:
        take_for_long(jobs, state, moment, job, host, 1.0)


@inner
def take_again(jobs, state, scores, job, host):
    """Take a host that a plan has named."""
    entry = state.tally[UNDO]
    state.undo_host[entry] = host
    for r in range(state.free.shape[1]):
        state.undo_free[entry, r] = state.free[host, r]
        state.free[host, r] -= jobs.demand[jobs.kind[job], r]
    state.tally[UNDO] = entry + 1
    state.tally[CHANGES] += 1
    changed(scores, host)


@inner
def take_back(jobs, state, stairs, moment, scores, mark, job, length):
    """Give back what was taken since there were `mark` notes; where `job` is LONG, to the promised moment too."""
    count = state.tally
    for entry in range(count[UNDO] - 1, mark - 1, -1):
        host = np.int64(state.undo_host[entry])
        for r in range(state.free.shape[1]):
            state.free[host, r] = state.undo_free[entry, r]
        raise_to(stairs, state.free, host)
        changed(scores, host)
        if length == LONG:
            take_for_long(jobs, state, moment, job, host, -1.0)
    if count[UNDO] > mark:
        count[CHANGES] += 1
    count[UNDO] = mark
