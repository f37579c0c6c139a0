"""EASY backfilling with any number of heads, compiled; stepwise is the same with its heads counted in the cluster."""
# mypy: disable-error-code="no-untyped-def"

from loadmaster.backfilling.board_kernel import begin_pass, promise, start
from loadmaster.backfilling.rows_kernel import next_row, next_shortest, put_off, sort_put_off
from loadmaster.lent import lend


def serve_easy(rows, hosts, ends, calendar, room, board, standing, moments, outlook, scores, scan, rate, now, rules):
    """The same as `Easy.serve`; `rules` are (heads, counted in each partition, shortest first)."""
    heads, by_partition, shortest = rules
    rows, hosts, ends, calendar = lend(rows), lend(hosts), lend(ends), lend(calendar)
    room, board, standing = lend(room), lend(board), lend(standing)
    moments, outlook, scores = lend(moments), lend(outlook), lend(scores)
    now = lend(now)
    begin_pass(rows, hosts, ends, room, board, moments, outlook, now)
    everywhere = board.everywhere
    row = next_row(rows, board, now, False, False)
    while row >= 0:
        part = rows.of[row].partition if by_partition else 0
        if shortest and board.part[part].many >= heads:
            put_off(board, row)
        elif not start(
            rows, hosts, calendar, room, board, moments, outlook, scores, scan, rate, now, row, everywhere
        ) and board.part[part].many < heads:  # fmt: skip
            board.part[part].many += 1
            promise(rows, hosts, ends, calendar, room, board, moments, outlook, rate, now, row)
        row = next_row(rows, board, now, False, False)
    if shortest:
        row, left = next_shortest(rows, board, now, sort_put_off(rows, board))
        while row >= 0:
            start(rows, hosts, calendar, room, board, moments, outlook, scores, scan, rate, now, row, everywhere)
            row, left = next_shortest(rows, board, now, left)
