"""The earliest start of a row beside all that is held, compiled: the same as `earliest` of each plain plan.

Each host has a lower bound of the row's start there (`plan_bounds_kernel.py`). A host whose bound is later than the
best start so far is skipped, by block where possible. Bounds are never too late, so the result is that of a full scan.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.availability_kernel import covering, end_of, first_on, first_on_cards, has_room, least_in
from loadmaster.backfilling.cluster_wide_kernel import asks_cluster_wide, first_cluster_wide, next_cluster_wide_change
from loadmaster.backfilling.host_choice_kernel import choose, tasks_held
from loadmaster.backfilling.node_count_kernel import asks_for_hosts
from loadmaster.backfilling.pass_arrays import STATUS
from loadmaster.backfilling.plan_bounds_kernel import bound_on, class_of, likely_host, renew_block
from loadmaster.backfilling.plan_kernel import hold_count, hold_picked, is_shut, place_at, shut_until
from loadmaster.backfilling.start_bounds_kernel import BLOCK
from loadmaster.jit.heap_kernel import drop_first, push
from loadmaster.jit.kernels import inner

BOUND, EXACT = range(2)
"""The state of a host, as its chain's `held`: a bound alone, or its exact start for a task (or never)."""
TRIES = 4
"""Hosts that are tried one by one for a good start, before all hosts are tried for a better one."""


@inner
def earliest(view, availability, rate, now, row, before_s):
    """Hold hosts for the row from its earliest start on, and return it; infinite if there is none before `before_s`.

    In that case nothing is held.
    """
    if not has_room(view.this_pass, availability, 2 * view.rows.of[row].tasks, availability.size[0]):
        return np.inf
    if view.cluster_wide is not None and asks_cluster_wide(view, row):
        if now.as_pool:
            return _first_count_at(view, availability, rate, now, row, before_s)
        return _first_at_speed(view, availability, rate, now, row, before_s)
    if now.as_pool:
        return _first_count(view.rows, view.hosts, availability, row, before_s)
    if now.several_speeds:
        return _first_at_speed(view, availability, rate, now, row, before_s)
    if view.rows.of[row].tasks == 1:
        return _first_of_one(view, availability, rate, now, row, before_s)
    if asks_for_hosts(view.rows, row):
        return _first_at_speed(view, availability, rate, now, row, before_s)
    return _first_of_several(view, availability, rate, now, row, before_s)


@inner
def _first_of_one(view, availability, rate, now, row, before_s):
    """The same for a single task on hosts of one speed: the host with the earliest start."""
    expected_s = view.rows.of[row].expected_s / view.hosts.speed[0]
    kind, bounds = class_of(view.rows, view.hosts, availability, now, row), availability.bounds
    # a good start from a few likely hosts rules out most blocks below
    best_s, able = _good_start(view, availability, row, kind, before_s), np.int64(0)
    for block in range(bounds.block_s.shape[1]):
        if bounds.block_s[kind, block] <= best_s:
            first, end = block * BLOCK, min((block + 1) * BLOCK, view.room.open.shape[0])
            best_s, able = _first_in(view, availability, row, kind, first, end, best_s, able)
            renew_block(bounds, kind, block)
    if able == 0:
        return np.inf
    end_s = end_of(best_s, expected_s)
    for i in range(able):
        least_in(view, availability, availability.able[i], best_s, end_s)
    if not choose(view, availability, rate, now, row, able):
        return np.inf
    hold_picked(view, availability, row, best_s, end_s)
    return best_s


@inner
def _good_start(view, availability, row, kind, before_s):
    """A start before `before_s` that is seldom later than the earliest: that of the host with the lowest bound."""
    allowed, bounds = view.hosts.allowed[view.rows.of[row].hosts], availability.bounds
    best_s = np.nextafter(before_s, -np.inf)
    for _ in range(TRIES):
        host, block, others_s = likely_host(view.room, allowed, bounds, kind)
        if host < 0 or bounds.soon_s[kind, host] >= best_s:
            break
        bound_s = bounds.soon_s[kind, host]
        best_s, _ = _first_in(view, availability, row, kind, host, host + 1, best_s, 0)
        bounds.block_s[kind, block] = min(others_s, bounds.soon_s[kind, host])
        if bounds.soon_s[kind, host] == bound_s:
            break
    return best_s


@inner
def _first_in(view, availability, row, kind, first, end, best_s, able):
    """The best start so far and how many hosts are listed for it, after the hosts from `first` to `end`."""
    expected_s = view.rows.of[row].expected_s / view.hosts.speed[0]
    allowed, bounds = view.hosts.allowed[view.rows.of[row].hosts], availability.bounds
    for host in range(first, end):
        if bounds.soon_s[kind, host] > best_s or not view.room.open[host] or not allowed[host]:
            continue
        bound_s = bound_on(availability, kind, host, best_s)
        if bound_s > best_s:
            continue
        start_s = _first_open(view, availability, row, host, expected_s, bound_s, best_s)
        if start_s < best_s:
            best_s, able = start_s, np.int64(0)
        if start_s == best_s:
            availability.able[able] = host
            able += 1
    return best_s, able


