"""Largest job first."""

from loadmaster.order.job import Job


def largest(job: Job, now: float) -> float:
    """The job with the most cores goes first (rule O3)."""
    return -max(job.cores, 1.0)
