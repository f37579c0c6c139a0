"""How hosts differ from the plans of earlier passes, compiled: an unaffected reservation stays as it is.

A job gets the same reservation again if no other host has gained capacity that lets it start earlier, and its own hosts
have lost none. So each plan keeps, for each host, the span of time in which it may have more, or less, than the job at
hand has seen when it was planned.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.free_profile_kernel import until
from loadmaster.jit.kernels import inner
from loadmaster.sim.queue.engine.profile.reservations_kernel import entries_of, write_hosts
from loadmaster.sim.queue.engine.profile.state import CHOSEN, PROMISED


@inner
def add_gain(diff, host, from_s, until_s):
    """Widen the span in which a host may have more free."""
    _list(diff, host)
    diff.more_from_s[host] = min(diff.more_from_s[host], from_s)
    diff.more_until_s[host] = max(diff.more_until_s[host], until_s)


@inner
def add_loss(diff, host, from_s, until_s):
    """Widen the span in which a host may have less free."""
    _list(diff, host)
    diff.less_from_s[host] = min(diff.less_from_s[host], from_s)
    diff.less_until_s[host] = max(diff.less_until_s[host], until_s)


@inner
def _list(diff, host):
    if diff.more_from_s[host] == np.inf and diff.less_from_s[host] == np.inf:
        diff.hosts[diff.many[0]] = host
        diff.many[0] += 1


@inner
def is_promised(plan, job):
    """Whether the waiting job was planned before."""
    return job < plan.tally[PROMISED]


@inner
def note_given_up(plan, diff, job):
    """Note that the job's reservation is free for the jobs behind it."""
    requests, start_s = plan.requests, plan.start_s[job]
    if is_promised(plan, job) and start_s < np.inf:
        first, end = entries_of(plan, job)
        for entry in range(first, end):
            add_gain(diff, plan.host[entry], start_s, until(start_s, requests.expected_s[job]))


@inner
def note_promise(plan, job, start_s, alone):
    """Reserve the hosts in `scratch` for the job, or nothing if `start_s` is infinite."""
    requests, diff = plan.requests, plan.replan.diff
    first, many, scratch = requests.first[job], plan.tally[CHOSEN], plan.scratch
    plan.replan.alone[job] = alone
    if is_promised(plan, job) and plan.start_s[job] == start_s:
        same = start_s == np.inf or plan.entries[job] == many
        for k in range(many if same and start_s < np.inf else 0):
            same &= plan.host[first + k] == scratch.host[k] and plan.tasks[first + k] == scratch.tasks[k]
        if same:
            return
    note_given_up(plan, diff, job)
    plan.start_s[job] = start_s
    if start_s < np.inf:
        write_hosts(plan, job)
        for k in range(many):
            add_loss(diff, scratch.host[k], start_s, until(start_s, requests.expected_s[job]))


@inner
def take_up(plan):
    """Begin a plan: for the jobs at its head it differs by all changes since the last plan."""
    diff, since = plan.replan.diff, plan.replan.since
    _clear(diff)
    for i in range(since.many[0]):
        _add(diff, since.hosts[i], _span(since, since.hosts[i]))
    _clear(since)


@inner
def continue_plan(plan, job):
    """Let the plan come to a job: add the changes that it has not seen since it was planned."""
    diff, unseen = plan.replan.diff, plan.replan.unseen
    while unseen.many[0] > 0 and unseen.job[unseen.many[0] - 1] <= job:
        unseen.many[0] -= 1
        for i in range(unseen.entry[unseen.many[0]], unseen.entry[unseen.many[0] + 1]):
            span = unseen.span_s[i]
            _add(diff, unseen.host[i], (span[0], span[1], span[2], span[3]))


@inner
def end_plan(plan, job):
    """End the plan behind a job: the jobs behind keep their reservations, but have not seen the changes."""
    diff, unseen, count = plan.replan.diff, plan.replan.unseen, plan.tally
    if job + 1 >= count[PROMISED]:
        count[PROMISED] = job + 1
        return
    level = unseen.many[0]
    if level == unseen.job.shape[0]:
        count[PROMISED], unseen.many[0] = job + 1, 0
        return
    first = unseen.entry[level]
    for i in range(diff.many[0]):
        unseen.host[first + i] = diff.hosts[i]
        span = _span(diff, diff.hosts[i])
        for k in range(4):
            unseen.span_s[first + i, k] = span[k]
    unseen.job[level], unseen.entry[level + 1] = job + 1, first + diff.many[0]
    unseen.many[0] += 1


@inner
def _span(diff, host):
    return diff.more_from_s[host], diff.more_until_s[host], diff.less_from_s[host], diff.less_until_s[host]


@inner
def _add(diff, host, span):
    if span[0] < np.inf:
        add_gain(diff, host, span[0], span[1])
    if span[2] < np.inf:
        add_loss(diff, host, span[2], span[3])


@inner
def _clear(diff):
    for i in range(diff.many[0]):
        host = diff.hosts[i]
        diff.more_from_s[host] = diff.less_from_s[host] = np.inf
        diff.more_until_s[host] = diff.less_until_s[host] = -np.inf
    diff.many[0] = 0
