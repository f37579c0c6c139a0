"""Conservative backfilling in all its variants, compiled."""
# mypy: disable-error-code="no-untyped-def"

from loadmaster.backfilling.lasting_promises_kernel import advance_promise, renew_promises, sort_by_promise
from loadmaster.backfilling.pass_arrays import STATUS
from loadmaster.backfilling.pass_rows_kernel import next_row, walk_again
from loadmaster.backfilling.scheduling_pass_kernel import begin, begin_pass, is_promised, keep_promises, promise, start
from loadmaster.jit.kernels import inner

REPLAN, KEPT, NOW_ONLY, ARRIVAL, IN_THEIR_ORDER = range(5)
"""What happens to reservations: made again; nothing moves; those that can start now; all, by arrival or by the
reserved moments."""


def serve_conservative(view, standing, shadow_times, availability, scan, rate, now, rules):
    """The same as `Conservative.serve`; `rules` are (early end, as above; lookahead, -1 for none)."""
    early_end, lookahead = rules
    begin_pass(view, shadow_times, availability, now)
    if early_end != REPLAN:
        _move(view, standing, availability, rate, now, early_end)
    tried = 0
    row = next_row(view.rows, view.this_pass, now, False, False)
    while row >= 0 and tried != lookahead:
        tried += 1
        if is_promised(view.this_pass, row):
            if view.this_pass.promised[row].start_s <= now.now_s:
                begin(view, availability, scan, now, row)
        elif not start(view, shadow_times, availability, scan, rate, now, row, view.this_pass.everywhere):
            promise(view, shadow_times, availability, rate, now, row)
        row = next_row(view.rows, view.this_pass, now, False, False)
    if early_end != REPLAN:
        _begin_passed_over(view, availability, scan, now)
        keep_promises(view.this_pass, now)


@inner
def _begin_passed_over(view, availability, scan, now):
    """Start due rows although tasks of their array, or too many rows, stand in front by now."""
    view.this_pass.array_passed[:] = 0
    walk_again(view.this_pass)
    row = next_row(view.rows, view.this_pass, now, False, True)
    while row >= 0:
        if is_promised(view.this_pass, row) and view.this_pass.promised[row].start_s <= now.now_s:
            begin(view, availability, scan, now, row)
        row = next_row(view.rows, view.this_pass, now, False, True)


@inner
def _move(view, standing, availability, rate, now, early_end):
    """Renew the reservations of earlier passes; move those forward that may move."""
    size = renew_promises(view, standing, availability, rate, now)
    if early_end == KEPT:
        return
    if early_end == IN_THEIR_ORDER:
        sort_by_promise(view.this_pass, size)
    for i in range(size):
        if not view.this_pass.tally[STATUS]:
            advance_promise(view, availability, rate, now, view.this_pass.listed[i], early_end == NOW_ONLY)
