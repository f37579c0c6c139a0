"""F4 of Carastan-Santos and de Camargo 2017, fitted to simulated queues."""

import math

from loadmaster.order.job import Job


def f4(job: Job, now: float) -> float:
    """The smallest of the fourth fitted function goes first (rule O7); arrivals count from the start of the log."""
    work = max(job.expected_s, 1.0) * math.sqrt(max(job.cores, 1.0))
    return work + 530_000.0 * math.log10(max(job.submit_s, 1.0))
