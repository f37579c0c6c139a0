"""What the promised moment leaves to jobs that outlast it, host by host: counted in tasks of the head (rule Q6).

Of a head of several tasks it is known what every host holds of it now, kept up to date as tasks come and go. Only hosts
where a job ends before the moment differ then, and only those and hosts that are asked get a row of their own. A single
task fits nowhere now, so hosts where nobody ends before hold none of it then either.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.jit.kernels import inlined, inner
from loadmaster.sim.queue.engine.state import COUNTED, HEAD, HELD, SLACK, STAMP_THEN, TOUCHED


@inner
def tasks_held(room, demand, most):
    """Tasks of `demand` that go into `room`, at most `most`."""
    held = float(most)
    for r in range(demand.shape[0]):
        if demand[r] > 0.0:
            held = min(held, np.floor(room[r] / demand[r]))
    return np.int64(max(held, 0.0))


@inner
def held_in(jobs, room, head, host):
    """Tasks of the head that the host holds with what it has in `room`, at most all; none where it may not go."""
    if not jobs.allowed[jobs.hosts[head], host]:
        return np.int64(0)
    return tasks_held(room[host], jobs.demand[jobs.kind[head]], jobs.tasks[head])


@inner
def count_now(jobs, state, head_promise, head):
    """Count what every host holds of the head now, unless that is known."""
    if head_promise.number[COUNTED] == head:
        return
    head_promise.number[COUNTED] = head
    total = np.int64(0)
    for host in range(state.free.shape[0]):
        head_promise.held_now[host] = held_in(jobs, state.free, head, host)
        total += head_promise.held_now[host]
    head_promise.number[HELD] = total


@inlined
def recount(jobs, state, head_promise, host):
    """What is free on `host` has changed."""
    head = head_promise.number[COUNTED]
    if head >= 0:
        held = held_in(jobs, state.free, head, host)
        head_promise.number[HELD] += held - head_promise.held_now[host]
        head_promise.held_now[host] = held


@inlined
def is_apart(head_promise, host):
    """Whether the host has a row of its own for the promised moment."""
    return head_promise.then_at[host] == head_promise.number[STAMP_THEN]


@inner
def set_apart(jobs, state, head_promise, host):
    """Let the host have a row of its own, as it is now; of a single task it holds none now."""
    if is_apart(head_promise, host):
        return
    head_promise.then_at[host] = head_promise.number[STAMP_THEN]
    for r in range(state.free.shape[1]):
        head_promise.then[host, r] = state.free[host, r]
    head_promise.held[host] = head_promise.held_now[host] if is_counted(head_promise) else 0
    head_promise.touched[head_promise.number[TOUCHED]] = host
    head_promise.number[TOUCHED] += 1


@inlined
def is_counted(head_promise):
    """Whether what hosts hold of the head is counted: it has several tasks."""
    return head_promise.number[COUNTED] >= 0 and head_promise.number[COUNTED] == head_promise.number[HEAD]


@inner
def allowed_on(jobs, state, head_promise, job, host, tasks, slack):
    """How many of `tasks` of a job may go to the host beyond the promised moment, and tasks of the head they cost."""
    if is_counted(head_promise):
        set_apart(jobs, state, head_promise, host)
    elif not is_apart(head_promise, host):
        return tasks, np.int64(0)
    all_cost = _cost(jobs, head_promise, job, host, tasks)
    if all_cost <= slack:
        return tasks, all_cost
    allowed, cost = np.int64(0), np.int64(0)
    while allowed + 1 < tasks:
        more = _cost(jobs, head_promise, job, host, allowed + 1)
        if more > slack:
            break
        allowed, cost = allowed + 1, more
    return allowed, cost


@inner
def cost_of_next(jobs, state, head_promise, job, host, before):
    """Tasks of the head that a task of `job` costs on the host, after so many others that are not yet taken."""
    if is_counted(head_promise):
        set_apart(jobs, state, head_promise, host)
    elif not is_apart(head_promise, host):
        return np.int64(0)
    cost = _cost(jobs, head_promise, job, host, before + 1)
    return cost - _cost(jobs, head_promise, job, host, before) if before > 0 else cost


@inner
def _cost(jobs, head_promise, job, host, tasks):
    """How many tasks of the head the host would hold less with so many tasks of `job`."""
    head, kind = head_promise.number[HEAD], jobs.kind[job]
    held = float(jobs.tasks[head])
    for r in range(head_promise.then.shape[1]):
        asked = jobs.demand[jobs.kind[head], r]
        if asked > 0.0:
            held = min(held, np.floor((head_promise.then[host, r] - tasks * jobs.demand[kind, r]) / asked))
    left = np.int64(max(held, 0.0)) if jobs.allowed[jobs.hosts[head], host] else np.int64(0)
    return head_promise.held[host] - left


@inner
def take_for_long(jobs, state, head_promise, job, host, tasks):
    """So many tasks of `job`, which outlasts the moment, take `host`, or give it back if fewer than 0."""
    if not is_apart(head_promise, host):
        return
    for r in range(head_promise.then.shape[1]):
        head_promise.then[host, r] -= tasks * jobs.demand[jobs.kind[job], r]
    held = held_in(jobs, head_promise.then, head_promise.number[HEAD], host)
    head_promise.number[SLACK] -= head_promise.held[host] - held
    head_promise.held[host] = held


@inner
def left_for_long(jobs, state, head_promise, host):
    """The cores and the memory of a host that a job may take beyond the promised moment: what the head leaves."""
    several = state.free.shape[1] > 1
    cores, memory = state.free[host, 0], state.free[host, 1] if several else 0.0
    head, node_count = head_promise.number[HEAD], is_apart(head_promise, host)
    if head < 0 or not (node_count or is_counted(head_promise)):
        return cores, memory
    keep = (head_promise.held[host] if node_count else head_promise.held_now[host]) - head_promise.number[SLACK]
    if keep > 0:
        then = head_promise.then[host] if node_count else state.free[host]
        cores = min(cores, then[0] - keep * jobs.demand[jobs.kind[head], 0])
        if several:
            memory = min(memory, then[1] - keep * jobs.demand[jobs.kind[head], 1])
    return cores, memory
