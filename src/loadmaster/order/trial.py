"""Tries an order in plain Python on the log's own jobs, before anything is run with it."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from loadmaster.model.errors import InputError
from loadmaster.order.job import MOST_CORE_S, Backlog, Job, JobColumns
from loadmaster.order.order import Order, rank_of

WAITS_S = (0.0, 1.0, 86400.0)
"""After how long a wait an order is asked, in the trial."""


def try_out(order: Order, jobs: JobColumns) -> None:
    """Let `order` rank a few unlike jobs: as each arrives, a second later, and a day later.

    Args:
        order: of the user's own.
        jobs: the log's.

    Raises:
        InputError: it reads of a job what it does not have, fails, or gives
            something that is not a finite number.
    """
    plain = getattr(order.rank, "py_func", order.rank)  # not what its author compiled, perhaps without checks
    if plain is not order.rank:
        order = replace(order, rank=plain)
    for job, now_s in typical_moments(jobs):
        try:
            rank_of(order, job, now_s, alone(job, now_s))
        except InputError as refusal:
            if isinstance(refusal.__cause__, AttributeError):
                fix = f"a job has {', '.join(Job._fields)}"
                raise InputError(order.name, f"this order fails: {str(refusal.__cause__)[:120]}", fix=fix) from refusal
            if "finite" in refusal.rule:
                state = f"an expected runtime of {job.expected_s:g} s, a wait of {now_s - job.submit_s:g} s"
                raise InputError(order.name, refusal.rule, fix=f"check its formula for {state}") from refusal
            raise


def typical_moments(jobs: JobColumns) -> Iterator[tuple[Job, float]]:
    """(job, now) as a run may come upon them."""
    for number in _unlike(jobs):
        job = jobs.job(number)
        for wait_s in WAITS_S:
            yield job, job.submit_s + wait_s


def alone(job: Job, now_s: float) -> Backlog:
    """The backlog in which only this job waits."""
    return Backlog(1, float(int(min(job.expected_s * job.cores, MOST_CORE_S))), now_s - job.submit_s)


def _unlike(jobs: JobColumns) -> list[int]:
    """The numbers of the first job, and of those with the least and the most of each property."""
    if len(jobs.submit_s) == 0:
        return []
    return sorted({0, *(int(pick(column)) for column in jobs for pick in (np.argmin, np.argmax))})
