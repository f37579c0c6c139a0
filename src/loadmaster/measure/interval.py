"""95 % intervals of means and other statistics, by the percentile bootstrap over independent runs."""

from collections.abc import Callable
from typing import Any

import numpy as np

from loadmaster.model.arrays import Floats

RESAMPLES = 2000


def bootstrap_interval(
    values: Floats, statistic: Callable[..., Any] = np.mean, *, confidence: float = 0.95, seed: int = 0
) -> tuple[float, float]:
    """(low, high) of `statistic(values, axis=...)` over resamples of the N independent runs in `values`.

    Example:
        >>> low, high = bootstrap_interval(np.arange(100.0))
        >>> low < 49.5 < high
        True
    """
    from scipy.stats import bootstrap

    if len(values) < 2 or np.ptp(values) == 0:
        point = float(statistic(values, axis=0)) if len(values) else float("nan")
        return point, point
    result = bootstrap(
        (values,),
        statistic,
        n_resamples=RESAMPLES,
        confidence_level=confidence,
        method="percentile",
        batch=200,
        rng=np.random.default_rng(seed),
    )
    return float(result.confidence_interval.low), float(result.confidence_interval.high)


def show_interval(values: Floats, digits: int = 2, seed: int = 0) -> str:
    """The mean of `values` with its interval, as text.

    Example:
        >>> show_interval(np.array([1.0, 1.0]))
        '1.00 [1.00, 1.00]'
    """
    low, high = bootstrap_interval(values, seed=seed)
    return f"{values.mean():.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"
