"""F1 of Carastan-Santos and de Camargo 2017, fitted to simulated queues."""

import math

from loadmaster.order.job import Job


def f1(job: Job, now: float) -> float:
    """The smallest of the first fitted function goes first (rule O7); arrivals count from the start of the log."""
    work = math.log10(max(job.expected_s, 1.0)) * max(job.cores, 1.0)
    return work + 870.0 * math.log10(max(job.submit_s, 1.0))
