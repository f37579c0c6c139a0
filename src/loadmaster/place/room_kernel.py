"""The room of one pass, compiled: find hosts for a row, take them, reserve them. The same as `loadmaster.place.room`.

What is free only shrinks within a pass. So a demand that has failed fails again, and no host is searched for if the
most that any host has is too little.
"""
# mypy: disable-error-code="no-untyped-def,assignment"

import numpy as np

from loadmaster.host_index.lowest_kernel import lowest
from loadmaster.host_index.scores_kernel import changed, rate_all, refresh
from loadmaster.jit.kernels import inner
from loadmaster.place.cards_kernel import give_to, sum_up, tasks_on_empty, tasks_on_host, tightest
from loadmaster.place.room_arrays import CHANGES, FRESH, LAST_HOST, MISSES, RESERVED, ROOM_PASS, SHUT, WRONG

ENOUGH = 8
"""Failures after which the bounds are made anew: that takes a look at every host."""


@inner
def begin_room(room):
    """Begin a pass: every host is open."""
    room.tally[RESERVED] = room.tally[WRONG] = 0
    reopen(room)


@inner
def reopen(room):
    """Let all hosts be used again that were taken out or reserved."""
    room.tally[ROOM_PASS] += 1
    room.open[:] = True
    room.tally[SHUT] = 0
    room.tally[FRESH] = -1
    renew(room)


@inner
def close(room, hosts):
    """Take `hosts` bool[H] out of this pass."""
    for host in range(room.open.shape[0]):
        if hosts[host] and room.open[host]:
            room.open[host] = False
            room.tally[SHUT] += 1


@inner
def is_exhausted(room):
    """Whether no host is open."""
    return room.tally[SHUT] == room.open.shape[0]


@inner
def renew(room):
    """Make the bounds exact, unless nothing has changed since they were."""
    if room.tally[FRESH] == room.tally[CHANGES]:
        return
    room.tally[FRESH], room.tally[MISSES] = room.tally[CHANGES], 0
    steps, resources = room.memory.shape[0], room.free.shape[1]
    for step in range(steps):
        room.memory[step] = -1.0
    most = -1.0
    for host in range(room.free.shape[0]):
        if room.open[host]:
            cores = room.free[host, 0]
            most = max(most, cores)
            if cores >= 0.0 and resources > 1:
                step = steps - 1 if cores >= steps - 1 else np.int64(cores)
                room.memory[step] = max(room.memory[step], room.free[host, 1])
    for step in range(steps - 2, -1, -1):
        room.memory[step] = max(room.memory[step], room.memory[step + 1])
    room.most[0] = most


@inner
def may_fit(room, rows, row):
    """Whether some open host may hold a task of the row, and the row has not failed in this pass."""
    kind, hosts = rows.of[row].kind, rows.of[row].hosts
    if (
        room.failed[hosts, kind].number == room.tally[ROOM_PASS]
        and rows.of[row].tasks >= room.failed[hosts, kind].tasks
    ):
        return False
    cores = rows.demand[kind, 0]
    if cores > room.most[0]:
        return False
    steps = room.memory.shape[0]
    step = steps - 1 if cores >= steps - 1 else np.int64(cores)
    return rows.demand.shape[1] < 2 or rows.demand[kind, 1] <= room.memory[step]


@inner
def note_failure(room, rows, row, tasks):
    """So many tasks of the row's demand find no hosts, nor will they later in this pass; bounds follow at times."""
    kind, hosts = rows.of[row].kind, rows.of[row].hosts
    known = room.failed[hosts, kind].number == room.tally[ROOM_PASS]
    if not known or tasks < room.failed[hosts, kind].tasks:
        room.failed[hosts, kind].number = room.tally[ROOM_PASS]
        room.failed[hosts, kind].tasks = tasks
    room.tally[MISSES] += 1
    if room.tally[MISSES] >= ENOUGH:
        renew(room)


@inner
def may_fit_long(room, rows, row):
    """Whether some host might have room for a task of the row beyond the promised moment: what that leaves shrinks.

    Only a single task tells: how many go beside the moment depends on which hosts the policy takes first.
    """
    return room.failed[rows.of[row].hosts, rows.of[row].kind].long_number != room.tally[ROOM_PASS]


@inner
def note_long_failure(room, rows, row):
    """No host has room for a task of the row beyond the promised moment."""
    room.failed[rows.of[row].hosts, rows.of[row].kind].long_number = room.tally[ROOM_PASS]


@inner
def find_usable(view, row, on, too_slow):
    """Put the hosts that a task of the row may use, and that are quicker than `too_slow`, into `usable`.

    `on` bool[H] says among which, bool[0] among all.
    """
    allowed = view.hosts.allowed[view.rows.of[row].hosts]
    if on.shape[0] == 0:
        for host in range(view.room.open.shape[0]):
            view.room.usable[host] = view.room.open[host] & allowed[host]
    else:
        for host in range(view.room.open.shape[0]):
            view.room.usable[host] = view.room.open[host] & allowed[host] & on[host]
    if too_slow > 0.0:
        for host in range(view.room.open.shape[0]):
            view.room.usable[host] &= view.hosts.speed[host] > too_slow


@inner
def find(view, scan, now, row, k, some_are_not):
    """The lowest rated host of `usable` for task number k of the row, -1 if none; all are usable but for the flag."""
    kind = view.rows.of[row].kind
    demand, last_host = view.rows.demand[kind], view.room.tally[LAST_HOST]
    if now.varies:
        slot = np.int64(0)
        wrong = rate_all(
            view.scores, scan, demand, view.room.free, last_host, view.rows.of[row].first_task + k, now.seed
        )
    else:
        slot, wrong = refresh(view.scores, scan, now.scores_from + kind, demand, view.room.free, last_host, now.seed)
    if wrong:
        view.room.tally[WRONG] = 1
        return np.int64(-1)
    return lowest(view.scores, slot, view.room.usable, some_are_not)


