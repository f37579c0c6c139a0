"""Hosts for all tasks of a job at once: how many find room, and where first-fit puts them.

A host holds as many tasks of a demand as the least quotient of free and asked amounts says, and amounts are whole
multiples of one unit, so a count is exact. Equal tasks that are placed one by one under first-fit go to the first host
until it is full: its count at once is the same. And whatever the policy is, as many tasks find room alone as all hosts
hold together.

Hosts lie in blocks of which the most that any host has free is known, or more than that: a job that ends raises it, and
a walk over all of a block makes it exact.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.kernels import inlined, inner
from loadmaster.sim.queue.beside_kernel import allowed_on, tasks_held
from loadmaster.sim.queue.queue_state import HOSTS_OF_BLOCK, LONG, SLACK, UNDO


@inner
def fill(jobs, state, moment, job, length, some_are_not):
    """Write the hosts of first-fit behind the undo list, once a task; returns how many tasks find none.

    It is -1 where there is no room to write.
    `length` LONG: beside what the head is promised. `some_are_not`: only hosts in `usable`, else all that are open.
    """
    demand, left, at = jobs.demand[jobs.kind[job]], np.int64(jobs.tasks[job]), state.tally[UNDO]
    slack, hosts = moment.number[SLACK], state.usable if some_are_not else state.open
    for block in range(state.most.shape[0]):
        if not fits(state.most[block], demand):
            continue
        first, last = block * HOSTS_OF_BLOCK, min(state.free.shape[0], (block + 1) * HOSTS_OF_BLOCK)
        for host in range(first, last):
            if not (hosts[host] and fits(state.free[host], demand)):
                continue
            tasks = tasks_held(state.free[host], demand, left)
            if length == LONG:
                tasks, cost = allowed_on(jobs, state, moment, job, host, tasks, slack)
                slack -= cost
            if at + tasks > state.undo_host.shape[0]:
                return np.int64(-1)
            for _ in range(tasks):
                state.undo_host[at] = host
                at += 1
            left -= tasks
            if left == 0:
                return left
        _make_exact(state, block, first, last)
    return left


@inlined
def fits(room, demand):
    """Whether a task fits."""
    enough = True
    for r in range(demand.shape[0]):
        enough &= room[r] >= demand[r]
    return enough


@inner
def _make_exact(state, block, first, last):
    for r in range(state.free.shape[1]):
        most = 0.0
        for host in range(first, last):
            most = max(most, state.free[host, r])
        state.most[block, r] = most


@inlined
def raise_block(state, host):
    """`host` has more free than before."""
    block = host // HOSTS_OF_BLOCK
    for r in range(state.free.shape[1]):
        state.most[block, r] = max(state.most[block, r], state.free[host, r])
