"""The head's reservation, compiled: its shadow time, and what other jobs may take until then and after.

The result is that of `loadmaster.backfilling.shadow_time`. In general, expected ends are swept in order until the head
fits. For a head of several tasks, or on one host, the sweep counts how many of its tasks each host holds
(`head_slack_kernel.py`). A head of one task among several hosts fits on no host now. If it was also the head of the
last pass, only hosts where a job has started or ended since are asked again: `soonest_s` keeps, for each host, when it
alone holds the head, or a lower bound of that. The shadow time is the minimum, if it is exact on each host that has it.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.jit.heap_kernel import drop_first, push
from loadmaster.jit.kernels import inlined, inner
from loadmaster.place.cards_kernel import amounts_of, give_to, sum_up
from loadmaster.sim.queue.engine.cluster_amounts_kernel import (
    begin_amounts_then,
    cap_change_s,
    cap_changes_come,
    change_amounts_then,
    change_cap_then,
    has_amounts_from,
    hold_amounts_for_head,
)
from loadmaster.sim.queue.engine.estimates_kernel import NONE
from loadmaster.sim.queue.engine.expected_ends_kernel import next_end
from loadmaster.sim.queue.engine.head_slack_kernel import copy_cards, count_now, held_in, left_for_long, set_apart
from loadmaster.sim.queue.engine.queue_tree_kernel import lower_frontier, raise_frontier, raise_step
from loadmaster.sim.queue.engine.running_by_host_kernel import (
    OF,
    STALE,
    all_fresh,
    are_few,
    give_back_at,
    has_changed,
    next_end_at,
    next_run,
)
from loadmaster.sim.queue.engine.state import (
    COUNTED,
    HEAD,
    HELD,
    LONG,
    PLANNED,
    SAME,
    SLACK,
    STAMP_THEN,
    TOUCHED,
    UNDO,
)

AT_ONCE = 128
"""Runs on stale hosts, above which all expected ends are swept again."""


@inner
def promise(engine, head, now):
    """Find the shadow time of `head`, which does not fit now: the first moment it fits if all jobs end as expected."""
    running_by_host = engine.state.running_by_host
    engine.head_promise.number[HEAD] = head
    engine.head_promise.number[SAME] = 0
    asks = begin_amounts_then(engine.jobs, engine.state, head)
    if asks or engine.jobs.tasks[head] > 1 or engine.state.free.shape[0] == 1:
        running_by_host.number[OF] = -1
        count_now(engine.jobs, engine.state, engine.head_promise, head)
        _sweep(engine, head, now, engine.head_promise.number[HELD])
        return
    engine.head_promise.number[COUNTED] = -1
    known = (
        running_by_host.number[OF] == head
        and engine.state.tally[PLANNED] == 0
        and engine.state.estimates.corrects == NONE
    )
    if (
        known
        and are_few(running_by_host, AT_ONCE)
        and _promise_again(engine.jobs, engine.state, engine.head_promise, head, now)
    ):
        return
    _sweep(engine, head, now, np.int64(0))
    _keep_holders(engine.head_promise)
    _note_bounds(engine.state, engine.head_promise, head)


@inlined
def _promise_again(jobs, state, head_promise, head, now):
    """The reservation from the bounds of each host; returns whether these suffice."""
    running_by_host = state.running_by_host
    soonest = np.nextafter(now, np.inf)
    before_s = head_promise.shadow_s[0]
    same = before_s >= soonest
    for i in range(running_by_host.number[STALE]):
        host = np.int64(running_by_host.stale[i])
        held_s = _holds_from(jobs, state, head_promise, head, host)
        running_by_host.soonest_s[host], running_by_host.known[host] = held_s, True
        # the reservation stands if no such host holds the head sooner, joins its hosts or leaves them
        same &= held_s >= before_s and (held_s == before_s) == _is_holder(head_promise, host)
    all_fresh(running_by_host)
    if not same and not _find_holders(running_by_host, head_promise, soonest):
        return False
    head_promise.number[SAME] = 1 if same else 0
    holders, found = head_promise.number[TOUCHED], np.int64(0)
    _clear_own_rows(head_promise)
    for i in range(holders):
        host = np.int64(head_promise.touched[i])
        set_apart(jobs, state, head_promise, host)
        give_back_at(jobs, state, head_promise.then, host, -np.inf, head_promise.shadow_s[0])
        head_promise.held[host] = held_in(jobs, state, head_promise.then, True, head, host)
        found += head_promise.held[host]
    head_promise.number[SLACK] = found - 1
    _keep_holders(head_promise)
    return True


@inner
def _holds_from(jobs, state, head_promise, head, host):
    """When the host alone holds the head, after at least one job has ended there; infinite if never."""
    for r in range(state.free.shape[1]):
        head_promise.then[host, r] = state.free[host, r]
    if state.cards is not None:
        copy_cards(state.cards, host)
    at_s = -np.inf
    while True:
        before_s, at_s = at_s, next_end_at(state.running_by_host, host, at_s)
        if at_s == np.inf:
            return at_s
        give_back_at(jobs, state, head_promise.then, host, before_s, at_s)
        if held_in(jobs, state, head_promise.then, True, head, host) > 0:
            return at_s


@inlined
def _is_holder(head_promise, host):
    """Whether the host was part of the head's reservation at the end of the last pass."""
    yes = False
    for i in range(head_promise.number[TOUCHED]):
        yes |= head_promise.touched[i] == host and head_promise.held[host] > 0
    return yes


