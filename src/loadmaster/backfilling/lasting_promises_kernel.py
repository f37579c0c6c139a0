"""Reservations that outlive a pass, compiled: `SchedulingPass.renew_promises` and `SchedulingPass.advance_promise`."""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.earliest_fit_kernel import earliest
from loadmaster.backfilling.pass_arrays import LISTED, PASS, PLANNED, STATUS
from loadmaster.backfilling.pass_rows_kernel import within_limits
from loadmaster.backfilling.plan_kernel import give_up_promise, hold_promise, lift_promise, place_at
from loadmaster.backfilling.scheduling_pass_kernel import make_plan, note_promise, write_promise
from loadmaster.jit.heap_kernel import drop_first, push
from loadmaster.jit.kernels import inner
from loadmaster.place.room_kernel import find_room_now


@inner
def renew_promises(view, standing, availability, rate, now):
    """Renew the reservations of earlier passes; their rows are then `listed`, in the order of arrival.

    A row that no longer fits as reserved gets its earliest start. Reservations are renewed in the order of their
    starts.
    """
    size = 0
    for i in range(standing.row.shape[0]):
        row = np.int64(standing.row[i])
        if view.this_pass.job_passed[view.rows.of[row].job] != -view.this_pass.tally[PASS] and _still_allowed(
            view, standing, now, row
        ):
            view.this_pass.job_passed[view.rows.of[row].job] = -view.this_pass.tally[PASS]
            view.this_pass.listed[size] = row
            size += 1
    view.this_pass.tally[LISTED] = 0
    heaped = 0
    for i in range(size):
        heaped = push(
            view.this_pass.key_s, view.this_pass.heap, heaped, standing.promise[view.this_pass.listed[i]].start_s, i
        )
    if size > 0 and not view.this_pass.tally[PLANNED]:
        make_plan(view, availability, now)
    while heaped > 0 and not view.this_pass.tally[STATUS]:
        row = np.int64(view.this_pass.listed[view.this_pass.heap[0]])
        heaped = drop_first(view.this_pass.key_s, view.this_pass.heap, heaped)
        _take_over(view, standing, now, row)
        # it no longer fits as reserved: take the earliest start
        if not hold_promise(view, availability, now, row) and not view.this_pass.tally[STATUS]:
            start_s = earliest(view, availability, rate, now, row, np.inf)
            write_promise(view, now, row, start_s)
        note_promise(view.this_pass, row)
    return size


@inner
def _still_allowed(view, standing, now, row):
    """Whether the reservation belongs to this row of the job."""
    first = view.rows.of[row].first_host
    for at in range(first, first + standing.promise[row].many):
        if not view.hosts.allowed[view.rows.of[row].hosts, standing.host[at]]:
            return False
    return within_limits(view.rows, view.this_pass, row, now.cluster_wide)


@inner
def _take_over(view, standing, now, row):
    """Copy the row's earlier reservation, from now on at the earliest."""
    first, this_pass = view.rows.of[row].first_host, view.this_pass
    this_pass.promised[row].start_s = max(now.now_s, standing.promise[row].start_s)
    this_pass.promised[row].many = standing.promise[row].many
    for at in range(first, first + standing.promise[row].many):
        this_pass.promised_host[at] = standing.host[at]
        if view.cards is not None:
            view.cards.promised[at] = view.cards.standing[at]


@inner
def sort_by_promise(this_pass, size):
    """Sort the listed rows by their reserved starts."""
    heaped = 0
    for i in range(size):
        row = this_pass.listed[i]
        heaped = push(this_pass.key_s, this_pass.heap, heaped, this_pass.promised[row].start_s, i)
    for i in range(size):
        this_pass.place[i].row = this_pass.listed[this_pass.heap[0]]
        heaped = drop_first(this_pass.key_s, this_pass.heap, heaped)
    for i in range(size):
        this_pass.listed[i] = this_pass.place[i].row


@inner
def advance_promise(view, availability, rate, now, row, only_now):
    """Move the row's reservation to its earliest start beside all others; never to a later one."""
    before_s = view.this_pass.promised[row].start_s
    if before_s <= now.now_s:
        return
    if only_now and not (now.as_pool or find_room_now(view, row, view.this_pass.everywhere)):
        note_promise(view.this_pass, row)  # later reservations are not in its way: it does not fit now at all
        return
    lift_promise(view, availability, now, row, row)
    found_s = np.inf
    if not only_now:
        found_s = earliest(view, availability, rate, now, row, before_s)
    elif place_at(view, availability, rate, now, row, now.now_s, view.this_pass.everywhere):
        found_s = now.now_s
    if found_s < before_s:
        give_up_promise(view.rows, view.this_pass, availability, row)
        write_promise(view, now, row, found_s)
    elif before_s < np.inf:
        hold_promise(view, availability, now, row)
    note_promise(view.this_pass, row)
