"""Longest job first."""

from loadmaster.order.job import Job


def ljf(job: Job, now: float) -> float:
    """The longest expected runtime goes first (rule O3)."""
    return -max(job.expected_s, 1.0)
