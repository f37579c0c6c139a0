"""Selective backfilling, compiled."""
# mypy: disable-error-code="no-untyped-def"

from loadmaster.backfilling.board_kernel import begin_pass, promise, start
from loadmaster.backfilling.rows_kernel import next_row
from loadmaster.lent import lend


def serve_selective(
    rows, hosts, ends, calendar, room, board, standing, moments, outlook, scores, scan, rate, now, rules
):  # fmt: skip
    """The same as `Selective.serve`; `rules` are (expansion,)."""
    rows, hosts, ends, calendar = lend(rows), lend(hosts), lend(ends), lend(calendar)
    room, board, standing = lend(room), lend(board), lend(standing)
    moments, outlook, scores = lend(moments), lend(outlook), lend(scores)
    now = lend(now)
    begin_pass(rows, hosts, ends, room, board, moments, outlook, now)
    row = next_row(rows, board, now, False, False)
    while row >= 0:
        if not start(
            rows, hosts, calendar, room, board, moments, outlook, scores, scan, rate, now, row, board.everywhere
        ):  # fmt: skip
            expected_s = max(rows.of[row].expected_s, 1.0)
            if now.now_s - rows.of[row].since_s + expected_s >= rules[0] * expected_s:
                promise(rows, hosts, ends, calendar, room, board, moments, outlook, rate, now, row)
        row = next_row(rows, board, now, False, False)
