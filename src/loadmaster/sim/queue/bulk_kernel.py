"""Hosts for all tasks of a job at once: how many find room, and where first-fit puts them.

A host holds as many tasks of a demand as the least quotient of free and asked amounts says, and amounts are whole
multiples of one unit, so a count is exact. Equal tasks that are placed one by one under first-fit go to the first host
until it is full: its count at once is the same. And whatever the policy is, as many tasks find room alone as all hosts
hold together.

The hosts with room are found by `next_host` (`blocks_kernel.py`).
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.kernels import inner
from loadmaster.sim.queue.beside_kernel import allowed_on, tasks_held
from loadmaster.sim.queue.blocks_kernel import next_host
from loadmaster.sim.queue.queue_state import LONG, SLACK, UNDO


@inner
def fill(jobs, state, moment, job, length, some_are_not):
    """Write the hosts of first-fit behind the undo list, once a task; returns how many tasks find none.

    It is -1 where there is no room to write.
    `length` LONG: beside what the head is promised. `some_are_not`: only hosts in `usable`, else all that are open.
    """
    demand, left, at = jobs.demand[jobs.kind[job]], np.int64(jobs.tasks[job]), state.tally[UNDO]
    slack, hosts = moment.number[SLACK], state.usable if some_are_not else state.open
    host = next_host(state, hosts, demand, 0, hosts.shape[0])
    while host >= 0:
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
        host = next_host(state, hosts, demand, host + 1, hosts.shape[0])
    return left
