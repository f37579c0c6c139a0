"""Changed hosts: the hosts on which a job has ended since the last scheduling pass.

A job that could not start in the last pass can start in this one only on a changed host. So a pass tries the jobs of
the last pass on changed hosts alone, and new jobs on all hosts. This is right while the head of the queue keeps its
reservation, the same shadow time on the same hosts: after a job was tried, other hosts only lost free capacity, the
head's slack only shrank, and the job would now end later.

The shadow time must lie in the future: a running job past its estimate counts as about to end, and more jobs do later.
A job of several tasks that found hosts for some of them is known to fail only until another job starts.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.jit.kernels import inlined, inner
from loadmaster.sim.queue.engine.head_promise_kernel import promise
from loadmaster.sim.queue.engine.head_slack_kernel import is_counted, left_for_long
from loadmaster.sim.queue.engine.queue_tree_kernel import lower_frontier, raise_frontier, raise_step
from loadmaster.sim.queue.engine.state import (
    HEAD,
    HOSTS,
    LAST_HEAD,
    LAST_PLACE,
    LEANS,
    LONG,
    NEWEST,
    NEWS,
    OLD,
    PARTLY,
    PLANNED,
    SAME,
    SHORT,
    SOME,
    THIS_HEAD,
    VALID,
)


@inlined
def note_changed_host(news, host):
    """Add the host to the changed hosts: a job has ended there."""
    if not news.is_new[host]:
        news.is_new[host] = True
        news.host[news.number[HOSTS]] = host
        news.number[HOSTS] += 1


@inlined
def note_amounts(jobs, state, job):
    """Note that `job` has given back its amounts of the whole cluster: a job that lacked some may now fit anywhere."""
    if state.amounts is not None and state.amounts.lacked[0] and jobs.uses[job] < jobs.uses[job + 1]:
        state.news.number[OLD] = 0


@inlined
def note_newest(news, position):
    """Note the position of a job that has arrived."""
    news.number[NEWEST] = min(news.number[NEWEST], position)


@inner
def may_reuse_failures(rules, state):
    """Whether the jobs that failed in the last pass are known."""
    return state.news.number[OLD] > 0 and rules.keeps


@inner
def first_new(state):
    """The first position of a job that was not tried in the last pass."""
    return state.news.number[NEWEST]


@inner
def failures_hold(engine, head, now):
    """Whether the last pass still tells which jobs fail beside this head; no job before the head has started."""
    number = engine.state.news.number
    if head != number[LAST_HEAD]:
        number[OLD] = 0
    elif number[VALID] == 1 and number[HOSTS] == 0 and engine.head_promise.shadow_s[0] > now:
        engine.head_promise.number[HEAD] = head
    elif number[LEANS] == 1:
        promise(engine, head, now)
        number[OLD] *= engine.head_promise.number[SAME]
    return number[OLD] > 0


@inner
def record_pass(rules, state, head_promise, leans, certain):
    """Record a finished pass; `certain`: each job that was tried and did not start could not have started.

    A job that found hosts for some of its tasks counts among these as long as no other job starts after it.
    """
    news, started, partly = state.news, state.tally[PLANNED], state.tally[PARTLY]
    if rules.members == 1:
        # `partly` is one more than the starts at that moment: equal means no later start
        certain &= (partly == 0 or started == partly - 1) and (news.number[SOME] == 0 or started == 0)
    news.number[SOME] = 1 if certain and (partly > 0 or news.number[SOME] == 1) else 0
    news.number[VALID] = 1 if rules.members == 1 and is_counted(head_promise) else 0
    for i in range(news.number[HOSTS]):
        news.is_new[news.host[i]] = False
    news.number[HOSTS] = 0
    news.number[OLD] = 1 if certain and rules.keeps else 0
    news.number[NEWEST] = LAST_PLACE
    news.number[LEANS] = 1 if leans else 0
    news.number[LAST_HEAD] = news.number[THIS_HEAD]


@inner
def renew_changed_hosts(engine):
    """Make the capacity frontier of the changed hosts exact."""
    several = engine.state.free.shape[1] > 1
    lower_frontier(engine.frontier, SHORT + NEWS)
    lower_frontier(engine.frontier, LONG + NEWS)
    for i in range(engine.state.news.number[HOSTS]):
        host = np.int64(engine.state.news.host[i])
        raise_step(
            engine.frontier, SHORT + NEWS, engine.state.free[host, 0], engine.state.free[host, 1] if several else 0.0
        )
        cores, memory = left_for_long(engine.jobs, engine.state, engine.head_promise, host)
        raise_step(engine.frontier, LONG + NEWS, cores, memory)
    raise_frontier(engine.frontier, SHORT + NEWS)
    raise_frontier(engine.frontier, LONG + NEWS)
