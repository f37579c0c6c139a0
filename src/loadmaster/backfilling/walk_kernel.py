"""Backfillings without lasting reservations, compiled: none, skip and netbatch."""
# mypy: disable-error-code="no-untyped-def"

from loadmaster.backfilling.node_count_kernel import asks_for_hosts, reserve_apart
from loadmaster.backfilling.pass_rows_kernel import next_row
from loadmaster.backfilling.scheduling_pass_kernel import begin_pass, start
from loadmaster.place.room_kernel import is_exhausted, reserve


def serve_none(view, standing, shadow_times, availability, scan, rate, now, rules):
    """The same as `Blocking.serve`."""
    begin_pass(view, shadow_times, availability, now)
    row = next_row(view.rows, view.this_pass, now, False, False)
    while row >= 0:
        if not start(view, shadow_times, availability, scan, rate, now, row, view.this_pass.everywhere):
            return
        row = next_row(view.rows, view.this_pass, now, False, False)


def serve_skip(view, standing, shadow_times, availability, scan, rate, now, rules):
    """The same as `Skip.serve`."""
    begin_pass(view, shadow_times, availability, now)
    row = next_row(view.rows, view.this_pass, now, False, False)
    while row >= 0:
        start(view, shadow_times, availability, scan, rate, now, row, view.this_pass.everywhere)
        row = next_row(view.rows, view.this_pass, now, False, False)


def serve_netbatch(view, standing, shadow_times, availability, scan, rate, now, rules):
    """The same as `NetBatch.serve`; `rules` are (reservations, lookahead), -1 for no limit."""
    reservations, lookahead = rules
    begin_pass(view, shadow_times, availability, now)
    tried = kept = 0
    row = next_row(view.rows, view.this_pass, now, False, False)
    while row >= 0 and not is_exhausted(view.room) and tried != lookahead:
        tried += 1
        started = start(view, shadow_times, availability, scan, rate, now, row, view.this_pass.everywhere)
        if not started and (reservations < 0 or kept < reservations):
            if asks_for_hosts(view.rows, row):
                reserve_apart(view, row)
            else:
                reserve(view, row)
            kept += 1
        row = next_row(view.rows, view.this_pass, now, False, False)
