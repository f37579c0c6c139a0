"""Smallest job first."""

from loadmaster.order.job import Job


def smallest(job: Job, now: float) -> float:
    """The job with the fewest cores goes first (rule O3)."""
    return max(job.cores, 1.0)
