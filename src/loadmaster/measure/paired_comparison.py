"""How far two rules are apart over samples of a log: the paired log-ratio and its intervals (rules R6 to R9).

Mean waits of heavy logs differ by factors from sample to sample, for all rules alike; their ratio within a sample does
not. So the statistic is log(wait of one / wait of the other) in the same sample, and what is shown its exponential.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from loadmaster.model.arrays import Floats

SURE = 0.95
SHORTEST_S = 1e-3
"""Mean waits below this count as this, so that a queue that is always empty has a logarithm."""
ENOUGH_FOR_PERCENTILES = 40
"""Fewer samples have no 2.5th percentile: then the interval is that of the spread."""

How = Literal["percentile", "spread", "mean", "chaos"]


@dataclass(frozen=True)
class Difference:
    """One rule against another over the same samples; logarithms of ratios.

    Attributes:
        mean: of the log-ratio; below 0 the rule waits less than the other.
        low, high: of its interval; NaN where there is none.
        p: how likely so large a mean is between equals; NaN where there is no interval.
        how: the interval was made.
    """

    mean: float
    low: float
    high: float
    p: float
    how: How

    @property
    def change(self) -> tuple[float, float, float]:
        """Mean, low and high as fractions of the other's wait, less 1.

        Example:
            >>> Difference(math.log(0.5), math.log(0.25), 0.0, 0.01, "mean").change
            (-0.5, -0.75, 0.0)
        """
        mean, low, high = (math.expm1(value) for value in (self.mean, self.low, self.high))
        return mean, low, high

    @property
    def holds_zero(self) -> bool:
        """Whether no difference is within the interval; also where there is none."""
        return not (self.low > 0 or self.high < 0)


def log_ratio(wait_s: Floats, against_s: Floats) -> Floats:
    """float64[N]: the logarithm of one mean wait over the other in each sample.

    Example:
        >>> log_ratio(np.array([0.0, 2.0]), np.array([0.0, 1.0])).round(3).tolist()
        [0.0, 0.693]
    """
    return np.log(np.maximum(wait_s, SHORTEST_S)) - np.log(np.maximum(against_s, SHORTEST_S))


def over_resamples(ratio: Floats, weeks: int, sure: float = SURE) -> Difference:
    """From samples drawn of one log of `weeks` weeks (rule R7): percentiles, of few samples the spread.

    The interval never shrinks with the number of samples: they add no information, only weeks do.
    """
    mean, spread = float(ratio.mean()), _deviation(ratio)
    p = _p_of(mean, spread, weeks - 1)
    if ratio.size >= ENOUGH_FOR_PERCENTILES:
        low, high = np.quantile(ratio, ((1 - sure) / 2, (1 + sure) / 2), method="weibull")  # ranks p (N + 1)
        return Difference(mean, float(low), float(high), p, "percentile")
    half = student(sure, weeks - 1) * spread
    return Difference(mean, mean - half, mean + half, p, "spread")


def by_spread(ratio: Floats, weeks: int, sure: float = SURE) -> Difference:
    """As `over_resamples`, always by mean +- t(W - 1) x the deviation of the samples."""
    mean, spread = float(ratio.mean()), _deviation(ratio)
    half = student(sure, weeks - 1) * spread
    return Difference(mean, mean - half, mean + half, _p_of(mean, spread, weeks - 1), "spread")


def over_seeds(ratio: Floats, sure: float = SURE) -> Difference:
    """From independent logs (rule R8): Student's interval on the mean, which more of them make narrower."""
    mean, error = float(ratio.mean()), _deviation(ratio) / math.sqrt(max(ratio.size, 1))
    half = student(sure, ratio.size - 1) * error
    return Difference(mean, mean - half, mean + half, _p_of(mean, error, ratio.size - 1), "mean")


def of_chaos(ratio: Floats) -> Difference:
    """From shaken logs: the middle 95 % of what chance alone makes of the difference; no interval, no p."""
    low, high = np.quantile(ratio, ((1 - SURE) / 2, (1 + SURE) / 2))
    return Difference(float(ratio.mean()), float(low), float(high), math.nan, "chaos")


def weeks_needed(difference: Difference, deviation: float, weeks: int, sure: float = SURE) -> float:
    """About how many weeks of log would tell the two apart (rule R9); infinite for equals.

    W (reach / |mean|)^2, where what must become shorter than the mean is t x the deviation of the samples, and the
    interval on the side of 0.
    """
    if difference.mean == 0:
        return math.inf
    nearer = difference.high if difference.mean < 0 else difference.low
    reach = max(student(sure, weeks - 1) * deviation, abs(nearer - difference.mean))
    return weeks * (reach / abs(difference.mean)) ** 2


def student(sure: float, freedom: int) -> float:
    """The two-sided quantile of Student's t; infinite without a degree of freedom.

    Example:
        >>> round(student(0.95, 11), 3)
        2.201
    """
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + sure) / 2)) if freedom >= 1 else math.inf


def _deviation(ratio: Floats) -> float:
    return float(ratio.std(ddof=1)) if ratio.size > 1 else math.inf


def _p_of(mean: float, error: float, freedom: int) -> float:
    from scipy.special import stdtr

    if freedom < 1 or not math.isfinite(error):
        return 1.0
    if error == 0:
        return 1.0 if mean == 0 else 0.0
    return float(2 * stdtr(freedom, -abs(mean) / error))
