"""Plans of the future, compiled: the same as `loadmaster.backfilling.plan`, host by host or as a count of hosts.

The hosts of a row that is placed stand in `room.host`, one a task; where hosts are counted, none do.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.availability_kernel import (
    covering,
    end_of,
    has_from,
    has_now,
    has_room,
    hold_task,
    lacking_on_cards,
    least,
    step_at,
)
from loadmaster.backfilling.cluster_wide_kernel import has_cluster_wide, hold_cluster_wide
from loadmaster.backfilling.host_choice_kernel import choose, tasks_held
from loadmaster.backfilling.pass_arrays import SERIAL
from loadmaster.backfilling.plan_bounds_kernel import let_start
from loadmaster.backfilling.plan_failures_kernel import forget_planned_failures, note_planned_failure
from loadmaster.backfilling.start_bounds_kernel import note_freed_from
from loadmaster.jit.kernels import inner


@inner
def place_at(view, availability, rate, now, row, start_s, on):
    """Hold hosts for the row from `start_s` on beside all that is held; returns whether there were enough."""
    if not has_room(view.this_pass, availability, 2 * view.rows.of[row].tasks, availability.size[0]):
        return False
    if now.as_pool:
        if view.cluster_wide is not None and not _has_at_speed(view, row, start_s, view.hosts.speed[0]):
            return False
        if _count_at(view, availability, row, start_s):
            return True
        if start_s == now.now_s:
            note_planned_failure(view, availability, now, row)
        return False
    speed = fastest = view.hosts.set[view.rows.of[row].hosts].fastest
    too_slow = 0.0
    while True:
        end_s = end_of(start_s, view.rows.of[row].expected_s / speed)
        found = True
        if view.cluster_wide is not None:
            found = _has_at_speed(view, row, start_s, speed)
        if not found or not _choose_at(view, availability, rate, now, row, (start_s, end_s), on, too_slow):
            if speed == fastest:
                return False
            too_slow, speed = speed, fastest  # a faster host may be free for the whole, shorter runtime
            continue
        slowest = slowest_of(view.hosts, view.room, view.rows.of[row].tasks)
        if slowest >= speed:
            break
        speed = slowest
    hold_picked(view, availability, row, start_s, end_s)
    if view.cluster_wide is not None:
        return hold_cluster_wide(view, row, start_s, end_s, 1.0)
    return True


@inner
def _has_at_speed(view, row, start_s, speed):
    """Whether the cluster has what the row asks of it from then on, if it runs at that speed."""
    return has_cluster_wide(view, row, start_s, view.rows.of[row].expected_s / speed)


@inner
def slowest_of(hosts, room, tasks):
    """The speed of the slowest host of the row at hand."""
    slowest = np.inf
    for k in range(tasks):
        slowest = min(slowest, hosts.speed[room.host[k]])
    return slowest


@inner
def _count_at(view, availability, row, start_s):
    """Hold as many hosts as the row has tasks, if that many are free."""
    end_s = end_of(start_s, view.rows.of[row].expected_s / view.hosts.speed[0])
    least(availability, 0, start_s, end_s)
    if availability.window[0, 0] < view.rows.of[row].tasks:
        return False
    hold_count(availability, start_s, end_s, view.rows.of[row].tasks)
    if view.cluster_wide is not None:
        return hold_cluster_wide(view, row, start_s, end_s, 1.0)
    return True


@inner
def hold_count(availability, start_s, end_s, tasks):
    """Hold so many hosts, whichever they are; a negative number gives back."""
    at, last = step_at(availability, 0, start_s), step_at(availability, 0, end_s)
    while at != last:
        availability.step_free[at, 0] -= tasks
        at = np.int64(availability.step[at].next)


@inner
def _choose_at(view, availability, rate, now, row, span_s, on, too_slow):
    """Choose hosts, faster than `too_slow`, among those that can hold tasks of the row for all of `span_s`."""
    start_s, end_s = span_s
    kind, tasks = view.rows.of[row].kind, view.rows.of[row].tasks
    able, most, closed, at_once = 0, np.int64(0), np.int64(0), start_s == now.now_s
    for i in range(_list_hosts(view, availability, row, at_once)):
        host = np.int64(availability.able[i])
        if (on.shape[0] > 0 and not on[host]) or view.hosts.speed[host] <= too_slow:
            continue
        if view.cards is not None:
            at = covering(availability, host, start_s)
            if lacking_on_cards(view, availability, host, at, end_s, kind) >= 0:
                continue
        elif at_once:
            if not has_now(availability, host, end_s, view.rows.demand[kind]):
                continue
        elif not has_from(availability, host, start_s, end_s, view.rows.demand[kind]):
            continue
        held = np.int64(1)
        if tasks > 1:
            held = tasks_held(view, availability.window, host, kind, tasks)
        if is_shut(view.calendar, row, host, start_s, end_s):
            closed += held
            continue
        availability.able[able] = host
        able += 1
        most += held
    if most < tasks:
        if at_once and on.shape[0] == 0 and most + closed < tasks and not now.several_speeds:
            note_planned_failure(view, availability, now, row)
        return False
    return choose(view, availability, rate, now, row, able)


@inner
def _list_hosts(view, availability, row, at_once):
    """List the hosts that the row may use; for a start now, only those that hold a task now."""
    if at_once:
        return _list_roomy(view, availability, row)
    allowed, many = view.hosts.allowed[view.rows.of[row].hosts], 0
    for host in range(view.room.open.shape[0]):
        availability.able[many] = host  # overwritten by the next one unless it counts: no branch to guess
        many += view.room.open[host] & allowed[host]
    return many


@inner
def _list_roomy(view, availability, row):
    """List the open hosts that hold a task of the row now, among those that did when its demand was last asked.

    Until something is given back a host only loses capacity, but a closed host may open again.
    """
    allowed, kind, kept, many = view.hosts.allowed[view.rows.of[row].hosts], view.rows.of[row].kind, 0, 0
    number, remembered = (
        np.int64(view.rows.of[row].hosts) * view.rows.demand.shape[0] + kind,
        availability.roomy.shape[0],
    )
    known = number < remembered and availability.roomy[number].serial == availability.size[SERIAL]
    for i in range(availability.roomy[number].many if known else view.room.open.shape[0]):
        host = np.int64(availability.roomy_host[number, i]) if known else i
        roomy = allowed[host]
        for r in range(view.rows.demand.shape[1]):
            roomy &= availability.step_free[host, r] >= view.rows.demand[kind, r]
        if number < remembered:
            availability.roomy_host[number, kept] = host  # that place has been read already
        kept += roomy
        availability.able[many] = host  # overwritten by the next one unless it counts: no branch to guess
        many += roomy & view.room.open[host]
    if number < remembered:
        availability.roomy[number].serial, availability.roomy[number].many = availability.size[SERIAL], kept
    return many


@inner
def is_shut(calendar, row, host, start_s, end_s):
    """Whether a closure keeps the row off a host at some time from `start_s` until `end_s`."""
    return shut_until(calendar, row, host, start_s, end_s) > start_s


@inner
def shut_until(calendar, row, host, start_s, end_s):
    """The end of the last closure that keeps the row off a host in that time; `start_s` if there is none."""
    until_s = start_s
    for closure in range(calendar.time.shape[0]):
        overlaps = calendar.time[closure].from_s < end_s and start_s < calendar.time[closure].to_s
        if overlaps and calendar.hosts[closure, host] and calendar.shut[closure, row]:
            until_s = max(until_s, calendar.time[closure].to_s)
    return until_s


@inner
def hold_promise(view, availability, now, row):
    """Hold exactly the row's reservation, from now on at the earliest; returns whether it still fits."""
    if not has_room(view.this_pass, availability, 2 * view.rows.of[row].tasks, availability.size[0]):
        return False
    start_s, first, tasks = view.this_pass.promised[row].start_s, view.rows.of[row].first_host, view.rows.of[row].tasks
    if now.as_pool:
        if view.cluster_wide is not None and not _has_at_speed(view, row, start_s, view.hosts.speed[0]):
            return False
        return _count_at(view, availability, row, start_s)
    if view.this_pass.promised[row].many != tasks:
        return False
    end_s, kind = (
        end_on(view.rows, view.hosts, view.this_pass.promised_host, first, row, start_s),
        view.rows.of[row].kind,
    )
    for at in range(first, first + tasks):
        host = view.this_pass.promised_host[at]
        if not view.hosts.allowed[view.rows.of[row].hosts, host] or is_shut(view.calendar, row, host, start_s, end_s):
            return False
        least(availability, host, start_s, end_s)
    columns = view.rows.demand.shape[1]
    if view.cards is not None:
        columns = view.cards.resources
    for at in range(first, first + tasks):
        host = view.this_pass.promised_host[at]
        for r in range(columns):
            if availability.window[host, r] < view.rows.demand[kind, r]:
                return False
            availability.window[host, r] -= view.rows.demand[kind, r]
        if view.cards is not None and not _has_cards(view, availability, host, kind, view.cards.promised[at]):
            return False
    if view.cluster_wide is not None:
        slowest = slowest_on(view.hosts, view.this_pass.promised_host, first, tasks)
        if not _has_at_speed(view, row, start_s, slowest) or not hold_cluster_wide(view, row, start_s, end_s, 1.0):
            return False
    _hold_promised(view, availability, row, start_s, end_s, 1.0)
    return True


