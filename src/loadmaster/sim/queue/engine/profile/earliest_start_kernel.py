"""The earliest start of a job beside all reservations, compiled: only hosts with a low enough start bound are checked.

A start bound of a host is never later than the true earliest start there (`start_bounds_kernel.py`). A host whose bound
is later than the best start so far cannot be as good, so the result is that of a check of all hosts.
"""
# mypy: disable-error-code="no-untyped-def,assignment"

import numpy as np

from loadmaster.backfilling.free_profile_kernel import covering, first_on, fits, least, until
from loadmaster.backfilling.host_choice_kernel import tasks_in
from loadmaster.backfilling.start_bounds_kernel import FREED, LAST, apply_new_entries, bound_on, lasts
from loadmaster.jit.heap_kernel import drop_first, push
from loadmaster.jit.kernels import inlined, inner
from loadmaster.sim.queue.engine.profile.multi_task_kernel import first_of_several
from loadmaster.sim.queue.engine.profile.reservations_kernel import entries_of
from loadmaster.sim.queue.engine.profile.state import CHOSEN, WRONG
from loadmaster.sim.queue.engine.state import LAST_HOST, NOT_FINITE, UNDO


@inner
def list_hosts(plan, job, before_s, seen, now_s):
    """List the hosts on which the job might start before that moment; returns how many.

    Only hosts count where capacity was freed since `seen`; a negative `seen` stands for all hosts.
    """
    requests, scratch, bounds, sky = plan.requests, plan.scratch, plan.bounds, plan.sky
    kind, freed = bounds.of[job], bounds.freed[0]
    apply_new_entries(bounds, sky, kind, now_s)
    scratch.question[0] += 1
    if bounds.least_s[kind] >= before_s or bounds.live_at[kind] <= seen:
        return 0
    size = 0
    # few changes since `seen`: walk the list of changes instead of all hosts
    if seen >= 0 and freed - seen < min(FREED, max(bounds.freed_at.shape[0] >> 1, 2)):
        number, expected_s = np.int64(bounds.need_of[kind]), requests.expected_s[job]
        longest_s, bound_s = bounds.longest_s[number], bounds.soon_s[kind]
        for entry in range(seen, freed):
            at = entry & LAST
            if lasts(bounds, sky, at, number, longest_s, expected_s, now_s):
                host, until_s = np.int64(bounds.freed_host[at]), bounds.until_s[at]
                if bound_s[host] < min(before_s, until_s):
                    size = _list(plan, host, until_s, size)
        return size
    least_s = np.inf
    for host in range(bounds.freed_at.shape[0]):
        least_s = min(least_s, bounds.soon_s[kind, host])
        if bounds.soon_s[kind, host] < before_s and bounds.freed_at[host] > seen:
            size = _list(plan, host, np.inf, size)
    bounds.least_s[kind] = least_s
    return size


@inner
def list_own(plan, job, seen, size):
    """Also list the job's own hosts where it may start sooner without its own reservation; returns how many are listed.

    Capacity was freed there, and there is room just before the reservation begins.
    """
    requests, scratch, bounds, sky = plan.requests, plan.scratch, plan.bounds, plan.sky
    demand, start_s, (first, end) = requests.demand[requests.kind[job]], plan.start_s[job], entries_of(plan, job)
    for entry in range(first, end):
        host = np.int64(plan.host[entry])
        if bounds.freed_at[host] > seen:
            at = covering(sky, host, start_s)
            if at > sky.first[host] and sky.time_s[at] == start_s:
                at -= 1
            if fits(sky, at, demand):
                size = _list(plan, host, np.inf, size)
                scratch.question[1] = scratch.question[0]
    return size


@inner
def _list(plan, host, until_s, size):
    """List a host on which the job may start at `until_s` or before; returns how many are listed."""
    scratch = plan.scratch
    if scratch.listed_at[host] == scratch.question[0]:
        scratch.limit_s[host] = max(scratch.limit_s[host], until_s)
        return size
    scratch.listed_at[host], scratch.limit_s[host], scratch.listed[size] = scratch.question[0], until_s, host
    return size + 1


@inner
def earliest_of_all(plan, rate, job, now_s):
    """The earliest start of the job on any hosts, which are then in `scratch`; infinite if there is none."""
    size = list_hosts(plan, job, np.inf, -1, now_s) if plan.requests.tasks[job] == 1 else 0
    return earliest(plan, rate, job, np.inf, size, now_s)


@inner
def earliest(plan, rate, job, before_s, size, now_s):
    """The earliest start of the job before `before_s`, its hosts then in `scratch`; infinite if there is none.

    A job of one task can start only on one of the `size` listed hosts.
    """
    requests = plan.requests
    if requests.tasks[job] == 1:
        start_s, able = _first_of_one(plan, job, before_s, size, now_s)
    else:
        start_s, able = first_of_several(plan, job, before_s, now_s)
    plan.tally[CHOSEN] = 0
    if start_s < np.inf:
        choose(plan, rate, job, able)
    return start_s


