"""The window of a dump: `sacct --starttime` also shows the jobs submitted before it that still ran in it (rule L12)."""

from dataclasses import dataclass

import numpy as np

from loadmaster.model import Cluster, Workload
from loadmaster.model.units import percent, show_seconds
from loadmaster.system.counted import counted

FEWEST_JOBS = 20
LEAST_SHARE = 0.1
"""Of the span of submissions: a shorter time before the first end is what any log begins with."""
MOST_DENSITY = 0.5
"""Of the rate of submissions in the window: a higher rate before it shows all jobs, as a log of a new cluster does."""


@dataclass(frozen=True)
class DumpWindow:
    """The time from which on a dump has all jobs, and the earlier jobs in it.

    Attributes:
        opens_s: when the first job of the dump ended, on the clock of its jobs.
        span_s: from then to the last arrival.
        before: jobs that were submitted earlier.
        running: those of them that ran then.
        waiting: those of them that still waited.
        jobs: jobs that were submitted in the window.
    """

    opens_s: float
    span_s: float
    before: int
    running: int
    waiting: int
    jobs: int

    @property
    def sentence(self) -> str:
        """The window in words."""
        part = percent(min(self.opens_s / (self.opens_s + self.span_s), 1.0)) if self.span_s > 0 else "all"
        return (
            f"{counted(self.before, 'job was', 'jobs were')} submitted before the first job of the dump ended, "
            f"{show_seconds(self.opens_s)} or {part} of its span: a dump begins so where it shows a window and the "
            "jobs that still ran in it. Of the time before it most jobs are missing. When the window opens, "
            f"{self.running:,} of them run and {self.waiting:,} wait."
        )


def window_of(workload: Workload) -> DumpWindow | None:
    """The window of a dump; None where the log does not look like one.

    Every job of such a dump ends after the window opens. So of the time before the first end only those jobs are shown
    that ran long, and a replay of that time has too few jobs.
    """
    wait_s = workload.recorded_wait_s
    if wait_s is None or workload.jobs < FEWEST_JOBS:
        return None
    start_s = workload.submit_s + wait_s
    ends_s = start_s + workload.runtime_s
    if not np.isfinite(ends_s).any():
        return None
    first_end_s, span_s = float(np.nanmin(ends_s)), float(workload.submit_s[-1])
    early = workload.submit_s < first_end_s
    before = int(early.sum())
    if span_s <= 0 or first_end_s < LEAST_SHARE * span_s or before > workload.jobs / 2:
        return None
    if before * (span_s - first_end_s) > MOST_DENSITY * (workload.jobs - before) * first_end_s:
        return None
    began = early & (start_s < first_end_s)
    running = int((began & (ends_s > first_end_s)).sum())
    return DumpWindow(
        first_end_s, max(span_s - first_end_s, 0.0), before, running, before - int(began.sum()), workload.jobs - before
    )


def window_load(workload: Workload, cluster: Cluster, opens_s: float) -> dict[str, float]:
    """For each resource, the work of the window over what `cluster` can give in it, as a fraction.

    The work is that of the jobs submitted in the window, and of the earlier ones what was left of it.
    """
    wait_s = np.zeros(workload.jobs) if workload.recorded_wait_s is None else np.nan_to_num(workload.recorded_wait_s)
    ends_s = workload.submit_s + wait_s + workload.runtime_s
    left_s = np.minimum(workload.runtime_s, np.maximum(ends_s - opens_s, 0.0))
    held_s = np.where(workload.submit_s < opens_s, left_s, workload.runtime_s)
    speed = np.ones(cluster.hosts) if cluster.speed is None else cluster.speed
    given = speed @ cluster.capacity * max(float(workload.submit_s[-1]) - opens_s, 0.0)
    work = (held_s * workload.task_count) @ workload.demand
    return {name: float(work[r] / given[r]) if given[r] > 0 else np.inf for r, name in enumerate(cluster.resources)}
