"""Largest expansion factor first."""

from loadmaster.order.job import Job


def lxf(job: Job, now: float) -> float:
    """The largest (wait + expected runtime) / expected runtime goes first (rule O4)."""
    expected_s = max(job.expected_s, 1.0)
    return -(now - job.submit_s + expected_s) / expected_s
