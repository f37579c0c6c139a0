"""Selective backfilling, compiled."""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,untyped-decorator"

from loadmaster.backfilling.board_kernel import begin_pass, promise, start
from loadmaster.backfilling.rows_kernel import next_row
from loadmaster.kernels import inner


@inner
def serve_selective(
    rows, hosts, ends, calendar, room, board, standing, moments, outlook, scores, scan, rate, now, rules
):  # fmt: skip
    """The same as `Selective.serve`; `rules` are (expansion,)."""
    begin_pass(rows, hosts, ends, room, board, moments, outlook, now)
    row = next_row(rows, board, now, False, False)
    while row >= 0:
        if not start(
            rows, hosts, calendar, room, board, moments, outlook, scores, scan, rate, now, row, board.everywhere
        ):  # fmt: skip
            expected_s = max(rows.expected_s[row], 1.0)
            if now.now_s - rows.since_s[row] + expected_s >= rules[0] * expected_s:
                promise(rows, hosts, ends, calendar, room, board, moments, outlook, rate, now, row)
        row = next_row(rows, board, now, False, False)
