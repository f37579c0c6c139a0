"""Host blocks: the next host with room for a task, by index; blocks without such a host are passed over.

    host = next_host(state, hosts, demand, first, end)      the first such host from `first` on, before `end`
    host = next_in_turn(state, hosts, demand, last)         the first one after `last`, going up and around
    raise_block(state, host)                                whenever a host has more free than before, or opens

Hosts stand in blocks of `HOSTS_OF_BLOCK`. For each whole number of cores, a block stores the most free memory of its
open hosts with at least so many cores free; numbers beyond the last step count as the last step. One value covers both
resources, so two hosts, one with cores and one with memory, never count as one host with both. Invariant: the value is
never too low for an open host, because `raise_block` follows each gain. A loss may leave it too high, until a search of
the block fails and lowers it. So a block that is passed over has no such host, and the result is that of a scan.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.host_index.lanes_kernel import NOBODY
from loadmaster.jit.kernels import inlined, inner
from loadmaster.place.cards_kernel import tasks_on_host
from loadmaster.sim.queue.engine.head_slack_kernel import allowed_on, tasks_held
from loadmaster.sim.queue.engine.state import HOSTS_OF_BLOCK, LONG, RAISES, SLACK, UNDO


@inner
def next_host(state, hosts, demand, first, end):
    """The first host in `hosts`, bool[H], from `first` on and before `end`, with room for a task; -1 if none."""
    block = _next_block(state, demand, first // HOSTS_OF_BLOCK)
    while block * HOSTS_OF_BLOCK < end:
        begin, stop = block * HOSTS_OF_BLOCK, min((block + 1) * HOSTS_OF_BLOCK, hosts.shape[0])
        for host in range(max(first, begin), min(end, stop)):
            if state.free[host, 0] >= demand[0] and hosts[host] and fits(state.free[host], demand):
                return np.int64(host)
        # The block looked promising but had no host: its value is too high.
        _lower_block(state, block, demand, begin, stop)
        block = _next_block(state, demand, block + 1)
    return np.int64(-1)


@inner
def next_in_turn(state, hosts, demand, last):
    """The first host in `hosts` after `last` with room, going up and around; -1 if none has room."""
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
    """Raise the values of a host's block: the host has more free than before, or is open again."""
    if state.most.shape[1] == 0:
        return
    state.tally[RAISES] += 1
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
    """The first block from `block` on where a host may have room; the number of blocks if there is none."""
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


@inlined
def _first_in_block(state, hosts, demand, first, end):
    """The first host in `hosts` from `first` on and before `end` with room for a task, -1 if none.

    It is found without a jump: which host has room cannot be predicted.
    """
    free, second = state.free, min(1, demand.shape[0] - 1)
    cores, memory, low = demand[0], demand[second], NOBODY
    for host in range(np.uint64(first), np.uint64(end)):
        enough = (free[host, 0] >= cores) & (free[host, np.uint64(second)] >= memory) & hosts[host]
        low = min(low, np.int32(host) if enough else NOBODY)
    if demand.shape[0] > 2:
        while low < end and not (hosts[low] and fits(free[low], demand)):
            low += np.int32(1)
    return np.int64(low) if low < end else np.int64(-1)


@inlined
def _lower_block(state, block, demand, first, end):
    """Lower the values of a block for the demand's number of cores and more: a search for the demand has failed."""
    most, resources = state.most, state.free.shape[1]
    _lower_to(state, block, demand, _most_memory(state, np.float64(_step_of(state, demand[0])), first, end))
    for r in range(2, resources):
        most[most.shape[0] + r - resources, block] = -1.0
    if resources > 2:
        for host in range(first, end):
            if state.open[host]:
                _raise_others(state, host, block)


@inlined
def _lower_to(state, block, demand, memory):
    """Lower the values of a block to `memory` for the demand's number of cores and more."""
    most, step = state.most, _step_of(state, demand[0])
    while step < _steps(state) and most[step, block] > memory:
        most[step, block] = memory
        step += 1