@inner
def _has_cards(view, availability, host, kind, bits):
    """Whether the cards `bits` of a host have enough for a task, which is taken from them."""
    card, share = view.cards.resources + 2, view.cards.share[kind]
    while bits > 0:
        if bits & 1:
            if availability.window[host, card] < share:
                return False
            availability.window[host, card] -= share
        bits >>= 1
        card += 1
    return True


@inner
def lift_promise(view, availability, now, row, asker):
    """Take the row's reservation out of the way of `asker`, a row of its job, until it is held again or given up."""
    start_s, first, tasks = view.this_pass.promised[row].start_s, view.rows.of[row].first_host, view.rows.of[row].tasks
    if start_s == np.inf or not has_room(view.this_pass, availability, 2 * tasks, availability.size[0]):
        return
    if now.as_pool:
        end_s = end_of(start_s, view.rows.of[row].expected_s / view.hosts.speed[0])
        hold_count(availability, start_s, end_s, -tasks)
        if view.cluster_wide is not None:
            hold_cluster_wide(view, row, start_s, end_s, -1.0)
    elif view.this_pass.promised[row].many > 0:
        end_s = end_on(view.rows, view.hosts, view.this_pass.promised_host, first, row, start_s)
        _hold_promised(view, availability, row, start_s, end_s, -1.0)
        if view.cluster_wide is not None:
            hold_cluster_wide(view, row, start_s, end_s, -1.0)
        if not now.several_speeds:
            let_start(view, availability, now, row, asker)


