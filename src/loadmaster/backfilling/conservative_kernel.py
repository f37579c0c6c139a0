"""Conservative backfilling in all its variants, compiled."""
# mypy: disable-error-code="no-untyped-def"

from loadmaster.backfilling.board_arrays import STATUS
from loadmaster.backfilling.board_kernel import begin, begin_pass, is_promised, keep_promises, promise, start
from loadmaster.backfilling.rows_kernel import next_row, walk_again
from loadmaster.backfilling.standing_kernel import sooner, sort_by_promise, stand
from loadmaster.kernels import inner
from loadmaster.lent import lend

REPLAN, KEPT, NOW_ONLY, ARRIVAL, IN_THEIR_ORDER = range(5)
"""What becomes of promises: made anew; nothing moves; those that can start now; all, in the order of arrival, or of the
promised moments."""


def serve_conservative(
    rows, hosts, ends, calendar, room, board, standing, moments, outlook, scores, scan, rate, now, rules
):  # fmt: skip
    """The same as `Conservative.serve`; `rules` are (early end, as above; lookahead, -1 for none)."""
    early_end, lookahead = rules
    rows, hosts, ends, calendar = lend(rows), lend(hosts), lend(ends), lend(calendar)
    room, board, standing = lend(room), lend(board), lend(standing)
    moments, outlook, scores = lend(moments), lend(outlook), lend(scores)
    now = lend(now)
    begin_pass(rows, hosts, ends, room, board, moments, outlook, now)
    if early_end != REPLAN:
        _move(rows, hosts, ends, calendar, room, board, standing, outlook, rate, now, early_end)
    tried = 0
    row = next_row(rows, board, now, False, False)
    while row >= 0 and tried != lookahead:
        tried += 1
        if is_promised(board, row):
            if board.promised[row].start_s <= now.now_s:
                begin(rows, hosts, room, board, outlook, scores, scan, now, row)
        elif not start(
            rows, hosts, calendar, room, board, moments, outlook, scores, scan, rate, now, row, board.everywhere
        ):  # fmt: skip
            promise(rows, hosts, ends, calendar, room, board, moments, outlook, rate, now, row)
        row = next_row(rows, board, now, False, False)
    if early_end != REPLAN:
        _begin_passed_over(rows, hosts, room, board, outlook, scores, scan, now)
        keep_promises(board, now)


@inner
def _begin_passed_over(rows, hosts, room, board, outlook, scores, scan, now):
    """Start those whose time has come though others of their array, or too many rows, stand in front by now."""
    board.array_passed[:] = 0
    walk_again(board)
    row = next_row(rows, board, now, False, True)
    while row >= 0:
        if is_promised(board, row) and board.promised[row].start_s <= now.now_s:
            begin(rows, hosts, room, board, outlook, scores, scan, now, row)
        row = next_row(rows, board, now, False, True)


@inner
def _move(rows, hosts, ends, calendar, room, board, standing, outlook, rate, now, early_end):
    """Renew the promises of earlier passes; move those forward that may move."""
    size = stand(rows, hosts, ends, calendar, room, board, standing, outlook, rate, now)
    if early_end == KEPT:
        return
    if early_end == IN_THEIR_ORDER:
        sort_by_promise(board, size)
    for i in range(size):
        if not board.tally[STATUS]:
            sooner(rows, hosts, calendar, room, board, outlook, rate, now, board.listed[i], early_end == NOW_ONLY)
