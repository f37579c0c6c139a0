"""Selective backfilling, compiled."""
# mypy: disable-error-code="no-untyped-def"

from loadmaster.backfilling.pass_rows_kernel import next_row
from loadmaster.backfilling.scheduling_pass_kernel import begin_pass, promise, start


def serve_selective(view, standing, shadow_times, availability, scan, rate, now, rules):
    """The same as `Selective.serve`; `rules` are (expansion,)."""
    begin_pass(view, shadow_times, availability, now)
    row = next_row(view.rows, view.this_pass, now, False, False)
    while row >= 0:
        if not start(view, shadow_times, availability, scan, rate, now, row, view.this_pass.everywhere):
            expected_s = max(view.rows.of[row].expected_s, 1.0)
            if now.now_s - view.rows.of[row].since_s + expected_s >= rules[0] * expected_s:
                promise(view, shadow_times, availability, rate, now, row)
        row = next_row(view.rows, view.this_pass, now, False, False)
