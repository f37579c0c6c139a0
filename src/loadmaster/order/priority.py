"""The priority that the log gives."""

from loadmaster.order.job import Job


def priority(job: Job, now: float) -> float:
    """The highest given priority goes first, ties by arrival (rule O2)."""
    return -job.priority
