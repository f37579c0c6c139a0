"""The next host with room for a task, by index: blocks of hosts that have none are passed over.

    host = next_host(state, hosts, demand, first, end)      the first such host from `first` on, before `end`
    host = next_in_turn(state, hosts, demand, last)         the first one after `last`, going up and around
    raise_block(state, host)                                whenever a host has more free than before, or opens

Of each block of hosts it is known, for every lane of cores, the most memory on any of its hosts that has so many cores
free: two hosts, one with cores and one with memory, are not taken for a host with both. Of hosts that are open it is
never too low: one that gains, or is opened again, raises it. It may be too high, as one that loses leaves it, until a
look at the block in vain makes it exact.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.kernels import inlined, inner
from loadmaster.sim.queue.least_kernel import lane_of
from loadmaster.sim.queue.queue_state import HOSTS_OF_BLOCK, LANES


@inner
def next_host(state, hosts, demand, first, end):
    """The first host in `hosts`, bool[H], from `first` on and before `end` that has room for a task, -1 if none has."""
    block = _next_block(state.most, demand, first // HOSTS_OF_BLOCK)
    while block * HOSTS_OF_BLOCK < end:
        begin, stop = block * HOSTS_OF_BLOCK, min((block + 1) * HOSTS_OF_BLOCK, hosts.shape[0])
        for host in range(max(first, begin), min(end, stop)):
            if hosts[host] and fits(state.free[host], demand):
                return np.int64(host)
        _make_exact(state, block, begin, stop)
        block = _next_block(state.most, demand, block + 1)
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
    _stand(state.most, host // HOSTS_OF_BLOCK, state.free[host])


@inner
def _next_block(most, demand, block):
    """The first block from `block` on, of which a host may have room; the number of blocks if there is none."""
    lane, memory = lane_of(demand[0]), demand[1] if demand.shape[0] > 1 else 0.0
    while block < most.shape[1]:
        if most[lane, block] >= memory:
            enough = True
            for r in range(2, demand.shape[0]):
                enough &= most[LANES + r - 2, block] >= demand[r]
            if enough:
                break
        block += 1
    return block


@inner
def _make_exact(state, block, first, last):
    state.most[:, block] = -1.0
    for host in range(first, last):
        if state.open[host]:
            _stand(state.most, block, state.free[host])


@inlined
def _stand(most, block, free):
    """A host of the block has so much free."""
    if free[0] >= 0.0:
        memory = free[1] if free.shape[0] > 1 else 0.0
        for lane in range(lane_of(free[0]) + 1):
            most[lane, block] = max(most[lane, block], memory)
        for r in range(2, free.shape[0]):
            most[LANES + r - 2, block] = max(most[LANES + r - 2, block], free[r])
