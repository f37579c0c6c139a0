"""The best pass of a meta-rule's members over one state, compiled: pass, undo, and redo the best one (Max-Jobs).

Each plan is undone before the next member passes, so all members see the same state. One pass is enough if no other
policy could have started other jobs (CHOICE), and no job found hosts for only some of its tasks (PARTLY).
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.jit.kernels import inlined, inner
from loadmaster.sim.queue.engine.changed_hosts_kernel import record_pass
from loadmaster.sim.queue.engine.constrained_kernel import eligible_jobs
from loadmaster.sim.queue.engine.pass_kernel import serve
from loadmaster.sim.queue.engine.state import (
    AT_FIRST,
    CHOICE,
    HEAD,
    LAST_HOST,
    PARTLY,
    PLANNED,
    SHORT,
    UNDO,
    WAITING,
)
from loadmaster.sim.queue.engine.undo_kernel import take_again, take_back


@inner
def best_pass(engine, bound, now):
    """Let each member pass over the same state, and keep the plan of the first best. Returns (winners, wrong)."""
    count = engine.state.tally
    best_value = -1.0
    best_planned = 0
    best_last = count[LAST_HOST]
    winners = 0
    for member in range(engine.log.value.shape[1]):
        engine.log.value[engine.log.rows[0], member] = np.nan
    certain, leans = True, False
    for member in range(engine.rules.members):
        wrong = serve(engine, member, bound, now)
        if wrong:
            return 0, wrong
        certain &= engine.rules.members == 1 or (count[PARTLY] == 0 and engine.state.news.number[AT_FIRST] == 1)
        if engine.head_promise is not None:
            leans |= engine.head_promise.number[HEAD] >= 0
        one = bound is None and member == 0 and count[PARTLY] == 0 and count[CHOICE] == 0
        if engine.rules.members == 1 or one:  # all members start the same jobs
            count[LAST_HOST] = count[LAST_HOST] if count[UNDO] == 0 else engine.state.undo_host[count[UNDO] - 1]
            if engine.rules.members > 1:
                certain = certain and count[PARTLY] == 0
            record_pass(engine.rules, engine.state, engine.head_promise, leans, certain)
            return _all_tie(engine.rules, engine.log, count[PLANNED] == count[WAITING]), 0
        value = engine.log.value[engine.log.rows[0], member] = value_of_plan(engine)
        starts_all = count[PLANNED] == eligible_jobs(engine.state, bound)
        if value > best_value:
            best_value, winners, best_planned = value, 1 << member, count[PLANNED]
            best_last = count[LAST_HOST] if count[UNDO] == 0 else engine.state.undo_host[count[UNDO] - 1]
            for i in range(count[PLANNED]):
                engine.state.plan_job[0, i] = engine.state.plan_job[1, i]
            for i in range(count[UNDO]):
                engine.state.plan_host[0, i] = engine.state.undo_host[i]
        elif value == best_value:
            winners |= 1 << member
        # undo this member's plan before the next one passes
        take_back(engine, 0, 0, SHORT)
        if engine.rules.pruned and starts_all:
            break
    # redo the best plan on the same hosts
    for i in range(best_planned):
        job = engine.state.plan_job[0, i]
        engine.state.plan_task[i] = count[UNDO]
        for _ in range(engine.jobs.tasks[job]):
            take_again(engine, job, np.int64(engine.state.plan_host[0, count[UNDO]]), 1)
        engine.state.plan_job[1, i] = job
    count[PLANNED] = best_planned
    count[LAST_HOST] = best_last
    record_pass(engine.rules, engine.state, engine.head_promise, leans, certain)
    return winners, 0


@inlined
def _all_tie(rules, log, starts_all):
    """The winners for the log where all members start the same; with pruning, only members that were tried."""
    if rules.members == 1:
        return np.int64(log.value.shape[1])  # the bit of a meta-rule's only member, none without a meta-rule
    return np.int64(1) if rules.pruned and starts_all else (np.int64(1) << rules.members) - 1


@inner
def value_of_plan(engine):
    """The value of the planned jobs under the target of Max-Jobs."""
    planned = engine.state.tally[PLANNED]
    if engine.rules.target == 0:
        return float(planned)
    value = 0.0
    for i in range(planned):
        job = engine.state.plan_job[1, i]
        demand = engine.jobs.demand[engine.jobs.kind[job]]
        if engine.rules.target == 1:
            value += demand[0] * engine.jobs.tasks[job]
        else:
            for r in range(demand.shape[0]):
                total = 0.0
                for h in range(engine.capacity.shape[0]):
                    total += engine.capacity[h, r]
                if total > 0.0:
                    value += demand[r] * engine.jobs.tasks[job] / total
    return value
