"""Who might start now beside the plan of a decision, compiled: few hosts have room for anybody, and ever fewer."""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.skyline_kernel import is_free, until
from loadmaster.kernels import inlined, inner
from loadmaster.sim.queue.starts_kernel import STAMP


@inner
def begin_hope(plan):
    """Which hosts have room is not known."""
    plan.many_roomy[0] = -1


@inner
def next_hope(jobs, state, plan, position, host, behind, now):
    """The first place in the queue from `position` on whose job might start now; returns (place, a host for a task).

    The place is `behind` if there is none; `host` is the one that was found for `position` before, or -1.
    """
    while position < behind:
        job = state.queue[position]
        if _is_dead(jobs, state, plan, job):
            position, host = position + 1, np.int64(-1)
            continue
        if host < 0 or not holds(jobs, state, plan, job, host, now):
            host = _witness(jobs, state, plan, job, now)
        if host >= 0:
            return position, host
        position += 1
    return position, host


@inlined
def _is_dead(jobs, state, plan, job):
    """Whether it is known that no host can hold a task of `job` in this decision."""
    kind = jobs.kind[job]
    return plan.dead_at[kind] == state.tally[STAMP] and state.expected_s[job] >= plan.dead_long_s[kind]


@inner
def _witness(jobs, state, plan, job, now):
    """A host that could hold a task of `job` from now on for its whole expected runtime, -1 if none could."""
    kind = jobs.kind[job]
    if plan.many_roomy[0] < 0:
        _list_roomy(state, plan)
    for i in range(plan.many_roomy[0]):
        if holds(jobs, state, plan, job, plan.roomy[i], now):
            return np.int64(plan.roomy[i])
    plan.dead_at[kind] = state.tally[STAMP]
    plan.dead_long_s[kind] = state.expected_s[job]
    return np.int64(-1)


@inner
def _list_roomy(state, plan):
    """List the hosts that have room for the least that any job asks for."""
    plan.many_roomy[0] = 0
    for host in range(state.free.shape[0]):
        enough = True
        for r in range(plan.least.shape[0]):
            enough &= state.free[host, r] >= plan.least[r]
        if enough:
            plan.roomy[plan.many_roomy[0]] = host
            plan.many_roomy[0] += 1


@inner
def holds(jobs, state, plan, job, host, now):
    """Whether `host` could hold a task of `job` from now on for its whole expected runtime."""
    return is_free(plan.ahead, host, now, until(now, state.expected_s[job]), jobs.demand[jobs.kind[job]])
