"""The rows of a pass in their order, compiled: which rows a backfilling gets, and which are passed over.

    row = next_row(rows, this_pass, now, beyond, whole)      until it is -1: the same as `SchedulingPass.rows`

Before the next row is searched, it is noted whether the last one was taken: it started, or was put off.
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
def begin_rows(this_pass):
    """Begin a pass: no row has started, and none has a reservation."""
    this_pass.tally[PASS] += 1
    this_pass.tally[SINCE] = this_pass.tally[SEQUENCE]
    this_pass.tally[STARTED] = this_pass.tally[LISTED] = this_pass.tally[PLANNED] = this_pass.tally[
        STATUS
    ] = this_pass.tally[NOTED] = 0
    this_pass.place[0].first = 0
    this_pass.wake_s[0] = np.inf
    for part in range(this_pass.part.shape[0]):
        this_pass.part[part].many = 0
    walk_again(this_pass)


@inner
def walk_again(this_pass):
    """Offer the rows from the first on."""
    this_pass.tally[OFFERED] = -1
    for group in range(this_pass.group.shape[0]):
        this_pass.group[group].next = this_pass.group[group].first


@inner
def next_row(rows, this_pass, now, beyond, whole):
    """The next row in the order, -1 at the end.

    `beyond`: also rows beyond a limit; `whole`: also tasks of an array behind one that did not start in their
    partition.
    """
    _note_taken(rows, this_pass, whole)
    while this_pass.tally[STATUS] == 0:
        row = _next_of_neediest(this_pass)
        if row < 0:
            break
        if _is_offered(rows, this_pass, now, row, beyond):
            this_pass.tally[OFFERED] = row
            this_pass.tally[TAKEN] = this_pass.tally[STARTED] + this_pass.tally[LISTED]
            return row
    return np.int64(-1)


@inner
def put_off(this_pass, row):
    """Leave the row for `next_shortest`."""
    this_pass.listed[this_pass.tally[LISTED]] = row
    this_pass.tally[LISTED] += 1


@inner
def sort_put_off(rows, this_pass):
    """Put the rows that were put off into a heap, shortest expected runtime first; returns how many."""
    this_pass.tally[OFFERED] = -1
    size = 0
    for i in range(this_pass.tally[LISTED]):
        size = push(this_pass.key_s, this_pass.heap, size, rows.of[this_pass.listed[i]].expected_s, i)
    return size


@inner
def next_shortest(rows, this_pass, now, size):
    """The next of the rows put off, -1 at the end; and how many are still in the heap."""
    _note_taken(rows, this_pass, False)
    while size > 0 and this_pass.tally[STATUS] == 0:
        row = np.int64(this_pass.listed[this_pass.heap[0]])
        size = drop_first(this_pass.key_s, this_pass.heap, size)
        if _is_offered(rows, this_pass, now, row, False):
            this_pass.tally[OFFERED] = row
            this_pass.tally[TAKEN] = this_pass.tally[STARTED] + this_pass.tally[LISTED]
            return row, size
    return np.int64(-1), size


@inner
def within_limits(rows, this_pass, row, first):
    """Whether the row stays within all limits from number `first` on if it starts now."""
    for use in range(rows.of[row].first_use, rows.of[row].first_use + rows.of[row].uses):
        if rows.use[use].limit >= first and this_pass.left[rows.use[use].limit] < rows.use[use].amount:
            return False
    return True


@inner
def lacks_cluster_wide_alone(rows, this_pass, now, row):
    """Whether the row is beyond no limit, but the cluster lacks amounts of its own."""
    if now.cluster_wide == 0 or not within_limits(rows, this_pass, row, now.cluster_wide):
        return False
    return not within_limits(rows, this_pass, row, 0)


@inner
def _note_taken(rows, this_pass, whole):
    row = this_pass.tally[OFFERED]
    taken = this_pass.tally[STARTED] + this_pass.tally[LISTED] > this_pass.tally[TAKEN]
    if row >= 0 and rows.of[row].array >= 0 and not whole and not taken:
        this_pass.array_passed[_array_in_partition(rows, this_pass, row)] = this_pass.tally[PASS]


@inner
def _is_offered(rows, this_pass, now, row, beyond):
    number = this_pass.tally[PASS]
    if this_pass.job_passed[rows.of[row].job] == number:
        return False  # its own use of a limit must not stop its partition
    if not beyond and _is_limited(rows, this_pass, now, row):
        return False
    return rows.of[row].array < 0 or this_pass.array_passed[_array_in_partition(rows, this_pass, row)] != number


@inner
def _array_in_partition(rows, this_pass, row):
    return np.int64(rows.of[row].array) * this_pass.part.shape[0] + rows.of[row].partition


@inner
def _is_limited(rows, this_pass, now, row):
    part = rows.of[row].partition
    if this_pass.part[part].stopped == this_pass.tally[PASS]:
        return True
    limited = not within_limits(rows, this_pass, row, now.cluster_wide)
    if limited and now.limits_stop:
        this_pass.part[part].stopped = this_pass.tally[PASS]
    return limited


@inner
def _next_of_neediest(this_pass):
    """The next row of the group with the least used / share, -1 if all rows have been offered."""
    groups = this_pass.group.shape[0]
    best = -1
    if groups == 1:
        best = 0 if this_pass.group[0].next < this_pass.group[0].end else -1
    else:
        least = np.inf
        for group in range(groups):
            if this_pass.group[group].next < this_pass.group[group].end:
                ratio = this_pass.group[group].used / this_pass.group[group].share
                if best < 0 or ratio < least:
                    best, least = group, ratio
    if best < 0:
        return np.int64(-1)
    row = np.int64(this_pass.order[this_pass.group[best].next])
    this_pass.group[best].next += 1
    return row
