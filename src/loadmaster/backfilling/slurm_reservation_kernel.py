"""A row's reservation of whole hosts in Slurm's backfill pass, compiled: its earliest start, within the window.

A row is tried at the ends of windows and of reservations, one after another; counts alone rule out most of them.
Reservations last only for one pass, so a pass makes them late: `defer` lists a row, and `reserve_next` takes the first
row of that list.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.host_choice_kernel import choose, tasks_held
from loadmaster.backfilling.node_count_kernel import asks_for_hosts, fits_apart, none_held
from loadmaster.backfilling.pass_arrays import ODD, STATUS
from loadmaster.backfilling.scheduling_pass_kernel import is_promised, note_promise, write_promise
from loadmaster.backfilling.slurm_arrays import DEFERRED, HANDLED, OVER
from loadmaster.backfilling.slurm_ends_kernel import (
    demand_of,
    hosts_needed,
    hosts_with_room,
    note_started,
    windows_of,
)
from loadmaster.backfilling.slurm_table_kernel import (
    ONE,
    begin_usable,
    blocked_until,
    leave_open,
    lowest_bit,
    reserve_hosts,
)
from loadmaster.jit.kernels import inner


@inner
def defer(this_pass, slurm, row):
    """List a row that did not start: its reservation is made once another row depends on it."""
    this_pass.listed[slurm.size[DEFERRED]] = row
    slurm.size[DEFERRED] += 1


@inner
def reserve_next(view, availability, rate, now, slurm):
    """Make the reservation of the first row of the list, if hosts may be reserved for it; False if there is no row."""
    if slurm.size[HANDLED] == slurm.size[DEFERRED]:
        return False
    row = np.int64(view.this_pass.listed[slurm.size[HANDLED]])
    slurm.size[HANDLED] += 1
    if not _is_for_now_only(view.rows, view.this_pass, now, slurm, row):
        note_started(view, now, slurm)
        _reserve(view, availability, rate, now, slurm, row)
    return True


@inner
def _is_for_now_only(rows, this_pass, now, slurm, row):
    """Whether no host may be reserved for the row."""
    array, rules = rows.of[row].array, slurm.rules
    late = 0 < rules.part_reserve <= slurm.tried[rows.of[row].partition].reserve
    many = array >= 0 and slurm.tried[max(array, 0)].array >= rules.array_reserve
    return (
        late or many or waits_for_now_only(rows, now, slurm, row) or (rules.once and _has_promise(rows, this_pass, row))
    )


@inner
def _has_promise(rows, this_pass, row):
    """Whether another row of the same job has a reservation."""
    other = np.int64(rows.of[row].next_row)
    while other != row:
        if is_promised(this_pass, other):
            return True
        other = np.int64(rows.of[other].next_row)
    return False


@inner
def waits_for_now_only(rows, now, slurm, row):
    """Whether the row is too young, or of too low a priority, for a reservation."""
    claim, rules = slurm.claim[row], slurm.rules
    young = now.now_s - rows.of[row].since_s < rules.min_age_s
    return claim.no_reserve or young or (rules.min_prio > 0.0 and -claim.rank < rules.min_prio)


@inner
def _reserve(view, availability, rate, now, slurm, row):
    """Reserve whole hosts for the row from its earliest start on, if that is within the window."""
    windows, demand = windows_of(view, now, slurm, row), demand_of(view, slurm, row)
    needed, expected_s = hosts_needed(view.rows, slurm, demand, row), view.rows.of[row].expected_s
    window, over, from_s = 0, 0, -np.inf
    slot_s = slurm.rules.resolution_s
    horizon_s = np.floor((now.now_s + slurm.rules.window_s) / slot_s) * slot_s
    while True:
        # go to the next end of a reservation or window
        while over < slurm.size[OVER] and slurm.over_s[over] < from_s:
            over += 1
        while window + 1 < slurm.look[windows].windows and slurm.window[windows, window + 1].over_s < from_s:
            window += 1
        time_s = slurm.over_s[over] if over < slurm.size[OVER] else np.inf
        if window + 1 < slurm.look[windows].windows:
            time_s = min(time_s, slurm.window[windows, window + 1].over_s)
        if time_s == np.inf or time_s > horizon_s:
            return
        while window + 1 < slurm.look[windows].windows and slurm.window[windows, window + 1].over_s <= time_s:
            window += 1
        from_s = np.nextafter(time_s, np.inf)
        # too few hosts have room: only a later window can help
        if hosts_with_room(view.rows, view.hosts, slurm, row, windows, demand, window) < needed:
            if window + 1 == slurm.look[windows].windows:
                return
            from_s = slurm.window[windows, window + 1].over_s
            continue
        # by counts alone: some step of the runtime has too few hosts left
        until_s = blocked_until(slurm, time_s, time_s + expected_s, needed)
        if until_s > time_s:
            from_s = until_s
            continue
        begin_usable(slurm, slurm.fits[demand, window])
        until_s = leave_open(view.calendar, slurm, row, time_s, time_s + expected_s, needed)
        if until_s > time_s:
            from_s = until_s
            if window + 1 < slurm.look[windows].windows:
                from_s = min(from_s, slurm.window[windows, window + 1].over_s)
        else:
            if now.first_fit and not asks_for_hosts(view.rows, row):
                if _fill_in_order(view, availability, slurm, row, (windows, window)):
                    _write_reservation(view, now, slurm, row, time_s)
                    return
                continue
            able = _list(view, availability, slurm, row, (windows, window))
            if able > 0:
                if choose(view, availability, rate, now, row, able):
                    _write_reservation(view, now, slurm, row, time_s)
                else:
                    view.this_pass.tally[STATUS] = max(view.this_pass.tally[STATUS], ODD)
                return


@inner
def _fill_in_order(view, availability, slurm, row, then):
    """Fill the usable hosts in their order, as first-fit does; returns whether they hold the row.

    `then`: the place of the row's windows, and the window.
    """
    rows, (group, window), at = view.rows, then, np.int64(0)
    tasks, kind, resources = np.int64(rows.of[row].tasks), rows.of[row].kind, rows.demand.shape[1]
    for word in range(slurm.usable.shape[0]):
        bits = slurm.usable[word]
        while bits != np.uint64(0) and at < tasks:
            host, bits = 64 * word + lowest_bit(bits), bits & (bits - ONE)
            held = np.float64(tasks - at)
            if view.cards is not None:
                _copy(availability, slurm, then, host)
                held = np.float64(tasks_held(view, availability.window, host, kind, tasks - at))
            else:
                for r in range(resources):
                    if rows.demand[kind, r] > 0.0:
                        held = min(held, np.floor(slurm.free[group, window, r, host] / rows.demand[kind, r]))
            for _ in range(np.int64(held)):
                view.room.host[at] = host
                at += 1
    return at == tasks


@inner
def _list(view, availability, slurm, row, then):
    """List the usable hosts and what each has then; returns how many they are, 0 if they do not hold the row.

    `then`: the place of the row's windows, and the window.
    """
    rows, room = view.rows, view.room
    able, total, tasks, node_count = 0, np.int64(0), rows.of[row].tasks, asks_for_hosts(rows, row)
    if node_count:
        none_held(room, tasks)
    for word in range(slurm.usable.shape[0]):
        bits = slurm.usable[word]
        while bits != np.uint64(0):
            host, bits = 64 * word + lowest_bit(bits), bits & (bits - ONE)
            _copy(availability, slurm, then, host)
            held = tasks_held(view, availability.window, host, rows.of[row].kind, tasks)
            total += held
            if node_count:
                room.count[held] += 1
            availability.able[able] = host
            able += 1
    return able if total >= tasks and (not node_count or fits_apart(rows, room, row)) else 0


@inner
def _copy(availability, slurm, then, host):
    """Write what a host has then into its `window`."""
    group, window = then
    for r in range(availability.window.shape[1]):
        availability.window[host, r] = slurm.free[group, window, r, host]


@inner
def _write_reservation(view, now, slurm, row, start_s):
    """Reserve the hosts at hand, whole, from one multiple of the resolution to another."""
    slot_s = slurm.rules.resolution_s
    begin_s = np.floor(start_s / slot_s) * slot_s
    end_s = np.floor((start_s + view.rows.of[row].expected_s) / slot_s) * slot_s
    reserve_hosts(slurm, now, view.room.host, 0, view.rows.of[row].tasks, begin_s, max(end_s, begin_s + slot_s))
    write_promise(view, now, row, start_s)
    note_promise(view.this_pass, row)
    slurm.tried[view.rows.of[row].partition].reserve += 1
    if view.rows.of[row].array >= 0:
        slurm.tried[view.rows.of[row].array].array += 1
