# mypy: disable-error-code="no-untyped-def"
"""The opportunity costs of time-shared hosts, kept up: n^use of every resource, and by what factor a task changes it.

An exponential is taken once a change of a host, and once for each kind of job on each kind of host, not at every look.
"""

import numpy as np

from loadmaster.jit.kernels import inner
from loadmaster.sim.timeshared.state import OVERFLOWN, SCALE

COME, GO = 0, 1
"""Places in `Buffers.factor`: n^(use of the task) - 1 as it comes, the same as it goes."""
NEAR = 1.0 + 1e-9
"""Ratings further apart than this are told apart by the fast rating, whose rounding is another than the policy's."""


@inner
def room_of(world, clock, host, r):
    """The capacity of resource r as the cost sees it: the CPU's is the load at which the cluster counts as full."""
    return world.hosts[host].unit * clock.real[SCALE] if r == 0 else world.capacity[host, r]


@inner
def note_cost(world, clock, host):
    """Write what each resource of `host` costs now, n^use; 0 where it has nothing of it."""
    if world.cost.shape[1] == 0:
        return
    for r in range(world.cost.shape[0]):
        room = room_of(world, clock, host, r)
        cost = np.exp(world.log_base[0] * world.used[host, r] / room) if room > 0.0 else 0.0
        world.cost[r, host] = cost
        if not np.isfinite(cost):
            clock.whole[OVERFLOWN] = 1


@inner
def note_all(world, clock):
    """The same for all hosts, and what the least task costs on each kind of host: the scale has changed."""
    for host in range(world.cost.shape[1]):
        note_cost(world, clock, host)
    for kind in range(world.least.shape[0]):
        for r in range(world.least.shape[1]):
            room = room_of(world, clock, world.first_of[kind], r)
            world.least[kind, r] = np.exp(world.log_base[0] * world.least_demand[r] / room) if room > 0.0 else 1.0


@inner
def row_of(world, clock, buffers, jobs, job, kind):
    """The row of `buffers.factor` for tasks like those of `job` on hosts of this kind, made if it is not there."""
    key = jobs.kind[job] * world.first_of.shape[0] + kind
    row = key & (buffers.factor_of.shape[0] - 1)
    scale = clock.real[SCALE]
    if buffers.factor_of[row] == key and buffers.factor_scale[row] == scale:
        return row
    buffers.factor_of[row], buffers.factor_scale[row], buffers.barred[row] = key, scale, False
    log_base, host = world.log_base[0], world.first_of[kind]
    for r in range(world.demand.shape[1]):
        asked, room = world.demand[job, r], room_of(world, clock, host, r)
        if room > 0.0:
            buffers.factor[row, COME, r] = np.exp(log_base * asked / room) - 1.0
            buffers.factor[row, GO, r] = np.exp(log_base * -1.0 * asked / room) - 1.0
        else:
            buffers.factor[row, COME, r] = buffers.factor[row, GO, r] = 0.0
            buffers.barred[row] = buffers.barred[row] or asked > 0.0
    return row


@inner
def cost_change(world, buffers, host, row, way):
    """By how much the cost of `host` grows when a task of `row` comes or goes.

    Infinite where it comes to a host that has nothing at all of what it requests.
    """
    if way == COME and buffers.barred[row]:
        return np.inf
    change = 0.0
    for r in range(world.cost.shape[0]):
        change += world.cost[r, host] * buffers.factor[row, way, r]
    return change


@inner
def weigh(world, clock, buffers, derivative):
    """Per kind of host what `buffers.demand` makes of each unit of cost: its growth, or its slope (`derivative`)."""
    log_base = world.log_base[0]
    for kind in range(world.first_of.shape[0]):
        buffers.barred_kind[kind] = False
        for r in range(buffers.demand.shape[0]):
            room = room_of(world, clock, world.first_of[kind], r)
            asked = buffers.demand[r]
            if room <= 0.0:
                buffers.weight[kind, r] = 0.0
                buffers.barred_kind[kind] = buffers.barred_kind[kind] or (asked > 0.0 and not derivative)
            elif derivative:
                buffers.weight[kind, r] = asked / room * log_base
            else:
                buffers.weight[kind, r] = np.expm1(log_base * asked / room)


@inner
def rate_all(world, buffers):
    """Into `buffers.rating`: weights times costs, of every host; returns the least."""
    rating, cost, weight = buffers.rating, world.cost, buffers.weight
    hosts = rating.shape[0]
    if world.first_of.shape[0] == 1:
        if buffers.barred_kind[0]:
            return np.inf
        for r in range(cost.shape[0]):
            factor, column = weight[0, r], cost[r]
            if r == 0:
                for host in range(hosts):
                    rating[host] = factor * column[host]
            else:
                for host in range(hosts):
                    rating[host] += factor * column[host]
    else:
        for host in range(hosts):
            kind = world.kind_of[host]
            total = np.inf if buffers.barred_kind[kind] else 0.0
            for r in range(cost.shape[0]):
                total += weight[kind, r] * cost[r, host]
            rating[host] = total
    return _least(rating)


@inner
def _least(rating):
    """The least of `rating`; by four at a time, which do not wait for each other."""
    a = b = c = d = np.inf
    whole = rating.shape[0] - rating.shape[0] % 4
    for i in range(0, whole, 4):
        a, b, c, d = min(a, rating[i]), min(b, rating[i + 1]), min(c, rating[i + 2]), min(d, rating[i + 3])
    for i in range(whole, rating.shape[0]):
        a = min(a, rating[i])
    return min(min(a, b), min(c, d))


@inner
def alike(world, one, other):
    """Whether two hosts are of one kind and used alike, so that every score of them is the same."""
    if world.kind_of[one] != world.kind_of[other]:
        return False
    for r in range(world.used.shape[1]):  # noqa: SIM110, a kernel
        if world.used[one, r] != world.used[other, r]:
            return False
    return True
