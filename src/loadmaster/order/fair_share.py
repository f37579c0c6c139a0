"""Fair share between projects: the project that lags most behind its share goes first (Shai 2014, section 1)."""

from dataclasses import dataclass

import numpy as np

from loadmaster.model import Cluster, Workload
from loadmaster.model.arrays import Floats, Longs
from loadmaster.model.snapshot import Need
from loadmaster.order.job import JobColumns, job_columns
from loadmaster.order.order import IgnoresEvents, Ranking


@dataclass(frozen=True)
class FairShare:
    """Serve next the first waiting job of the project with the smallest used cores / share (rule Q4).

    Starts count as use at once, within the same pass.

    Attributes:
        shares: share of each project by its number; projects beyond the tuple have share 1.
    """

    shares: tuple[float, ...] = ()
    name: str = "fair-share"

    def begin(self, workload: Workload, cluster: Cluster) -> Ranking:
        """The state of the order at the beginning of a log."""
        jobs = job_columns(workload)
        return _Needs(jobs, self.share_of(1 + int(jobs.account.max(initial=0))))

    def share_of(self, projects: int) -> Floats:
        """float64[projects]: the share of every project."""
        share = np.ones(projects)
        given = self.shares[:projects]
        share[: len(given)] = given
        return share


class _Needs(IgnoresEvents):
    def __init__(self, jobs: JobColumns, share: Floats) -> None:
        self._jobs = jobs
        self._share = share
        self._used = np.zeros(len(share))

    def started(self, job: int, now_s: float) -> None:
        self._used[self._jobs.account[job]] += self._jobs.cores[job]

    def ended(self, job: int, now_s: float) -> None:
        self._used[self._jobs.account[job]] -= self._jobs.cores[job]

    def resume(self, before: Ranking, was: Longs) -> None:
        assert isinstance(before, _Needs)
        self._used[: len(before._used)] = before._used[: len(self._used)]

    def need(self, jobs: Longs) -> Need | None:
        return Need(self._jobs.account[jobs], self._used.copy(), self._share)
