"""Promises that no longer fit are made again, compiled: only hosts are gone through where that changes something.

By the plain rule all promises are gone through in the order of their moments, and each is held if it fits beside those
before it. Where a host has room for all of its own, that says nothing new. The others are cleared of promises, which
are held there again one by one. Who does not fit any more is promised the first moment that those before it leave free:
a host that might give that is cleared too, of what stands behind.
"""
# mypy: disable-error-code="no-untyped-def,assignment"

import numpy as np

from loadmaster.backfilling.conservative_kernel import NOW_ONLY
from loadmaster.backfilling.skyline_kernel import first_on, hold, is_free, least, until
from loadmaster.backfilling.soon_kernel import forget
from loadmaster.heap_kernel import drop_first, push
from loadmaster.kernels import inner
from loadmaster.sim.queue.standing_behind_kernel import (
    begin_sweep,
    has_changed,
    is_behind,
    is_likely,
    list_likely,
    may_hold,
    sweep,
)
from loadmaster.sim.queue.standing_earliest_kernel import choose, earliest, list_hosts
from loadmaster.sim.queue.standing_queue_kernel import give_up, note_moved, promise
from loadmaster.sim.queue.standing_state import CLEARED, MOVED, PASS, WRONG


@inner
def clear_later(standing, host):
    """The host has less than is held there: its promises are to be gone through."""
    again, count = standing.again, standing.tally
    if again.cleared_at[host] != count[PASS]:
        again.cleared_at[host] = count[PASS]
        again.cleared[count[CLEARED]] = host
        count[CLEARED] += 1


@inner
def stand_again(asked, rules, standing, sky, soon, hand, rate, now_s):
    """Go through the promises of hosts that are to be cleared, in the order of the moments, and what comes of that."""
    count, size, alone = standing.tally, np.int64(0), True
    if count[CLEARED] == 0:
        return
    begin_sweep(standing)
    for i in range(count[CLEARED]):
        size = _clear(asked, standing, sky, np.int64(standing.again.cleared[i]), -np.inf, np.int64(-1), size, now_s)
    while size > 0 and not count[WRONG]:
        job, before_s = np.int64(standing.order[0]), standing.order_s[0]
        size = drop_first(standing.order_s, standing.order, size)
        if _holds_again(asked, standing, sky, job, now_s):
            continue
        give_up(asked, standing, sky, soon, job, now_s)
        if alone and asked.tasks[job] > 1:
            alone = False
            size = _clear_all(asked, standing, sky, soon, job, before_s, size, now_s)
        if alone:
            start_s, able, size = _first_alone(asked, standing, sky, hand, job, before_s, size, now_s)
            if start_s < np.inf:
                choose(asked, rules, standing, hand, rate, job, able)
        else:
            many = list_hosts(asked, soon, sky, hand, job, np.inf, -1, now_s)
            start_s = earliest(asked, rules, standing, sky, soon, hand, rate, job, np.inf, many, now_s)
        promise(asked, standing, sky, hand, job, start_s, now_s)
        for task in range(asked.first[job], asked.first[job + 1]):
            has_changed(standing, standing.host[task])
        standing.seen[job] = 0 if rules.early_end == NOW_ONLY else soon.freed[0]
        if start_s <= now_s < before_s:
            note_moved(standing, job)
    _keep_due(standing, now_s)


@inner
def _clear(asked, standing, sky, host, before_s, before, size, now_s):
    """Take what is promised behind job `before`, whose moment is `before_s`, off a host; those jobs go into the heap.

    Returns the size of that.
    """
    standing.again.cleared_at[host] = standing.tally[PASS]
    has_changed(standing, host)
    task = np.int64(standing.on_first[host])
    while task >= 0:
        job = np.int64(asked.task_job[task])
        if is_behind(standing, job, before_s, before):
            if not _is_out(asked, standing, job):
                size = push(standing.order_s, standing.order, size, standing.start_s[job], job)
            standing.again.out[task] = True
            start_s = max(now_s, standing.start_s[job])
            hold(sky, host, start_s, until(start_s, asked.expected_s[job]), asked.demand[asked.kind[job]], -1.0, now_s)
        task = np.int64(standing.on_next[task])
    return size


