"""Hosts for a row in their future free capacity, compiled: task by task the host that the policy rates lowest.

A task changes the free capacity of its own host only, so after each task only that host is rated again. The result is
the same as if all hosts were rated for each task. If scores vary from task to task, all hosts are rated.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.node_count_kernel import asks_for_hosts, keep_completable
from loadmaster.backfilling.pass_arrays import NOT_FINITE, STATUS
from loadmaster.jit.heap_kernel import drop_first, push
from loadmaster.jit.kernels import inner
from loadmaster.place.cards_kernel import change_row, tasks_in_row, tightest_in_row
from loadmaster.place.room_arrays import LAST_HOST

FEW = 2
"""Up to so many tasks, the best host is searched task by task."""


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
def tasks_held(view, table, at, kind, most):
    """The same for row `at` of `step_free` or `window`, which may have cards."""
    if view.cards is not None:
        return tasks_in_row(view.cards, table[at], view.rows.demand, kind, most)
    return tasks_in(table, at, view.rows.demand, kind, most)


@inner
def lacks(free, at, demand, kind):
    """Whether row `at` of `free` is too small for a task of demand number `kind`."""
    less = False
    for r in range(demand.shape[1]):
        less |= free[at, r] < demand[kind, r]
    return less


@inner
def choose(view, availability, rate, now, row, able):
    """Choose among the first `able` hosts of that list, by what they have in `window`, which shrinks.

    Returns whether it found hosts. They go to `room.host`; nothing is taken.
    """
    demand, last_host = view.rows.demand[view.rows.of[row].kind], view.room.tally[LAST_HOST]
    listed, node_count = able, asks_for_hosts(view.rows, row)
    if now.first_fit and not node_count:
        return _fill_in_order(view, availability, row, able)
    if view.rows.of[row].tasks > FEW and not (now.varies or node_count):
        return _choose_many(view, availability, rate, now, row, able)
    for k in range(view.rows.of[row].tasks):
        task = view.rows.of[row].first_task + k
        # after the first task only the host just taken needs a new score
        if k == 0 or now.varies:
            wrong = rate(
                demand,
                availability.window,
                view.hosts.capacity,
                availability.able,
                listed,
                last_host,
                task,
                now.seed,
                availability.value,
                0,
            )
        else:
            availability.again[0] = last_host
            wrong = rate(
                demand,
                availability.window,
                view.hosts.capacity,
                availability.again,
                1,
                last_host,
                task,
                now.seed,
                availability.value,
                0,
            )
        if wrong:
            view.this_pass.tally[STATUS] = NOT_FINITE
            return False
        if node_count:
            _keep_completable(view.rows, view.room, availability, listed, row, k)
        host = _lowest(availability, view.room, listed, node_count)
        if host < 0:
            return False
        view.room.host[k] = host
        _take_in_window(view, availability, row, k, host)
        last_host = host
    return True


@inner
def _take_in_window(view, availability, row, k, host):
    """Take what task number k of the row needs from the host's `window`; where GPUs are cards, pick its cards."""
    kind = view.rows.of[row].kind
    if view.cards is not None:
        view.cards.picked[k] = tightest_in_row(view.cards, availability.window[host], kind)
        change_row(view.cards, availability.window[host], view.rows.demand, kind, view.cards.picked[k], -1.0)
    else:
        for r in range(view.rows.demand.shape[1]):
            availability.window[host, r] -= view.rows.demand[kind, r]


@inner
def _fill_in_order(view, availability, row, able):
    """The same under first-fit, which scores all hosts alike: fill the hosts in their order."""
    left, heaped, at = np.int64(view.rows.of[row].tasks), 0, 0
    for i in range(able):
        heaped = push(
            availability.score, availability.rated, heaped, np.float64(availability.able[i]), availability.able[i]
        )
    while left > 0 and heaped > 0:
        host = np.int64(availability.rated[0])
        heaped = drop_first(availability.score, availability.rated, heaped)
        held = tasks_held(view, availability.window, host, view.rows.of[row].kind, left)
        for _ in range(held):
            if view.cards is not None:
                _take_in_window(view, availability, row, at, host)
            view.room.host[at] = host
            at += 1
        left -= held
    return left == 0


@inner
def _choose_many(view, availability, rate, now, row, able):
    """The same for many tasks: a heap of hosts by score; only the host just taken is rated again."""
    demand, last_host, first_task = (
        view.rows.demand[view.rows.of[row].kind],
        view.room.tally[LAST_HOST],
        view.rows.of[row].first_task,
    )
    wrong = rate(
        demand,
        availability.window,
        view.hosts.capacity,
        availability.able,
        able,
        last_host,
        first_task,
        now.seed,
        availability.value,
        0,
    )
    heaped = 0
    for i in range(able):
        host = availability.able[i]
        if availability.value[host] < np.inf:
            heaped = push(availability.score, availability.rated, heaped, availability.value[host], host)
    for k in range(view.rows.of[row].tasks):
        if wrong:
            view.this_pass.tally[STATUS] = NOT_FINITE
        if wrong or heaped == 0:
            return False
        host = np.int64(availability.rated[0])
        heaped = drop_first(availability.score, availability.rated, heaped)
        view.room.host[k] = availability.again[0] = host
        _take_in_window(view, availability, row, k, host)
        # the host goes back into the heap if it holds one more task
        if k + 1 < view.rows.of[row].tasks and not lacks(
            availability.window, host, view.rows.demand, view.rows.of[row].kind
        ):
            wrong = rate(
                demand,
                availability.window,
                view.hosts.capacity,
                availability.again,
                1,
                host,
                first_task + k + 1,
                now.seed,
                availability.value,
                0,
            )
            if not wrong and availability.value[host] < np.inf:
                heaped = push(availability.score, availability.rated, heaped, availability.value[host], host)
    return True


@inner
def _keep_completable(rows, room, availability, able, row, k):
    """Mark the hosts of the list as `usable` that task k may take, for a row that requests a number of hosts."""
    room.usable[:] = False
    for i in range(able):
        room.usable[availability.able[i]] = True
    keep_completable(rows, room, availability.window, row, k)


@inner
def _lowest(availability, room, able, some_are_not):
    """The lowest rated host of the list, the lowest index among equals, -1 if none; by the flag only usable ones."""
    best, found = np.inf, np.int64(-1)
    for i in range(able):
        host = np.int64(availability.able[i])
        if some_are_not and not room.usable[host]:
            continue
        if availability.value[host] < best or (availability.value[host] == best and host < found):
            best, found = availability.value[host], host
    return found
