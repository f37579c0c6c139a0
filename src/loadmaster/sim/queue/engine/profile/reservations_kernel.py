"""The reservations of waiting jobs, compiled: a list for each host, and a heap by start.

Tasks of a job that stand side by side on one host are one entry of its reservation: held, listed and given back
together.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.free_profile_kernel import hold, is_free, until
from loadmaster.backfilling.start_bounds_kernel import note_freed
from loadmaster.jit.heap_kernel import drop_first, push
from loadmaster.jit.kernels import inlined, inner
from loadmaster.sim.queue.engine.profile.state import BUCKET_S, BUCKETS, CHOSEN, DUE, MOVED, PROMISED, WRONG
from loadmaster.sim.queue.engine.queue_tree_kernel import next_waiting
from loadmaster.sim.queue.engine.state import OUT_OF_ROOM


@inlined
def next_promised(plan, job):
    """The first waiting job from `job` on with a reservation; the number of such jobs, if there is none."""
    end = plan.tally[PROMISED]
    position = next_waiting(plan.jobs, plan.waiting, job, end)
    return position if position >= 0 else end


@inner
def heap_by_start(plan):
    """Put all jobs with a reservation into the heap `kept.order`, by their start; returns how many."""
    kept, size, job = plan.kept, 0, next_promised(plan, 0)
    while job < plan.tally[PROMISED]:
        size = push(kept.order_s, kept.order, size, plan.start_s[job], job)
        job = next_promised(plan, job + 1)
    return size


@inlined
def entries_of(plan, job):
    """The first entry of the job in `plan.host` and `plan.tasks`, and the one behind its last."""
    first = plan.requests.first[job]
    return first, first + plan.entries[job]


@inner
def entry_fits(plan, job, entry, start_s, end_s):
    """Whether the host of an entry has room in that time for all its tasks."""
    demand, need = plan.requests.demand[plan.requests.kind[job]], plan.scratch.need
    for r in range(need.shape[0]):
        need[r] = plan.tasks[entry] * demand[r]
    return is_free(plan.sky, plan.host[entry], start_s, end_s, need)


@inner
def write_hosts(plan, job):
    """Write the hosts in `scratch` as those of the job."""
    first, scratch = plan.requests.first[job], plan.scratch
    plan.entries[job] = plan.tally[CHOSEN]
    for k in range(plan.tally[CHOSEN]):
        plan.host[first + k], plan.tasks[first + k] = scratch.host[k], scratch.tasks[k]


@inner
def promise(plan, job, start_s, now_s):
    """Reserve the hosts in `scratch` for the job from `start_s` on."""
    plan.start_s[job] = start_s
    write_hosts(plan, job)
    hold_promise(plan, job, 1.0, now_s)
    link(plan, job)
    note_due(plan, job)


@inner
def hold_promise(plan, job, sign, now_s):
    """Hold the job's reservation in the profile, or give it back."""
    start_s, look_s, (first, end) = plan.start_s[job], plan.kept.look_s, entries_of(plan, job)
    end_s = until(start_s, plan.requests.expected_s[job])
    hold_hosts(plan, job, start_s, end_s, sign, now_s)
    for entry in range(first, end):
        look_s[plan.host[entry]] = min(look_s[plan.host[entry]], end_s)


@inner
def hold_hosts(plan, job, from_s, until_s, sign, now_s):
    """Let the job hold its hosts in that time, or give them back."""
    demand, (first, end) = plan.requests.demand[plan.requests.kind[job]], entries_of(plan, job)
    for entry in range(first, end):
        hold(plan.sky, plan.host[entry], from_s, until_s, demand, sign * plan.tasks[entry], now_s)
    hold_total(plan, job, from_s, until_s, sign, now_s)


@inlined
def hold_total(plan, job, from_s, until_s, sign, now_s):
    """Take what the job holds off the total of all hosts, or add it."""
    requests = plan.requests
    if plan.total >= 0:
        demand = requests.demand[requests.kind[job]]
        hold(plan.sky, plan.total, from_s, until_s, demand, sign * requests.tasks[job], now_s)


@inner
def link(plan, job):
    """Enter the job's reservation in the lists of its hosts."""
    kept, (first, end) = plan.kept, entries_of(plan, job)
    for entry in range(first, end):
        host = plan.host[entry]
        following = kept.on_first[host]
        kept.on_next[entry], kept.on_before[entry] = following, -1
        if following >= 0:
            kept.on_before[following] = entry
        kept.on_first[host] = entry
        _note_near(plan, host, plan.start_s[job], 1)


@inner
def unlink(plan, job):
    """Take the job's reservation off the lists of its hosts; undoes `link`."""
    kept, (first, end) = plan.kept, entries_of(plan, job)
    for entry in range(first, end):
        before, following = kept.on_before[entry], kept.on_next[entry]
        _note_near(plan, plan.host[entry], plan.start_s[job], -1)
        if before >= 0:
            kept.on_next[before] = following
        else:
            kept.on_first[plan.host[entry]] = following
        if following >= 0:
            kept.on_before[following] = before


@inner
def give_up(plan, job, now_s):
    """Drop the job's reservation: its capacity is free for others."""
    requests, bounds, sky = plan.requests, plan.bounds, plan.sky
    unlink(plan, job)
    start_s, (first, end) = max(now_s, plan.start_s[job]), entries_of(plan, job)
    for entry in range(first, end):
        note_freed(bounds, sky, plan.host[entry], start_s, until(start_s, requests.expected_s[job]))


@inner
def bucket(time_s):
    """The number of the span of time that a moment lies in."""
    return np.int64(np.floor(time_s / BUCKET_S))


@inner
def _note_near(plan, host, start_s, more):
    kept = plan.kept
    if start_s < np.inf:
        kept.near[bucket(start_s) % BUCKETS, host] += more


@inner
def put_off(plan, job, start_s):
    """Move the job's reservation on the same hosts to another start."""
    first, end = entries_of(plan, job)
    for entry in range(first, end):
        _note_near(plan, plan.host[entry], plan.start_s[job], -1)
        _note_near(plan, plan.host[entry], start_s, 1)
    plan.start_s[job] = start_s


@inner
def note_moved(plan, job):
    """List the job to start now."""
    kept = plan.kept
    count = plan.tally
    if count[MOVED] == kept.moved.shape[0]:
        count[WRONG] = OUT_OF_ROOM
        return
    kept.moved[count[MOVED]] = job
    count[MOVED] += 1


@inner
def note_due(plan, job):
    """Enter the job's reservation into the heap, which is rebuilt if it is full of outdated entries."""
    kept = plan.kept
    count = plan.tally
    if count[DUE] == kept.due_s.shape[0]:
        renew_due(plan)
    count[DUE] = push(kept.due_s, kept.due, count[DUE], plan.start_s[job], job)


@inner
def renew_due(plan):
    """Rebuild the heap from all jobs with a reservation."""
    kept = plan.kept
    count = plan.tally
    count[DUE] = 0
    job = next_promised(plan, 0)
    while job < count[PROMISED]:
        count[DUE] = push(kept.due_s, kept.due, count[DUE], plan.start_s[job], job)
        job = next_promised(plan, job + 1)


@inner
def next_due_s(plan):
    """The next reserved start, infinite if there is none."""
    kept = plan.kept
    count = plan.tally
    while count[DUE] > 0:
        job, start_s = kept.due[0], kept.due_s[0]
        if plan.waiting.here[job] and plan.start_s[job] == start_s:
            return start_s
        count[DUE] = drop_first(kept.due_s, kept.due, count[DUE])
    return np.inf
