"""An order that is an object or a function of this process; it may rank all waiting jobs in one call."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from loadmaster.model import Cluster, Workload
from loadmaster.model.arrays import Floats, Longs
from loadmaster.model.errors import InputError
from loadmaster.order.job import JobColumns, job_columns
from loadmaster.order.order import AnyOrder, IgnoresEvents, Order, Ranking, rank_not_finite
from loadmaster.rules.function_checks import RANK

RankAll = Callable[[JobColumns, float], Floats]
"""`rank_all(jobs, now) -> float64[Q]` of Q waiting jobs, each field of `jobs` a column: lower goes first."""


@dataclass(frozen=True)
class OrderInProcess(Order):
    """An order that plain Python calls as it is: nothing tries it out before the run, which could change its state.

    Attributes:
        rank_all: ranks all waiting jobs in one call, at most once a pass (T4); None: `rank` ranks job by job.
    """

    rank_all: RankAll | None = None

    def begin(self, workload: Workload, cluster: Cluster) -> Ranking:
        """The order at work on a log that begins."""
        if self.rank_all is None:
            return super().begin(workload, cluster)
        return JobsTogether(self, job_columns(workload))

    def ranks_of(self, jobs: JobColumns, now_s: float) -> Floats:
        """float64[Q]: the ranks of the Q `jobs`, which may not be finite.

        Raises:
            InputError: the order fails, or does not give a number for each job.
        """
        assert self.rank_all is not None
        try:
            ranks = np.asarray(self.rank_all(jobs, now_s), float)
        except InputError:
            raise
        except Exception as error:  # a user's object may fail in any way
            raise InputError(self.name, f"this order fails: {type(error).__name__}: {str(error)[:120]}") from error
        if ranks.shape != jobs.submit_s.shape:
            rule = f"rank_all gives a number for each job: {len(jobs.submit_s)} of them, not an array of {ranks.shape}"
            raise InputError(self.name, rule, fix="return float64[Q]")
        return ranks


class JobsTogether(IgnoresEvents):
    """Asks one rank of all waiting jobs."""

    def __init__(self, order: OrderInProcess, jobs: JobColumns) -> None:
        self._order, self._jobs = order, jobs

    def ranks(self, jobs: Longs, now_s: float) -> Floats | None:
        """float64[Q].

        Raises:
            InputError: the order fails or a rank is not finite.
        """
        if len(jobs) == 1:  # there is no order of one job
            return np.zeros(1)
        ranks = self._order.ranks_of(JobColumns._make(column[jobs] for column in self._jobs), float(now_s))
        if not np.isfinite(ranks).all():
            raise rank_not_finite(self._order.name)
        return ranks


def order_in_process(name: str, thing: Any) -> AnyOrder:
    """The order that `thing` is: a function, or an object with `begin`, `rank_all`, `rank` or a call of its own.

    Raises:
        InputError: it is none of them, or its parameters are not those of an order.
    """
    if hasattr(thing, "begin"):
        return thing  # type: ignore[no-any-return]
    rank_all = getattr(thing, "rank_all", None)
    if rank_all is not None:
        return OrderInProcess(name, rank_all, rank_all=rank_all)
    return OrderInProcess(name, RANK.call_of(name, "rank", thing, "rank_all(jobs, now)")[0])
