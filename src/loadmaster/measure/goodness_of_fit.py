"""How well a simulated queue reproduces the recorded one, week by week (rules H8 and H9)."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from loadmaster.measure.resample import WEEK_S
from loadmaster.model.arrays import Bools, Floats
from loadmaster.model.workload import Workload

HOUR_S = 3600.0


@dataclass(frozen=True, eq=False)
class Weekly:
    """Waits of a log by the week in which jobs arrived, and its queue by the hour.

    Attributes:
        mean_wait_s: float64[W], of the jobs that arrived in each week, NaN where it has none whose wait is known.
        jobs: int64[W], how many these are.
        queue: float64[H], jobs that wait at each full hour after the first arrival, up to the last.
    """

    mean_wait_s: Floats
    jobs: Floats
    queue: Floats


def weekly(workload: Workload, wait_s: Floats) -> Weekly:
    """`wait_s` float64[J], NaN where it is not known, by week and by hour.

    Example:
        >>> jobs = Workload.of(submit_s=[0, 100, 8 * 86400], runtime_s=[1, 1, 1], cores=[1, 1, 1])
        >>> weekly(jobs, np.array([10.0, 20.0, 4000.0])).mean_wait_s.tolist()
        [15.0, 4000.0]
    """
    at_s = workload.submit_s - workload.submit_s[0]
    week = (at_s // WEEK_S).astype(np.int64)
    has_wait = np.isfinite(wait_s)
    jobs = np.bincount(week[has_wait], minlength=week[-1] + 1)
    total = np.bincount(week[has_wait], wait_s[has_wait], minlength=jobs.size)
    mean = np.divide(total, jobs, out=np.full(jobs.size, np.nan), where=jobs > 0)
    hours = np.arange(int(at_s[-1] // HOUR_S) + 1) * HOUR_S
    begun = np.sort((at_s + wait_s)[has_wait])
    came = np.searchsorted(at_s[has_wait], hours, side="right")
    return Weekly(mean, jobs.astype(float), (came - np.searchsorted(begun, hours, side="right")).astype(float))


@dataclass(frozen=True)
class GoodnessOfFit:
    """A simulated queue beside the recorded one, over some weeks.

    Attributes:
        weeks: how many.
        error: the sum over weeks of how far the mean waits are apart, over the sum of the recorded ones.
        rank: correlation of the ranks of both mean waits (Spearman); NaN where one has no order.
        total: sum of all waits over the recorded one, less 1.
        queue: mean over hours of how far the queues' lengths are apart, over the mean of the recorded one.
    """

    weeks: int
    error: float
    rank: float
    total: float
    queue: float


@dataclass(frozen=True, eq=False)
class WeekByWeek:
    """The simulated waits beside the recorded ones of the same jobs.

    Attributes:
        recorded: the waits in the log.
        model: the waits in the simulation.
    """

    recorded: Weekly
    model: Weekly

    @cached_property
    def even(self) -> GoodnessOfFit:
        """The fit on weeks 0, 2, 4, ..., by which a queue is chosen."""
        return self._over(0)

    @cached_property
    def odd(self) -> GoodnessOfFit:
        """The fit on weeks 1, 3, 5, ..., by which the chosen queue is judged."""
        return self._over(1)

    def _over(self, parity: int) -> GoodnessOfFit:
        week = np.arange(self.recorded.mean_wait_s.size)
        rows = (week % 2 == parity) & (self.recorded.jobs > 0) & (self.model.jobs > 0)
        real, ours, jobs = self.recorded.mean_wait_s[rows], self.model.mean_wait_s[rows], self.recorded.jobs[rows]
        hours = (np.arange(self.recorded.queue.size) * HOUR_S // WEEK_S).astype(np.int64) % 2 == parity
        return GoodnessOfFit(
            int(rows.sum()),
            _difference(ours, real),
            rank_correlation(ours, real),
            _ratio(float((ours * jobs).sum()), float((real * jobs).sum())) - 1.0,
            _queue_difference(self.model.queue, self.recorded.queue, hours),
        )


def rank_correlation(one: Floats, other: Floats) -> float:
    """Spearman's: the correlation of ranks, ties sharing theirs; NaN below two values or without any order.

    Example:
        >>> rank_correlation(np.array([1.0, 2.0, 3.0]), np.array([10.0, 30.0, 20.0]))
        0.5
    """
    if one.size < 2:
        return float("nan")
    a, b = _ranks(one), _ranks(other)
    a, b = a - a.mean(), b - b.mean()
    scale = float(np.sqrt((a * a).sum() * (b * b).sum()))
    return float((a * b).sum()) / scale if scale > 0 else float("nan")


def _ranks(values: Floats) -> Floats:
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(count) - (count - 1) / 2)[place])


def _queue_difference(ours: Floats, real: Floats, hours: Bools) -> float:
    return _difference(ours[hours], real[hours])


def _difference(ours: Floats, real: Floats) -> float:
    return _ratio(float(np.abs(ours - real).sum()), float(real.sum()))


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole > 0 else float("nan")
