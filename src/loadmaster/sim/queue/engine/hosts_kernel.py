"""Where tasks go: first-fit for all tasks of a job at once, any other policy task by task."""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.kernels import inlined, inner
from loadmaster.lowest_kernel import lowest
from loadmaster.scores_kernel import changed, rate_all, refresh
from loadmaster.sim.queue.engine.shadow_kernel import allowed_beside, recount, take_then, tasks_held, touch
from loadmaster.sim.queue.engine.state import ALONE, BESIDE, HAS_SHADOW, HOSTS_OF_BLOCK, JOB, SLACK

WRONG = -1
"""What `place_tasks` returns where the policy rates a host with something that is not a finite number."""


@inner
def place_tasks(jobs, rules, hosts, running, head, scan, job, how):
    """Take hosts for all tasks of `job`, written down as runs, or none; returns how many found no host, or `WRONG`.

    So many find room alone whatever the policy is, so that only a job that finds it is placed by scores.
    """
    first, last = jobs.first_task[job], hosts.last[0]
    if how == ALONE or rules.first_fit:
        left = _fill(jobs, hosts, running, head, job, how)
        if left > 0:
            return left
    if rules.first_fit:
        for run in range(first, first + running.runs[job]):
            _take(jobs, hosts, head, job, np.int64(running.run_host[run]), float(running.run_tasks[run]), how)
        return 0
    running.runs[job] = 0
    left = _by_score(jobs, rules, hosts, running, head, scan, job, how)
    if left != 0:
        for run in range(first, first + running.runs[job]):
            _take(jobs, hosts, head, job, np.int64(running.run_host[run]), -float(running.run_tasks[run]), how)
        hosts.last[0] = last
    return left


@inlined
def _fill(jobs, hosts, running, head, job, how):
    """Write down the runs of tasks that first-fit comes to; returns how many tasks find no host.

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
def _by_score(jobs, rules, hosts, running, head, scan, job, how):
    """Take the lowest rated host for one task after another; returns how many tasks find none, or `WRONG`."""
    first, kind = jobs.first_task[job], jobs.kind[job]
    closed = 0
    for k in range(jobs.tasks[job]):
        host, wrong = np.int64(-1), np.int64(0)
        if rules.varies:
            slot = np.int64(0)
            wrong = rate_all(
                hosts.scores, scan, jobs.demand[kind], hosts.free, hosts.last[0], first + k, rules.seed
            )  # fmt: skip
        else:
            slot, wrong = refresh(
                hosts.scores, scan, kind, jobs.demand[kind], hosts.free, hosts.last[0], rules.seed
            )  # fmt: skip
        if not wrong:
            host, closed = _lowest_allowed(jobs, hosts, head, job, how, slot, closed)
        if host < 0:
            _open(hosts, closed)
            return WRONG if wrong else jobs.tasks[job] - k
        run = first + running.runs[job]
        if run > first and running.run_host[run - 1] == host:
            running.run_tasks[run - 1] += 1
        else:
            running.run_host[run], running.run_tasks[run] = host, 1
            running.runs[job] += 1
        _take(jobs, hosts, head, job, host, 1.0, how)
    _open(hosts, closed)
    return 0


@inner
def _lowest_allowed(jobs, hosts, head, job, how, slot, closed):
    """The lowest rated host that the head leaves to a task, -1 if there is none; and how many are closed to the job."""
    while True:
        host = lowest(hosts.scores, slot, hosts.usable, closed > 0)
        if host < 0 or how == ALONE:
            return host, closed
        allowed, _ = allowed_beside(
            jobs, hosts, head, host, jobs.demand[jobs.kind[job]], 1.0, head.amount[SLACK]
        )  # fmt: skip
        if allowed > 0.0:
            return host, closed
        hosts.usable[host] = False
        hosts.closed[closed] = host
        closed += 1


@inner
def _open(hosts, closed):
    """Hosts that were closed to one job are usable by the next."""
    for i in range(closed):
        hosts.usable[hosts.closed[i]] = True


@inner
def fits(room, demand):
    """Whether a task fits."""
    enough = True
    for r in range(demand.shape[0]):
        enough &= room[r] >= demand[r]
    return enough


@inner
def _take(jobs, hosts, head, job, host, tasks, how):
    """Tasks of `job` go to `host`; fewer than 0 leave it again as if they had never come."""
    demand = jobs.demand[jobs.kind[job]]
    if how == BESIDE:
        take_then(jobs, head, host, demand, tasks)
    elif head.number[JOB] >= 0 and head.number[HAS_SHADOW] == 1:
        touch(hosts, head, host)
    _change(hosts, host, demand, -tasks)
    recount(jobs, hosts, head, host)
    hosts.last[0] = host


@inner
def give_back(jobs, hosts, head, job, host, tasks):
    """Tasks of `job` have ended on `host`."""
    _change(hosts, host, jobs.demand[jobs.kind[job]], tasks)
    block = host // HOSTS_OF_BLOCK
    for r in range(hosts.free.shape[1]):
        hosts.most[block, r] = max(hosts.most[block, r], hosts.free[host, r])
    recount(jobs, hosts, head, host)


@inner
def _change(hosts, host, demand, tasks):
    """Let so many tasks more be free."""
    for r in range(demand.shape[0]):
        hosts.free[host, r] += demand[r] * tasks
        hosts.total[r] += demand[r] * tasks
    changed(hosts.scores, host)


@inner
def _lower(hosts, block):
    """Let a block's bound be what its hosts have."""
    for r in range(hosts.free.shape[1]):
        most = 0.0
        for host in range(block * HOSTS_OF_BLOCK, min(hosts.free.shape[0], (block + 1) * HOSTS_OF_BLOCK)):
            most = max(most, hosts.free[host, r])
        hosts.most[block, r] = most
