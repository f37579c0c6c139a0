"""The waiting jobs in an order that never changes, and how to find the next one that might fit.

Jobs stand at fixed positions. A tree over the positions knows the least that anybody below a node asks for, so that
thousands of jobs for which no host has room are passed over by a few comparisons.
"""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,untyped-decorator"

import numpy as np

from loadmaster.kernels import inlined, inner
from loadmaster.sim.queue.queue_state import FAN, HEAD, LONG, SHORT


@inner
def join(jobs, waiting, job):
    """`job` waits from now on."""
    position = np.int64(jobs.position[job])
    waiting.here[position] = True
    resources = jobs.demand.shape[1]
    node = position // FAN
    for r in range(resources):
        asked = jobs.demand[jobs.kind[job], r]
        waiting.low[r, node] = min(waiting.low[r, node], asked)
        waiting.mid[r, node // FAN] = min(waiting.mid[r, node // FAN], asked)
        waiting.top[r, node // (FAN * FAN)] = min(waiting.top[r, node // (FAN * FAN)], asked)
    asked = jobs.expected_s[job]
    waiting.low[resources, node] = min(waiting.low[resources, node], asked)
    waiting.mid[resources, node // FAN] = min(waiting.mid[resources, node // FAN], asked)
    waiting.top[resources, node // (FAN * FAN)] = min(waiting.top[resources, node // (FAN * FAN)], asked)


@inner
def leave(jobs, waiting, job):
    """`job` waits no longer."""
    position = np.int64(jobs.position[job])
    waiting.here[position] = False
    resources = jobs.demand.shape[1]
    node = position // FAN
    for r in range(resources + 1):
        waiting.low[r, node] = np.inf
    for other in range(node * FAN, min((node + 1) * FAN, waiting.here.shape[0])):
        if waiting.here[other]:
            who = jobs.at[other]
            for r in range(resources):
                waiting.low[r, node] = min(waiting.low[r, node], jobs.demand[jobs.kind[who], r])
            waiting.low[resources, node] = min(waiting.low[resources, node], jobs.expected_s[who])
    _settle(waiting.low, waiting.mid, node // FAN)
    _settle(waiting.mid, waiting.top, node // (FAN * FAN))


@inlined
def _settle(below, above, node):
    last = min((node + 1) * FAN, below.shape[1])
    for r in range(below.shape[0]):
        least = np.inf
        for child in range(node * FAN, last):
            least = min(least, below[r, child])
        above[r, node] = least


@inner
def next_waiting(waiting, position, end):
    """The first position from `position` up to `end` at which a job waits, -1 if there is none."""
    while position < end:
        if position % FAN == 0:
            node = position // FAN
            if node % (FAN * FAN) == 0 and waiting.top[0, node // (FAN * FAN)] == np.inf:
                position += FAN * FAN * FAN
                continue
            if node % FAN == 0 and waiting.mid[0, node // FAN] == np.inf:
                position += FAN * FAN
                continue
            if waiting.low[0, node] == np.inf:
                position += FAN
                continue
        if waiting.here[position]:
            return position
        position += 1
    return np.int64(-1)


@inner
def next_fitting(jobs, waiting, stairs, moment, now, position, end):
    """As `next_waiting`, but jobs for which no host can have room are passed over."""
    while position < end:
        if position % FAN == 0:
            node = position // FAN
            if node % (FAN * FAN) == 0 and not _may_fit(waiting.top, node // (FAN * FAN), stairs, moment, now):
                position += FAN * FAN * FAN
                continue
            if node % FAN == 0 and not _may_fit(waiting.mid, node // FAN, stairs, moment, now):
                position += FAN * FAN
                continue
            if not _may_fit(waiting.low, node, stairs, moment, now):
                position += FAN
                continue
        if waiting.here[position]:
            job = jobs.at[position]
            if may_fit(jobs, stairs, job, length_of(moment, now, jobs.expected_s[job] / moment.fastest[0])):
                return position
        position += 1
    return np.int64(-1)


@inlined
def length_of(moment, now, expected_s):
    """SHORT or LONG, for a job that is expected to run so long."""
    return LONG if moment.number[HEAD] >= 0 and now + expected_s > moment.shadow_s[0] else SHORT


@inlined
def _may_fit(least, node, stairs, moment, now):
    cores = least[0, node]
    if cores == np.inf:
        return False
    resources = least.shape[0] - 1
    memory = least[1, node] if resources > 1 else 0.0
    if length_of(moment, now, least[resources, node] / moment.fastest[0]) == SHORT:
        return below(stairs, SHORT, cores, memory)
    return below(stairs, LONG, cores, memory)


@inlined
def may_fit(jobs, stairs, job, length):
    """Whether some host might have room for a task of `job`."""
    demand = jobs.demand[jobs.kind[job]]
    return below(stairs, length, demand[0], demand[1] if demand.shape[0] > 1 else 0.0)


@inlined
def below(stairs, length, cores, memory):
    """Whether a host might have so many cores and so much memory."""
    row = SHORT if stairs.fresh[length] < 0 else length
    if cores > stairs.most[row]:
        return False
    step = min(np.int64(cores), stairs.memory.shape[1] - 1)
    return memory <= stairs.memory[row, step]


@inner
def raise_to(stairs, free, host):
    """`host` has more free than before."""
    cores = free[host, 0]
    stairs.most[SHORT] = max(stairs.most[SHORT], cores)
    memory = free[host, 1] if free.shape[1] > 1 else 0.0
    step = min(np.int64(cores), stairs.memory.shape[1] - 1)
    while step >= 0 and stairs.memory[SHORT, step] < memory:
        stairs.memory[SHORT, step] = memory
        step -= 1


@inner
def renew(stairs, length, room):
    """Make the row exact for what hosts have, `room` float64[H, R]."""
    steps = stairs.memory.shape[1]
    several = room.shape[1] > 1
    most = 0.0
    for step in range(steps):
        stairs.memory[length, step] = -1.0
    for host in range(room.shape[0]):
        cores = room[host, 0]
        if cores >= 0.0:
            most = max(most, cores)
            step = min(np.int64(cores), steps - 1)
            stairs.memory[length, step] = max(stairs.memory[length, step], room[host, 1] if several else 0.0)
    for step in range(steps - 2, -1, -1):
        stairs.memory[length, step] = max(stairs.memory[length, step], stairs.memory[length, step + 1])
    stairs.most[length] = most
