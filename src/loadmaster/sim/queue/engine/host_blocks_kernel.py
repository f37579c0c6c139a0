"""The next host with room for a task, by index: blocks of hosts that have none are passed over.

    host = next_host(state, hosts, demand, first, end)      the first such host from `first` on, before `end`
    host = next_in_turn(state, hosts, demand, last)         the first one after `last`, going up and around
    raise_block(state, host)                                whenever a host has more free than before, or opens

Of each block of hosts it is known, for every whole number of cores, the most memory on any of its hosts that has so
many free: two hosts, one with cores and one with memory, are not taken for a host with both. Numbers beyond the last
step count as that one. It falls from step to step. Of hosts that are open it is never too low: one that gains, or is
opened again, raises it. It may be too high, as one that loses leaves it, until a look at the block in vain makes it
exact.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.jit.kernels import inlined, inner
from loadmaster.sim.queue.engine.head_slack_kernel import allowed_on, tasks_held
from loadmaster.sim.queue.engine.state import HOSTS_OF_BLOCK, LONG, SLACK, UNDO


@inner
def next_host(state, hosts, demand, first, end):
    """The first host in `hosts`, bool[H], from `first` on and before `end` that has room for a task, -1 if none has."""
    block = _next_block(state, demand, first // HOSTS_OF_BLOCK)
    while block * HOSTS_OF_BLOCK < end:
        begin, stop = block * HOSTS_OF_BLOCK, min((block + 1) * HOSTS_OF_BLOCK, hosts.shape[0])
        for host in range(max(first, begin), min(end, stop)):
            if state.free[host, 0] >= demand[0] and hosts[host] and fits(state.free[host], demand):
                return np.int64(host)
        _make_exact(state, block, begin, stop)
        block = _next_block(state, demand, block + 1)
    return np.int64(-1)


@inner
def next_in_turn(state, hosts, demand, last):
    """The first host in `hosts` after `last` that has room, going up and around, -1 if none has."""
    host = next_host(state, hosts, demand, last + 1, hosts.shape[0])
    return host if host >= 0 else next_host(state, hosts, demand, 0, last + 1)


@inlined
def fits(room, demand):
    """Whether a task fits."""
    enough = True
    for r in range(demand.shape[0]):
        enough &= room[r] >= demand[r]
    return enough


@inner
def raise_block(state, host):
    """`host` has more free than before, or is open again."""
    most, block, cores = state.most, host // HOSTS_OF_BLOCK, state.free[host, 0]
    if cores < 0.0:
        return
    memory, step = state.free[host, 1] if state.free.shape[1] > 1 else 0.0, _step_of(state, cores)
    while step >= 0 and most[step, block] < memory:
        most[step, block] = memory
        step -= 1
    _raise_others(state, host, block)


@inner
def _next_block(state, demand, block):
    """The first block from `block` on, of which a host may have room; the number of blocks if there is none."""
    most, step, memory = state.most, _step_of(state, demand[0]), demand[1] if demand.shape[0] > 1 else 0.0
    while block < most.shape[1]:
        if most[step, block] >= memory:
            enough = True
            for r in range(2, demand.shape[0]):
                enough &= most[most.shape[0] + r - demand.shape[0], block] >= demand[r]
            if enough:
                break
        block += 1
    return block


@inner
def _make_exact(state, block, first, last):
    most, several = state.most, state.free.shape[1] > 1
    most[:, block] = -1.0
    for host in range(first, last):
        if state.open[host] and state.free[host, 0] >= 0.0:
            step, memory = _step_of(state, state.free[host, 0]), state.free[host, 1] if several else 0.0
            most[step, block] = max(most[step, block], memory)
            _raise_others(state, host, block)
    for step in range(_steps(state) - 2, -1, -1):  # a host with many cores free has few free too
        most[step, block] = max(most[step, block], most[step + 1, block])


@inlined
def _raise_others(state, host, block):
    """The block has what is free of the further resources on the host."""
    most, resources = state.most, state.free.shape[1]
    for r in range(2, resources):
        at = most.shape[0] + r - resources
        most[at, block] = max(most[at, block], state.free[host, r])


@inlined
def _step_of(state, cores):
    """The row of `most` for so many cores."""
    return min(np.int64(cores), _steps(state) - 1)


@inlined
def _steps(state):
    """Rows of `most` that stand for numbers of cores; the further resources have one each."""
    return state.most.shape[0] - max(state.free.shape[1] - 2, 0)


@inner
def fill(jobs, state, head_promise, job, length, some_are_not):
    """Write the hosts of first-fit behind the undo list, once a task; returns how many tasks find none.

    It is -1 where there is no room to write.
    `length` LONG: beside what the head is promised. `some_are_not`: only hosts in `usable`, else all that are open.
    """
    demand, left, at = jobs.demand[jobs.kind[job]], np.int64(jobs.tasks[job]), state.tally[UNDO]
    slack, hosts = head_promise.number[SLACK], state.usable if some_are_not else state.open
    host = next_host(state, hosts, demand, 0, hosts.shape[0])
    while host >= 0:
        tasks = tasks_held(state.free[host], demand, left)
        if length == LONG:
            tasks, cost = allowed_on(jobs, state, head_promise, job, host, tasks, slack)
            slack -= cost
        if at + tasks > state.undo_host.shape[0]:
            return np.int64(-1)
        for _ in range(tasks):
            state.undo_host[at] = host
            at += 1
        left -= tasks
        if left == 0:
            return left
        host = next_host(state, hosts, demand, host + 1, hosts.shape[0])
    return left
