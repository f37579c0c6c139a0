"""What hosts have otherwise than in the plans of earlier decisions, compiled: what was promised elsewhere stands.

A job that was promised a moment on a host would be promised the same again if nothing was added on other hosts that
lets it start earlier, and nothing taken where it is to run. Each plan keeps the times in which hosts may have more or
less than the job at hand has seen when it was planned for.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.free_profile_kernel import until
from loadmaster.jit.kernels import inner
from loadmaster.sim.queue.engine.profile.reservations_kernel import entries_of, write_hosts
from loadmaster.sim.queue.engine.profile.state import CHOSEN, PROMISED


@inner
def note_more(diff, host, from_s, until_s):
    """More may be free on a host in that time."""
    _list(diff, host)
    diff.more_from_s[host] = min(diff.more_from_s[host], from_s)
    diff.more_until_s[host] = max(diff.more_until_s[host], until_s)


@inner
def note_less(diff, host, from_s, until_s):
    """Less may be free on a host in that time."""
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
    """Whether the waiting job was planned for before."""
    return job < plan.tally[PROMISED]


@inner
def note_given_up(plan, diff, job):
    """What the job was promised is free for those behind it."""
    requests, start_s = plan.requests, plan.start_s[job]
    if is_promised(plan, job) and start_s < np.inf:
        first, end = entries_of(plan, job)
        for entry in range(first, end):
            note_more(diff, plan.host[entry], start_s, until(start_s, requests.expected_s[job]))


@inner
def note_promise(plan, job, start_s, alone):
    """The job is promised the hosts in `scratch`, or nothing if `start_s` is infinite."""
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
            note_less(diff, scratch.host[k], start_s, until(start_s, requests.expected_s[job]))


@inner
def take_up(plan):
    """A new plan is begun: it differs by what has been since the last one, for the jobs at its head."""
    diff, since = plan.replan.diff, plan.replan.since
    _clear(diff)
    for i in range(since.many[0]):
        _add(diff, since.hosts[i], _span(since, since.hosts[i]))
    _clear(since)


@inner
def come_to(plan, job):
    """The plan comes to a job, to which some have not come since it was promised what it is."""
    diff, unseen = plan.replan.diff, plan.replan.unseen
    while unseen.many[0] > 0 and unseen.job[unseen.many[0] - 1] <= job:
        unseen.many[0] -= 1
        for i in range(unseen.entry[unseen.many[0]], unseen.entry[unseen.many[0] + 1]):
            span = unseen.span_s[i]
            _add(diff, unseen.host[i], (span[0], span[1], span[2], span[3]))


@inner
def leave_off(plan, job):
    """The plan ends behind a job: those behind it are promised what they are, but something else is free for them."""
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
        note_more(diff, host, span[0], span[1])
    if span[2] < np.inf:
        note_less(diff, host, span[2], span[3])


@inner
def _clear(diff):
    for i in range(diff.many[0]):
        host = diff.hosts[i]
        diff.more_from_s[host] = diff.less_from_s[host] = np.inf
        diff.more_until_s[host] = diff.less_until_s[host] = -np.inf
    diff.many[0] = 0