@inner
def give_up_promise(rows, this_pass, availability, row):
    """Free the row's reservation, which has been lifted, for others."""
    start_s, first = this_pass.promised[row].start_s, rows.of[row].first_host
    if start_s == np.inf:
        return
    forget_planned_failures(availability)
    if this_pass.promised[row].many > 0:
        for at in range(first, first + rows.of[row].tasks):
            note_freed_from(availability.bounds, this_pass.promised_host[at], start_s)


@inner
def release_promise(view, availability, now, row):
    """Lift and give up the row's reservation."""
    lift_promise(view, availability, now, row, row)
    give_up_promise(view.rows, view.this_pass, availability, row)


@inner
def hold_picked(view, availability, row, start_s, end_s):
    """Hold the hosts of the row at hand."""
    kind = view.rows.of[row].kind
    for k in range(view.rows.of[row].tasks):
        bits = np.int64(0)
        if view.cards is not None:
            bits = view.cards.picked[k]
        hold_task(view, availability, view.room.host[k], (start_s, end_s), kind, bits, 1.0)


@inner
def _hold_promised(view, availability, row, start_s, end_s, sign):
    """Hold (`sign` 1.0) or give back (-1.0) the hosts of the row's reservation."""
    first, kind = view.rows.of[row].first_host, view.rows.of[row].kind
    for at in range(first, first + view.rows.of[row].tasks):
        bits = np.int64(0)
        if view.cards is not None:
            bits = view.cards.promised[at]
        hold_task(view, availability, view.this_pass.promised_host[at], (start_s, end_s), kind, bits, sign)


@inner
def end_on(rows, hosts, table, first, row, start_s):
    """The end of the row if it starts then on these hosts."""
    slowest = slowest_on(hosts, table, first, rows.of[row].tasks)
    return end_of(start_s, rows.of[row].expected_s / slowest)


@inner
def slowest_on(hosts, table, first, tasks):
    """The speed of the slowest of the hosts of so many tasks, which stand in `table` from `first` on."""
    slowest = np.inf
    for at in range(first, first + tasks):
        slowest = min(slowest, hosts.speed[table[at]])
    return slowest
