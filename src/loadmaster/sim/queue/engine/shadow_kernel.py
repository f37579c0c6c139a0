"""The promise to the head: its shadow time, and what jobs that outlast it may take (rule Q6).

The shadow time is worked out only when a job behind the head could start, and holds until a job ends: a job that starts
behind the head either is over by then or leaves it enough hosts. It is counted in tasks of the head that hosts hold, so
only hosts where a job ends before it are looked at.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.kernels import inner
from loadmaster.sim.queue.ends_kernel import next_end
from loadmaster.sim.queue.engine.state import COUNTED_FOR, HAS_SHADOW, HELD, JOB, SHADOW_S, SLACK, STAMP


@inner
def tasks_held(room, demand, most):
    """Tasks of `demand` that go into `room`, at most `most`: exact, as amounts are whole multiples of one unit."""
    held = most
    for r in range(demand.shape[0]):
        if demand[r] > 0.0:
            held = min(held, np.floor(room[r] / demand[r]))
    return max(held, 0.0)


@inner
def find_shadow(jobs, hosts, running, head, now):
    """Work out when the head fits at the soonest, if running jobs end when expected."""
    job = head.number[JOB]
    demand, need = jobs.demand[jobs.kind[job]], float(jobs.tasks[job])
    _count_now(hosts, head, job, demand, need)
    head.number[STAMP] += 1
    head.number[HAS_SHADOW] = 1
    held, shadow_s = head.amount[HELD], np.inf
    if held >= need:
        shadow_s = now
    soonest = np.nextafter(now, np.inf)
    end_s, other, i, k = next_end(running.ends, running.ends.size[0], 0)
    while shadow_s == np.inf and other >= 0:
        moment = max(end_s, soonest)
        while other >= 0 and max(end_s, soonest) <= moment:
            for run in range(jobs.first_task[other], jobs.first_task[other] + running.runs[other]):
                host = running.run_host[run]
                touch(hosts, head, host)
                held -= head.then_held[host]
                _add_then(jobs, head, host, jobs.demand[jobs.kind[other]], float(running.run_tasks[run]))
                held += head.then_held[host]
            end_s, other, i, k = next_end(running.ends, i, k)
        if held >= need:
            shadow_s = moment
    head.amount[SHADOW_S] = shadow_s
    head.amount[SLACK] = held - need


@inner
def _count_now(hosts, head, job, demand, need):
    """Count what every host holds of the head now, unless it is known."""
    if head.number[COUNTED_FOR] == job:
        return
    head.number[COUNTED_FOR] = job
    total = 0.0
    for host in range(hosts.free.shape[0]):
        head.held[host] = tasks_held(hosts.free[host], demand, need)
        total += head.held[host]
    head.amount[HELD] = total


@inner
def recount(jobs, hosts, head, host):
    """What is free on `host` has changed."""
    job = head.number[COUNTED_FOR]
    if job >= 0:
        held = tasks_held(hosts.free[host], jobs.demand[jobs.kind[job]], float(jobs.tasks[job]))
        head.amount[HELD] += held - head.held[host]
        head.held[host] = held


@inner
def touch(hosts, head, host):
    """Let `host` have a row of its own for the shadow time, as it is now."""
    if head.touched[host] != head.number[STAMP]:
        head.touched[host] = head.number[STAMP]
        head.then_held[host] = head.held[host]
        for r in range(hosts.free.shape[1]):
            head.then[host, r] = hosts.free[host, r]


@inner
def _add_then(jobs, head, host, demand, tasks):
    """Change by so many tasks what is free on `host` at the shadow time."""
    for r in range(demand.shape[0]):
        head.then[host, r] += demand[r] * tasks
    job = head.number[JOB]
    head.then_held[host] = tasks_held(head.then[host], jobs.demand[jobs.kind[job]], float(jobs.tasks[job]))


@inner
def take_then(jobs, head, host, demand, tasks):
    """Tasks that outlast the shadow time go to `host`."""
    held = head.then_held[host]
    _add_then(jobs, head, host, demand, -tasks)
    head.amount[SLACK] -= held - head.then_held[host]


@inner
def allowed_beside(jobs, hosts, head, host, demand, tasks, slack):
    """How many of `tasks` may go to `host` for longer than the shadow time, and tasks of the head that they cost."""
    touch(hosts, head, host)
    job = head.number[JOB]
    head_demand, need = jobs.demand[jobs.kind[job]], float(jobs.tasks[job])
    allowed, cost = 0.0, 0.0
    all_cost = head.then_held[host] - _held_without(head.then[host], demand, tasks, head_demand, need)
    if all_cost <= slack:
        return tasks, all_cost
    while allowed < tasks:
        more = head.then_held[host] - _held_without(head.then[host], demand, allowed + 1.0, head_demand, need)
        if more > slack:
            break
        allowed, cost = allowed + 1.0, more
    return allowed, cost


@inner
def _held_without(room, demand, tasks, head_demand, most):
    """As `tasks_held`, of the head, when `tasks` of `demand` are there too."""
    held = most
    for r in range(demand.shape[0]):
        if head_demand[r] > 0.0:
            held = min(held, np.floor((room[r] - demand[r] * tasks) / head_demand[r]))
    return max(held, 0.0)
