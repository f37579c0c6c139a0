"""Hosts for a row in what they will have free, compiled: those that the policy rates lowest there, task by task."""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.node_count_kernel import asks_for_hosts, keep_a_way
from loadmaster.backfilling.pass_arrays import NOT_FINITE, STATUS
from loadmaster.jit.heap_kernel import drop_first, push
from loadmaster.jit.kernels import inner
from loadmaster.place.room_arrays import LAST_HOST

FEW = 2
"""Tasks for which the best host is looked for one by one."""


@inner
def tasks_in(free, at, demand, kind, most):
    """How many tasks of demand number `kind` go into row `at` of `free`; at most `most`."""
    held = np.float64(most)
    for r in range(demand.shape[1]):
        if free[at, r] < demand[kind, r]:
            return np.int64(0)
        if most > 1 and demand[kind, r] > 0.0:
            held = min(held, np.floor(free[at, r] / demand[kind, r]))
    return np.int64(max(held, 0.0))


@inner
def lacks(free, at, demand, kind):
    """Whether row `at` of `free` is less than a task of demand number `kind` asks for."""
    less = False
    for r in range(demand.shape[1]):
        less |= free[at, r] < demand[kind, r]
    return less


@inner
def choose(view, outlook, rate, now, row, able):
    """Choose among the first `able` hosts of that list, by what they have in `window`, which shrinks; whether it did.

    Hosts go to `room.host`; nothing is taken.
    """
    demand, last_host = view.rows.demand[view.rows.of[row].kind], view.room.tally[LAST_HOST]
    listed, apart = able, asks_for_hosts(view.rows, row)
    if now.first_fit and not apart:
        return _fill_in_order(view, outlook, row, able)
    if view.rows.of[row].tasks > FEW and not (now.varies or apart):
        return _choose_many(view, outlook, rate, now, row, able)
    for k in range(view.rows.of[row].tasks):
        task = view.rows.of[row].first_task + k
        if k == 0 or now.varies:
            wrong = rate(
                demand,
                outlook.window,
                view.hosts.capacity,
                outlook.able,
                listed,
                last_host,
                task,
                now.seed,
                outlook.value,
                0,
            )
        else:
            outlook.again[0] = last_host
            wrong = rate(
                demand,
                outlook.window,
                view.hosts.capacity,
                outlook.again,
                1,
                last_host,
                task,
                now.seed,
                outlook.value,
                0,
            )
        if wrong:
            view.board.tally[STATUS] = NOT_FINITE
            return False
        if apart:
            _keep_a_way(view.rows, view.room, outlook, listed, row, k)
        host = _lowest(outlook, view.room, listed, apart)
        if host < 0:
            return False
        view.room.host[k] = host
        for r in range(demand.shape[0]):
            outlook.window[host, r] -= demand[r]
        last_host = host
    return True


@inner
def _fill_in_order(view, outlook, row, able):
    """The same under first-fit, which rates all hosts alike: the first of them are filled, one after another."""
    left, heaped, at = np.int64(view.rows.of[row].tasks), 0, 0
    for i in range(able):
        heaped = push(outlook.score, outlook.rated, heaped, np.float64(outlook.able[i]), outlook.able[i])
    while left > 0 and heaped > 0:
        host = np.int64(outlook.rated[0])
        heaped = drop_first(outlook.score, outlook.rated, heaped)
        held = tasks_in(outlook.window, host, view.rows.demand, view.rows.of[row].kind, left)
        for _ in range(held):
            view.room.host[at] = host
            at += 1
        left -= held
    return left == 0


@inner
def _choose_many(view, outlook, rate, now, row, able):
    """The same for many tasks: a heap of hosts by their scores, in which the one just taken is rated once more."""
    demand, last_host, first_task = (
        view.rows.demand[view.rows.of[row].kind],
        view.room.tally[LAST_HOST],
        view.rows.of[row].first_task,
    )
    wrong = rate(
        demand,
        outlook.window,
        view.hosts.capacity,
        outlook.able,
        able,
        last_host,
        first_task,
        now.seed,
        outlook.value,
        0,
    )
    heaped = 0
    for i in range(able):
        host = outlook.able[i]
        if outlook.value[host] < np.inf:
            heaped = push(outlook.score, outlook.rated, heaped, outlook.value[host], host)
    for k in range(view.rows.of[row].tasks):
        if wrong:
            view.board.tally[STATUS] = NOT_FINITE
        if wrong or heaped == 0:
            return False
        host = np.int64(outlook.rated[0])
        heaped = drop_first(outlook.score, outlook.rated, heaped)
        view.room.host[k] = outlook.again[0] = host
        for r in range(demand.shape[0]):
            outlook.window[host, r] -= demand[r]
        if k + 1 < view.rows.of[row].tasks and not lacks(
            outlook.window, host, view.rows.demand, view.rows.of[row].kind
        ):
            wrong = rate(
                demand,
                outlook.window,
                view.hosts.capacity,
                outlook.again,
                1,
                host,
                first_task + k + 1,
                now.seed,
                outlook.value,
                0,
            )
            if not wrong and outlook.value[host] < np.inf:
                heaped = push(outlook.score, outlook.rated, heaped, outlook.value[host], host)
    return True


@inner
def _keep_a_way(rows, room, outlook, able, row, k):
    """Let those hosts of the list be `usable` that task k of a row may take that asks for a number of them."""
    room.usable[:] = False
    for i in range(able):
        room.usable[outlook.able[i]] = True
    keep_a_way(rows, room, outlook.window, row, k)


@inner
def _lowest(outlook, room, able, some_are_not):
    """The lowest rated host of the list, the lowest index among equals, -1 if none; all are usable but for the flag."""
    best, found = np.inf, np.int64(-1)
    for i in range(able):
        host = np.int64(outlook.able[i])
        if some_are_not and not room.usable[host]:
            continue
        if outlook.value[host] < best or (outlook.value[host] == best and host < found):
            best, found = outlook.value[host], host
    return found
