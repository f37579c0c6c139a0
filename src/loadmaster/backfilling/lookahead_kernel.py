"""Lookahead backfilling, compiled."""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.lookahead import MOST_CELLS
from loadmaster.backfilling.pass_arrays import ODD, PASS, STATUS
from loadmaster.backfilling.pass_rows_kernel import next_row, within_limits
from loadmaster.backfilling.scheduling_pass_kernel import begin_pass, promise, start
from loadmaster.backfilling.shadow_time_kernel import heap_of_started
from loadmaster.jit.kernels import inner

MOST_PACKED = 63
"""Jobs of a set, as bits of a whole number that is not negative."""
USED, CHOSEN = range(2)
"""Of a cell of the table: the units that the best set uses, and its jobs, as bits."""


def serve_lookahead(view, standing, shadow_times, availability, scan, rate, now, rules):
    """The same as `Lookahead.serve`; `rules` are (window, table int64[2, N] for `best_set`)."""
    window, table = rules
    begin_pass(view, shadow_times, availability, now)
    this_pass, everywhere = view.this_pass, view.this_pass.everywhere
    head = next_row(view.rows, this_pass, now, False, False)
    while head >= 0 and start(view, shadow_times, availability, scan, rate, now, head, everywhere):
        head = next_row(view.rows, this_pass, now, False, False)
    if head < 0:
        return
    promise(view, shadow_times, availability, rate, now, head)
    many = 0
    row = next_row(view.rows, this_pass, now, False, False)  # none if the pass must be repeated
    while row >= 0:
        this_pass.listed[many] = row
        many += 1
        row = next_row(view.rows, this_pass, now, False, False)
    packed = min(many, window)
    chosen = _best_set(view, now, head, packed, table)
    for wanted in range(1, -1, -1):  # the chosen rows first
        for k in range(many):
            row = np.int64(this_pass.listed[k])
            is_chosen = k < packed and (chosen >> k) & 1
            if is_chosen == wanted and this_pass.tally[STATUS] == 0 and _may_start(view, row):
                start(view, shadow_times, availability, scan, rate, now, row, everywhere)


@inner
def _may_start(view, row):
    """Whether the row is still within limits, and its job has not started in another partition."""
    started = view.this_pass.job_passed[view.rows.of[row].job] == view.this_pass.tally[PASS]
    return not started and within_limits(view.rows, view.this_pass, row, 0)


@inner
def _best_set(view, now, head, packed, table):
    """Of the first `packed` rows listed, those that together use most cores, as bits."""
    if packed == 0 or view.this_pass.tally[STATUS] != 0:
        return np.int64(0)
    shadow_s, free = view.this_pass.promised[head].start_s, 0.0
    for host in range(view.room.free.shape[0]):
        free += view.room.free[host, 0]
    left = free
    if shadow_s < np.inf:
        left = free + _cores_given_back(view, now, shadow_s) - _cores(view.rows, head)
    left = min(max(left, 0.0), free)
    unit = max(1.0, np.ceil(np.sqrt((free + 1) * (left + 1) / MOST_CELLS)))
    now_units, later_units = np.int64(free // unit), np.int64(left // unit)
    if (now_units + 1) * (later_units + 1) > table.shape[1]:
        view.this_pass.tally[STATUS] = ODD
        return np.int64(0)
    begin_set(table, now_units, later_units)
    for k in range(packed - 1, -1, -1):
        row = np.int64(view.this_pass.listed[k])
        units = np.int64(np.ceil(_cores(view.rows, row) / unit))
        ends_before = now.now_s + view.rows.of[row].expected_s <= shadow_s
        offer_job(table, now_units, later_units, k, units, np.int64(0) if ends_before else units)
    return table[CHOSEN, (now_units + 1) * (later_units + 1) - 1]


@inner
def begin_set(table, free, left):
    """The best set of no jobs, for each number of units up to `free` now and up to `left` past the shadow time."""
    for cell in range((free + 1) * (left + 1)):
        table[USED, cell] = table[CHOSEN, cell] = 0


@inner
def offer_job(table, free, left, number, now, later):
    """Offer job `number`, which takes so many units, to the best set of each cell; the last job comes first.

    Cells go from the last to the first, so a cell that is read has not been offered the job yet. Of equally good sets
    the one with the job is kept: in the end, that with the earlier jobs.
    """
    for cores in range(free, now - 1, -1):
        for longer in range(left, later - 1, -1):
            cell = cores * (left + 1) + longer
            without = cell - now * (left + 1) - later
            if table[USED, without] + now >= table[USED, cell]:
                table[USED, cell] = table[USED, without] + now
                table[CHOSEN, cell] = table[CHOSEN, without] | (np.int64(1) << number)


@inner
def _cores_given_back(view, now, shadow_s):
    """Cores of running jobs, and of those started in this pass, that are expected to end by the shadow time."""
    cores, soonest = 0.0, np.nextafter(now.now_s, np.inf)  # an overdue end counts as just after now
    for number in range(view.ends.many[0]):
        if max(view.ends.end[number].end_s, soonest) > shadow_s:
            break
        cores += view.rows.demand[view.ends.end[number].kind, 0]
    for number in range(heap_of_started(view, now)):
        if max(view.this_pass.key_s[number], soonest) <= shadow_s:
            cores += _cores(view.rows, np.int64(view.this_pass.place[view.this_pass.heap[number]].row))
    return cores


@inner
def _cores(rows, row):
    """Cores of the whole job."""
    return rows.demand[rows.of[row].kind, 0] * rows.of[row].tasks
