"""What becomes of promises when somebody has ended early, compiled: who may move is looked for where room was made."""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.choice_kernel import tasks_in
from loadmaster.backfilling.skyline_kernel import covering, is_free, is_free_from, least, next_step_s, until
from loadmaster.backfilling.soon_kernel import catch_up
from loadmaster.heap_kernel import drop_first, push
from loadmaster.kernels import inlined, inner
from loadmaster.sim.queue.standing_earliest_kernel import choose, earliest, list_hosts, list_own
from loadmaster.sim.queue.standing_queue_kernel import (
    give_up,
    hold_promise,
    note_moved,
    promise,
    renew_block,
    renew_group,
)
from loadmaster.sim.queue.standing_state import BLOCK, LOOKED, PASS, PROMISED, WRONG


@inner
def move_all(asked, rules, standing, sky, soon, hand, rate, now_s, by_moment):
    """Move each promise to the first moment that is free, if that is sooner: in the order of arrival, or by moment."""
    count, end = standing.tally, standing.waits.shape[0]
    job = np.int64(standing.following[end])
    if not by_moment:
        while job < count[PROMISED] and not count[WRONG]:
            if _may_move(asked, standing, sky, soon, job, now_s):
                _sooner(asked, rules, standing, sky, soon, hand, rate, job, now_s)
            job = np.int64(standing.following[job])
        return
    size = 0
    while job < count[PROMISED]:
        size = push(standing.order_s, standing.order, size, standing.start_s[job], job)
        job = np.int64(standing.following[job])
    while size > 0 and not count[WRONG]:
        job = np.int64(standing.order[0])
        size = drop_first(standing.order_s, standing.order, size)
        if _may_move(asked, standing, sky, soon, job, now_s):
            _sooner(asked, rules, standing, sky, soon, hand, rate, job, now_s)


@inlined
def _may_move(asked, standing, sky, soon, job, now_s):
    """Whether something was given back, since the job was last looked at, that might let it start sooner."""
    before_s, seen, kind = standing.start_s[job], standing.seen[job], np.int64(soon.of[job])
    if before_s <= now_s or seen == soon.freed[0]:
        return False
    if soon.known[kind] != soon.freed[0]:
        catch_up(soon, sky, kind, now_s)
    may = soon.least_s[kind] < before_s and soon.live_at[kind] > seen
    for task in range(asked.first[job], asked.first[job + 1]):
        may |= soon.freed_at[standing.host[task]] > seen
    if not may:
        standing.seen[job] = soon.freed[0]
    return may


@inner
def _sooner(asked, rules, standing, sky, soon, hand, rate, job, now_s):
    """Move the job's promise to the first moment that is free, if that is sooner."""
    before_s, seen = standing.start_s[job], standing.seen[job]
    size = list_hosts(asked, soon, sky, hand, job, before_s, seen, now_s)
    size = list_own(asked, standing, soon, sky, hand, job, seen, size)
    standing.seen[job] = soon.freed[0]
    if size == 0:
        return
    apart = asked.tasks[job] == 1 and hand.question[1] != hand.question[0]  # its own promise is in nobody's way
    if not apart:
        hold_promise(asked, standing, sky, job, -1.0, now_s)
        _bound_own(asked, standing, soon, job, before_s, now_s)
    start_s = earliest(asked, rules, standing, sky, soon, hand, rate, job, before_s, size, now_s)
    if start_s < np.inf and apart:
        hold_promise(asked, standing, sky, job, -1.0, now_s)
    elif start_s == np.inf:
        if not apart:
            hold_promise(asked, standing, sky, job, 1.0, now_s)
        return
    give_up(asked, standing, sky, soon, job, now_s)
    promise(asked, standing, sky, hand, job, start_s, now_s)
    if start_s <= now_s:
        note_moved(standing, job)


@inner
def _bound_own(asked, standing, soon, job, before_s, now_s):
    """Without its own promise the job may start sooner on its own hosts than its class."""
    kind = soon.of[job]
    bound_s = max(now_s, before_s - soon.long_s[kind] - 1.0)
    for task in range(asked.first[job], asked.first[job + 1]):
        host = standing.host[task]
        soon.soon_s[kind, host] = min(soon.soon_s[kind, host], bound_s)
    soon.least_s[kind] = min(soon.least_s[kind], bound_s)


@inner
def start_sooner(asked, rules, standing, sky, soon, hand, rate, now_s):
    """In the order of arrival, promise this very moment to whoever fits beside all other promises.

    Only hosts are looked at that may have become able to hold somebody: where something was given back, or a step has
    passed. `order` holds, by number, jobs that might start beside what they are promised themselves.
    """
    count = standing.tally
    count[LOOKED], waiting = 0, 0
    standing.look_most[:] = -np.inf
    for host in range(standing.look_s.shape[0]):
        if standing.look_s[host] <= now_s:
            waiting = _look_at(asked, standing, sky, host, 0, waiting, now_s)
    job = np.int64(0)
    while count[LOOKED] > 0 and not count[WRONG]:
        while waiting > 0 and standing.order[0] < job:
            waiting = drop_first(standing.order_s, standing.order, waiting)
        job = _next_job(asked, standing, sky, job, standing.order[0] if waiting > 0 else count[PROMISED], now_s)
        if job >= count[PROMISED]:
            break
        if standing.start_s[job] > now_s:
            waiting = _start_now(asked, rules, standing, sky, soon, hand, rate, job, waiting, now_s)
        job += 1
    for i in range(count[LOOKED]):
        host = standing.looked[i]
        if standing.look_s[host] > -np.inf:
            standing.look_s[host] = next_step_s(sky, host, now_s)


