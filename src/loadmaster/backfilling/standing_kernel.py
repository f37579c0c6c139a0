"""Promises that outlive a pass, compiled: `Board.stand` and `Board.sooner`."""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.board_arrays import LISTED, PASS, PLANNED, STATUS
from loadmaster.backfilling.board_kernel import make_plan, note_promise, write_promise
from loadmaster.backfilling.earliest_kernel import earliest
from loadmaster.backfilling.plan_kernel import give_up_promise, hold_promise, lift_promise, place_at
from loadmaster.backfilling.rows_kernel import within_limits
from loadmaster.heap_kernel import drop_first, push
from loadmaster.kernels import inner
from loadmaster.place.room_kernel import find_room_now


@inner
def stand(rows, hosts, ends, calendar, room, board, standing, outlook, rate, now):
    """Promise again what earlier passes promised and kept; those rows are then `listed`, in the order of arrival.

    Whoever cannot be given that any more is promised the first moment at which the row fits, in the order of the
    moments.
    """
    size = 0
    for i in range(standing.row.shape[0]):
        row = np.int64(standing.row[i])
        if board.job_passed[rows.of[row].job] != -board.tally[PASS] and _stands(rows, hosts, board, standing, row):
            board.job_passed[rows.of[row].job] = -board.tally[PASS]
            board.listed[size] = row
            size += 1
    board.tally[LISTED] = 0
    heaped = 0
    for i in range(size):
        heaped = push(board.key_s, board.heap, heaped, standing.promise[board.listed[i]].start_s, i)
    if size > 0 and not board.tally[PLANNED]:
        make_plan(rows, hosts, room, ends, board, outlook, now)
    while heaped > 0 and not board.tally[STATUS]:
        row = np.int64(board.listed[board.heap[0]])
        heaped = drop_first(board.key_s, board.heap, heaped)
        _take_over(rows, board, standing, now, row)
        if not hold_promise(rows, hosts, calendar, board, outlook, now, row) and not board.tally[STATUS]:
            start_s = earliest(rows, hosts, calendar, room, board, outlook, rate, now, row, np.inf)
            write_promise(rows, room, board, now, row, start_s)
        note_promise(board, row)
    return size


@inner
def _stands(rows, hosts, board, standing, row):
    """Whether this row of a job is the one that the promise was made to."""
    first = rows.of[row].first_host
    for at in range(first, first + standing.promise[row].many):
        if not hosts.allowed[rows.of[row].hosts, standing.host[at]]:
            return False
    return within_limits(rows, board, row)


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
def sooner(rows, hosts, calendar, room, board, outlook, rate, now, row, only_now):
    """Move the row's promise to the first moment at which it fits beside all others; never to a later one."""
    before_s = board.promised[row].start_s
    if before_s <= now.now_s:
        return
    if only_now and not (now.as_pool or find_room_now(room, hosts, rows, row, board.everywhere)):
        note_promise(board, row)  # nothing that is promised for later is in its way
        return
    lift_promise(rows, hosts, board, outlook, now, row, row)
    found_s = np.inf
    if not only_now:
        found_s = earliest(rows, hosts, calendar, room, board, outlook, rate, now, row, before_s)
    elif place_at(rows, hosts, calendar, room, board, outlook, rate, now, row, now.now_s, board.everywhere):
        found_s = now.now_s
    if found_s < before_s:
        give_up_promise(rows, board, outlook, row)
        write_promise(rows, room, board, now, row, found_s)
    elif before_s < np.inf:
        hold_promise(rows, hosts, calendar, board, outlook, now, row)
    note_promise(board, row)
