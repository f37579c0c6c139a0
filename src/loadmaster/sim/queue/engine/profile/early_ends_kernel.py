"""What happens to reservations when a job ends early, compiled: only jobs that may start sooner are moved.

A job is checked only if capacity was freed since its last check. That check found no earlier start, and reservations
made since only take capacity.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.free_profile_kernel import covering, is_free, is_free_from, least, next_step_s, until
from loadmaster.backfilling.host_choice_kernel import tasks_in
from loadmaster.backfilling.start_bounds_kernel import apply_new_entries
from loadmaster.jit.heap_kernel import drop_first, push
from loadmaster.jit.kernels import inlined, inner
from loadmaster.sim.queue.engine.min_demand_kernel import tighten_low, tighten_mid, tighten_top
from loadmaster.sim.queue.engine.profile.earliest_start_kernel import choose, earliest, list_hosts, list_own
from loadmaster.sim.queue.engine.profile.multi_task_kernel import first_beside_own, may_start_now
from loadmaster.sim.queue.engine.profile.reservations_kernel import (
    entries_of,
    give_up,
    heap_by_start,
    hold_promise,
    next_promised,
    note_moved,
    promise,
)
from loadmaster.sim.queue.engine.profile.state import LOOKED, PASS, PROMISED, WRONG
from loadmaster.sim.queue.engine.queue_tree_kernel import cores_of
from loadmaster.sim.queue.engine.state import EXPECTED, FAN, LANES, MEMORY


@inner
def move_all(plan, rate, now_s, by_moment):
    """Move each reservation to its earliest start, if that is sooner: in the order of arrival, or by start."""
    kept = plan.kept
    count = plan.tally
    if not by_moment:
        job = next_promised(plan, 0)
        while job < count[PROMISED] and not count[WRONG]:
            if _may_move(plan, job, now_s):
                _sooner(plan, rate, job, now_s)
            job = next_promised(plan, job + 1)
        return
    size = heap_by_start(plan)
    while size > 0 and not count[WRONG]:
        job = np.int64(kept.order[0])
        size = drop_first(kept.order_s, kept.order, size)
        if _may_move(plan, job, now_s):
            _sooner(plan, rate, job, now_s)


@inlined
def _may_move(plan, job, now_s):
    """Whether capacity that was freed since the job was last checked might let it start sooner."""
    kept, bounds, sky = plan.kept, plan.bounds, plan.sky
    before_s, seen, kind = plan.start_s[job], kept.seen[job], np.int64(bounds.of[job])
    if before_s <= now_s or seen == bounds.freed[0]:
        return False
    if plan.requests.tasks[job] > 1:
        return True
    if bounds.known[kind] != bounds.freed[0]:
        apply_new_entries(bounds, sky, kind, now_s)
    may = bounds.least_s[kind] < before_s and bounds.live_at[kind] > seen
    first, end = entries_of(plan, job)
    for entry in range(first, end):
        may |= bounds.freed_at[plan.host[entry]] > seen
    if not may:
        kept.seen[job] = bounds.freed[0]
    return may


@inner
def _sooner(plan, rate, job, now_s):
    """Move the job's reservation to its earliest start, if that is sooner."""
    seen, plan.kept.seen[job] = plan.kept.seen[job], plan.bounds.freed[0]
    if plan.requests.tasks[job] == 1:
        start_s = _first_of_one(plan, rate, job, seen, now_s)
    else:
        start_s = _first_of_several(plan, rate, job, seen, now_s)
    if start_s == np.inf:
        return
    give_up(plan, job, now_s)
    promise(plan, job, start_s, now_s)
    if start_s <= now_s:
        note_moved(plan, job)


@inner
def _first_of_one(plan, rate, job, seen, now_s):
    """An earlier start for a job of one task, whose reservation is then dropped; infinite if there is none."""
    scratch, before_s = plan.scratch, plan.start_s[job]
    size = list_own(plan, job, seen, list_hosts(plan, job, before_s, seen, now_s))
    if size == 0:
        return np.inf
    node_count = scratch.question[1] != scratch.question[0]
    if not node_count:
        hold_promise(plan, job, -1.0, now_s)
        _bound_own(plan, job, before_s, now_s)
    start_s = earliest(plan, rate, job, before_s, size, now_s)
    if start_s < np.inf and node_count:
        hold_promise(plan, job, -1.0, now_s)
    elif start_s == np.inf and not node_count:
        hold_promise(plan, job, 1.0, now_s)
    return start_s


