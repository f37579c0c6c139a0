"""The rows of a pass in their order, compiled: who is offered to a backfilling, and who is passed over.

    row = next_row(rows, board, now, beyond, whole)      until it is -1: the same as `Board.rows`

Before the next row is looked for, it is noted whether the last one was taken: whoever starts, or is put off.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.pass_arrays import (
    LISTED,
    NOTED,
    OFFERED,
    PASS,
    PLANNED,
    SEQUENCE,
    SINCE,
    STARTED,
    STATUS,
    TAKEN,
)
from loadmaster.jit.heap_kernel import drop_first, push
from loadmaster.jit.kernels import inner


@inner
def begin_board(board):
    """Begin a pass: nobody has started, nothing is promised."""
    board.tally[PASS] += 1
    board.tally[SINCE] = board.tally[SEQUENCE]
    board.tally[STARTED] = board.tally[LISTED] = board.tally[PLANNED] = board.tally[STATUS] = board.tally[NOTED] = 0
    board.place[0].first = 0
    board.wake_s[0] = np.inf
    for part in range(board.part.shape[0]):
        board.part[part].many = 0
    walk_again(board)


@inner
def walk_again(board):
    """Offer the rows from the first on."""
    board.tally[OFFERED] = -1
    for group in range(board.group.shape[0]):
        board.group[group].next = board.group[group].first


@inner
def next_row(rows, board, now, beyond, whole):
    """The next row in the order, -1 at the end.

    Who is beyond a limit is offered with `beyond`; tasks of an array behind one that did not start in their partition,
    with `whole`.
    """
    _note_taken(rows, board, whole)
    while board.tally[STATUS] == 0:
        row = _next_of_neediest(board)
        if row < 0:
            break
        if _is_offered(rows, board, now, row, beyond):
            board.tally[OFFERED] = row
            board.tally[TAKEN] = board.tally[STARTED] + board.tally[LISTED]
            return row
    return np.int64(-1)


@inner
def put_off(board, row):
    """Leave the row for `next_shortest`."""
    board.listed[board.tally[LISTED]] = row
    board.tally[LISTED] += 1


@inner
def sort_put_off(rows, board):
    """Put those first that are expected to be over first; returns how many wait in the heap."""
    board.tally[OFFERED] = -1
    size = 0
    for i in range(board.tally[LISTED]):
        size = push(board.key_s, board.heap, size, rows.of[board.listed[i]].expected_s, i)
    return size


@inner
def next_shortest(rows, board, now, size):
    """The next of the rows put off, -1 at the end; and how many wait in the heap still."""
    _note_taken(rows, board, False)
    while size > 0 and board.tally[STATUS] == 0:
        row = np.int64(board.listed[board.heap[0]])
        size = drop_first(board.key_s, board.heap, size)
        if _is_offered(rows, board, now, row, False):
            board.tally[OFFERED] = row
            board.tally[TAKEN] = board.tally[STARTED] + board.tally[LISTED]
            return row, size
    return np.int64(-1), size


@inner
def within_limits(rows, board, row):
    """Whether no limit is passed if the row starts now."""
    for use in range(rows.of[row].first_use, rows.of[row].first_use + rows.of[row].uses):
        if board.left[rows.use[use].limit] < rows.use[use].amount:
            return False
    return True


@inner
def _note_taken(rows, board, whole):
    row = board.tally[OFFERED]
    taken = board.tally[STARTED] + board.tally[LISTED] > board.tally[TAKEN]
    if row >= 0 and rows.of[row].array >= 0 and not whole and not taken:
        board.array_passed[_array_in_partition(rows, board, row)] = board.tally[PASS]


@inner
def _is_offered(rows, board, now, row, beyond):
    number = board.tally[PASS]
    if board.job_passed[rows.of[row].job] == number:
        return False  # what it holds by now keeps nobody back
    if not beyond and _is_limited(rows, board, now, row):
        return False
    return rows.of[row].array < 0 or board.array_passed[_array_in_partition(rows, board, row)] != number


@inner
def _array_in_partition(rows, board, row):
    return np.int64(rows.of[row].array) * board.part.shape[0] + rows.of[row].partition


@inner
def _is_limited(rows, board, now, row):
    part = rows.of[row].partition
    if board.part[part].stopped == board.tally[PASS]:
        return True
    limited = not within_limits(rows, board, row)
    if limited and now.limits_stop:
        board.part[part].stopped = board.tally[PASS]
    return limited


@inner
def _next_of_neediest(board):
    """The next row of the group with the least used / share, -1 if all have been looked at."""
    groups = board.group.shape[0]
    best = -1
    if groups == 1:
        best = 0 if board.group[0].next < board.group[0].end else -1
    else:
        least = np.inf
        for group in range(groups):
            if board.group[group].next < board.group[group].end:
                ratio = board.group[group].used / board.group[group].share
                if best < 0 or ratio < least:
                    best, least = group, ratio
    if best < 0:
        return np.int64(-1)
    row = np.int64(board.order[board.group[best].next])
    board.group[best].next += 1
    return row
