"""First come, first served."""

from loadmaster.order.job import Job


def fcfs(job: Job, now: float) -> float:
    """The earlier arrival goes first."""
    return job.submit_s
