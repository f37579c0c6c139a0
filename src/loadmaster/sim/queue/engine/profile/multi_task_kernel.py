"""The earliest start of a job of several tasks on all hosts together, compiled.

A host holds as many tasks as it has room for during the whole expected runtime. As the start moves on, this number
cannot grow before the end of the last step that has room for no more tasks. So it is kept with that end; until then
only the steps that enter at the end of the runtime are checked. And no start is possible while all hosts together have
less free than the job requests, which the profile's row `total` says.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.free_profile_kernel import covering, first_until, is_free, least, until
from loadmaster.backfilling.host_choice_kernel import tasks_in
from loadmaster.backfilling.start_bounds_kernel import freed_since
from loadmaster.jit.kernels import inlined, inner


@inner
def first_of_several(plan, job, before_s, now_s):
    """The earliest start before `before_s`, infinite if there is none, and the number of hosts in `able`."""
    start_s, hosts = _first(plan, job, before_s, np.inf, now_s)
    if start_s == np.inf:
        return start_s, 0
    return start_s, _list_able(plan, hosts, start_s, until(start_s, plan.requests.expected_s[job]))


@inner
def first_beside_own(plan, job, seen, now_s):
    """A lower bound of the job's start if that is sooner than its reservation; infinite if it cannot start sooner.

    The job's own reservation begins only then, so the time until then is enough. A sooner start overlaps with capacity
    that was freed since `seen`, the last check, or could have been found then.
    """
    from_s, until_s = freed_since(plan.bounds, seen, np.int64(plan.bounds.of[job]))
    from_s = max(now_s, from_s - plan.requests.expected_s[job] - 1.0)  # a second, for rounding
    start_s, _ = _first(plan, job, min(plan.start_s[job], until_s), plan.start_s[job], from_s)
    return start_s


@inner
def may_start_now(plan, job, now_s):
    """Whether all hosts together have enough for the job until it ends, or until its own reservation begins."""
    end_s = min(until(now_s, plan.requests.expected_s[job]), plan.start_s[job])
    _need_all(plan, job)
    return is_free(plan.sky, plan.total, now_s, end_s, plan.scratch.need)


@inner
def _first(plan, job, before_s, enough_s, now_s):
    """The earliest start before `before_s` from which all tasks fit until the job ends, or until `enough_s`.

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
        # too few: go on from the first moment at which some host holds more
        held, more_s, hosts = _count(plan, job, start_s, min(until(start_s, expected_s), enough_s))
        if held >= tasks:
            return start_s, hosts
        start_s = np.inf
        if more_s < before_s:
            start_s = first_until(ahead, total, need, expected_s, more_s, before_s, enough_s)
    return np.inf, 0


@inlined
def _need_all(plan, job):
    """Set `need` to the demand of all tasks together."""
    need, demand = plan.scratch.need, plan.requests.demand[plan.requests.kind[job]]
    for r in range(need.shape[0]):
        need[r] = plan.requests.tasks[job] * demand[r]


@inner
def _count(plan, job, start_s, end_s):
    """How many tasks the hosts hold in that time, when a host might first hold more, and how many hosts were counted.

    First-fit takes hosts in their order, so hosts behind the last one needed are not counted.
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
    """Count the tasks that a host holds in that time, and until when it holds no more."""
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
    """Check the steps of a host that begin until `end_s` and were not in the time before."""
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
    """Whether a step has room for more tasks than that."""
    enough = True
    for r in range(demand.shape[1]):
        enough &= ahead.free[step, r] >= (held + 1) * demand[kind, r]
    return enough


@inner
def _list_able(plan, hosts, start_s, end_s):
    """List those of the first hosts that hold a task, with their least free capacity in that time; returns how many."""
    scratch, able = plan.scratch, 0
    for host in range(hosts):
        if scratch.held[host] > 0:
            least(plan.ahead, host, start_s, end_s, scratch.window)
            scratch.able[able] = host
            able += 1
    return able
