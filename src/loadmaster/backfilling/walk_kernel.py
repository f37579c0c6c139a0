"""Backfillings that promise nothing, compiled: none, skip and netbatch."""
# mypy: disable-error-code="no-untyped-def"

from loadmaster.backfilling.apart_kernel import asks_for_hosts, reserve_apart
from loadmaster.backfilling.board_kernel import begin_pass, start
from loadmaster.backfilling.rows_kernel import next_row
from loadmaster.lent import lend
from loadmaster.place.room_kernel import is_exhausted, reserve


def serve_none(rows, hosts, ends, calendar, room, board, standing, moments, outlook, scores, scan, rate, now, rules):
    """The same as `Blocking.serve`."""
    rows, hosts, ends, calendar = lend(rows), lend(hosts), lend(ends), lend(calendar)
    room, board, standing = lend(room), lend(board), lend(standing)
    moments, outlook, scores = lend(moments), lend(outlook), lend(scores)
    now = lend(now)
    begin_pass(rows, hosts, ends, room, board, moments, outlook, now)
    row = next_row(rows, board, now, False, False)
    while row >= 0:
        if not start(
            rows, hosts, calendar, room, board, moments, outlook, scores, scan, rate, now, row, board.everywhere
        ):
            return
        row = next_row(rows, board, now, False, False)


def serve_skip(rows, hosts, ends, calendar, room, board, standing, moments, outlook, scores, scan, rate, now, rules):
    """The same as `Skip.serve`."""
    rows, hosts, ends, calendar = lend(rows), lend(hosts), lend(ends), lend(calendar)
    room, board, standing = lend(room), lend(board), lend(standing)
    moments, outlook, scores = lend(moments), lend(outlook), lend(scores)
    now = lend(now)
    begin_pass(rows, hosts, ends, room, board, moments, outlook, now)
    row = next_row(rows, board, now, False, False)
    while row >= 0:
        start(rows, hosts, calendar, room, board, moments, outlook, scores, scan, rate, now, row, board.everywhere)
        row = next_row(rows, board, now, False, False)


def serve_netbatch(
    rows, hosts, ends, calendar, room, board, standing, moments, outlook, scores, scan, rate, now, rules
):  # fmt: skip
    """The same as `NetBatch.serve`; `rules` are (reservations, lookahead), -1 for no limit."""
    reservations, lookahead = rules
    rows, hosts, ends, calendar = lend(rows), lend(hosts), lend(ends), lend(calendar)
    room, board, standing = lend(room), lend(board), lend(standing)
    moments, outlook, scores = lend(moments), lend(outlook), lend(scores)
    now = lend(now)
    begin_pass(rows, hosts, ends, room, board, moments, outlook, now)
    tried = kept = 0
    row = next_row(rows, board, now, False, False)
    while row >= 0 and not is_exhausted(room) and tried != lookahead:
        tried += 1
        started = start(
            rows, hosts, calendar, room, board, moments, outlook, scores, scan, rate, now, row, board.everywhere
        )  # fmt: skip
        if not started and (reservations < 0 or kept < reservations):
            if asks_for_hosts(rows, row):
                reserve_apart(rows, hosts, room, row)
            else:
                reserve(room, hosts, rows, row)
            kept += 1
        row = next_row(rows, board, now, False, False)