@inner
def _first_of_several(plan, rate, job, seen, now_s):
    """The same for a job of several tasks: its reservation is taken out only where it might start sooner."""
    from_s = first_beside_own(plan, job, seen, now_s)
    if from_s == np.inf:
        return np.inf
    hold_promise(plan, job, -1.0, now_s)
    start_s = earliest(plan, rate, job, plan.start_s[job], 0, from_s)
    if start_s == np.inf:
        hold_promise(plan, job, 1.0, now_s)
    return start_s


@inner
def _bound_own(plan, job, before_s, now_s):
    """Lower the bounds on the job's own hosts: without its reservation it may start there sooner than its class."""
    bounds, (first, end) = plan.bounds, entries_of(plan, job)
    kind = bounds.of[job]
    bound_s = max(now_s, before_s - bounds.long_s[kind] - 1.0)
    for entry in range(first, end):
        host = plan.host[entry]
        bounds.soon_s[kind, host] = min(bounds.soon_s[kind, host], bound_s)
    bounds.least_s[kind] = min(bounds.least_s[kind], bound_s)


@inner
def start_sooner(plan, rate, now_s):
    """Start, in the order of arrival, each job that fits now beside all other reservations.

    Only hosts that may have become able to hold a job are checked: capacity was freed there, or a step has passed.
    `order` holds, by number, jobs that might start beside their own reservation.
    """
    kept, sky = plan.kept, plan.sky
    count = plan.tally
    count[LOOKED], waiting = 0, 0
    kept.look_most[:] = -np.inf
    # collect the hosts to check, and the jobs with a reservation on them
    for host in range(kept.look_s.shape[0]):
        if kept.look_s[host] <= now_s:
            waiting = _look_at(plan, host, 0, waiting, now_s)
    job = np.int64(0)
    while count[LOOKED] > 0 and not count[WRONG]:
        # drop entries that the walk has passed
        while waiting > 0 and kept.order[0] < job:
            waiting = drop_first(kept.order_s, kept.order, waiting)
        job = _next_job(plan, job, kept.order[0] if waiting > 0 else count[PROMISED], now_s)
        if job >= count[PROMISED]:
            break
        if plan.start_s[job] > now_s:
            waiting = _start_now(plan, rate, job, waiting, now_s)
        job += 1
    for i in range(count[LOOKED]):
        host = kept.looked[i]
        if kept.look_s[host] > -np.inf:
            kept.look_s[host] = next_step_s(sky, host, now_s)


@inner
def _look_at(plan, host, job, waiting, now_s):
    """Check a host, and collect the jobs from `job` on with a reservation there that might start before it begins."""
    requests, kept = plan.requests, plan.kept
    count = plan.tally
    if kept.looked_at[host] != count[PASS]:
        kept.looked_at[host] = count[PASS]
        kept.looked[count[LOOKED]] = host
        count[LOOKED] += 1
        kept.look_s[host] = now_s
    at = _note_most(plan, host, now_s)
    entry = kept.on_first[host]
    while entry >= 0:
        other = np.int64(requests.task_job[entry])
        later = other >= job and kept.seen[other] != count[PASS] and plan.start_s[other] > now_s
        if later and _fits_before_own(plan, host, at, other, now_s):
            kept.seen[other] = count[PASS]  # in the heap
            waiting = push(kept.order_s, kept.order, waiting, np.float64(other), other)
        entry = kept.on_next[entry]
    return waiting


@inner
def _note_most(plan, host, now_s):
    """Raise `look_most` to what a host has free now; returns its present step."""
    kept, sky = plan.kept, plan.sky
    at = covering(sky, host, now_s)
    for r in range(kept.look_most.shape[0]):
        kept.look_most[r] = max(kept.look_most[r], sky.free[at, r])
    return at


@inner
def _fits_before_own(plan, host, at, job, now_s):
    """Whether the job fits on a host of its reservation from now, in step `at`, until that begins or the job ends."""
    requests, sky = plan.requests, plan.sky
    end_s = min(plan.start_s[job], until(now_s, requests.expected_s[job]))
    return is_free_from(sky, host, at, end_s, requests.demand[requests.kind[job]])