@inner
def _first_open(view, availability, row, host, expected_s, from_s, latest_s):
    """As `first_on`, where closures keep the row off the host at times."""
    kind = view.rows.of[row].kind
    demand = view.rows.demand[kind]
    while True:
        if view.cards is not None:
            start_s = first_on_cards(view, availability, host, kind, expected_s, from_s, latest_s)
        else:
            start_s = first_on(availability, host, demand, demand.shape[0], expected_s, from_s, latest_s)
        if start_s > latest_s or start_s == np.inf:
            return start_s
        until_s = shut_until(view.calendar, row, host, start_s, end_of(start_s, expected_s))
        if until_s == start_s:
            return start_s
        if until_s == np.inf:
            return np.inf
        from_s = until_s


@inner
def _first_of_several(view, availability, rate, now, row, before_s):
    """The same for several tasks on hosts of one speed: take hosts in the order of their first start for one task.

    A host can hold more tasks only from one of its own steps on, or from the end of a closure on.
    """
    expected_s = view.rows.of[row].expected_s / view.hosts.speed[0]
    kind, bounds = class_of(view.rows, view.hosts, availability, now, row), availability.bounds
    many, turns, able = view.room.open.shape[0], 0, 0
    for block in range(bounds.block_s.shape[1]):
        if bounds.block_s[kind, block] < before_s:
            turns = push(availability.turn_s, availability.turn_host, turns, bounds.block_s[kind, block], many + block)
    next_s = np.inf
    while True:
        start_s = min(next_s, availability.turn_s[0]) if turns > 0 else next_s
        if start_s >= before_s:
            return np.inf
        more = start_s == next_s
        while turns > 0 and availability.turn_s[0] <= start_s:
            host = np.int64(availability.turn_host[0])
            turns = drop_first(availability.turn_s, availability.turn_host, turns)
            if host >= many:
                turns = _turns_of_block(view, availability, row, kind, host - many, start_s, turns, before_s)
            else:
                availability.able[able] = host
                able += 1
                more = True
        if not more:
            continue  # only blocks came up
        end_s, next_s = end_of(start_s, expected_s), np.inf
        # count the tasks of the listed hosts at this start; hosts that hold none go back into the heap
        total, i = np.int64(0), 0
        while i < able:
            host = availability.able[i]
            least_in(view, availability, host, start_s, end_s)
            held = tasks_held(view, availability.window, host, view.rows.of[row].kind, view.rows.of[row].tasks)
            if held > 0 and not is_shut(view.calendar, row, host, start_s, end_s):
                total, i = total + held, i + 1
                following = availability.step[covering(availability, host, start_s)].next
                if following >= 0:
                    next_s = min(next_s, availability.step[following].start_s)
                continue
            able -= 1
            availability.able[i] = availability.able[able]
            turns = _turn_on(view, availability, row, host, start_s, turns, before_s)
        if total >= view.rows.of[row].tasks:
            break
    if not choose(view, availability, rate, now, row, able):
        return np.inf
    hold_picked(view, availability, row, start_s, end_s)
    return start_s


@inner
def _turns_of_block(view, availability, row, kind, turn, start_s, turns, before_s):
    """Put the hosts of a block that may hold a task at `start_s` into the heap, and the block for its other hosts.

    `turn` is the number of the block, or one behind all blocks where the block comes again. Returns the size of the
    heap.
    """
    allowed, bounds = view.hosts.allowed[view.rows.of[row].hosts], availability.bounds
    blocks, least_s, later_s = bounds.block_s.shape[1], np.inf, np.inf
    block = turn % blocks
    for host in range(block * BLOCK, min((block + 1) * BLOCK, view.room.open.shape[0])):
        if turn < blocks:
            availability.chain[host].held = BOUND if view.room.open[host] and allowed[host] else EXACT
        bound_s = bounds.soon_s[kind, host]
        if availability.chain[host].held == BOUND:
            if bound_s <= start_s:
                availability.chain[host].held = EXACT
                bound_s = bound_on(availability, kind, host, before_s)
                turns = _turn_on(view, availability, row, host, bound_s, turns, before_s)
            else:
                later_s = min(later_s, bound_s)
        least_s = min(least_s, bound_s)
    bounds.block_s[kind, block] = least_s
    if later_s < before_s:
        turns = push(
            availability.turn_s, availability.turn_host, turns, later_s, view.room.open.shape[0] + blocks + block
        )
    return turns


