"""Where tasks go: first-fit for all tasks of a job at once, as many on each host as it holds."""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.kernels import inner
from loadmaster.sim.queue.engine.shadow_kernel import allowed_beside, tasks_held
from loadmaster.sim.queue.engine.state import BESIDE, HOSTS_OF_BLOCK, SLACK


@inner
def place(jobs, hosts, running, head, job, how):
    """Choose hosts for the tasks of `job` and write them down as runs; nothing is taken. Returns tasks without a host.

    Equal tasks are placed as one by one: the first host that holds one goes on being the first until it is full.
    """
    demand, left, at = jobs.demand[jobs.kind[job]], jobs.tasks[job], jobs.first_task[job]
    slack = head.amount[SLACK]
    for block in range(hosts.most.shape[0]):
        if not fits(hosts.most[block], demand):
            continue
        for host in range(block * HOSTS_OF_BLOCK, min(hosts.free.shape[0], (block + 1) * HOSTS_OF_BLOCK)):
            if not fits(hosts.free[host], demand):
                continue
            tasks = tasks_held(hosts.free[host], demand, float(left))
            if how == BESIDE:
                tasks, cost = allowed_beside(jobs, hosts, head, host, demand, tasks, slack)
                slack -= cost
            if tasks > 0.0:
                running.run_host[at] = host
                running.run_tasks[at] = np.int32(tasks)
                at += 1
                left -= np.int64(tasks)
                if left == 0:
                    running.runs[job] = at - jobs.first_task[job]
                    return 0
        _lower(hosts, block)
    return left


@inner
def fits(room, demand):
    """Whether a task fits."""
    enough = True
    for r in range(demand.shape[0]):
        enough &= room[r] >= demand[r]
    return enough


@inner
def give_back(jobs, hosts, job, host, tasks):
    """Tasks of `job` leave `host`."""
    demand, block = jobs.demand[jobs.kind[job]], host // HOSTS_OF_BLOCK
    for r in range(demand.shape[0]):
        hosts.free[host, r] += demand[r] * tasks
        hosts.total[r] += demand[r] * tasks
        hosts.most[block, r] = max(hosts.most[block, r], hosts.free[host, r])


@inner
def take(jobs, hosts, job, host, tasks):
    """Tasks of `job` go to `host`."""
    demand = jobs.demand[jobs.kind[job]]
    for r in range(demand.shape[0]):
        hosts.free[host, r] -= demand[r] * tasks
        hosts.total[r] -= demand[r] * tasks


@inner
def _lower(hosts, block):
    """Let a block's bound be what its hosts have."""
    for r in range(hosts.free.shape[1]):
        most = 0.0
        for host in range(block * HOSTS_OF_BLOCK, min(hosts.free.shape[0], (block + 1) * HOSTS_OF_BLOCK)):
            most = max(most, hosts.free[host, r])
        hosts.most[block, r] = most