@inner
def _clear_all(asked, standing, sky, soon, job, before_s, size, now_s):
    """Clear all hosts of what is promised behind the job; from then on bounds say where to look."""
    for host in range(asked.capacity.shape[0]):
        if standing.again.cleared_at[host] != standing.tally[PASS]:
            size = _clear(asked, standing, sky, np.int64(host), before_s, job, size, now_s)
    forget(soon)
    return size


@inner
def _is_out(asked, standing, job):
    """Whether some of what the job is promised has been taken off."""
    some = False
    for task in range(asked.first[job], asked.first[job + 1]):
        some |= standing.again.out[task]
    return some


@inner
def _holds_again(asked, standing, sky, job, now_s):
    """Hold what has been taken off of the job's promise, if it fits; if not, nothing of it is held."""
    out, first, last = standing.again.out, asked.first[job], asked.first[job + 1]
    start_s, demand, fit = max(now_s, standing.start_s[job]), asked.demand[asked.kind[job]], True
    end_s = until(start_s, asked.expected_s[job])
    for task in range(first, last):
        if fit and out[task]:
            fit = is_free(sky, standing.host[task], start_s, end_s, demand)
            if fit:
                hold(sky, standing.host[task], start_s, end_s, demand, 1.0, now_s)
                has_changed(standing, standing.host[task])
                out[task] = False
    if fit:
        return True
    for task in range(first, last):
        standing.look_s[standing.host[task]] = -np.inf
        if not out[task]:
            hold(sky, standing.host[task], start_s, end_s, demand, -1.0, now_s)
            has_changed(standing, standing.host[task])
        out[task] = False
    return False


@inner
def _first_alone(asked, standing, sky, hand, job, before_s, size, now_s):
    """The first moment for the one task of a job beside those before it, where `before_s` was its own.

    Returns it, how many hosts are listed for it, and the size of the heap of those that hosts were cleared of.
    """
    demand, expected_s = asked.demand[asked.kind[job]], asked.expected_s[job]
    own, again, able = np.int64(standing.host[asked.first[job]]), standing.again, 1
    best_s = first_on(sky, own, demand, expected_s, now_s, np.inf)
    hand.able[0] = own
    sweep(standing, sky, before_s, now_s)
    for host in range(asked.capacity.shape[0]):
        if again.cleared_at[host] == standing.tally[PASS] and host != own and is_likely(again, host, demand, best_s):
            start_s = first_on(sky, host, demand, expected_s, now_s, best_s)
            if start_s < best_s:
                best_s, able = start_s, 0
            if start_s == best_s:
                hand.able[able] = host
                able += 1
    for i in range(list_likely(standing, hand, demand, before_s, best_s, now_s)):
        host = np.int64(hand.listed[i])
        if not may_hold(asked, standing, sky, hand, host, job, before_s, best_s, now_s):
            continue
        size = _clear(asked, standing, sky, host, before_s, job, size, now_s)
        start_s = first_on(sky, host, demand, expected_s, now_s, best_s)
        if start_s < best_s:
            best_s, able = start_s, 0
        if start_s == best_s:
            hand.able[able] = host
            able += 1
    if best_s < np.inf:
        for i in range(able):
            least(sky, hand.able[i], best_s, until(best_s, expected_s), hand.window)
    return best_s, able, size


@inner
def _keep_due(standing, now_s):
    """Of those that were to start now, let those go on that still are."""
    many, standing.tally[MOVED] = standing.tally[MOVED], 0
    for i in range(many):
        if standing.start_s[standing.moved[i]] <= now_s:
            standing.moved[standing.tally[MOVED]] = standing.moved[i]
            standing.tally[MOVED] += 1