@inlined
def _find_holders(running_by_host, head_promise, soonest):
    """Set the first moment at which a host holds the head, and list those hosts; returns whether all are exact."""
    shadow_s = np.inf
    for host in range(running_by_host.soonest_s.shape[0]):
        shadow_s = min(shadow_s, running_by_host.soonest_s[host])
    shadow_s = max(shadow_s, soonest)
    holders = 0
    for host in range(running_by_host.soonest_s.shape[0]):
        if running_by_host.soonest_s[host] <= shadow_s < np.inf:
            if not running_by_host.known[host]:
                return False
            head_promise.touched[holders] = host
            holders += 1
    head_promise.shadow_s[0] = shadow_s
    head_promise.number[TOUCHED] = holders
    return True


@inlined
def _keep_holders(head_promise):
    """Drop hosts that do not hold the head at the shadow time: jobs there cost it nothing."""
    kept = 0
    for i in range(head_promise.number[TOUCHED]):
        host = head_promise.touched[i]
        if head_promise.held[host] > 0:
            head_promise.touched[kept] = host
            kept += 1
        else:
            head_promise.then_at[host] = -1
    head_promise.number[TOUCHED] = kept


@inlined
def _note_bounds(state, head_promise, head):
    """Set the bounds after a sweep: hosts of the reservation are exact, all others later; planned hosts are stale."""
    running_by_host, shadow_s = state.running_by_host, head_promise.shadow_s[0]
    later_s = np.nextafter(shadow_s, np.inf)
    for host in range(running_by_host.soonest_s.shape[0]):
        running_by_host.soonest_s[host], running_by_host.known[host] = later_s, False
    for i in range(head_promise.number[TOUCHED]):
        host = head_promise.touched[i]
        running_by_host.soonest_s[host], running_by_host.known[host] = shadow_s, True
    all_fresh(running_by_host)
    for i in range(state.tally[UNDO]):
        has_changed(running_by_host, np.int64(state.undo_host[i]))
    running_by_host.number[OF] = head


