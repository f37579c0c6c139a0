"""Backfillings that promise nothing, compiled: none, skip and netbatch."""
# mypy: disable-error-code="no-untyped-def"

from loadmaster.backfilling.node_count_kernel import asks_for_hosts, reserve_apart
from loadmaster.backfilling.pass_rows_kernel import next_row
from loadmaster.backfilling.scheduling_pass_kernel import begin_pass, start
from loadmaster.place.room_kernel import is_exhausted, reserve


def serve_none(view, standing, moments, outlook, scan, rate, now, rules):
    """The same as `Blocking.serve`."""
    begin_pass(view, moments, outlook, now)
    row = next_row(view.rows, view.board, now, False, False)
    while row >= 0:
        if not start(view, moments, outlook, scan, rate, now, row, view.board.everywhere):
            return
        row = next_row(view.rows, view.board, now, False, False)


def serve_skip(view, standing, moments, outlook, scan, rate, now, rules):
    """The same as `Skip.serve`."""
    begin_pass(view, moments, outlook, now)
    row = next_row(view.rows, view.board, now, False, False)
    while row >= 0:
        start(view, moments, outlook, scan, rate, now, row, view.board.everywhere)
        row = next_row(view.rows, view.board, now, False, False)


def serve_netbatch(view, standing, moments, outlook, scan, rate, now, rules):
    """The same as `NetBatch.serve`; `rules` are (reservations, lookahead), -1 for no limit."""
    reservations, lookahead = rules
    begin_pass(view, moments, outlook, now)
    tried = kept = 0
    row = next_row(view.rows, view.board, now, False, False)
    while row >= 0 and not is_exhausted(view.room) and tried != lookahead:
        tried += 1
        started = start(view, moments, outlook, scan, rate, now, row, view.board.everywhere)
        if not started and (reservations < 0 or kept < reservations):
            if asks_for_hosts(view.rows, row):
                reserve_apart(view, row)
            else:
                reserve(view, row)
            kept += 1
        row = next_row(view.rows, view.board, now, False, False)