@inner
def _turn_on(view, availability, row, host, from_s, turns, before_s):
    """Put a host into the heap by its first start for a task from `from_s` on; returns the size of the heap."""
    first_s = from_s
    expected_s = view.rows.of[row].expected_s / view.hosts.speed[0]
    if from_s < before_s:
        first_s = _first_open(view, availability, row, host, expected_s, from_s, before_s)
    if first_s < before_s:
        turns = push(availability.turn_s, availability.turn_host, turns, first_s, host)
    return turns


@inner
def _first_at_speed(view, availability, rate, now, row, before_s):
    """The same for any row: try one moment after another, only where enough is free."""
    kind, tasks, many = view.rows.of[row].kind, view.rows.of[row].tasks, view.room.open.shape[0]
    allowed = view.hosts.allowed[view.rows.of[row].hosts]
    turns, free = 0, np.int64(0)
    for host in range(many):
        at = availability.chain[host].first
        availability.chain[host].last = at
        usable = view.room.open[host] and allowed[host]
        availability.chain[host].held = tasks_held(view, availability.step_free, at, kind, tasks) if usable else -1
        # `free` counts the tasks that all hosts hold at the moment tried
        free += max(availability.chain[host].held, 0)
        if availability.step[at].next >= 0:
            turns = push(
                availability.turn_s,
                availability.turn_host,
                turns,
                availability.step[availability.step[at].next].start_s,
                host,
            )
    start_s = wide_s = now.now_s
    if view.cluster_wide is not None:
        wide_s = first_cluster_wide(view, row, now.now_s, _shortest_s(view, row))  # before, amounts are lacking
    while start_s < before_s:
        if free >= tasks and start_s >= wide_s:
            if place_at(view, availability, rate, now, row, start_s, view.this_pass.everywhere):
                return start_s
            if view.this_pass.tally[STATUS]:
                return np.inf
        # the count changes only where a closure or a step of a host begins
        tried_s = start_s
        start_s = _next_change(view.calendar, tried_s)
        if view.cluster_wide is not None:
            start_s = min(start_s, wide_s if tried_s < wide_s else next_cluster_wide_change(view, tried_s))
        if turns > 0:
            start_s = min(start_s, availability.turn_s[0])
        while turns > 0 and availability.turn_s[0] == start_s:
            host = availability.turn_host[0]
            turns = drop_first(availability.turn_s, availability.turn_host, turns)
            at = availability.step[availability.chain[host].last].next
            availability.chain[host].last = at
            if availability.chain[host].held >= 0:
                held = tasks_held(view, availability.step_free, at, kind, tasks)
                free += held - availability.chain[host].held
                availability.chain[host].held = held
            if availability.step[at].next >= 0:
                turns = push(
                    availability.turn_s,
                    availability.turn_host,
                    turns,
                    availability.step[availability.step[at].next].start_s,
                    host,
                )
    return np.inf


@inner
def _next_change(calendar, after_s):
    """The first begin or end of a closure after `after_s`; infinite if there is none."""
    next_s = np.inf
    for closure in range(calendar.time.shape[0]):
        if calendar.time[closure].from_s > after_s:
            next_s = min(next_s, calendar.time[closure].from_s)
        if calendar.time[closure].to_s > after_s:
            next_s = min(next_s, calendar.time[closure].to_s)
    return next_s


@inner
def _shortest_s(view, row):
    """The runtime of the row on the fastest hosts that it may use."""
    return view.rows.of[row].expected_s / view.hosts.set[view.rows.of[row].hosts].fastest


@inner
def _first_count_at(view, availability, rate, now, row, before_s):
    """The same where hosts are counted, for a row that requests amounts of the whole cluster: moment by moment."""
    start_s = first_cluster_wide(view, row, now.now_s, _shortest_s(view, row))
    while start_s < before_s:
        if place_at(view, availability, rate, now, row, start_s, view.this_pass.everywhere):
            return start_s
        if view.this_pass.tally[STATUS]:
            return np.inf
        following = availability.step[covering(availability, 0, start_s)].next
        count_s = availability.step[following].start_s if following >= 0 else np.inf
        start_s = min(count_s, next_cluster_wide_change(view, start_s))
    return np.inf


@inner
def _first_count(rows, hosts, availability, row, before_s):
    """The same where hosts are counted."""
    tasks, expected_s = rows.of[row].tasks, rows.of[row].expected_s / hosts.speed[0]
    at = np.int64(availability.chain[0].first)
    start_s, end_s = np.inf, np.inf
    while at >= 0 and availability.step[at].start_s < end_s:
        if availability.step_free[at, 0] < tasks:
            start_s, end_s = np.inf, np.inf
        elif start_s == np.inf:
            start_s = availability.step[at].start_s
            end_s = end_of(start_s, expected_s)
        at = np.int64(availability.step[at].next)
    if start_s >= before_s:
        return np.inf
    hold_count(availability, start_s, end_s, tasks)
    return start_s
