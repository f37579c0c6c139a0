"""An order of one's own that looks at what waits, as the tests of engines name it."""

from pathlib import Path

from loadmaster.order import Backlog, Job

BY_BACKLOG = f"{Path(__file__)}:by_backlog"


def by_backlog(job: Job, now: float, backlog: Backlog) -> float:
    """Small jobs first, as long as nobody waits much longer than all that waits would take on four cores."""
    part = (now - job.submit_s) / (1.0 + backlog.core_s / 4.0 + backlog.jobs)
    return job.expected_s * job.cores - (backlog.oldest_s + 50.0) * part * part
