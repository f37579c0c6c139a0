"""The window of a dump: `sacct --starttime` also shows the jobs submitted before it that still ran in it."""

import numpy as np

from loadmaster.model import Workload
from loadmaster.model.units import percent, show_seconds

FEWEST_JOBS = 20
LEAST_SHARE = 0.1
"""Of the span of submissions: a shorter time before the first end is what any log begins with."""


def window_note(workload: Workload) -> str:
    """What must be said of jobs from before the window; empty where the log shows none.

    Every job of such a dump ends after the window begins. So of the time before the first end only those jobs are shown
    that ran long, and a replay of that time has too few jobs.
    """
    wait_s = workload.recorded_wait_s
    if wait_s is None or workload.jobs < FEWEST_JOBS:
        return ""
    ends_s = workload.submit_s + wait_s + workload.runtime_s
    if not np.isfinite(ends_s).any():
        return ""
    first_end_s, span_s = float(np.nanmin(ends_s)), float(workload.submit_s[-1])
    before = int((workload.submit_s < first_end_s).sum())
    if span_s <= 0 or first_end_s < LEAST_SHARE * span_s or before > workload.jobs / 2:
        return ""
    return (
        f"{before:,} jobs were submitted before the first job of the dump ended, {show_seconds(first_end_s)} or "
        f"{percent(min(first_end_s / span_s, 1.0))} of its span: a dump begins so where it shows a window and the jobs "
        "that still ran in it. Of the time before it most jobs are missing."
    )
