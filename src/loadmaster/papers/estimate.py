"""A number over independent runs with its 95 % interval: what every verdict is judged by."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from loadmaster.measure.interval import RESAMPLES, bootstrap_interval
from loadmaster.model.arrays import Bools, Floats

FEW = 20
"""With fewer runs than this the interval is Student's t: resampling a handful of values is too sure of itself."""


class Estimate(NamedTuple):
    """A statistic of `n` independent runs and its 95 % interval; NaN where it could not be measured.

    One run has no interval: `low` and `high` are then its value.
    """

    value: float
    low: float
    high: float
    n: int

    @property
    def measured(self) -> bool:
        """Whether there is a number at all."""
        return self.n > 0 and bool(np.isfinite(self[:3]).all())

    def times(self, factor: float) -> "Estimate":
        """In another unit, such as percent."""
        low, high = sorted((factor * self.low, factor * self.high))
        return Estimate(factor * self.value, low, high, self.n)

    def show(self, digits: int = 2, times: float = 1.0) -> str:
        """Such as -3.2 [-4.0, -2.5], multiplied by `times`; without the interval where there is none."""
        if not self.measured:
            return "no value"
        shown = [f"{number:.{digits}f}" for number in self.times(times)[:3]]
        return shown[0] if self.low == self.high else f"{shown[0]} [{shown[1]}, {shown[2]}]"

    def percent(self, digits: int = 1) -> str:
        """Such as -3.2 % [-4.0, -2.5]."""
        value, bracket, bounds = self.show(digits, 100.0).partition(" [")
        return f"{value} %{bracket}{bounds}" if self.measured else value


def part_of(runs: Bools) -> Estimate:
    """The part of the runs in which something is so, with the exact binomial interval: none of n is not surely 0.

    Example:
        >>> part_of(np.zeros(1000, bool)).percent(2)
        '0.00 % [0.00, 0.37]'
    """
    from scipy.stats import binomtest

    n = len(runs)
    if n == 0:
        return Estimate(float("nan"), float("nan"), float("nan"), 0)
    found = binomtest(int(np.count_nonzero(runs)), n)
    interval = found.proportion_ci()
    return Estimate(float(found.statistic), float(interval.low), float(interval.high), n)


def mean_of(values: Floats) -> Estimate:
    """The mean over runs, one value a run; one NaN makes it unmeasured.

    Example:
        >>> mean_of(np.array([1.0, 2.0, 3.0])).show()
        '2.00 [-0.48, 4.48]'
    """
    runs = np.asarray(values, dtype=np.float64)
    n = len(runs)
    if n == 0 or not np.isfinite(runs).all():
        return Estimate(float("nan"), float("nan"), float("nan"), n)
    mean = float(runs.mean())
    if n >= FEW:
        return Estimate(mean, *bootstrap_interval(runs), n)
    return _by_t(mean, float(runs.std(ddof=1)) if n > 1 else 0.0, n)


def ratio_of_means(ours: Floats, theirs: Floats) -> Estimate:
    """The mean of `ours` over that of `theirs` on the same runs, its interval by linearization and Student's t."""
    ours, theirs = np.asarray(ours, dtype=np.float64), np.asarray(theirs, dtype=np.float64)
    n = len(ours)
    if n == 0 or not (np.isfinite(ours).all() and np.isfinite(theirs).all() and theirs.mean() > 0.0):
        return Estimate(float("nan"), float("nan"), float("nan"), n)
    ratio = float(ours.mean() / theirs.mean())
    return _by_t(ratio, float((ours - ratio * theirs).std(ddof=1) / theirs.mean()) if n > 1 else 0.0, n)


def reduction(ours: Floats, theirs: Floats) -> Estimate:
    """By how much the mean of `ours` is below that of `theirs`, as a part of it, over paired runs."""
    ratio = ratio_of_means(ours, theirs)
    return Estimate(1.0 - ratio.value, 1.0 - ratio.high, 1.0 - ratio.low, ratio.n)


def pooled(values: Floats, weights: Floats) -> Estimate:
    """The weighted mean over runs, such as of what was used while all was full; runs of weight 0 may have no value."""
    return ratio_of_means(_weighted(values, weights), weights)


def pooled_difference(one: tuple[Floats, Floats], other: tuple[Floats, Floats]) -> Estimate:
    """`pooled(*one)` less `pooled(*other)`, (values, weights) each, paired over the same runs."""
    first, second = pooled(*one), pooled(*other)
    n = first.n
    if not (first.measured and second.measured):
        return Estimate(float("nan"), float("nan"), float("nan"), n)
    apart = np.zeros(n)
    for sign, mean, (values, weights) in ((1.0, first.value, one), (-1.0, second.value, other)):
        apart += sign * (_weighted(values, weights) - mean * weights) / weights.mean()
    return _by_t(first.value - second.value, float(apart.std(ddof=1)) if n > 1 else 0.0, n)


def _weighted(values: Floats, weights: Floats) -> Floats:
    return np.where(weights > 0.0, np.nan_to_num(values) * weights, 0.0)


def resampled(statistic: Callable[..., float], *columns: Floats | Bools, seed: int = 0) -> Estimate:
    """Any statistic of columns with a row for each run, by the percentile bootstrap over rows.

    Resamples in which it is not defined (no run of the kind asked about) are left out; if they are more than a
    twentieth it counts as not measured.
    """
    n = len(columns[0])
    with np.errstate(invalid="ignore", divide="ignore"):
        value = float(statistic(*columns)) if n else float("nan")
        if not np.isfinite(value):
            return Estimate(float("nan"), float("nan"), float("nan"), n)
        rng = np.random.default_rng(seed)
        draws = [rng.integers(0, n, n) for _ in range(RESAMPLES)]
        found = np.array([statistic(*(column[rows] for column in columns)) for rows in draws], dtype=np.float64)
    defined = found[np.isfinite(found)]
    if len(defined) < 0.95 * RESAMPLES:
        return Estimate(float("nan"), float("nan"), float("nan"), n)
    low, high = np.quantile(defined, (0.025, 0.975))
    return Estimate(value, float(low), float(high), n)


def _by_t(mean: float, deviation: float, n: int) -> Estimate:
    from scipy.stats import t as student_t

    half = float(student_t.ppf(0.975, n - 1)) * deviation / n**0.5 if n > 1 else 0.0
    return Estimate(mean, mean - half, mean + half, n)
