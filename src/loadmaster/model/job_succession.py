"""Which job of a log follows which: users that submit the next job only after the one before has ended."""

import numpy as np

from loadmaster.model.arrays import Longs
from loadmaster.model.errors import InputError
from loadmaster.model.workload import Workload

NEVER_SENT = "never submitted: the job before it does not end"
"""Why a job of a closed run does not count among those that arrived."""


def jobs_before(workload: Workload) -> Longs:
    """int64[J]: the job after whose end each is submitted; -1 where it arrives when the log says (rule C11).

    Example:
        >>> from loadmaster.model import Constraints
        >>> after = Constraints(follows=np.array([-1, 7, 9, 99]))
        >>> jobs_before(Workload.of(
        ...     submit_s=[0, 1, 2, 3], runtime_s=[5] * 4, cores=[1] * 4, job_id=[7, 8, 3, 9], constraints=after
        ... )).tolist()
        [-1, 0, -1, -1]
    """
    jobs, bound = np.arange(workload.jobs), workload.constraints
    if bound is None or bound.follows is None:
        return np.full(workload.jobs, -1, np.int64)
    before = rows_of(jobs if workload.job_id is None else workload.job_id, bound.follows)
    return np.where(before < jobs, before, -1)


def is_closed(workload: Workload) -> bool:
    """Whether some job arrives so long after the end of another, so that a run alone tells when."""
    bound = workload.constraints
    return bound is not None and bound.follows is not None and bool((jobs_before(workload) >= 0).any())


def refuse_closed(workload: Workload, why: str = "their arrivals are not known here") -> None:
    """Refuse a log whose arrivals a run alone tells, where none is made of it.

    Raises:
        InputError: it is one.
    """
    if is_closed(workload):
        rule = f"has jobs that are submitted after the end of others (column follows): {why}"
        fix = "take arrivals as recorded: --swf-feedback ignore, or --ignore follows"
        raise InputError(workload.source or "this log", rule, fix=fix)


def rows_of(identifiers: Longs, wanted: Longs) -> Longs:
    """int64[D]: the first place of each wanted one, -1 if it is not there; identifiers below 0 are none."""
    order = np.argsort(identifiers, kind="stable")
    ranked = identifiers[order]
    place = np.minimum(np.searchsorted(ranked, wanted), max(ranked.size - 1, 0))
    return np.where((wanted >= 0) & (ranked[place] == wanted), order[place], -1)
