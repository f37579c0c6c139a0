"""Hosts for a row of the queue beside reservations, compiled: as `Room.place` and `hosts_of_one_speed` do it.

Tasks take their hosts one by one. If one finds no host, all are given back, so a row that fails changes nothing.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.availability_kernel import end_of
from loadmaster.backfilling.cluster_wide_kernel import has_cluster_wide, hold_cluster_wide
from loadmaster.backfilling.node_count_kernel import asks_for_hosts, keep_completable
from loadmaster.backfilling.pass_arrays import NOT_FINITE, ODD, STATUS
from loadmaster.backfilling.plan_kernel import slowest_of
from loadmaster.backfilling.shadow_time_kernel import find_for_long, is_outlasted, pick_cards, take_for_long
from loadmaster.jit.kernels import inner
from loadmaster.place.room_arrays import LAST_HOST, SHUT, WRONG
from loadmaster.place.room_kernel import (
    find,
    find_usable,
    give_back,
    held_alone,
    may_fit,
    may_fit_long,
    note_failure,
    note_long_failure,
    take,
    take_in_order,
    take_picked,
)


@inner
def take_hosts(view, shadow_times, scan, now, row, on):
    """Take hosts for the row, which runs at the speed of the slowest; returns whether there were enough."""
    speed = fastest = view.hosts.set[view.rows.of[row].hosts].fastest
    last_host, too_slow = view.room.tally[LAST_HOST], 0.0
    while True:
        lasts_s = view.rows.of[row].expected_s / speed
        until_s = now.now_s + lasts_s
        found = True
        if view.cluster_wide is not None:
            found = has_cluster_wide(view, row, now.now_s, lasts_s)
        if not found or not _take_at_speed(view, shadow_times, scan, now, row, on, until_s, too_slow):
            if speed == fastest:
                return False
            too_slow, speed = speed, fastest  # on faster hosts it may end in time
            continue
        slowest = speed
        if now.several_speeds:
            slowest = slowest_of(view.hosts, view.room, view.rows.of[row].tasks)
        if slowest >= speed:
            if view.cluster_wide is not None:
                hold_cluster_wide(view, row, now.now_s, end_of(now.now_s, lasts_s), 1.0)
            return True
        _give_back(view, shadow_times, row, view.rows.of[row].tasks, last_host, until_s)
        speed = slowest


@inner
def take_planned(view, shadow_times, scan, now, row):
    """Take the planned hosts of the row; where hosts are counted, the best of all."""
    if not now.as_pool:
        for k in range(view.rows.of[row].tasks):
            take_picked(view, row, k, view.room.host[k])
    elif not _take_at_speed(view, shadow_times, scan, now, row, view.this_pass.everywhere, np.inf, 0.0):
        view.this_pass.tally[STATUS] = max(view.this_pass.tally[STATUS], ODD)


@inner
def _take_at_speed(view, shadow_times, scan, now, row, on, until_s, too_slow):
    """Take the best hosts, faster than `too_slow`, for the tasks of a row that ends at `until_s`, or none."""
    # cheap refusals first, before any host is looked at
    if not may_fit(view.room, view.rows, row):
        return False
    long = False
    if shadow_times is not None:
        long = is_outlasted(shadow_times, until_s)
        if long and shadow_times.many[0] == 1 and not may_fit_long(view.room, view.rows, row):
            return False
    part = on.shape[0] > 0 or too_slow > 0.0 or not view.hosts.set[view.rows.of[row].hosts].whole
    node_count = asks_for_hosts(view.rows, row)
    last_host, shut = view.room.tally[LAST_HOST], part or node_count or view.room.tally[SHUT] > 0
    if part or shut or long:
        find_usable(view, row, on, too_slow)
    if view.rows.of[row].tasks > 1 and not node_count:
        # several tasks: count whether enough hosts have room at all
        held = held_alone(view, row, part or shut or long)
        if held < view.rows.of[row].tasks:
            if on.shape[0] == 0 and too_slow == 0.0:
                note_failure(view.room, view.rows, row, held + 1)
            return False
        if now.first_fit and not long:
            take_in_order(view, row, shut)
            if shadow_times is not None:
                for k in range(view.rows.of[row].tasks):
                    take_for_long(view, shadow_times, row, k, until_s, 1.0)
            return True
    for k in range(view.rows.of[row].tasks):
        # the task before changed what the next one may use
        if k > 0 and (long or node_count):
            find_usable(view, row, on, too_slow)
        if node_count and not long:
            keep_completable(view.rows, view.room, view.room.free, row, k)
        if shadow_times is not None and long:
            host = find_for_long(view, shadow_times, scan, now, row, k, until_s)
        else:
            host = find(view, scan, now, row, k, shut)
        if host < 0:
            if view.room.tally[WRONG]:
                view.this_pass.tally[STATUS] = NOT_FINITE
            _give_back(view, shadow_times, row, k, last_host, until_s)
            if (
                shadow_times is not None
                and long
                and shadow_times.many[0] == 1
                and k == 0
                and not node_count
                and too_slow == 0.0
            ):
                note_long_failure(view.room, view.rows, row)
            if not (long or node_count) and on.shape[0] == 0 and too_slow == 0.0:
                note_failure(view.room, view.rows, row, view.rows.of[row].tasks)
            return False
        if shadow_times is not None:
            if view.cards is not None:
                view.cards.picked[k] = pick_cards(view, shadow_times, row, host, until_s)
            take_picked(view, row, k, host)
            take_for_long(view, shadow_times, row, k, until_s, 1.0)
        else:
            take(view, row, k, host)
    return True


@inner
def _give_back(view, shadow_times, row, tasks, last_host, until_s):
    if shadow_times is not None:
        for k in range(tasks - 1, -1, -1):
            take_for_long(view, shadow_times, row, k, until_s, -1.0)
    give_back(view, row, tasks, last_host)