@inner
def _look_at(asked, standing, sky, host, job, waiting, now_s):
    """Look at a host, and note those from `job` on that are promised it and might start beside that promise."""
    count = standing.tally
    if standing.looked_at[host] != count[PASS]:
        standing.looked_at[host] = count[PASS]
        standing.looked[count[LOOKED]] = host
        count[LOOKED] += 1
        standing.look_s[host] = now_s
    at = _note_most(standing, sky, host, now_s)
    task = standing.on_first[host]
    while task >= 0:
        other = np.int64(asked.task_job[task])
        later = other >= job and standing.seen[other] != count[PASS] and standing.start_s[other] > now_s
        if later and _fits_before_own(asked, standing, sky, host, at, other, now_s):
            standing.seen[other] = count[PASS]  # in the heap
            waiting = push(standing.order_s, standing.order, waiting, np.float64(other), other)
        task = standing.on_next[task]
    return waiting


@inner
def _note_most(standing, sky, host, now_s):
    """Note what a host has free now; returns the step that it is in."""
    at = covering(sky, host, now_s)
    for r in range(standing.look_most.shape[0]):
        standing.look_most[r] = max(standing.look_most[r], sky.free[at, r])
    return at


@inner
def _fits_before_own(asked, standing, sky, host, at, job, now_s):
    """Whether the job fits on a host of its promise from now, in step `at`, until that begins, or it would be over."""
    end_s = min(standing.start_s[job], until(now_s, asked.expected_s[job]))
    return is_free_from(sky, host, at, end_s, asked.demand[asked.kind[job]])


@inner
def _next_job(asked, standing, sky, job, end, now_s):
    """The first waiting job from `job` on, before `end`, of which a host that is looked at might hold a task; `end`."""
    while job < end:
        group, block = job // (BLOCK * BLOCK), job // BLOCK
        if job % (BLOCK * BLOCK) == 0 or standing.group_old[group]:
            renew_group(asked, standing, group)
            if not _might_hold(standing, sky, standing.group_need[group], standing.group_s[group], now_s):
                job = (group + 1) * BLOCK * BLOCK
                continue
        renew_block(asked, standing, block)
        if not _might_hold(standing, sky, standing.block_need[block], standing.block_s[block], now_s):
            job = (block + 1) * BLOCK
            continue
        stop = min((block + 1) * BLOCK, end)
        while job < stop:
            if standing.waits[job]:
                demand, expected_s = asked.demand[asked.kind[job]], asked.expected_s[job]
                if _might_hold(standing, sky, demand, expected_s, now_s):
                    return job
            job += 1
    return min(job, end)


@inner
def _might_hold(standing, sky, demand, expected_s, now_s):
    """Whether a host that is looked at has so much free from now on for so long."""
    i, found = 0, False
    if expected_s == np.inf:
        return found
    for r in range(demand.shape[0]):
        if demand[r] > standing.look_most[r]:
            return found
    end_s = until(now_s, expected_s)
    while i < standing.tally[LOOKED] and not found:
        found = is_free(sky, standing.looked[i], now_s, end_s, demand)
        i += 1
    return found


@inner
def _start_now(asked, rules, standing, sky, soon, hand, rate, job, waiting, now_s):
    """Promise this very moment to the job, if it fits beside all other promises; returns the size of the heap."""
    hold_promise(asked, standing, sky, job, -1.0, now_s)
    able = _able_now(asked, standing, sky, hand, job, now_s)
    if able == 0:
        hold_promise(asked, standing, sky, job, 1.0, now_s)
        return waiting
    choose(asked, rules, standing, hand, rate, job, able)
    first, tasks = asked.first[job], asked.tasks[job]
    give_up(asked, standing, sky, soon, job, now_s)
    for k in range(tasks):
        standing.undo_host[k] = standing.host[first + k]
    promise(asked, standing, sky, hand, job, now_s, now_s)
    note_moved(standing, job)
    standing.look_most[:] = -np.inf
    for i in range(standing.tally[LOOKED]):
        _note_most(standing, sky, standing.looked[i], now_s)
    for k in range(tasks):
        host = standing.undo_host[k]
        waiting = _look_at(asked, standing, sky, host, job + 1, waiting, now_s)
        standing.look_s[host] = -np.inf
    return waiting


@inner
def _able_now(asked, standing, sky, hand, job, now_s):
    """List the hosts that can hold tasks of the job from now on; 0 if not all of them."""
    end_s, demand, tasks = until(now_s, asked.expected_s[job]), asked.demand[asked.kind[job]], asked.tasks[job]
    able, most = 0, np.int64(0)
    all_hosts = tasks > 1
    many = asked.capacity.shape[0] if all_hosts else standing.tally[LOOKED]
    for i in range(many):
        host = np.int64(i) if all_hosts else np.int64(standing.looked[i])
        if is_free(sky, host, now_s, end_s, demand):
            least(sky, host, now_s, end_s, hand.window)
            hand.able[able] = host
            able += 1
            most += tasks_in(hand.window, host, asked.demand, asked.kind[job], tasks)
    return able if most >= tasks else 0
