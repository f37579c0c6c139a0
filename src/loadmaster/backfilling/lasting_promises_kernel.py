"""Promises that outlive a pass, compiled: `Board.stand` and `Board.sooner`."""
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
def stand(view, standing, outlook, rate, now):
    """Promise again what earlier passes promised and kept; those rows are then `listed`, in the order of arrival.

    Whoever cannot be given that any more is promised the first moment at which the row fits, in the order of the
    moments.
    """
    size = 0
    for i in range(standing.row.shape[0]):
        row = np.int64(standing.row[i])
        if view.board.job_passed[view.rows.of[row].job] != -view.board.tally[PASS] and _stands(view, standing, row):
            view.board.job_passed[view.rows.of[row].job] = -view.board.tally[PASS]
            view.board.listed[size] = row
            size += 1
    view.board.tally[LISTED] = 0
    heaped = 0
    for i in range(size):
        heaped = push(view.board.key_s, view.board.heap, heaped, standing.promise[view.board.listed[i]].start_s, i)
    if size > 0 and not view.board.tally[PLANNED]:
        make_plan(view, outlook, now)
    while heaped > 0 and not view.board.tally[STATUS]:
        row = np.int64(view.board.listed[view.board.heap[0]])
        heaped = drop_first(view.board.key_s, view.board.heap, heaped)
        _take_over(view.rows, view.board, standing, now, row)
        if not hold_promise(view, outlook, now, row) and not view.board.tally[STATUS]:
            start_s = earliest(view, outlook, rate, now, row, np.inf)
            write_promise(view, now, row, start_s)
        note_promise(view.board, row)
    return size


@inner
def _stands(view, standing, row):
    """Whether this row of a job is the one that the promise was made to."""
    first = view.rows.of[row].first_host
    for at in range(first, first + standing.promise[row].many):
        if not view.hosts.allowed[view.rows.of[row].hosts, standing.host[at]]:
            return False
    return within_limits(view.rows, view.board, row)


@inner
def _take_over(rows, board, standing, now, row):
    """Promise the row what it was promised before, from now on at the earliest."""
    first = rows.of[row].first_host
    board.promised[row].start_s = max(now.now_s, standing.promise[row].start_s)
    board.promised[row].many = standing.promise[row].many
    for at in range(first, first + standing.promise[row].many):
        board.promised_host[at] = standing.host[at]


@inner
def sort_by_promise(board, size):
    """Put the listed rows in the order of the moments promised to them."""
    heaped = 0
    for i in range(size):
        row = board.listed[i]
        heaped = push(board.key_s, board.heap, heaped, board.promised[row].start_s, i)
    for i in range(size):
        board.place[i].row = board.listed[board.heap[0]]
        heaped = drop_first(board.key_s, board.heap, heaped)
    for i in range(size):
        board.listed[i] = board.place[i].row


@inner
def sooner(view, outlook, rate, now, row, only_now):
    """Move the row's promise to the first moment at which it fits beside all others; never to a later one."""
    before_s = view.board.promised[row].start_s
    if before_s <= now.now_s:
        return
    if only_now and not (now.as_pool or find_room_now(view, row, view.board.everywhere)):
        note_promise(view.board, row)  # nothing that is promised for later is in its way
        return
    lift_promise(view, outlook, now, row, row)
    found_s = np.inf
    if not only_now:
        found_s = earliest(view, outlook, rate, now, row, before_s)
    elif place_at(view, outlook, rate, now, row, now.now_s, view.board.everywhere):
        found_s = now.now_s
    if found_s < before_s:
        give_up_promise(view.rows, view.board, outlook, row)
        write_promise(view, now, row, found_s)
    elif before_s < np.inf:
        hold_promise(view, outlook, now, row)
    note_promise(view.board, row)
