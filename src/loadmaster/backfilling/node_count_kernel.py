"""On how many hosts the tasks of a row may lie, compiled: the same as `loadmaster.model.host_count` (rule C9).

Only the number of tasks that a host can hold matters. So the kernel counts hosts by that number: `Room.count`.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.jit.kernels import inner
from loadmaster.place.room_kernel import held_by, reserve_next


@inner
def asks_for_hosts(rows, row):
    """Whether the row limits its number of hosts, beyond room for all tasks."""
    of = rows.of[row]
    return of.least > 1 or 0 < of.most < of.tasks


@inner
def none_held(room, tasks):
    """Reset the counts, for a row of so many tasks."""
    for held in range(tasks + 1):
        room.count[held] = 0


@inner
def fits_apart(rows, room, row):
    """Whether the hosts counted, `count[n]` of which hold n tasks of the row, can take all of them."""
    of = rows.of[row]
    at_most = min(of.most, of.tasks) if of.most > 0 else of.tasks
    found = min(_holding(room, of.tasks), at_most)
    return found >= of.least and _roomiest(room, of.tasks, found) >= of.tasks


@inner
def keep_completable(rows, room, free, row, k):
    """Keep in `usable` only the hosts that task k may take so that the other tasks still find hosts as asked.

    Args: `free` float64[H, R], what the hosts have; those of the first k tasks stand in `room.host`.
    """
    of = rows.of[row]
    tasks, left, most = np.int64(of.tasks), np.int64(of.tasks - k - 1), of.most if of.most > 0 else of.tasks
    taken, on_taken = _count_fresh(rows, room, free, row, k)
    fresh = _holding(room, tasks)
    more = min(most - taken, left, fresh)
    # may task k go to a host that already has a task of the row?
    again = more >= 0 and taken + more >= of.least and on_taken - 1 + _roomiest(room, tasks, more) >= left
    more = min(most - taken - 1, left, fresh - 1)
    # may it go to a new host? then one new host fewer is left for the others
    enough = more >= 0 and taken + 1 + more >= of.least
    least_of_them, of_them, one_more = _last_of(room, tasks, more), np.int64(0), np.int64(0)
    if more > 0:
        of_them, one_more = _roomiest(room, tasks, more), _roomiest(room, tasks, more + 1)
    for host in range(room.usable.shape[0]):
        held = room.held[host]
        if held == 0:
            room.usable[host] = False
        elif room.taken[host]:
            room.usable[host] = again
        else:
            others = one_more - held if more > 0 and held >= least_of_them else of_them
            room.usable[host] = enough and on_taken + held - 1 + others >= left
    for i in range(k):
        room.taken[room.host[i]] = False


@inner
def reserve_apart(view, row):
    """As `room_kernel.reserve`, until the hosts could hold the row when empty, on as many hosts as it requests."""
    kind, tasks = view.rows.of[row].kind, view.rows.of[row].tasks
    none_held(view.room, tasks)
    while not fits_apart(view.rows, view.room, row):
        host = reserve_next(view, row)
        if host < 0:
            return
        held = held_by(view.hosts.capacity, host, view.rows.demand, kind)
        view.room.count[np.int64(min(float(tasks), held))] += 1


@inner
def _count_fresh(rows, room, free, row, k):
    """Count usable hosts by their tasks, apart from those of the first k tasks; returns these hosts and their room."""
    kind, tasks = rows.of[row].kind, rows.of[row].tasks
    none_held(room, tasks)
    taken = on_taken = np.int64(0)
    for i in range(k):
        host = room.host[i]
        if not room.taken[host]:
            room.taken[host] = True
            taken += 1
    for host in range(room.usable.shape[0]):
        held = min(float(tasks), max(held_by(free, host, rows.demand, kind), 0.0)) if room.usable[host] else 0.0
        room.held[host] = np.int64(held)
        if room.taken[host]:
            on_taken += room.held[host]
        else:
            room.count[room.held[host]] += 1
    return taken, on_taken


@inner
def _holding(room, tasks):
    """The number of hosts that hold at least one task."""
    many = np.int64(0)
    for held in range(1, tasks + 1):
        many += room.count[held]
    return many


@inner
def _roomiest(room, tasks, hosts):
    """How many tasks the `hosts` roomiest hosts hold together."""
    total, held = np.int64(0), np.int64(tasks)
    while hosts > 0 and held > 0:
        some = min(room.count[held], hosts)
        total += some * held
        hosts -= some
        held -= 1
    return total


@inner
def _last_of(room, tasks, hosts):
    """How many tasks the last of the `hosts` roomiest hosts holds; more than any where there are none."""
    held = np.int64(tasks + 1)
    while hosts > 0 and held > 1:
        held -= 1
        hosts -= room.count[held]
    return held
