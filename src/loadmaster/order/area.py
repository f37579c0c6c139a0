"""Smallest area first: cores times expected runtime."""

from loadmaster.order.job import Job


def area(job: Job, now: float) -> float:
    """The smallest product of cores and expected runtime goes first (rule O3)."""
    return max(job.expected_s, 1.0) * max(job.cores, 1.0)