@inlined
def _most_memory(state, cores, first, end):
    """The most memory of an open host from `first` on and before `end` with so many cores free, -1 if there is none.

    Numbers that are not negative have the order of their bits, and vector instructions find the most of whole numbers.
    """
    free, second = state.free, np.uint64(min(1, state.free.shape[1] - 1))
    most = np.int64(-1)
    for host in range(np.uint64(first), np.uint64(end)):
        enough = state.open[host] & (free[host, 0] >= cores)
        most = max(most, np.float64(free[host, second]).view(np.int64) if enough else np.int64(-1))
    if most < 0:
        return -1.0
    return np.int64(most).view(np.float64) if state.free.shape[1] > 1 else 0.0


@inlined
def _raise_others(state, host, block):
    """Raise the block's values of the third and further resources to what the host has free."""
    most, resources = state.most, state.free.shape[1]
    for r in range(2, resources):
        at = most.shape[0] + r - resources
        most[at, block] = max(most[at, block], state.free[host, r])


@inlined
def _step_of(state, cores):
    """The row of `most` for that number of cores."""
    return min(np.int64(cores), _steps(state) - 1)


@inlined
def _steps(state):
    """The rows of `most` for numbers of cores; each further resource has one row behind them."""
    return state.most.shape[0] - max(state.free.shape[1] - 2, 0)


@inner
def fill(jobs, state, head_promise, job, length, some_are_not):
    """Write the hosts that first-fit takes behind the undo list, one entry a task; returns how many tasks get no host.

    Returns -1 if the undo list is too short.
    `length` LONG: only within the slack of the head's reservation. `some_are_not`: only hosts in `usable`, else all
    open hosts.
    """
    demand, left, at = jobs.demand[jobs.kind[job]], np.int64(jobs.tasks[job]), state.tally[UNDO]
    hosts, slack = state.usable if some_are_not else state.open, np.int64(0)
    if head_promise is not None:
        slack = head_promise.number[SLACK]
    host = _first_host(state, hosts, jobs.kind[job], demand, some_are_not)
    while host >= 0:
        if state.cards is not None:
            on_cards = state.cards.free[host]
            tasks = tasks_on_host(state.cards, demand, state.free[host], on_cards, jobs.kind[job], left)
        else:
            tasks = tasks_held(state.free[host], demand, left)
        if head_promise is not None and length == LONG:
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


@inlined
def _first_host(state, hosts, kind, demand, some_are_not):
    """The first host in `hosts` with room for a task, -1 if none; it is remembered where all open hosts count.

    Hosts only fill up until one is raised. So for jobs of equal demand the search goes on where it ended.
    """
    room = state.first_room[kind]
    first = room.host if room.raises == state.tally[RAISES] else np.int64(0)
    if some_are_not:
        return next_host(state, hosts, demand, first, hosts.shape[0])
    host = first  # where the last job of the demand was placed there often is room for one more
    if first == hosts.shape[0] or not state.open[first] or not fits(state.free[first], demand):
        host = _first_open(state, demand, first)
    room.raises, room.host = state.tally[RAISES], host if host >= 0 else hosts.shape[0]
    return host


@inner
def _first_open(state, demand, first):
    """The first open host with room for a task, -1 if none; it is known that none before `first` has room."""
    hosts = state.open.shape[0]
    # a number of cores beyond the last step shares this step with smaller ones, which may still fit
    goes_by_steps = demand.shape[0] <= 2 and demand[0] == np.floor(demand[0]) and demand[0] < _steps(state)
    block = _next_block(state, demand, first // HOSTS_OF_BLOCK)
    while block * HOSTS_OF_BLOCK < hosts:
        begin, stop = block * HOSTS_OF_BLOCK, min((block + 1) * HOSTS_OF_BLOCK, hosts)
        host = _first_in_block(state, state.open, demand, max(first, begin), stop)
        if host >= 0:
            return host
        if goes_by_steps:
            # each open host of the block with so many cores free has less memory than this
            _lower_to(state, block, demand, np.nextafter(demand[1] if demand.shape[0] > 1 else 0.0, -np.inf))
        else:
            _lower_block(state, block, demand, begin, stop)
        block = _next_block(state, demand, block + 1)
    return np.int64(-1)
