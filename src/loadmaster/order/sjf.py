"""Shortest job first."""

from loadmaster.order.job import Job


def sjf(job: Job, now: float) -> float:
    """The shortest expected runtime goes first (rule O3)."""
    return max(job.expected_s, 1.0)
