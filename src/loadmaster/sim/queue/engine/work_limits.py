"""Limits on work beside the general pass: the work done, and the work that running jobs may still do."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.model.arrays import Longs
from loadmaster.scheduling.resolved_constraints import ResolvedConstraints
from loadmaster.scheduling.resource_time_limits import WORK, WorkLimits, no_work


class WorkCounts(NamedTuple):
    """W limits, E rows of J jobs, U uses (rule C10).

    Attributes:
        most: float64[W]; counts_use, looks_ahead: bool[W], work done counts, so does what running jobs may still do.
        half_life_s: of work done; 0: it never fades.
        first: int64[E + 1]; limit, amount, need: int32[U], float64[U]: what each row takes of them in a second, and
            what must be left for it to start.
        limit_s: float64[J], the longest run of each job; over_s: float64[J], when that is over, of running jobs.
        used, rate, left: float64[W]: work done until the clock, work done in a second, scratch.
        clock_s: float64[1].
        running: int32[J], in the order of their starts; many: int64[1].
    """

    most: NDArray[np.float64]
    counts_use: NDArray[np.bool_]
    looks_ahead: NDArray[np.bool_]
    half_life_s: float
    first: NDArray[np.int64]
    limit: NDArray[np.int32]
    amount: NDArray[np.float64]
    need: NDArray[np.float64]
    limit_s: NDArray[np.float64]
    over_s: NDArray[np.float64]
    used: NDArray[np.float64]
    rate: NDArray[np.float64]
    left: NDArray[np.float64]
    clock_s: NDArray[np.float64]
    running: NDArray[np.int32]
    many: NDArray[np.int64]


def work_of(binding: ResolvedConstraints, rows: Longs) -> WorkCounts:
    """The limits before any work is done; `rows` int64[E] are the entries in which jobs may start.

    A job runs once at a time, and so stands once in `running`.
    """
    jobs = len(binding.eligible_s)
    limits = binding.timed.get(WORK) or no_work(jobs, binding.entries)
    assert isinstance(limits, WorkLimits)
    uses = [limits.uses(row) if len(limits.most) else () for row in rows.tolist()]
    needs = [limits.needs(row) if len(limits.most) else () for row in rows.tolist()]
    flat = [use for row in uses for use in row]
    return WorkCounts(
        most=np.array(limits.most, np.float64),
        counts_use=np.array(limits.counts_use, np.bool_),
        looks_ahead=np.array(limits.looks_ahead, np.bool_),
        half_life_s=float(limits.half_life_s),
        first=np.concatenate(([0], np.cumsum([len(row) for row in uses]))).astype(np.int64),
        limit=np.array([limit for limit, _ in flat], np.int32),
        amount=np.array([rate for _, rate in flat], np.float64),
        need=np.array([need for row in needs for _, need in row], np.float64),
        limit_s=np.array(limits.limit_s, np.float64),
        over_s=np.zeros(jobs),
        used=np.zeros(len(limits.most)),
        rate=np.zeros(len(limits.most)),
        left=np.zeros(len(limits.most)),
        clock_s=np.zeros(1),
        running=np.zeros(jobs, np.int32),
        many=np.zeros(1, np.int64),
    )
