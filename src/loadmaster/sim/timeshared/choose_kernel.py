# mypy: disable-error-code="no-untyped-def"
"""Which time-shared host a task goes to, compiled: the policy rates every host, or only those with the least costs.

The opportunity cost and its slope are sums over resources of a weight, which the task and the kind of host decide,
times the cost of the host, which is kept. So a pass of products over all hosts shows the few that the policy is asked
about.
"""

import numpy as np

from loadmaster.jit.kernels import inner
from loadmaster.place.policy import Context
from loadmaster.sim.timeshared.costs_kernel import NEAR, alike, rate_all, weigh
from loadmaster.sim.timeshared.state import BY_SCORE, BY_SLOPE, LAST_HOST, OVERFLOWN, SCALE, WRONG


@inner
def choose(world, clock, rules, buffers, plain_score, context_score, task):
    """The lowest rated host of the best class of hosts that has any, the lowest index among equals."""
    if rules.search != BY_SCORE and not clock.whole[OVERFLOWN]:
        weigh(world, clock, buffers, rules.search == BY_SLOPE)
        least = rate_all(world, buffers)
        if least < np.inf:
            return _by_costs(world, clock, rules, buffers, context_score, task, least * NEAR)
    return _scan(world, clock, rules, buffers, plain_score, context_score, task)


@inner
def _by_costs(world, clock, rules, buffers, context_score, task, most):
    """The lowest rated host among those whose rating by costs is at most `most`; asks of equal hosts once."""
    hosts, rating = world.hosts, buffers.rating
    amount = hosts.shape[0]
    scale = clock.real[SCALE] if rules.scaled else 1.0
    best, best_score = -1, 0.0
    for host in range(amount):
        if rating[host] > most or (best >= 0 and alike(world, best, host)):
            continue
        for r in range(buffers.demand.shape[0]):
            buffers.capacity[r] = hosts[host].unit * scale if r == 0 else world.capacity[host, r]
            buffers.free[r] = buffers.capacity[r] - world.used[host, r]
        context = Context(host, amount, clock.whole[LAST_HOST], task, rules.seed)
        score = context_score(buffers.demand, buffers.free, buffers.capacity, context)
        if not np.isfinite(score):
            clock.whole[WRONG] = 1
        if best < 0 or score < best_score:
            best, best_score = host, score
    return best


@inner
def _scan(world, clock, rules, buffers, plain_score, context_score, task):
    """The lowest rated host of the best class of hosts that has any, the lowest index among equals."""
    demand, free, capacity = buffers.demand, buffers.free, buffers.capacity
    hosts, used, there = world.hosts, world.used, world.capacity
    amount, resources = hosts.shape[0], demand.shape[0]
    scale = clock.real[SCALE] if rules.scaled else 1.0
    best, best_class, best_score = -1, 3, 0.0
    for host in range(amount):
        for r in range(resources):
            capacity[r] = there[host, r]
        capacity[0] = hosts[host].unit * scale
        room = 0
        for r in range(resources):
            free[r] = capacity[r] - used[host, r]
            if not rules.overcommit and free[r] < demand[r]:
                room = max(room, 1 if r == 0 else 2)
        if room > best_class:
            continue
        if rules.contextual:
            context = Context(host, amount, clock.whole[LAST_HOST], task, rules.seed)
            score = context_score(demand, free, capacity, context)
        else:
            score = plain_score(demand, free, capacity)
        if not np.isfinite(score) and (score != np.inf or _has_room(demand, free)):
            clock.whole[WRONG] = 1
        if best < 0 or room < best_class or score < best_score:
            best, best_class, best_score = host, room, score
    return best


@inner
def _has_room(demand, free):
    """Whether a host holds the task; only where it does not may a score be infinite."""
    for r in range(demand.shape[0]):  # noqa: SIM110, a kernel
        if free[r] < demand[r]:
            return False
    return True
