"""WFP3: long waits relative to the runtime, cubed, for large jobs first."""

from loadmaster.order.job import Job


def wfp3(job: Job, now: float) -> float:
    """The largest (wait / expected runtime)^3 x cores goes first (rule O5); Cobalt's utility function.

    The cube is written as products, which every compiler rounds alike.
    """
    ratio = (now - job.submit_s) / max(job.expected_s, 1.0)
    return -(ratio * ratio * ratio) * max(job.cores, 1.0)
