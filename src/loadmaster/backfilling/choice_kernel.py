"""Hosts for a row in what they will have free, compiled: those that the policy rates lowest there, task by task."""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,untyped-decorator"

import numpy as np

from loadmaster.backfilling.board_arrays import NOT_FINITE, STATUS
from loadmaster.kernels import inner
from loadmaster.place.room_arrays import LAST_HOST


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
def choose(rows, hosts, room, board, outlook, rate, now, row, able):
    """Choose among the first `able` hosts of that list, by what they have in `window`, which shrinks; whether it did.

    Hosts go to `room.host`; nothing is taken.
    """
    demand, last_host = rows.demand[rows.of[row].kind], room.tally[LAST_HOST]
    listed = able
    for k in range(rows.of[row].tasks):
        task = rows.of[row].first_task + k
        if k == 0 or now.varies:
            wrong = rate(
                demand, outlook.window, hosts.capacity, outlook.able, listed, last_host, task, now.seed,
                outlook.value, 0,
            )  # fmt: skip
        else:
            outlook.again[0] = last_host
            wrong = rate(
                demand, outlook.window, hosts.capacity, outlook.again, 1, last_host, task, now.seed,
                outlook.value, 0,
            )  # fmt: skip
        if wrong:
            board.tally[STATUS] = NOT_FINITE
            return False
        host = _lowest(outlook, listed)
        if host < 0:
            return False
        room.host[k] = host
        for r in range(demand.shape[0]):
            outlook.window[host, r] -= demand[r]
        last_host = host
    return True


@inner
def _lowest(outlook, able):
    """The lowest rated of the first hosts of the list, the lowest index among equals, -1 if none fits."""
    best, found = np.inf, np.int64(-1)
    for i in range(able):
        host = np.int64(outlook.able[i])
        if outlook.value[host] < best or (outlook.value[host] == best and host < found):
            best, found = outlook.value[host], host
    return found
