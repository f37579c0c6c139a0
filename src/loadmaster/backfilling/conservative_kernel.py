"""Conservative backfilling in all its variants, compiled."""
# mypy: disable-error-code="no-untyped-def"

from loadmaster.backfilling.lasting_promises_kernel import sooner, sort_by_promise, stand
from loadmaster.backfilling.pass_arrays import STATUS
from loadmaster.backfilling.pass_rows_kernel import next_row, walk_again
from loadmaster.backfilling.scheduling_pass_kernel import begin, begin_pass, is_promised, keep_promises, promise, start
from loadmaster.jit.kernels import inner

REPLAN, KEPT, NOW_ONLY, ARRIVAL, IN_THEIR_ORDER = range(5)
"""What becomes of promises: made anew; nothing moves; those that can start now; all, in the order of arrival, or of the
promised moments."""


def serve_conservative(view, standing, moments, outlook, scan, rate, now, rules):
    """The same as `Conservative.serve`; `rules` are (early end, as above; lookahead, -1 for none)."""
    early_end, lookahead = rules
    begin_pass(view, moments, outlook, now)
    if early_end != REPLAN:
        _move(view, standing, outlook, rate, now, early_end)
    tried = 0
    row = next_row(view.rows, view.board, now, False, False)
    while row >= 0 and tried != lookahead:
        tried += 1
        if is_promised(view.board, row):
            if view.board.promised[row].start_s <= now.now_s:
                begin(view, outlook, scan, now, row)
        elif not start(view, moments, outlook, scan, rate, now, row, view.board.everywhere):
            promise(view, moments, outlook, rate, now, row)
        row = next_row(view.rows, view.board, now, False, False)
    if early_end != REPLAN:
        _begin_passed_over(view, outlook, scan, now)
        keep_promises(view.board, now)


@inner
def _begin_passed_over(view, outlook, scan, now):
    """Start those whose time has come though others of their array, or too many rows, stand in front by now."""
    view.board.array_passed[:] = 0
    walk_again(view.board)
    row = next_row(view.rows, view.board, now, False, True)
    while row >= 0:
        if is_promised(view.board, row) and view.board.promised[row].start_s <= now.now_s:
            begin(view, outlook, scan, now, row)
        row = next_row(view.rows, view.board, now, False, True)


@inner
def _move(view, standing, outlook, rate, now, early_end):
    """Renew the promises of earlier passes; move those forward that may move."""
    size = stand(view, standing, outlook, rate, now)
    if early_end == KEPT:
        return
    if early_end == IN_THEIR_ORDER:
        sort_by_promise(view.board, size)
    for i in range(size):
        if not view.board.tally[STATUS]:
            sooner(view, outlook, rate, now, view.board.listed[i], early_end == NOW_ONLY)