@inner
def take(view, row, k, host):
    """Take `host` for task number k of the row, and where GPUs are cards the cards that suffice most closely."""
    if view.cards is not None:
        view.cards.picked[k] = tightest(view.cards, view.cards.free[host], view.rows.of[row].kind)
    take_picked(view, row, k, host)


@inner
def take_picked(view, row, k, host):
    """Take `host` for task number k of the row; where GPUs are cards, the cards `picked` for it."""
    kind = view.rows.of[row].kind
    for r in range(view.room.free.shape[1]):
        view.room.before[k, r] = view.room.free[host, r]
        view.room.free[host, r] -= view.rows.demand[kind, r]
    if view.cards is not None:
        give_to(view.cards.free[host], view.cards.picked[k], -view.cards.share[kind])
        sum_up(view.cards, view.cards.free[host], view.room.free[host])
    view.room.host[k] = host
    view.room.tally[LAST_HOST] = host
    view.room.tally[CHANGES] += 1
    changed(view.scores, host)


@inner
def held_alone(view, row, some_are_not):
    """How many tasks of the row the hosts of `usable` hold together, at most all of them; all are but for the flag.

    So many find room whatever the policy is.
    """
    total, tasks = np.int64(0), np.int64(view.rows.of[row].tasks)
    for host in range(view.room.free.shape[0]):
        if total < tasks and (not some_are_not or view.room.usable[host]):
            total += _held_of(view, row, host, tasks - total)
    return total


@inner
def find_room_now(view, row, everywhere):
    """Whether the hosts that the row may use hold all of its tasks now; a refusal holds for its demand in this pass."""
    if not may_fit(view.room, view.rows, row):
        return False
    part = view.room.tally[SHUT] > 0 or not view.hosts.set[view.rows.of[row].hosts].whole
    if part:
        find_usable(view, row, everywhere, 0.0)
    held = held_alone(view, row, part)
    if held < view.rows.of[row].tasks:
        note_failure(view.room, view.rows, row, held + 1)
    return held >= view.rows.of[row].tasks


@inner
def take_in_order(view, row, some_are_not):
    """Take the first hosts of `usable` for the tasks of a row that finds room; all are but for the flag."""
    k, tasks = np.int64(0), np.int64(view.rows.of[row].tasks)
    for host in range(view.room.free.shape[0]):
        if k < tasks and (not some_are_not or view.room.usable[host]):
            for _ in range(_held_of(view, row, host, tasks - k)):
                take(view, row, k, host)
                k += 1


@inner
def _held_of(view, row, host, most):
    """How many tasks of the row a host holds, at most so many."""
    held, kind = float(most), view.rows.of[row].kind
    for r in range(view.rows.demand.shape[1]):
        if view.room.free[host, r] < view.rows.demand[kind, r]:
            return np.int64(0)
    if view.cards is not None:
        on_cards = view.cards.free[host]
        return tasks_on_host(view.cards, view.rows.demand[kind], view.room.free[host], on_cards, kind, most)
    held = min(held, held_by(view.room.free, host, view.rows.demand, kind))
    return np.int64(max(held, 0.0))


@inner
def give_back(view, row, tasks, last_host):
    """Undo what the first tasks of the row took."""
    room = view.room
    for k in range(tasks - 1, -1, -1):
        host = np.int64(room.host[k])
        for r in range(room.free.shape[1]):
            room.free[host, r] = room.before[k, r]
        if view.cards is not None:
            give_to(view.cards.free[host], view.cards.picked[k], view.cards.share[view.rows.of[row].kind])
        changed(view.scores, host)
    room.tally[LAST_HOST] = last_host
    room.tally[CHANGES] += tasks > 0


@inner
def reserve(view, row):
    """Keep hosts for the row: most free memory first, until they could hold it when empty."""
    tasks = float(view.rows.of[row].tasks)
    while tasks > 0.0:
        host = reserve_next(view, row)
        if host < 0:
            return
        kind = view.rows.of[row].kind
        if view.cards is not None:
            tasks -= tasks_on_empty(view.cards, view.hosts.capacity[host], view.rows.demand[kind], kind)
        else:
            tasks -= held_by(view.hosts.capacity, host, view.rows.demand, kind)


@inner
def reserve_next(view, row):
    """Keep the host with most free memory that could hold a task of the row when empty; -1 if there is none."""
    kind, allowed = view.rows.of[row].kind, view.hosts.allowed[view.rows.of[row].hosts]
    memory = min(1, view.rows.demand.shape[1] - 1)
    best, most = np.int64(-1), -np.inf
    for host in range(view.room.open.shape[0]):
        if view.room.open[host] and allowed[host] and view.room.free[host, memory] > most:
            able = True
            for r in range(view.rows.demand.shape[1]):
                able &= view.hosts.capacity[host, r] >= view.rows.demand[kind, r]
            if able:
                best, most = np.int64(host), view.room.free[host, memory]
    if best >= 0:
        view.room.open[best] = False
        view.room.tally[SHUT] += 1
        view.room.reserved[view.room.tally[RESERVED]] = best
        view.room.tally[RESERVED] += 1
    return best


@inner
def held_by(room, host, demand, kind):
    """How many tasks of demand number `kind` go into what `room` has on a host; infinite if they request nothing."""
    held = np.inf
    for r in range(demand.shape[1]):
        if demand[kind, r] > 0.0:
            held = min(held, np.floor(room[host, r] / demand[kind, r]))
    return held
