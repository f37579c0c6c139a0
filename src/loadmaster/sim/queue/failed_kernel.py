"""Demands that have found no hosts in a pass: what is free, and what the promised head leaves, only shrink in it."""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,untyped-decorator"

import numpy as np

from loadmaster.kernels import inner
from loadmaster.sim.queue.queue_state import PARETO, STAMP


@inner
def is_hopeless(jobs, state, job, length):
    """A demand no larger, with no more tasks, has failed in this pass on the same hosts."""
    kind, hosts = jobs.kind[job], jobs.hosts[job]
    known = state.failed[length, hosts, kind] == state.tally[STAMP]
    if known and jobs.tasks[job] >= state.failed_tasks[length, hosts, kind]:
        return True
    resources = jobs.demand.shape[1]
    for i in range(state.paretos[length]):
        more = jobs.tasks[job] >= state.pareto[length, i, resources]
        more &= hosts == np.int64(state.pareto[length, i, resources + 1])
        for r in range(resources):
            more &= jobs.demand[kind, r] >= state.pareto[length, i, r]
        if more:
            return True
    return False


@inner
def remember(jobs, state, job, length, tasks):
    """So many tasks of `job` find no hosts any more in this pass.

    Of LONG jobs that is known of one task alone: of several, the first take what they are allowed on hosts where it is
    dear, and a larger demand, which fits on fewer, may come off better.
    """
    kind, hosts = jobs.kind[job], jobs.hosts[job]
    stamp = state.tally[STAMP]
    if state.failed[length, hosts, kind] == stamp and state.failed_tasks[length, hosts, kind] <= tasks:
        return
    known = is_hopeless(jobs, state, job, length)
    state.failed[length, hosts, kind] = stamp
    state.failed_tasks[length, hosts, kind] = tasks
    if not known and state.paretos[length] < PARETO:
        resources = jobs.demand.shape[1]
        row = state.pareto[length, state.paretos[length]]
        for r in range(resources):
            row[r] = jobs.demand[kind, r]
        row[resources] = tasks
        row[resources + 1] = hosts
        state.paretos[length] += 1
