"""Compares forecasts with the real starts: how often they were right, how much to widen them (rules X13, F5)."""

from dataclasses import dataclass, field, replace

import numpy as np

LEVEL = 0.8
"""What part of the truths an interval of a live run should hold."""
FEWEST = 10
"""So many jobs must have ended before anything is foretold, and so many forecasts be judged before one is widened."""


@dataclass(frozen=True)
class Forecast:
    """Of one job. All moments are seconds since the epoch of the engine's clock.

    Attributes:
        job: the engine's name of it.
        at_s: what was known then.
        start_s: the middle of the starts of all samples; infinite where most of them never start it.
        low_s, high_s: the part of the samples that the interval should hold lies between these.
        samples: ways in which running and waiting jobs may last that were tried.
        why: where the start is infinite, what keeps the job from it.
    """

    job: str
    at_s: float
    start_s: float
    low_s: float
    high_s: float
    samples: int
    why: str = ""


@dataclass(frozen=True)
class ForecastAccuracy:
    """How earlier forecasts would have fared, made with what was known as each job arrived.

    Attributes:
        jobs: so many were judged, each with intervals widened by what those before it had shown.
        inside: of these, whose start lay within the interval.
        inside_plain: of these, whose start lay within the interval as the samples gave it.
        error_s: mean of start minus forecast, positive where jobs started later; None without any.
        widened: the intervals are wider than the samples say by this part of the wait foretold, on either side.
    """

    jobs: int = 0
    inside: int = 0
    inside_plain: int = 0
    error_s: float | None = None
    widened: float = 0.0


@dataclass
class ForecastCalibration:
    """Forecasts beside what became of them, one after the other: how far off they are widens those that follow.

    Conformal prediction with errors told in parts of the wait that was foretold (Vovk et al. 2005; Romano et al. 2019).

    Attributes:
        seen: of each the truth, the forecast, and whether the widened interval held the truth (None: not judged yet).
        level: what part of the truths an interval should hold.
        least_s: errors of forecasts of shorter waits are told in parts of this.
    """

    seen: list[tuple[float, Forecast, bool | None]] = field(default_factory=list)
    level: float = LEVEL
    least_s: float = 1.0

    def take(self, truth_s: float, forecast: Forecast) -> None:
        """One more; it is judged by those before it, if they are enough."""
        inside = None
        if len(self.seen) >= FEWEST:
            wide = self.widened(forecast)
            inside = wide.low_s <= truth_s <= wide.high_s
        self.seen.append((truth_s, forecast, inside))

    def widened(self, forecast: Forecast) -> Forecast:
        """The forecast with the interval that would have held its part of those before."""
        more_s = self._more() * self._scale_s(forecast)
        if not np.isfinite(forecast.start_s):
            return forecast
        low_s = min(max(forecast.low_s - more_s, forecast.at_s), forecast.start_s)
        return replace(forecast, low_s=low_s, high_s=max(forecast.high_s + more_s, forecast.start_s))

    def judged(self) -> ForecastAccuracy:
        """How those were that could be judged."""
        judged = [each for each in self.seen if each[2] is not None]
        off = [truth_s - forecast.start_s for truth_s, forecast, _ in judged if np.isfinite(forecast.start_s)]
        return ForecastAccuracy(
            len(judged),
            sum(bool(inside) for *_, inside in judged),
            sum(forecast.low_s <= truth_s <= forecast.high_s for truth_s, forecast, _ in judged),
            float(np.mean(off)) if off else None,
            self._more(),
        )

    def _more(self) -> float:
        """By which part of the wait foretold intervals have to be wider on either side; negative: narrower."""
        missed = sorted(
            max(forecast.low_s - truth_s, truth_s - forecast.high_s) / self._scale_s(forecast)
            for truth_s, forecast, _ in self.seen
            if np.isfinite(forecast.high_s)
        )
        rank = int(np.ceil(self.level * (len(missed) + 1)))
        if len(missed) < FEWEST:
            return 0.0
        return max(0.0, missed[min(rank, len(missed)) - 1])

    def _scale_s(self, forecast: Forecast) -> float:
        """What errors are told in parts of: the wait foretold, or `least_s` where that is longer."""
        return max(self.least_s, forecast.start_s - forecast.at_s)
