# mypy: disable-error-code="no-untyped-def"
"""Enhanced Mosix for time-shared hosts, compiled: a host's turn, and whether any host could gain by one."""

import math

import numpy as np

from loadmaster.jit.kernels import inner
from loadmaster.move.enhanced_mosix import LEAST_GAIN
from loadmaster.sim.timeshared.costs_kernel import COME, GO, cost_change, room_of, row_of
from loadmaster.sim.timeshared.state import TICK

ROUNDING = 1e-12
"""Part of the costs by which a bound may be off."""
FEW_KINDS = 16
"""With more kinds of hosts the bound is not worth its time."""


@inner
def enhanced_turn(world, jobs, clock, buffers, host, known):
    """`EnhancedMosix.turn`; returns (task, target), task -1 for no move."""
    tasks, contacts = world.tasks, buffers.contacts
    best, target, best_change = -1, -1, 0.0
    some = 0
    for c in range(known):
        for r in range(world.cost.shape[0]):
            buffers.there[r] = world.cost[r, contacts[c]]
            buffers.least_here[r] = world.least[world.kind_of[host], r]
        if may_gain(world, clock, buffers, host, contacts[c]):
            contacts[some] = contacts[c]
            some += 1
    if some == 0:
        return best, target
    own = world.kind_of[host]
    task = world.hosts[host].head
    while task >= 0:
        this = tasks[task]
        if not this.travelling:
            row = row_of(world, clock, buffers, jobs, this.job, own)
            leaving = cost_change(world, buffers, host, row, GO)
            for c in range(some):
                other = contacts[c]
                there = (
                    row
                    if world.kind_of[other] == own
                    else row_of(world, clock, buffers, jobs, this.job, world.kind_of[other])
                )
                change = leaving + cost_change(world, buffers, other, there, COME)
                if change < best_change - LEAST_GAIN:
                    best, target, best_change = task, other, change
        task = this.after
    return best, target


@inner
def may_gain(world, clock, buffers, host, other):
    """False only if no task that moves from `host` to a host like `other` lowers the total by `LEAST_GAIN`.

    `buffers.there` holds the costs of that host, which may be another than `other` of the same kind;
    `buffers.least_here` n^(use) of no more than what any of the tasks requests. For each resource the change is
    c e^-x - c + d e^x - d with c and d the costs here and there, convex in x; its minima from the least x on are added.
    """
    same, bound, size = world.kind_of[host] == world.kind_of[other], 0.0, 0.0
    for r in range(world.cost.shape[0]):
        here, there, least = world.cost[r, host], buffers.there[r], buffers.least_here[r]
        size += here + there * least
        if same:
            if least * least * there >= here:
                bound += here * (1.0 / least - 1.0) + there * (least - 1.0)
            else:
                bound -= here + there - 2.0 * math.sqrt(here * there)
        elif there * room_of(world, clock, host, r) < here * room_of(world, clock, other, r):
            bound -= here
    return not bound - ROUNDING * size > -LEAST_GAIN


@inner
def enhanced_content(world, jobs, clock, buffers, exactly):
    """True only if no host would move a task, with any contacts.

    Hosts that can gain nothing from the least costs of all hosts together are content; the others' tasks are looked at
    only if it is requested `exactly`, those of equal demand once: each must find the cheapest other host no cheaper.
    """
    if world.first_of.shape[0] > FEW_KINDS:
        return exactly and _tasks_content(world, jobs, clock, buffers, -1)
    _find_least(world, buffers)
    for host in range(world.hosts.shape[0]):
        if (
            _find_least_here(world, jobs, clock, buffers, host)
            and _gains_somewhere(world, clock, buffers, host)
            and not (exactly and _tasks_content(world, jobs, clock, buffers, host))
        ):
            return False
    return True


@inner
def _find_least(world, buffers):
    """For each kind of host and resource the least cost, where it is, and the least elsewhere."""
    buffers.least_cost[:] = np.inf
    buffers.least_host[:] = -1
    for host in range(world.hosts.shape[0]):
        kind = world.kind_of[host]
        for r in range(world.cost.shape[0]):
            cost = world.cost[r, host]
            if cost < buffers.least_cost[kind, 0, r]:
                buffers.least_cost[kind, 1, r] = buffers.least_cost[kind, 0, r]
                buffers.least_cost[kind, 0, r] = cost
                buffers.least_host[kind, r] = host
            elif cost < buffers.least_cost[kind, 1, r]:
                buffers.least_cost[kind, 1, r] = cost


@inner
def _find_least_here(world, jobs, clock, buffers, host):
    """Into `buffers.least_here`: what the least of the tasks that run on `host` costs alone; False if none runs."""
    resources = world.cost.shape[0]
    for r in range(resources):
        buffers.least_here[r] = np.inf
    task = world.hosts[host].head
    while task >= 0:
        if not world.tasks[task].travelling:
            row = row_of(world, clock, buffers, jobs, world.tasks[task].job, world.kind_of[host])
            for r in range(resources):
                buffers.least_here[r] = min(buffers.least_here[r], buffers.factor[row, COME, r] + 1.0)
        task = world.tasks[task].after
    return buffers.least_here[0] < np.inf


@inner
def _gains_somewhere(world, clock, buffers, host):
    """Whether `host` may gain from some other host, as far as the least costs of each kind tell."""
    for kind in range(world.first_of.shape[0]):
        anybody = True
        for r in range(world.cost.shape[0]):
            second = 1 if buffers.least_host[kind, r] == host else 0
            buffers.there[r] = buffers.least_cost[kind, second, r]
            anybody = anybody and buffers.there[r] < np.inf
        if anybody and may_gain(world, clock, buffers, host, world.first_of[kind]):
            return True
    return False


@inner
def _tasks_content(world, jobs, clock, buffers, only):
    """Whether for every task, of host `only` or of all (-1), the cheapest other host is no cheaper than its own."""
    hosts, tasks = world.hosts, world.tasks
    first, last = (0, hosts.shape[0]) if only < 0 else (only, only + 1)
    for host in range(first, last):
        task = hosts[host].head
        while task >= 0:
            job = tasks[task].job
            if not tasks[task].travelling:
                kind = jobs.kind[job]
                if buffers.seen_at[kind] != clock.whole[TICK]:
                    buffers.seen_at[kind] = clock.whole[TICK]
                    _find_cheapest(world, jobs, clock, buffers, job, kind)
                cheapest = buffers.cheapest[kind, 1 if buffers.cheapest_host[kind] == host else 0]
                row = row_of(world, clock, buffers, jobs, job, world.kind_of[host])
                if cost_change(world, buffers, host, row, GO) + cheapest < -LEAST_GAIN:
                    return False
            task = tasks[task].after
    return True


@inner
def _find_cheapest(world, jobs, clock, buffers, job, kind):
    """What a task like those of `job` adds to the cost of the host where that is least, and of the next best."""
    for each in range(world.first_of.shape[0]):
        buffers.row[each] = row_of(world, clock, buffers, jobs, job, each)
    first, first_host, second = np.inf, -1, np.inf
    for host in range(world.hosts.shape[0]):
        added = cost_change(world, buffers, host, buffers.row[world.kind_of[host]], COME)
        if added < first:
            first, first_host, second = added, host, first
        elif added < second:
            second = added
    buffers.cheapest[kind, 0], buffers.cheapest[kind, 1] = first, second
    buffers.cheapest_host[kind] = first_host
