"""Gates on paired differences over independent streams."""

from typing import NamedTuple

import numpy as np

from loadmaster.measure.interval import RESAMPLES, bootstrap_interval
from loadmaster.model.arrays import Floats
from loadmaster.papers.claim import Verdict


class Estimate(NamedTuple):
    """A mean over streams with its 95 % bootstrap interval."""

    mean: float
    low: float
    high: float

    def percent(self, digits: int = 1) -> str:
        """Such as -3.2 % [-4.0, -2.5]; without the interval where one stream gives none."""
        if self.low == self.high:
            return f"{100 * self.mean:.{digits}f} %"
        a, b, c = (f"{100 * value:.{digits}f}" for value in self)
        return f"{a} % [{b}, {c}]"

    @property
    def above(self) -> Verdict:
        """`holds` if the whole interval lies above 0."""
        return "holds" if self.low > 0 else "differs"

    @property
    def below(self) -> Verdict:
        """`holds` if the whole interval lies below 0."""
        return "holds" if self.high < 0 else "differs"


def estimate(values: Floats) -> Estimate:
    """The mean of one value a stream; one stream has no interval and gives its value three times."""
    return Estimate(float(np.mean(values)), *bootstrap_interval(np.asarray(values, dtype=np.float64)))


def reduction(ours: Floats, theirs: Floats) -> Estimate:
    """By how much the mean of `ours` is below that of `theirs`, as a part of it, over paired streams."""
    if theirs.mean() <= 0:
        return Estimate(0.0, 0.0, 0.0)
    mean = float(1.0 - ours.mean() / theirs.mean())
    draws = np.random.default_rng(0).integers(0, len(ours), (RESAMPLES, len(ours)))
    low, high = np.quantile(1.0 - ours[draws].mean(axis=1) / theirs[draws].mean(axis=1), (0.025, 0.975))
    return Estimate(mean, float(low), float(high))
