"""EASY backfilling with any number of heads, compiled; stepwise is the same with its heads counted in the cluster."""
# mypy: disable-error-code="no-untyped-def"

from loadmaster.backfilling.pass_rows_kernel import next_row, next_shortest, put_off, sort_put_off
from loadmaster.backfilling.scheduling_pass_kernel import begin_pass, promise, start


def serve_easy(view, standing, shadow_times, availability, scan, rate, now, rules):
    """The same as `Easy.serve`; `rules` are (heads, counted in each partition, shortest first)."""
    heads, by_partition, shortest = rules
    begin_pass(view, shadow_times, availability, now)
    everywhere = view.this_pass.everywhere
    row = next_row(view.rows, view.this_pass, now, False, False)
    while row >= 0:
        part = view.rows.of[row].partition if by_partition else 0
        if shortest and view.this_pass.part[part].many >= heads:
            put_off(view.this_pass, row)
        elif (
            not start(view, shadow_times, availability, scan, rate, now, row, everywhere)
            and view.this_pass.part[part].many < heads
        ):
            view.this_pass.part[part].many += 1
            promise(view, shadow_times, availability, rate, now, row)
        row = next_row(view.rows, view.this_pass, now, False, False)
    if shortest:
        row, left = next_shortest(view.rows, view.this_pass, now, sort_put_off(view.rows, view.this_pass))
        while row >= 0:
            start(view, shadow_times, availability, scan, rate, now, row, everywhere)
            row, left = next_shortest(view.rows, view.this_pass, now, left)
