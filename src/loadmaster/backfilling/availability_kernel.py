"""What every host has free from now on, compiled: the same steps as `loadmaster.backfilling.availability` keeps.

A chain that counts hosts is that of host 0 alone, in column 0. What a host has now is its step of its own number: a
look at now for all hosts goes through memory from end to end.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.pass_arrays import MORE_ROOM, STARTED, STATUS
from loadmaster.jit.kernels import inner


@inner
def end_of(start_s, expected_s):
    """When a job is expected to end that starts at `start_s`: always after it."""
    return max(start_s + expected_s, np.nextafter(start_s, np.inf))


@inner
def lay_out(view, outlook, now):
    """Make the chains of all hosts: what is free now, what running tasks and those started in this pass give back."""
    soonest, started = np.nextafter(now.now_s, np.inf), view.board.tally[STARTED]
    tasks = view.board.place[started].first
    if not has_room(view.board, outlook, outlook.chain.shape[0] + view.ends.many[0] + tasks, 0):
        return
    if now.as_pool:
        _begin_chain(outlook, 0, 1, now.now_s)
        outlook.step_free[0, 0] = view.room.free.shape[0] - view.ends.many[0] - tasks
        outlook.size[0] = 1 + view.ends.many[0]
        for i in range(view.ends.many[0]):
            _append(outlook, 0, max(view.ends.end[i].end_s, soonest))
            outlook.step_free[outlook.chain[0].last, 0] += 1.0
    else:
        _chains_of_running(view, outlook, now.now_s, soonest)
    for place in range(started):
        row, slowest = view.board.place[place].row, np.inf
        for at in range(view.board.place[place].first, view.board.place[place + 1].first):
            slowest = min(slowest, view.hosts.speed[view.board.started_host[at]])
        end_s = max(now.now_s + view.rows.of[row].expected_s / slowest, soonest)
        for at in range(view.board.place[place].first, view.board.place[place + 1].first):
            host = 0 if now.as_pool else view.board.started_host[at]
            step = step_at(outlook, host, end_s)
            while step >= 0:
                if now.as_pool:
                    outlook.step_free[step, 0] += 1.0
                else:
                    for r in range(view.rows.demand.shape[1]):
                        outlook.step_free[step, r] += view.rows.demand[view.rows.of[row].kind, r]
                step = np.int64(outlook.step[step].next)


@inner
def _chains_of_running(view, outlook, now_s, soonest):
    """One chain a host; its steps but for the first lie side by side."""
    for host in range(view.room.free.shape[0]):
        outlook.chain[host].held = 0
    for i in range(view.ends.many[0]):
        outlook.chain[view.ends.end[i].host].held += 1
    size = view.room.free.shape[0]
    for host in range(view.room.free.shape[0]):
        steps = outlook.chain[host].held
        _begin_chain(outlook, host, size, now_s)
        for r in range(view.room.free.shape[1]):
            outlook.step_free[host, r] = view.room.free[host, r]
        size += steps
    outlook.size[0] = size
    for i in range(view.ends.many[0]):
        host = view.ends.end[i].host
        _append(outlook, host, max(view.ends.end[i].end_s, soonest))
        for r in range(view.rows.demand.shape[1]):
            outlook.step_free[outlook.chain[host].last, r] += view.rows.demand[view.ends.end[i].kind, r]


@inner
def _begin_chain(outlook, host, following, now_s):
    outlook.chain[host].first = outlook.chain[host].last = host
    outlook.chain[host].held, outlook.chain[host].falls_s = following, np.inf
    outlook.step[host].start_s = now_s
    outlook.step[host].next = -1


@inner
def _append(outlook, host, time_s):
    """Let the last step of a chain be one that begins at `time_s`; its `held` is where the next one lies."""
    last = np.int64(outlook.chain[host].last)
    if outlook.step[last].start_s == time_s:
        return
    new = np.int64(outlook.chain[host].held)
    outlook.chain[host].held += 1
    outlook.step[new].start_s, outlook.step[new].next, outlook.step[last].next = time_s, -1, new
    for r in range(outlook.step_free.shape[1]):
        outlook.step_free[new, r] = outlook.step_free[last, r]
    outlook.chain[host].last = new


@inner
def has_room(board, outlook, steps, used):
    """Whether there is room for so many steps beside those in use; if not, the pass is to be made again with more."""
    if used + steps <= outlook.step.shape[0]:
        return True
    board.tally[STATUS] = MORE_ROOM
    return False


@inner
def covering(outlook, host, time_s):
    """The last step of a host that begins at or before `time_s`."""
    at = np.int64(outlook.chain[host].first)
    following = outlook.step[at].next
    while following >= 0 and outlook.step[following].start_s <= time_s:
        at = np.int64(following)
        following = outlook.step[at].next
    return at


@inner
def step_at(outlook, host, time_s):
    """The step of a host that begins at `time_s`, made where there is none."""
    at = covering(outlook, host, time_s)
    if outlook.step[at].start_s == time_s:
        return at
    new = outlook.size[0]
    outlook.size[0] += 1
    outlook.step[new].start_s = time_s
    outlook.step[new].next = outlook.step[at].next
    outlook.step[at].next = new
    for r in range(outlook.step_free.shape[1]):
        outlook.step_free[new, r] = outlook.step_free[at, r]
    return new


@inner
def hold(outlook, host, start_s, end_s, demand, columns, sign):
    """Take (`sign` 1) or give back (-1) the first columns of `demand` on a host from `start_s` until `end_s`.

    There must be room for two steps. What is given back has been taken before: only what is taken later than now lets
    a host have less than now.
    """
    at, last = step_at(outlook, host, start_s), step_at(outlook, host, end_s)
    if at != outlook.chain[host].first:
        outlook.chain[host].falls_s = min(outlook.chain[host].falls_s, start_s)
    while at != last:
        for r in range(columns):
            outlook.step_free[at, r] -= sign * demand[r]
        at = np.int64(outlook.step[at].next)


@inner
def least(outlook, host, start_s, end_s):
    """Put the least that a host has free from `start_s` until `end_s` into `window`."""
    at = covering(outlook, host, start_s)
    for r in range(outlook.window.shape[1]):
        outlook.window[host, r] = outlook.step_free[at, r]
    at = np.int64(outlook.step[at].next)
    while at >= 0 and outlook.step[at].start_s < end_s:
        for r in range(outlook.window.shape[1]):
            outlook.window[host, r] = min(outlook.window[host, r], outlook.step_free[at, r])
        at = np.int64(outlook.step[at].next)


@inner
def has_now(outlook, host, end_s, demand):
    """Put the least that a host has free from now until `end_s` into `window`, if it is not less than `demand`.

    Whether it is not.
    """
    at, columns = np.int64(outlook.chain[host].first), outlook.window.shape[1]
    if end_s <= outlook.chain[host].falls_s:
        enough = True
        for r in range(columns):
            outlook.window[host, r] = outlook.step_free[at, r]
            enough &= outlook.step_free[at, r] >= demand[r]
        return enough
    return _has_from(outlook, host, at, end_s, demand)


@inner
def has_from(outlook, host, start_s, end_s, demand):
    """As `least`, given up as soon as it is less than `demand`; whether it is not."""
    return _has_from(outlook, host, covering(outlook, host, start_s), end_s, demand)


@inner
def _has_from(outlook, host, at, end_s, demand):
    columns = outlook.window.shape[1]
    for r in range(columns):
        if outlook.step_free[at, r] < demand[r]:
            return False
        outlook.window[host, r] = outlook.step_free[at, r]
    at = np.int64(outlook.step[at].next)
    while at >= 0 and outlook.step[at].start_s < end_s:
        for r in range(columns):
            if outlook.step_free[at, r] < demand[r]:
                return False
            outlook.window[host, r] = min(outlook.window[host, r], outlook.step_free[at, r])
        at = np.int64(outlook.step[at].next)
    return True


@inner
def first_on(outlook, host, demand, columns, expected_s, from_s, latest_s):
    """The first moment from `from_s` on from which a host has `demand` free for so long.

    If it is after `latest_s`, some moment after `latest_s` that is no later than the first one.
    """
    at = covering(outlook, host, from_s)
    start_s, end_s = np.inf, np.inf
    while at >= 0:
        if outlook.step[at].start_s >= end_s:
            break
        fits = True
        for r in range(columns):
            fits &= outlook.step_free[at, r] >= demand[r]
        if not fits:
            start_s, end_s = np.inf, np.inf
            if outlook.step[at].start_s > latest_s:
                return outlook.step[at].start_s
        elif start_s == np.inf:
            start_s = max(outlook.step[at].start_s, from_s)
            if start_s > latest_s:
                return start_s
            end_s = end_of(start_s, expected_s)
        at = np.int64(outlook.step[at].next)
    return start_s
