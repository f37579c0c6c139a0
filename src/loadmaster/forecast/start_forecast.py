"""What samples of a start give: the median, an interval, the chance to start within some time (rule F4)."""

import math
from dataclasses import dataclass

import numpy as np

from loadmaster.model.arrays import Floats

LEVEL = 0.9
"""The part of all starts that an interval should hold."""
WITHIN_S = (3600.0, 4 * 3600.0, 86400.0)
"""Times for which the chance of a start is told."""


@dataclass(frozen=True, eq=False)
class StartForecast:
    """When a job starts, in seconds from the moment of the forecast on.

    Attributes:
        wait_s: float64[S], ascending, of every sample; infinite where the job never starts in it.
        low_s, median_s, high_s: the 5 %, 50 % and 95 % points, the outer two widened where past forecasts request it.
    """

    wait_s: Floats
    low_s: float
    median_s: float
    high_s: float

    def within(self, time_s: float) -> float:
        """The part of the samples in which the job starts within `time_s`."""
        return float((self.wait_s <= time_s).mean())

    @property
    def never(self) -> bool:
        """Whether it starts in less than half of the samples."""
        return not math.isfinite(self.median_s)


def start_forecast(start_s: Floats, now_s: float) -> StartForecast:
    """The forecast of sampled starts, not widened.

    Args:
        start_s: float64[S], in any order.
        now_s: the moment of the forecast.

    Example:
        >>> forecast = start_forecast(np.arange(1.0, 20.0), 0.0)
        >>> forecast.low_s, forecast.median_s, forecast.high_s
        (1.0, 10.0, 19.0)
    """
    wait_s = np.sort(np.maximum(start_s - now_s, 0.0))
    low_s, median_s, high_s = (_point(wait_s, part) for part in ((1 - LEVEL) / 2, 0.5, (1 + LEVEL) / 2))
    return StartForecast(wait_s, low_s, median_s, high_s)


def _point(ascending: Floats, part: float) -> float:
    """The value at rank part x (S + 1), linear between ranks, as in rule R7."""
    rank = min(max(part * (ascending.size + 1), 1.0), float(ascending.size)) - 1.0
    lower = int(rank + 1e-9)
    upper = min(lower + 1, ascending.size - 1)
    beyond = max(rank - lower, 0.0)
    if beyond < 1e-9:
        return float(ascending[lower])
    return float(ascending[lower] + beyond * (ascending[upper] - ascending[lower]))
