"""Who waits, what they are promised and where, compiled: lists, heaps and the least that anybody asks for."""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.skyline_kernel import hold, until
from loadmaster.backfilling.soon_kernel import note_freed
from loadmaster.heap_kernel import drop_first, push
from loadmaster.kernels import inner
from loadmaster.sim.queue.queue_state import OUT_OF_ROOM
from loadmaster.sim.queue.standing_state import (
    ARRIVED,
    BLOCK,
    BUCKET_S,
    BUCKETS,
    DUE,
    MOVED,
    PROMISED,
    WAITING,
    WAITING_TASKS,
    WRONG,
)


@inner
def admit(jobs, asked, standing, now_s):
    """Put all jobs that have come by now into the queue."""
    count, end = standing.tally, jobs.submit_s.shape[0]
    while count[ARRIVED] < end and jobs.submit_s[count[ARRIVED]] <= now_s:
        job = count[ARRIVED]
        last = standing.before[end]
        standing.following[last] = standing.before[end] = job
        standing.following[job], standing.before[job] = end, last
        standing.waits[job] = True
        count[WAITING_TASKS] += asked.tasks[job]
        count[WAITING] += 1
        count[ARRIVED] += 1


@inner
def leave(asked, standing, job):
    """The job waits no longer."""
    before, following = standing.before[job], standing.following[job]
    standing.following[before], standing.before[following] = following, before
    standing.waits[job] = False
    standing.block_old[job // BLOCK] = True
    standing.group_old[job // (BLOCK * BLOCK)] = True
    standing.tally[WAITING_TASKS] -= asked.tasks[job]
    standing.tally[WAITING] -= 1


@inner
def promise(asked, standing, sky, hand, job, start_s, now_s):
    """Promise the job the hosts in `hand` from `start_s` on."""
    standing.start_s[job] = start_s
    first = asked.first[job]
    for k in range(asked.tasks[job]):
        standing.host[first + k] = hand.host[k]
    hold_promise(asked, standing, sky, job, 1.0, now_s)
    link(asked, standing, job)
    note_due(standing, job)


@inner
def hold_promise(asked, standing, sky, job, sign, now_s):
    """Hold what the job is promised, or give it back."""
    start_s = standing.start_s[job]
    end_s, demand = until(start_s, asked.expected_s[job]), asked.demand[asked.kind[job]]
    for task in range(asked.first[job], asked.first[job + 1]):
        host = standing.host[task]
        hold(sky, host, start_s, end_s, demand, sign, now_s)
        standing.look_s[host] = min(standing.look_s[host], end_s)


@inner
def link(asked, standing, job):
    """Note on its hosts that the job is promised them."""
    for task in range(asked.first[job], asked.first[job + 1]):
        host = standing.host[task]
        following = standing.on_first[host]
        standing.on_next[task], standing.on_before[task] = following, -1
        if following >= 0:
            standing.on_before[following] = task
        standing.on_first[host] = task
        _note_near(standing, host, standing.start_s[job], 1)


@inner
def unlink(asked, standing, job):
    """Take the promise of the job off the lists of its hosts; undoes `link`."""
    for task in range(asked.first[job], asked.first[job + 1]):
        before, following = standing.on_before[task], standing.on_next[task]
        _note_near(standing, standing.host[task], standing.start_s[job], -1)
        if before >= 0:
            standing.on_next[before] = following
        else:
            standing.on_first[standing.host[task]] = following
        if following >= 0:
            standing.on_before[following] = before


@inner
def give_up(asked, standing, sky, soon, job, now_s):
    """What the job was promised is free for others."""
    unlink(asked, standing, job)
    start_s = max(now_s, standing.start_s[job])
    for task in range(asked.first[job], asked.first[job + 1]):
        note_freed(soon, sky, standing.host[task], start_s, until(start_s, asked.expected_s[job]))


@inner
def bucket(time_s):
    """The number of the stretch of time that a moment lies in."""
    return np.int64(np.floor(time_s / BUCKET_S))


@inner
def _note_near(standing, host, start_s, more):
    if start_s < np.inf:
        standing.again.near[bucket(start_s) % BUCKETS, host] += more


@inner
def put_off(asked, standing, job, start_s):
    """The job is promised the same hosts from another moment on."""
    for task in range(asked.first[job], asked.first[job + 1]):
        _note_near(standing, standing.host[task], standing.start_s[job], -1)
        _note_near(standing, standing.host[task], start_s, 1)
    standing.start_s[job] = start_s


@inner
def note_moved(standing, job):
    """The job is to start now."""
    count = standing.tally
    if count[MOVED] == standing.moved.shape[0]:
        count[WRONG] = OUT_OF_ROOM
        return
    standing.moved[count[MOVED]] = job
    count[MOVED] += 1


@inner
def note_due(standing, job):
    """Enter the job's promise into the heap; made anew if it is full of those that have moved on."""
    count = standing.tally
    if count[DUE] == standing.due_s.shape[0]:
        renew_due(standing)
    count[DUE] = push(standing.due_s, standing.due, count[DUE], standing.start_s[job], job)


@inner
def renew_due(standing):
    """Enter all that are promised something into an empty heap."""
    count, end = standing.tally, standing.waits.shape[0]
    count[DUE] = 0
    job = np.int64(standing.following[end])
    while job < count[PROMISED]:
        count[DUE] = push(standing.due_s, standing.due, count[DUE], standing.start_s[job], job)
        job = np.int64(standing.following[job])


@inner
def next_due_s(standing):
    """The next of the promised moments, infinite if there is none."""
    count = standing.tally
    while count[DUE] > 0:
        job, start_s = standing.due[0], standing.due_s[0]
        if standing.waits[job] and standing.start_s[job] == start_s:
            return start_s
        count[DUE] = drop_first(standing.due_s, standing.due, count[DUE])
    return np.inf


@inner
def note_need(asked, standing, job):
    """Lower what the job's block and group need at least."""
    block, group = job // BLOCK, job // (BLOCK * BLOCK)
    demand = asked.demand[asked.kind[job]]
    for r in range(demand.shape[0]):
        standing.block_need[block, r] = min(standing.block_need[block, r], demand[r])
        standing.group_need[group, r] = min(standing.group_need[group, r], demand[r])
    standing.block_s[block] = min(standing.block_s[block], asked.expected_s[job])
    standing.group_s[group] = min(standing.group_s[group], asked.expected_s[job])


@inner
def renew_block(asked, standing, block):
    """Make exact what a block needs at least, if somebody has left it."""
    if not standing.block_old[block]:
        return
    standing.block_old[block] = False
    standing.block_s[block] = np.inf
    for r in range(standing.block_need.shape[1]):
        standing.block_need[block, r] = np.inf
    for job in range(block * BLOCK, min((block + 1) * BLOCK, standing.tally[PROMISED])):
        if standing.waits[job]:
            demand = asked.demand[asked.kind[job]]
            for r in range(demand.shape[0]):
                standing.block_need[block, r] = min(standing.block_need[block, r], demand[r])
            standing.block_s[block] = min(standing.block_s[block], asked.expected_s[job])


@inner
def renew_group(asked, standing, group):
    """The same of a group of blocks."""
    if not standing.group_old[group]:
        return
    standing.group_old[group] = False
    standing.group_s[group] = np.inf
    for r in range(standing.group_need.shape[1]):
        standing.group_need[group, r] = np.inf
    for block in range(group * BLOCK, min((group + 1) * BLOCK, standing.block_s.shape[0])):
        renew_block(asked, standing, block)
        for r in range(standing.group_need.shape[1]):
            standing.group_need[group, r] = min(standing.group_need[group, r], standing.block_need[block, r])
        standing.group_s[group] = min(standing.group_s[group], standing.block_s[block])
