"""Smallest ratio first: expected runtime over cores."""

from loadmaster.order.job import Job


def srf(job: Job, now: float) -> float:
    """The smallest expected runtime / cores goes first: short jobs on many cores (rule O15)."""
    return max(job.expected_s, 1.0) / max(job.cores, 1.0)
