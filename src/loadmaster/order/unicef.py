"""UNICEF: quick turnaround for small jobs."""

import math

from loadmaster.order.job import Job


def unicef(job: Job, now: float) -> float:
    """The largest wait / (log2 cores x expected runtime) goes first, serial jobs before all others (rule O6)."""
    size = max(math.log2(max(job.cores, 1.0)), 1e-15)
    return -(now - job.submit_s) / (size * max(job.expected_s, 1.0))


def unicef_cobalt(job: Job, now: float) -> float:
    """The form of Cobalt's own notes, for which all jobs of up to 64 cores are of one size (rule O6)."""
    size = max(math.ceil(math.log2(max(job.cores, 1.0))), 6) - 5
    return -(now - job.submit_s) / (size * max(job.expected_s, 60.0))
