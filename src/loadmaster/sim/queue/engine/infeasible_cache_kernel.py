"""Infeasible cache: demands that found no hosts in this scheduling pass.

Within a pass, free capacity and the head's slack only shrink. So a demand that is no smaller, with no fewer tasks, on
the same set of hosts, fails too. The cache has three parts: the last failure of each demand by itself, the least memory
that failed for each whole number of cores (steps), and a short list of other failed demands. An entry counts only under
the stamp of its pass, so nothing is cleared between passes.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.jit.kernels import inlined, inner
from loadmaster.sim.queue.engine.state import MOVES, PARETO, STAMP


@inner
def is_infeasible(jobs, state, job, length):
    """Whether a demand no larger, with no more tasks, has failed on the same hosts in this pass."""
    kind, hosts = jobs.kind[job], jobs.hosts[job]
    known = state.failed[length, hosts, kind] == state.tally[STAMP]
    if known and jobs.tasks[job] >= state.failed_tasks[length, hosts, kind]:
        return True
    resources = jobs.demand.shape[1]
    if is_known_by_steps(jobs, state, job, length):
        return True
    for i in range(state.paretos[length]):
        more = jobs.tasks[job] >= state.pareto[length, i, resources]
        more &= hosts == np.int64(state.pareto[length, i, resources + 1])
        for r in range(resources):
            more &= jobs.demand[kind, r] >= state.pareto[length, i, r]
        if more:
            return True
    return False


@inner
def record_failure(jobs, state, job, length, tasks):
    """Record that so many tasks of `job` find no hosts any more in this pass.

    For LONG jobs, only a failure of one task is recorded. Of several tasks the first may take costly hosts, so a larger
    demand, which fits on fewer hosts, may still succeed.
    """
    kind, hosts = jobs.kind[job], jobs.hosts[job]
    stamp = state.tally[STAMP]
    if state.failed[length, hosts, kind] == stamp and state.failed_tasks[length, hosts, kind] <= tasks:
        return
    known = is_infeasible(jobs, state, job, length)
    state.failed[length, hosts, kind] = stamp
    state.failed_tasks[length, hosts, kind] = tasks
    if known:
        return
    if tasks == 1 and _is_described_by_steps(jobs, job):
        _remember_by_steps(jobs, state, kind, length)
    elif state.paretos[length] < PARETO:
        resources = jobs.demand.shape[1]
        row = state.pareto[length, state.paretos[length]]
        for r in range(resources):
            row[r] = jobs.demand[kind, r]
        row[resources] = tasks
        row[resources + 1] = hosts
        state.paretos[length] += 1


@inlined
def _is_described_by_steps(jobs, job):
    """Whether steps describe the demand fully: whole cores, memory alone beside them, every host allowed."""
    demand = jobs.demand[jobs.kind[job]]
    return jobs.whole[jobs.hosts[job]] and demand.shape[0] <= 2 and demand[0] == np.floor(demand[0])


@inlined
def is_known_by_steps(jobs, state, job, length):
    """Whether the steps alone tell that a demand no larger has failed on all hosts in this pass."""
    if not _is_described_by_steps(jobs, job):
        return False
    demand = jobs.demand[jobs.kind[job]]
    step = min(np.int64(demand[0]), state.steps.shape[1] - 1)
    known = state.steps[length, step]
    return known.stamp == state.tally[STAMP] and known.memory <= (demand[1] if demand.shape[0] > 1 else 0.0)


@inlined
def _remember_by_steps(jobs, state, kind, length):
    """Record the demand as failed on its own step and on every step with more cores."""
    demand, stamp = jobs.demand[kind], state.tally[STAMP]
    memory = demand[1] if demand.shape[0] > 1 else 0.0
    for step in range(np.int64(demand[0]), state.steps.shape[1]):
        known = state.steps[length, step]
        if known.stamp == stamp and known.memory <= memory:
            return  # the steps above are no higher
        known.stamp, known.memory = stamp, memory


@inlined
def failed_partly(jobs, state, job):
    """Whether as many tasks of the demand failed beside the head's reservation since a job started last.

    Not to be asked where scores vary from job to job: another job may find other hosts, which cost the head less.
    """
    hosts, kind = jobs.hosts[job], jobs.kind[job]
    return state.partly[hosts, kind] == state.tally[MOVES] and jobs.tasks[job] >= state.partly_tasks[hosts, kind]


@inlined
def record_partial_failure(jobs, state, job, tasks):
    """Record that fewer than so many tasks of the demand fit beside the reservation, until a job starts."""
    hosts, kind = jobs.hosts[job], jobs.kind[job]
    state.partly[hosts, kind] = state.tally[MOVES]
    state.partly_tasks[hosts, kind] = tasks