@inner
def _first_of_one(plan, job, before_s, size, now_s):
    requests, scratch, bounds, sky = plan.requests, plan.scratch, plan.bounds, plan.sky
    kind, demand, expected_s = bounds.of[job], requests.demand[requests.kind[job]], requests.expected_s[job]
    best_s, able, likely, likely_s = before_s, 0, 0, np.inf
    for i in range(size):
        if bounds.soon_s[kind, scratch.listed[i]] < likely_s:
            likely, likely_s = i, bounds.soon_s[kind, scratch.listed[i]]
    if size > 0:
        # try the host with the least bound first, so that others are soon ruled out
        scratch.listed[0], scratch.listed[likely] = scratch.listed[likely], scratch.listed[0]
    for i in range(size):
        host = scratch.listed[i]
        latest_s = min(best_s, scratch.limit_s[host])
        bound_s = bound_on(bounds, sky, kind, host, now_s, latest_s)
        if bound_s > latest_s or bound_s >= before_s:
            continue
        start_s = first_on(sky, host, demand, expected_s, bound_s, latest_s)
        if start_s > latest_s:
            continue
        if start_s < best_s:
            best_s, able = start_s, 0
        if start_s == best_s and start_s < before_s:
            scratch.able[able] = host
            able += 1
    if able == 0:
        return np.inf, 0
    for i in range(able):
        least(sky, scratch.able[i], best_s, until(best_s, expected_s), scratch.window)
    return best_s, able


@inner
def choose(plan, rate, job, able):
    """Choose among the hosts in `able`, by their free capacity in `window`, which shrinks; writes to `scratch`."""
    plan.tally[CHOSEN] = 0
    if plan.as_pool:
        _note_chosen(plan, 0, 1)
    elif plan.rules.first_fit & 1:
        _fill_in_order(plan, job, able)
    elif plan.requests.tasks[job] == 1 or plan.rules.varies:
        _choose_one_by_one(plan, rate, job, able)
    else:
        _choose_by_heap(plan, rate, job, able)


@inlined
def _note_chosen(plan, host, tasks):
    """Give a host so many more tasks."""
    scratch, chosen = plan.scratch, plan.tally[CHOSEN]
    if chosen > 0 and scratch.host[chosen - 1] == host:
        scratch.tasks[chosen - 1] += tasks
        return
    scratch.host[chosen], scratch.tasks[chosen] = host, tasks
    plan.tally[CHOSEN] += 1


@inner
def _fill_in_order(plan, job, able):
    """First-fit scores all hosts alike: fill them in their order."""
    requests, scratch, heaped = plan.requests, plan.scratch, 0
    for i in range(able):
        heaped = push(scratch.turn_s, scratch.turn_host, heaped, np.float64(scratch.able[i]), scratch.able[i])
    left = np.int64(requests.tasks[job])
    while left > 0:
        host = np.int64(scratch.turn_host[0])
        heaped = drop_first(scratch.turn_s, scratch.turn_host, heaped)
        held = tasks_in(scratch.window, host, requests.demand, requests.kind[job], left)
        _note_chosen(plan, host, held)
        left -= held


@inner
def _choose_one_by_one(plan, rate, job, able):
    """Take the lowest rated host, task by task; all hosts are rated again for each."""
    requests, scratch = plan.requests, plan.scratch
    demand, last_host, seed = requests.demand[requests.kind[job]], last_taken(plan.state), plan.rules.seed
    for k in range(requests.tasks[job]):
        task = requests.first[job] + k
        wrong = rate(demand, scratch.window, plan.capacity, scratch.able, able, last_host, task, seed, scratch.value, 0)
        if wrong:
            plan.tally[WRONG] = NOT_FINITE
            return
        last_host = lowest_able(scratch, able)
        _note_chosen(plan, last_host, 1)
        for r in range(demand.shape[0]):
            scratch.window[last_host, r] -= demand[r]


@inner
def _choose_by_heap(plan, rate, job, able):
    """The same where only the score of the host just taken changes: a heap of hosts by score."""
    requests, scratch, heaped = plan.requests, plan.scratch, 0
    demand, last_host, seed = requests.demand[requests.kind[job]], last_taken(plan.state), plan.rules.seed
    first, again = requests.first[job], scratch.again
    wrong = rate(demand, scratch.window, plan.capacity, scratch.able, able, last_host, first, seed, scratch.value, 0)
    for i in range(able):
        host = scratch.able[i]
        heaped = push(scratch.turn_s, scratch.turn_host, heaped, scratch.value[host], host)
    for k in range(1, requests.tasks[job] + 1):
        if wrong:
            plan.tally[WRONG] = NOT_FINITE
            return
        host = np.int64(scratch.turn_host[0])
        heaped = drop_first(scratch.turn_s, scratch.turn_host, heaped)
        _note_chosen(plan, host, 1)
        for r in range(demand.shape[0]):
            scratch.window[host, r] -= demand[r]
        again[0] = host
        wrong = rate(demand, scratch.window, plan.capacity, again, 1, host, first + k, seed, scratch.value, 0)
        heaped = push(scratch.turn_s, scratch.turn_host, heaped, scratch.value[host], host)


@inlined
def last_taken(state):
    """The host of the last task that was started, in this pass or before."""
    count = state.tally
    return count[LAST_HOST] if count[UNDO] == 0 else np.int64(state.undo_host[count[UNDO] - 1])


@inner
def lowest_able(scratch, able):
    """The lowest rated host in `able`, the lowest index among equals, or -1."""
    best, lowest = np.inf, np.int64(-1)
    for i in range(able):
        host = np.int64(scratch.able[i])
        if scratch.value[host] < best or (scratch.value[host] == best and host < lowest):
            best, lowest = scratch.value[host], host
    return lowest
