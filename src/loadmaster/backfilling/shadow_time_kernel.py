"""Shadow times, compiled: the same as `loadmaster.backfilling.shadow_time`, for several that share no host.

Each host belongs to at most one shadow time, and `held` is how many tasks of its row the host holds at that moment.
Invariant: no start lets the sum of `held` fall below the tasks of the row, so the row fits at its shadow time.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.cluster_wide_kernel import first_cluster_wide
from loadmaster.backfilling.host_choice_kernel import lacks, tasks_held
from loadmaster.backfilling.node_count_kernel import asks_for_hosts, fits_apart, keep_completable, none_held
from loadmaster.backfilling.pass_arrays import STARTED
from loadmaster.jit.heap_kernel import drop_first, push
from loadmaster.jit.kernels import inner
from loadmaster.place.cards_kernel import change_row, costs_nothing, note_costs, tightest
from loadmaster.place.room_kernel import find, held_by

A_FEW = 8
"""Hosts that are tried one after another, before all are checked."""


@inner
def forget_moments(shadow_times):
    """Drop all shadow times."""
    if shadow_times.many[0] > 0:
        for host in range(shadow_times.counted.shape[0]):
            shadow_times.counted[host].owner = -1
    shadow_times.many[0] = 0


@inner
def counts_same_hosts(rows, hosts, shadow_times, row):
    """Whether some shadow time counts a host that the row may use."""
    allowed = hosts.allowed[rows.of[row].hosts]
    same = False
    for host in range(shadow_times.counted.shape[0]):
        same |= allowed[host] and shadow_times.counted[host].owner >= 0
    return same


@inner
def promise_moment(view, shadow_times, now, row):
    """Give the row a shadow time, the first moment it fits if all jobs end as expected; returns it, infinite if never.

    No earlier shadow time may count a host of this row.
    """
    number = shadow_times.many[0]
    shadow_times.many[0] += 1
    shadow_times.promise[number].row = row
    allowed, tasks = view.hosts.allowed[view.rows.of[row].hosts], np.int64(view.rows.of[row].tasks)
    found = np.int64(0)
    for host in range(shadow_times.counted.shape[0]):
        if allowed[host]:
            shadow_times.counted[host].owner = number
            for r in range(view.room.free.shape[1]):
                shadow_times.then[host, r] = view.room.free[host, r]
            if view.cards is not None:
                for card in range(view.cards.free.shape[1]):
                    shadow_times.then[host, view.room.free.shape[1] + card] = view.cards.free[host, card]
            shadow_times.counted[host].held = _tasks_held(view, shadow_times, row, host)
            found += shadow_times.counted[host].held
    shadow_s, soonest = now.now_s, np.nextafter(now.now_s, np.inf)
    started = heap_of_started(view, now)
    running, is_found, wide_s = 0, False, now.now_s
    if view.cluster_wide is not None:
        wide_s = first_cluster_wide(view, row, now.now_s, longest_s(view, now, row))
    while True:
        from_heap = started > 0 and (
            running == view.ends.many[0] or view.this_pass.key_s[0] < view.ends.end[running].end_s
        )
        if not from_heap and running == view.ends.many[0]:
            break
        # an overdue end counts as just after now
        next_s = max(view.this_pass.key_s[0] if from_heap else view.ends.end[running].end_s, soonest)
        # all ends at one moment count before the test
        if next_s > shadow_s and _are_enough(view.rows, view.room, shadow_times, number, row, found):
            if view.cluster_wide is None:
                break
            if wide_s < shadow_s:
                wide_s = first_cluster_wide(view, row, shadow_s, longest_s(view, now, row))
            if wide_s < next_s:
                shadow_s, is_found = wide_s, True
                break
        shadow_s = next_s
        if from_heap:
            place = view.this_pass.heap[0]
            started = drop_first(view.this_pass.key_s, view.this_pass.heap, started)
            kind = view.rows.of[view.this_pass.place[place].row].kind
            for at in range(view.this_pass.place[place].first, view.this_pass.place[place + 1].first):
                bits = np.int64(0)
                if view.cards is not None:
                    bits = view.cards.started[at]
                found += _returned(view, shadow_times, number, row, kind, view.this_pass.started_host[at], bits)
        else:
            bits = np.int64(0)
            if view.cards is not None:
                bits = view.ends.cards[running]
            one = view.ends.end[running]
            found += _returned(view, shadow_times, number, row, one.kind, one.host, bits)
            running += 1
    if view.cluster_wide is not None and not is_found:
        shadow_s = first_cluster_wide(view, row, shadow_s, longest_s(view, now, row))
    shadow_times.promise[number].slack = found - tasks
    shadow_times.promise[number].shadow_s = (
        shadow_s if _are_enough(view.rows, view.room, shadow_times, number, row, found) else np.inf
    )
    return shadow_times.promise[number].shadow_s


@inner
def longest_s(view, now, row):
    """The runtime of the row on the slowest hosts of the cluster: which hosts a shadow time gives is not known."""
    slowest = view.hosts.speed[0]
    if now.several_speeds:
        for host in range(view.hosts.speed.shape[0]):
            slowest = min(slowest, view.hosts.speed[host])
    return view.rows.of[row].expected_s / slowest


@inner
def _are_enough(rows, room, shadow_times, number, row, found):
    """Whether the row fits on hosts that hold `found` of its tasks."""
    if found < rows.of[row].tasks or not asks_for_hosts(rows, row):
        return found >= rows.of[row].tasks
    _count_held(rows, room, shadow_times, number, row)
    return fits_apart(rows, room, row)


@inner
def heap_of_started(view, now):
    """Put the rows started in this pass into a heap by their expected ends; returns how many."""
    size = 0
    for place in range(view.this_pass.tally[STARTED]):
        slowest = np.inf
        for at in range(view.this_pass.place[place].first, view.this_pass.place[place + 1].first):
            slowest = min(slowest, view.hosts.speed[view.this_pass.started_host[at]])
        end_s = now.now_s + view.rows.of[view.this_pass.place[place].row].expected_s / slowest
        size = push(view.this_pass.key_s, view.this_pass.heap, size, end_s, place)
    return size


@inner
def _returned(view, shadow_times, number, row, kind, host, bits):
    """End a task of demand number `kind`, with the cards `bits`; returns how many more tasks of the row then fit."""
    if shadow_times.counted[host].owner != number:
        return np.int64(0)
    before = shadow_times.counted[host].held
    _change(view, shadow_times, kind, host, bits, 1.0)
    if before < view.rows.of[row].tasks:
        shadow_times.counted[host].held = _tasks_held(view, shadow_times, row, host)
    return shadow_times.counted[host].held - before


@inner
def _change(view, shadow_times, kind, host, bits, sign):
    """Give back (`sign` 1.0) or take (-1.0) a task of demand number `kind` then; `bits` are its cards."""
    if view.cards is not None:
        change_row(view.cards, shadow_times.then[host], view.rows.demand, kind, bits, sign)
    else:
        for r in range(view.rows.demand.shape[1]):
            shadow_times.then[host, r] += sign * view.rows.demand[kind, r]


@inner
def _tasks_held(view, shadow_times, row, host):
    """Tasks of the row that the host holds then, at most all of them."""
    kind = view.rows.of[row].kind
    if view.cards is not None:
        return tasks_held(view, shadow_times.then, host, kind, view.rows.of[row].tasks)
    held = held_by(shadow_times.then, host, view.rows.demand, kind)
    return np.int64(min(float(view.rows.of[row].tasks), max(held, 0.0)))


@inner
def pick_cards(view, shadow_times, row, host, until_s):
    """The cards, as bits, that a task of the row takes of the host until then: those that cost a shadow time least."""
    cards, kind, number = view.cards, view.rows.of[row].kind, shadow_times.counted[host].owner
    costs_nothing(cards)
    if number >= 0 and until_s > shadow_times.promise[number].shadow_s and shadow_times.counted[host].held > 0:
        head_kind = view.rows.of[shadow_times.promise[number].row].kind
        note_costs(cards, shadow_times.then[host, cards.resources + 2 :], head_kind, cards.share[kind])
    bits = tightest(cards, cards.free[host], kind)
    costs_nothing(cards)
    return bits


@inner
def is_outlasted(shadow_times, until_s):
    """Whether some shadow time comes before `until_s`."""
    outlasted = False
    for number in range(shadow_times.many[0]):
        outlasted |= shadow_times.promise[number].row >= 0 and until_s > shadow_times.promise[number].shadow_s
    return outlasted


@inner
def find_for_long(view, shadow_times, scan, now, row, k, until_s):
    """As `find`, for a task that runs until then: no shadow time before that may suffer."""
    node_count = asks_for_hosts(view.rows, row)
    if not (now.varies or node_count):
        for _ in range(A_FEW):
            host = find(view, scan, now, row, k, True)
            if host < 0 or _may_have(view, shadow_times, row, host, until_s):
                return host
            view.room.usable[host] = False
    for host in range(view.room.usable.shape[0]):
        if view.room.usable[host] and not lacks(view.room.free, host, view.rows.demand, view.rows.of[row].kind):
            view.room.usable[host] = _may_have(view, shadow_times, row, host, until_s)
    if node_count:
        keep_completable(view.rows, view.room, view.room.free, row, k)
    return find(view, scan, now, row, k, True)


@inner
def _may_have(view, shadow_times, row, host, until_s):
    """Whether a task of the row may have the host until then; it has room for the task now."""
    number = shadow_times.counted[host].owner
    if number < 0 or until_s <= shadow_times.promise[number].shadow_s:
        return True
    bits = np.int64(0)
    if view.cards is not None:
        bits = pick_cards(view, shadow_times, row, host, until_s)
    cost = _cost(view, shadow_times, number, view.rows.of[row].kind, host, bits)
    if not asks_for_hosts(view.rows, shadow_times.promise[number].row):
        return cost <= shadow_times.promise[number].slack
    return cost == 0 or _leaves_enough(view.rows, view.room, shadow_times, number, host, cost)


@inner
def _leaves_enough(rows, room, shadow_times, number, host, cost):
    """Whether a row that limits its hosts still fits at its shadow time if the host holds `cost` fewer tasks."""
    head = np.int64(shadow_times.promise[number].row)
    _count_held(rows, room, shadow_times, number, head)
    held = shadow_times.counted[host].held
    room.count[held] -= 1
    room.count[held - cost] += 1
    return fits_apart(rows, room, head)


@inner
def _count_held(rows, room, shadow_times, number, row):
    """Count the hosts of the shadow time by how many tasks of the row they hold then."""
    none_held(room, rows.of[row].tasks)
    for host in range(shadow_times.counted.shape[0]):
        if shadow_times.counted[host].owner == number:
            room.count[shadow_times.counted[host].held] += 1


@inner
def _cost(view, shadow_times, number, kind, host, bits):
    """How many fewer tasks of the reserved row the host holds with a task of demand number `kind` on those cards."""
    if shadow_times.counted[host].held == 0:
        return np.int64(0)
    _change(view, shadow_times, kind, host, bits, -1.0)
    cost = shadow_times.counted[host].held - _tasks_held(view, shadow_times, shadow_times.promise[number].row, host)
    _change(view, shadow_times, kind, host, bits, 1.0)
    return cost


@inner
def take_for_long(view, shadow_times, row, k, until_s, sign):
    """Let task number k of the row, which runs until then, take its host (`sign` 1), or give it back (-1)."""
    host, bits = np.int64(view.room.host[k]), np.int64(0)
    if view.cards is not None:
        bits = view.cards.picked[k]
    number = shadow_times.counted[host].owner
    if number < 0 or until_s <= shadow_times.promise[number].shadow_s:
        return
    _change(view, shadow_times, view.rows.of[row].kind, host, bits, -sign)
    held = _tasks_held(view, shadow_times, shadow_times.promise[number].row, host)
    shadow_times.promise[number].slack -= shadow_times.counted[host].held - held
    shadow_times.counted[host].held = held


@inner
def forget_moment(shadow_times, row):
    """Drop the shadow time of the row."""
    for number in range(shadow_times.many[0]):
        if shadow_times.promise[number].row == row:
            shadow_times.promise[number].row = -1
            for host in range(shadow_times.counted.shape[0]):
                if shadow_times.counted[host].owner == number:
                    shadow_times.counted[host].owner = -1


@inner
def forget_last_moment(shadow_times):
    """Drop the shadow time that was found last."""
    number = shadow_times.many[0] - 1
    for host in range(shadow_times.counted.shape[0]):
        if shadow_times.counted[host].owner == number:
            shadow_times.counted[host].owner = -1
    shadow_times.many[0] = number


@inner
def put_off_moment(shadow_times, row, until_s):
    """Change the shadow time of the row to `until_s`; returns the old one, infinite if it has none."""
    for number in range(shadow_times.many[0]):
        if shadow_times.promise[number].row == row:
            before_s = shadow_times.promise[number].shadow_s
            shadow_times.promise[number].shadow_s = until_s
            return before_s
    return np.inf
