"""Hosts reserved within a pass for jobs that do not fit: most free memory first, lower index among equals (rule Q2).

A pass often reserves hundreds of hosts. So the hosts first go on shelves by level of free memory, and only the hosts of
one shelf at a time stand in a heap. A shelf needs none if it is reserved as a whole, or if its hosts have equal free
memory and stand by index, as they do at first. Free memory only falls within a pass, so a host can only move to a lower
shelf; it is put there when it is met.

Most reservations are only counted. The counted ones go to the open hosts with most free memory. So a host below at
least so many others on higher levels is not among them: a job may take it, and no host is chosen for the count. This
changes nothing, since the host that is taken only falls further below those others.

A reserved host without room for any job of the log is only counted (FULL): no search would find it.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.host_index.shut_kernel import open_again, shut
from loadmaster.jit.heap_kernel import drop_first, push
from loadmaster.jit.kernels import inlined, inner
from loadmaster.place.cards_kernel import tasks_on_empty
from loadmaster.sim.queue.engine.host_blocks_kernel import raise_block
from loadmaster.sim.queue.engine.state import ABOVE, CLOSED, FULL, HEAPED, LEVEL, NO_SHELVES, PENDING, SHELF


@inlined
def reserve(engine, job):
    """Reserve hosts for `job`; where any host will do, only count it, and choose the host when it matters."""
    kind, hosts = engine.jobs.kind[job], engine.jobs.hosts[job]
    # any host will do: the count is enough until a job is placed
    if engine.jobs.tasks[job] == 1 and engine.jobs.holdable[kind] and engine.jobs.whole[hosts]:
        engine.state.tally[PENDING] += 1
        return
    flush(engine.state, engine.scores)
    demand = engine.jobs.demand[kind]
    missing = float(engine.jobs.tasks[job])
    memory = min(1, engine.capacity.shape[1] - 1)
    while missing > 0.0:
        best = -1
        for host in range(engine.capacity.shape[0]):
            if engine.state.open[host] and (
                best < 0 or engine.state.free[host, memory] > engine.state.free[best, memory]
            ):
                able = engine.jobs.allowed[hosts, host]
                for r in range(demand.shape[0]):
                    able &= engine.capacity[host, r] >= demand[r]
                if able:
                    best = host
        if best < 0:
            return
        _close(engine.state, engine.scores, best)
        # the capacity counts, not the free part: running jobs will leave the host
        held = np.inf
        if engine.state.cards is not None:
            held = tasks_on_empty(engine.state.cards, engine.capacity[best], demand, kind)
        else:
            for r in range(engine.capacity.shape[1]):
                if demand[r] > 0.0:
                    held = min(held, np.floor(engine.capacity[best, r] / demand[r]))
        missing -= held


@inlined
def clear_reservations(state):
    """Begin a pass: no host is reserved."""
    state.tally[CLOSED] = state.tally[FULL] = state.tally[PENDING] = state.tally[HEAPED] = 0
    state.tally[SHELF] = NO_SHELVES


@inlined
def reserved_hosts(state):
    """How many hosts are reserved in this pass, also those that are only counted."""
    return state.tally[CLOSED] + state.tally[FULL] + state.tally[PENDING]


@inlined
def reopen(state, scores):
    """End a pass: open all reserved hosts again."""
    for i in range(state.tally[CLOSED]):
        host = np.int64(state.closed[i])
        state.open[host] = True
        open_again(scores, host)
        raise_block(state, host)
    state.tally[CLOSED] = state.tally[FULL] = 0
    state.tally[SHELF] = NO_SHELVES


@inlined
def may_be_reserved(state, host):
    """Whether open `host` may be among the hosts of the reservations counted so far; if so, `flush` tells."""
    count = state.tally
    if count[PENDING] == 0:
        return False
    if count[SHELF] == NO_SHELVES:
        _fill_shelves(state)
    while count[ABOVE] < count[PENDING] and count[LEVEL] > 0:
        count[LEVEL] -= 1
        count[ABOVE] += state.on_level[count[LEVEL]]
    return count[ABOVE] < count[PENDING] or _level_of(state, host) >= count[LEVEL]


@inlined
def leave_level(state, host):
    """Count `host` no longer on its level of free memory, before that changes or the host is reserved."""
    if state.tally[SHELF] != NO_SHELVES:
        _count_on_level(state, host, -1)


@inlined
def enter_level(state, host):
    """Count `host` on its level of free memory, after that has changed."""
    if state.tally[SHELF] != NO_SHELVES:
        _count_on_level(state, host, 1)


@inlined
def _count_on_level(state, host, hosts):
    level = _level_of(state, host)
    state.on_level[level] += hosts
    if level >= state.tally[LEVEL]:
        state.tally[ABOVE] += hosts


@inlined
def _level_of(state, host):
    """The level of what `host` has free of the second resource, or of the first where there is no other."""
    free = state.free[host, min(1, state.free.shape[1] - 1)]
    return min(max(np.int64(free * state.shelves_a_unit[0]), 0), state.shelf.shape[0] - 1)


@inlined
def _close(state, scores, host):
    leave_level(state, host)
    if _is_full(state, host):
        state.tally[FULL] += 1
        return
    state.open[host] = False
    shut(scores, host)
    state.closed[state.tally[CLOSED]] = host
    state.tally[CLOSED] += 1


@inlined
def _is_full(state, host):
    """Whether the host lacks room for any job, so that the state of a reserved host can do without it."""
    full = False
    for r in range(state.least.shape[0]):
        full |= state.free[host, r] < state.least[r]
    return full


@inner
def flush(state, scores):
    """Choose the hosts of the reservations counted so far: most free memory first, lower index among equals."""
    count = state.tally
    if count[PENDING] == 0:
        return
    memory = min(1, state.free.shape[1] - 1)
    if count[SHELF] == NO_SHELVES:
        _fill_shelves(state)
    while count[PENDING] > 0:
        if count[HEAPED] == 0:
            if count[SHELF] == 0:
                return
            _take_shelf(state, scores, memory)
            continue
        host = np.int64(state.holder[0])
        # the host has lost memory since it came into the heap
        stale = state.left_free[0] != -state.free[host, memory]
        count[HEAPED] = drop_first(state.left_free, state.holder, count[HEAPED])
        if stale:
            _put(state, host, memory)
        elif state.open[host]:
            _close(state, scores, host)
            count[PENDING] -= 1


@inner
def _fill_shelves(state):
    """Put each open host on its shelf, and count the hosts of each level."""
    for level in range(state.shelf.shape[0]):
        state.shelf[level] = -1
        state.on_level[level] = 0
    state.tally[SHELF] = state.tally[LEVEL] = state.shelf.shape[0]
    state.tally[ABOVE] = 0
    for host in range(state.open.shape[0] - 1, -1, -1):
        if state.open[host]:
            level = _level_of(state, host)
            state.on_level[level] += 1
            state.beside[host] = state.shelf[level]
            state.shelf[level] = host


@inlined
def _put(state, host, memory):
    """Put a host on its shelf, or into the heap if its shelf is the present one or above."""
    level = _level_of(state, host)
    if level >= state.tally[SHELF]:
        key = -state.free[host, memory]
        state.tally[HEAPED] = push(state.left_free, state.holder, state.tally[HEAPED], key, host)
    else:
        state.beside[host] = state.shelf[level]
        state.shelf[level] = host


@inner
def _take_shelf(state, scores, memory):
    """Go on to the next shelf: reserve all its hosts if that many are wanted, else the first ones.

    If its hosts do not stand in the order of reservation, they are put into the heap.
    """
    count = state.tally
    count[SHELF] -= 1
    shelf = count[SHELF]
    host = np.int64(state.shelf[shelf])
    is_reserved = state.on_level[shelf] <= count[PENDING] or _is_in_order(state, host, shelf, memory)
    while host >= 0 and not (is_reserved and count[PENDING] == 0):
        beside = np.int64(state.beside[host])
        if state.open[host]:
            if is_reserved and _level_of(state, host) == shelf:
                _close(state, scores, host)
                count[PENDING] -= 1
            else:
                _put(state, host, memory)
        host = beside
    if host >= 0:  # the others stay on their shelf
        state.shelf[shelf] = host
        count[SHELF] = shelf + 1


@inlined
def _is_in_order(state, host, shelf, memory):
    """Whether the hosts from `host` on that belong on `shelf` have equal free memory, and stand by index."""
    last, room = np.int64(-1), -1.0
    while host >= 0:
        if state.open[host] and _level_of(state, host) == shelf:
            if host < last or (last >= 0 and state.free[host, memory] != room):
                return False
            last, room = host, state.free[host, memory]
        host = np.int64(state.beside[host])
    return True
