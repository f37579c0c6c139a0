# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,untyped-decorator"
"""Whether a tick could move anything at all: while it could not, ticks need not be played.

A log of months has millions of quiet seconds. The contacts of a host differ from tick to tick, so that one tick
without a move says nothing of the next; that no host would move a task to any other does, until somebody comes or goes.
"""

import numpy as np

from loadmaster.kernels import lean
from loadmaster.move.enhanced_mosix import LEAST_GAIN
from loadmaster.sim.timeshared.movers_kernel import cost_change, note_cost
from loadmaster.sim.timeshared.state import MOSIX, SCALE, TICK


@lean
def all_content(world, jobs, clock, rules, buffers):
    """True only if no host would move a task whoever its contacts were; False may also mean that nobody found out."""
    if rules.mover == MOSIX:
        return _mosix_content(world, rules)
    return _enhanced_content(world, jobs, clock, buffers)


@lean
def _mosix_content(world, rules):
    """No memory to relieve, and not even the most loaded host above the least loaded one and the stability factor."""
    hosts, used = world.hosts, world.used
    most, least = 0.0, np.inf
    for host in range(hosts.shape[0]):
        power = hosts[host].power
        least = min(least, (used[host, 0] + rules.stability) / power)
        if hosts[host].root >= 0:
            most = max(most, used[host, 0] / power)
            if used.shape[1] > 1 and used[host, 1] > (1.0 - rules.free_fraction) * world.capacity[host, 1]:
                return False
    return most <= least


@lean
def _enhanced_content(world, jobs, clock, buffers):
    """For every task the cheapest other host is no cheaper than its own; tasks of equal demand ask once."""
    hosts, tasks, demand, cost, room = world.hosts, world.tasks, world.demand, buffers.cost, buffers.room
    amount = hosts.shape[0]
    log_base = np.log(max(2.0, float(amount)))
    for host in range(amount):
        note_cost(world, cost, room, host, host, clock.real[SCALE])
    for host in range(amount):
        task = hosts[host].head
        while task >= 0:
            job = tasks[task].job
            if not tasks[task].travelling:
                kind = jobs.kind[job]
                if buffers.seen_at[kind] != clock.whole[TICK]:
                    buffers.seen_at[kind] = clock.whole[TICK]
                    _find_cheapest(buffers, demand, job, kind, log_base)
                cheapest = buffers.cheapest[kind, 1 if buffers.cheapest_host[kind] == host else 0]
                if cost_change(cost, room, host, demand, job, log_base, -1.0) + cheapest < -LEAST_GAIN:
                    return False
            task = tasks[task].after
    return True


@lean
def _find_cheapest(buffers, demand, job, kind, log_base):
    """What a task like those of `job` adds to the cost of the host where that is least, and of the next best."""
    first, first_host, second = np.inf, -1, np.inf
    for host in range(buffers.room.shape[0] - 1):
        added = cost_change(buffers.cost, buffers.room, host, demand, job, log_base, 1.0)
        if added < first:
            first, first_host, second = added, host, first
        elif added < second:
            second = added
    buffers.cheapest[kind, 0], buffers.cheapest[kind, 1] = first, second
    buffers.cheapest_host[kind] = first_host