@inner
def _sweep(engine, head, now, found):
    """Let running and planned jobs end in the order of their expected ends, until the head fits.

    Hosts hold `found` of its tasks now.
    """
    tasks = np.int64(engine.jobs.tasks[head])
    _clear_own_rows(engine.head_promise)
    soonest = np.nextafter(now, np.inf)
    shadow_s = now
    waiting = _heap_of_planned(engine.jobs, engine.state, engine.head_promise, now)
    end_s, job, i, k = next_end(engine.ends, engine.ends.size[0], np.int64(0))
    change = cap_changes_come(engine.state)
    while True:
        planned = waiting > 0 and (job < 0 or engine.head_promise.end_s[0] < end_s)
        change_s = cap_change_s(engine.state, change)
        if not planned and job < 0 and change_s == np.inf:
            break
        # an end that is overdue counts as just after now
        next_s = min(max(engine.head_promise.end_s[0] if planned else end_s, soonest), change_s)
        # the ends at one moment all count before the sweep stops
        if found >= tasks and next_s > shadow_s and has_amounts_from(engine, head, shadow_s):
            break
        shadow_s = next_s
        if change_s == next_s:
            change = change_cap_then(engine.state, change)
        elif planned:
            number = engine.head_promise.ending[0]
            waiting = drop_first(engine.head_promise.end_s, engine.head_promise.ending, waiting)
            who = np.int64(engine.state.plan_job[1, number])
            first = engine.state.plan_task[number]
            found += _give_back(engine.jobs, engine.state, engine.head_promise, head, who, True, first)
        else:
            first = engine.jobs.first_task[job]
            found += _give_back(engine.jobs, engine.state, engine.head_promise, head, job, False, first)
            end_s, job, i, k = next_end(engine.ends, i, k)
    fits = found >= tasks and has_amounts_from(engine, head, shadow_s)
    engine.head_promise.number[SLACK] = found - tasks
    engine.head_promise.shadow_s[0] = shadow_s if fits else np.inf
    hold_amounts_for_head(engine, head, engine.head_promise.shadow_s[0])


@inlined
def _heap_of_planned(jobs, state, head_promise, now):
    """Put the jobs started in this pass into a heap by expected end; returns how many."""
    size = 0
    for i in range(state.tally[PLANNED]):
        job = state.plan_job[1, i]
        slowest = np.inf
        for t in range(state.plan_task[i], state.plan_task[i] + jobs.tasks[job]):
            slowest = min(slowest, state.speed[state.undo_host[t]])
        size = push(head_promise.end_s, head_promise.ending, size, now + jobs.expected_s[job] / slowest, i)
    return size


@inner
def _give_back(jobs, state, head_promise, head, job, planned, first):
    """End `job` on its hosts from entry `first` on; returns how many more tasks of the head these hosts hold.

    `planned`: it was started in this pass, and its hosts are in the undo list.
    """
    change_amounts_then(jobs, state, job, 1.0)
    kind, hosts = jobs.kind[job], state.undo_host if planned else state.held
    more, end = np.int64(0), first + jobs.tasks[job]
    while first < end:
        host, tasks = next_run(hosts, first, end)
        set_apart(jobs, state, head_promise, host)
        for r in range(amounts_of(state)):
            head_promise.then[host, r] += tasks * jobs.demand[kind, r]
        if state.cards is not None:
            bits = state.cards.undo if planned else state.cards.held
            for at in range(first, first + tasks):
                give_to(state.cards.then[host], bits[at], state.cards.share[kind])
            sum_up(state.cards, state.cards.then[host], head_promise.then[host])
        first += tasks
        held = held_in(jobs, state, head_promise.then, True, head, host)
        more += held - head_promise.held[host]
        head_promise.held[host] = held
    return more


@inlined
def _clear_own_rows(head_promise):
    """Drop all rows for the shadow time: no host has its own."""
    head_promise.number[STAMP_THEN] += 1
    head_promise.number[TOUCHED] = 0


@inner
def renew_long_frontier(engine):
    """Make the capacity frontier of LONG jobs exact: on each host, what the head's reservation leaves."""
    lower_frontier(engine.frontier, LONG)
    for host in range(engine.state.free.shape[0]):
        cores, memory = left_for_long(engine.jobs, engine.state, engine.head_promise, host)
        raise_step(engine.frontier, LONG, cores, memory)
    raise_frontier(engine.frontier, LONG)