@inner
def _next_job(plan, job, end, now_s):
    """The first waiting job from `job` on, before `end`, with a task that a checked host might hold; `end` if none.

    A pool is the host of every reservation: `order` has each job that might start there.
    """
    requests, here = plan.requests, plan.waiting.here
    if plan.as_pool:
        return end
    while job < end:
        passed = _held_from(plan, job // FAN, now_s) if job % FAN == 0 else 0
        demand, expected_s = requests.demand[requests.kind[job]], requests.expected_s[job]
        if passed == 0 and here[job] and _might_hold(plan, demand, expected_s, now_s):
            return job
        job += max(passed, 1)
    return end


@inner
def _held_from(plan, node, now_s):
    """The number of jobs, from a lowest block on, without a task that a checked host holds; 0 if one might."""
    jobs, waiting = plan.jobs, plan.waiting
    mid, top = node // FAN, node // (FAN * FAN)
    if node % (FAN * FAN) == 0 and (
        not _some_held(plan, waiting.top, top, now_s)
        or (tighten_top(jobs, waiting, top) and not _some_held(plan, waiting.top, top, now_s))
    ):
        return FAN * FAN * FAN
    if node % FAN == 0 and (
        not _some_held(plan, waiting.mid, mid, now_s)
        or (tighten_mid(jobs, waiting, mid) and not _some_held(plan, waiting.mid, mid, now_s))
    ):
        return FAN * FAN
    if not _some_held(plan, waiting.low, node, now_s) or (
        tighten_low(jobs, waiting, node) and not _some_held(plan, waiting.low, node, now_s)
    ):
        return FAN
    return 0


@inner
def _some_held(plan, below, node, now_s):
    """Whether a checked host might hold a task of some job below the node of the tree."""
    need, some = plan.scratch.need, False
    for r in range(2, need.shape[0]):
        need[r] = 0.0  # the tree states two resources
    for lane in range(LANES):
        if not some and below[node, MEMORY, lane] < np.inf:
            need[0] = cores_of(lane)
            if need.shape[0] > 1:
                need[1] = below[node, MEMORY, lane]
            some = _might_hold(plan, need, below[node, EXPECTED, lane], now_s)
    return some


@inner
def _might_hold(plan, demand, expected_s, now_s):
    """Whether a checked host has so much free from now on for so long."""
    kept, sky = plan.kept, plan.sky
    i, found = 0, False
    for r in range(demand.shape[0]):
        if demand[r] > kept.look_most[r]:
            return found
    end_s = until(now_s, expected_s)
    while i < plan.tally[LOOKED] and not found:
        found = is_free(sky, kept.looked[i], now_s, end_s, demand)
        i += 1
    return found


@inner
def _start_now(plan, rate, job, waiting, now_s):
    """Give the job a reservation from now on, if it fits beside all others; returns the size of the heap."""
    kept, scratch = plan.kept, plan.scratch
    if plan.requests.tasks[job] > 1 and not may_start_now(plan, job, now_s):
        return waiting
    hold_promise(plan, job, -1.0, now_s)
    able = _able_now(plan, job, now_s)
    if able == 0:
        hold_promise(plan, job, 1.0, now_s)
        return waiting
    choose(plan, rate, job, able)
    give_up(plan, job, now_s)
    first, end = entries_of(plan, job)
    for entry in range(first, end):
        scratch.before[entry - first] = plan.host[entry]
    promise(plan, job, now_s, now_s)
    note_moved(plan, job)
    kept.look_most[:] = -np.inf
    for i in range(plan.tally[LOOKED]):
        _note_most(plan, kept.looked[i], now_s)
    for k in range(end - first):
        host = scratch.before[k]
        waiting = _look_at(plan, host, job + 1, waiting, now_s)
        kept.look_s[host] = -np.inf
    return waiting


@inner
def _able_now(plan, job, now_s):
    """List the hosts that can hold tasks of the job from now on; 0 if they do not hold all tasks."""
    requests, kept, scratch, sky = plan.requests, plan.kept, plan.scratch, plan.sky
    end_s, demand, tasks = (
        until(now_s, requests.expected_s[job]),
        requests.demand[requests.kind[job]],
        requests.tasks[job],
    )
    able, most = 0, np.int64(0)
    all_hosts = tasks > 1
    many = requests.capacity.shape[0] if all_hosts else plan.tally[LOOKED]
    for i in range(many):
        host = np.int64(i) if all_hosts else np.int64(kept.looked[i])
        if is_free(sky, host, now_s, end_s, demand):
            least(sky, host, now_s, end_s, scratch.window)
            scratch.able[able] = host
            able += 1
            most += tasks_in(scratch.window, host, requests.demand, requests.kind[job], tasks)
    return able if most >= tasks else 0
