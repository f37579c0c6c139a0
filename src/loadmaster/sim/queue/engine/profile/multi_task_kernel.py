"""The first moment at which the tasks of a job of several fit on all hosts together, compiled.

A host holds as many tasks of the job from a moment on as it has room for through all its expected runtime. That number
cannot grow before the last step is over that has room for no more: so it is kept with that moment, and only what comes
in at the end of the time in question is looked at until then. And no start is possible where all hosts together have
less free than all tasks ask for, which the row `total` of the profile says.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.free_profile_kernel import covering, first_until, is_free, least, until
from loadmaster.backfilling.host_choice_kernel import tasks_in
from loadmaster.backfilling.start_bounds_kernel import freed_since
from loadmaster.jit.kernels import inlined, inner


@inner
def first_of_several(plan, job, before_s, now_s):
    """The first moment before `before_s` at which the job fits, infinite if none is, and how many hosts are `able`."""
    start_s, hosts = _first(plan, job, before_s, np.inf, now_s)
    if start_s == np.inf:
        return start_s, 0
    return start_s, _list_able(plan, hosts, start_s, until(start_s, plan.requests.expected_s[job]))


@inner
def first_beside_own(plan, job, seen, now_s):
    """A moment before which the job cannot start sooner than it is promised; infinite if it cannot at all.

    What it is promised itself is in its way nowhere, and begins only then: so that the time until then counts. And it
    overlaps with something that was given back since it was last looked at, at `seen`, or could have started then.
    """
    from_s, until_s = freed_since(plan.bounds, seen, np.int64(plan.bounds.of[job]))
    from_s = max(now_s, from_s - plan.requests.expected_s[job] - 1.0)  # a second, for rounding
    start_s, _ = _first(plan, job, min(plan.start_s[job], until_s), plan.start_s[job], from_s)
    return start_s


@inner
def may_start_now(plan, job, now_s):
    """Whether all hosts together have enough for the job until it is over, or what it is promised itself begins."""
    end_s = min(until(now_s, plan.requests.expected_s[job]), plan.start_s[job])
    _need_all(plan, job)
    return is_free(plan.sky, plan.total, now_s, end_s, plan.scratch.need)


@inner
def _first(plan, job, before_s, enough_s, now_s):
    """The first moment before `before_s` from which all tasks fit until the job is over, or until `enough_s`.

    It is infinite if there is none. Returns also how many hosts were counted for it.
    """
    ahead, total, need, tasks = plan.ahead, plan.total, plan.scratch.need, plan.requests.tasks[job]
    held_until_s, expected_s = plan.scratch.held_until_s, plan.requests.expected_s[job]
    _need_all(plan, job)
    start_s = first_until(ahead, total, need, expected_s, now_s, before_s, enough_s)
    if start_s < before_s:
        for host in range(held_until_s.shape[0]):
            held_until_s[host] = -np.inf
    while start_s < before_s:
        held, more_s, hosts = _count(plan, job, start_s, min(until(start_s, expected_s), enough_s))
        if held >= tasks:
            return start_s, hosts
        start_s = np.inf
        if more_s < before_s:
            start_s = first_until(ahead, total, need, expected_s, more_s, before_s, enough_s)
    return np.inf, 0


@inlined
def _need_all(plan, job):
    """Let `need` be what all tasks of the job ask for."""
    need, demand = plan.scratch.need, plan.requests.demand[plan.requests.kind[job]]
    for r in range(need.shape[0]):
        need[r] = plan.requests.tasks[job] * demand[r]


@inner
def _count(plan, job, start_s, end_s):
    """How many tasks hosts hold in that time, when the first of them might hold more, and how many were counted.

    First-fit takes hosts in their order, so that those behind the last one that it needs are not counted.
    """
    scratch, total, more_s = plan.scratch, np.int64(0), np.inf
    in_order, tasks, hosts = (plan.rules.first_fit & 1) != 0, plan.requests.tasks[job], scratch.held.shape[0]
    for host in range(hosts):
        if scratch.held_until_s[host] <= start_s:
            _count_on(plan, job, host, start_s, end_s)
        elif scratch.next_s[host] < end_s:
            _look_on(plan, job, host, end_s)
        total += scratch.held[host]
        more_s = min(more_s, scratch.held_until_s[host])
        if in_order and total >= tasks:
            return total, more_s, host + 1
    return total, more_s, hosts


@inner
def _count_on(plan, job, host, start_s, end_s):
    """Count what a host holds in that time, and say until when it holds no more."""
    ahead, scratch, requests, kind = plan.ahead, plan.scratch, plan.requests, plan.requests.kind[job]
    at, end = covering(ahead, host, start_s), ahead.first[host] + ahead.many[host]
    held, last, step = tasks_in(ahead.free, at, requests.demand, kind, requests.tasks[job]), at, at + 1
    while step < end and ahead.time_s[step] < end_s:
        if not _holds_more(ahead, step, requests.demand, kind, held):
            held, last = tasks_in(ahead.free, step, requests.demand, kind, held), step
        step += 1
    scratch.held[host], scratch.next_step[host] = held, step
    scratch.held_until_s[host] = ahead.time_s[last + 1] if last + 1 < end else np.inf
    scratch.next_s[host] = ahead.time_s[step] if step < end else np.inf


@inner
def _look_on(plan, job, host, end_s):
    """Look at those steps of a host that begin until `end_s` and were not in the time in question before."""
    ahead, scratch, requests, kind = plan.ahead, plan.scratch, plan.requests, plan.requests.kind[job]
    step, held, end = scratch.next_step[host], scratch.held[host], ahead.first[host] + ahead.many[host]
    while step < end and ahead.time_s[step] < end_s:
        if not _holds_more(ahead, step, requests.demand, kind, held):
            held = tasks_in(ahead.free, step, requests.demand, kind, held)
            scratch.held_until_s[host] = ahead.time_s[step + 1] if step + 1 < end else np.inf
        step += 1
    scratch.held[host], scratch.next_step[host] = held, step
    scratch.next_s[host] = ahead.time_s[step] if step < end else np.inf


@inlined
def _holds_more(ahead, step, demand, kind, held):
    """Whether a step has room for more tasks than so many."""
    enough = True
    for r in range(demand.shape[1]):
        enough &= ahead.free[step, r] >= (held + 1) * demand[kind, r]
    return enough


@inner
def _list_able(plan, hosts, start_s, end_s):
    """List those of the first hosts that hold a task, with the least that they have in that time; how many."""
    scratch, able = plan.scratch, 0
    for host in range(hosts):
        if scratch.held[host] > 0:
            least(plan.ahead, host, start_s, end_s, scratch.window)
            scratch.able[able] = host
            able += 1
    return able
