"""Head slack: how many tasks of the head its reservation can lose, host by host, to jobs that outlast it (rule Q6).

Each host holds a number of the head's tasks at the shadow time. The slack is their sum less the tasks of the head. A
job that runs past the shadow time (LONG) costs a host some of these tasks, and may start only if the slack covers the
cost. Invariant: the slack stays at or above 0, so the head fits at the shadow time whatever was backfilled.

For a head of several tasks, the number that each host holds now is counted and kept up to date. A host gets its own row
for the shadow time only if a job ends there before, or if a LONG job asks for it; all others are then as they are now.
A single task fits nowhere now, so a host where no job ends before holds none of it then either.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.jit.kernels import inlined, inner
from loadmaster.sim.queue.engine.state import COUNTED, HEAD, HELD, SLACK, STAMP_THEN, TOUCHED


@inner
def tasks_held(room, demand, most):
    """How many tasks of `demand` fit in `room`, at most `most`."""
    held = float(most)
    for r in range(demand.shape[0]):
        if demand[r] > 0.0:
            held = min(held, np.floor(room[r] / demand[r]))
    return np.int64(max(held, 0.0))


@inner
def held_in(jobs, room, head, host):
    """How many tasks of the head fit on the host with `room` free, at most all; 0 where the head is not allowed."""
    if not jobs.allowed[jobs.hosts[head], host]:
        return np.int64(0)
    return tasks_held(room[host], jobs.demand[jobs.kind[head]], jobs.tasks[head])


@inner
def count_now(jobs, state, head_promise, head):
    """Count the tasks of the head that each host holds now, unless that is already counted."""
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
    """Count again on `host`, whose free capacity has changed."""
    if head_promise is None:
        return
    head = head_promise.number[COUNTED]
    if head >= 0:
        held = held_in(jobs, state.free, head, host)
        head_promise.number[HELD] += held - head_promise.held_now[host]
        head_promise.held_now[host] = held


@inlined
def is_apart(head_promise, host):
    """Whether the host has its own row for the shadow time."""
    return head_promise.then_at[host] == head_promise.number[STAMP_THEN]


@inner
def set_apart(jobs, state, head_promise, host):
    """Give the host its own row for the shadow time, as it is now; it holds no task of a one-task head now."""
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
    """Whether the head's tasks are counted on each host: the head has several."""
    if head_promise is None:
        return False
    return head_promise.number[COUNTED] >= 0 and head_promise.number[COUNTED] == head_promise.number[HEAD]


@inner
def allowed_on(jobs, state, head_promise, job, host, tasks, slack):
    """How many of `tasks` of a LONG job the slack allows on the host, and how many tasks of the head they cost."""
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
    """How many tasks of the head one more task of `job` costs on the host, after `before` others not yet taken."""
    if is_counted(head_promise):
        set_apart(jobs, state, head_promise, host)
    elif not is_apart(head_promise, host):
        return np.int64(0)
    cost = _cost(jobs, head_promise, job, host, before + 1)
    return cost - _cost(jobs, head_promise, job, host, before) if before > 0 else cost


@inner
def _cost(jobs, head_promise, job, host, tasks):
    """How many fewer tasks of the head the host holds at the shadow time, with so many tasks of `job`."""
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
    """Let that many tasks of `job`, a LONG job, take `host` at the shadow time; a negative number gives back."""
    if not is_apart(head_promise, host):
        return
    for r in range(head_promise.then.shape[1]):
        head_promise.then[host, r] -= tasks * jobs.demand[jobs.kind[job], r]
    held = held_in(jobs, head_promise.then, head_promise.number[HEAD], host)
    head_promise.number[SLACK] -= head_promise.held[host] - held
    head_promise.held[host] = held


@inner
def left_for_long(jobs, state, head_promise, host):
    """The cores and memory of a host that a LONG job may take: what the head's reservation leaves."""
    several = state.free.shape[1] > 1
    cores, memory = state.free[host, 0], state.free[host, 1] if several else 0.0
    if head_promise is None:
        return cores, memory
    head, node_count = head_promise.number[HEAD], is_apart(head_promise, host)
    if head < 0 or not (node_count or is_counted(head_promise)):
        return cores, memory
    keep = (head_promise.held[host] if node_count else head_promise.held_now[host]) - head_promise.number[SLACK]
    # without these tasks on this host the head would no longer fit
    if keep > 0:
        then = head_promise.then[host] if node_count else state.free[host]
        cores = min(cores, then[0] - keep * jobs.demand[jobs.kind[head], 0])
        if several:
            memory = min(memory, then[1] - keep * jobs.demand[jobs.kind[head], 1])
    return cores, memory
