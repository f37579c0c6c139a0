"""Forecasts beside what became of them: how often they were right, and how much wider they have to be (rule X13)."""

from dataclasses import dataclass, field, replace

import numpy as np

LEVEL = 0.8
"""What part of the truths an interval should hold."""
FEWEST = 10
"""So many jobs must have ended before anything is foretold, and so many forecasts be judged before one is widened."""


@dataclass(frozen=True)
class Forecast:
    """Of one job. All moments are seconds since the epoch of the engine's clock.

    Attributes:
        job: the engine's name of it.
        at_s: what was known then.
        start_s: the middle of the starts of all samples; infinite where most of them never start it.
        low_s, high_s: a part `LEVEL` of the samples lies between these.
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
class JudgedForecasts:
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
class Judging:
    """Forecasts beside what became of them, one after the other: how far off they are widens those that follow.

    Conformal prediction with errors told in parts of the wait that was foretold (Vovk et al. 2005; Romano et al. 2019).

    Attributes:
        seen: of each the truth, the forecast, and whether the widened interval held the truth (None: not judged yet).
    """

    seen: list[tuple[float, Forecast, bool | None]] = field(default_factory=list)

    def take(self, truth_s: float, told: Forecast) -> None:
        """One more; it is judged by those before it, if they are enough."""
        inside = None
        if len(self.seen) >= FEWEST:
            wide = self.widened(told)
            inside = wide.low_s <= truth_s <= wide.high_s
        self.seen.append((truth_s, told, inside))

    def widened(self, told: Forecast) -> Forecast:
        """The forecast with the interval that would have held its part of those before."""
        more_s = self._more() * _scale_s(told)
        if not np.isfinite(told.start_s):
            return told
        low_s = min(max(told.low_s - more_s, told.at_s), told.start_s)
        return replace(told, low_s=low_s, high_s=max(told.high_s + more_s, told.start_s))

    def judged(self) -> JudgedForecasts:
        """How those were that could be judged."""
        judged = [each for each in self.seen if each[2] is not None]
        off = [truth_s - told.start_s for truth_s, told, _ in judged if np.isfinite(told.start_s)]
        return JudgedForecasts(
            len(judged), sum(bool(inside) for *_, inside in judged),
            sum(told.low_s <= truth_s <= told.high_s for truth_s, told, _ in judged),
            float(np.mean(off)) if off else None, self._more(),
        )  # fmt: skip

    def _more(self) -> float:
        """By which part of the wait foretold intervals have to be wider on either side; negative: narrower."""
        missed = sorted(
            max(told.low_s - truth_s, truth_s - told.high_s) / _scale_s(told)
            for truth_s, told, _ in self.seen
            if np.isfinite(told.high_s)
        )
        rank = int(np.ceil(LEVEL * (len(missed) + 1)))
        if len(missed) < FEWEST:
            return 0.0
        return max(0.0, missed[min(rank, len(missed)) - 1])


def _scale_s(told: Forecast) -> float:
    """What errors are told in parts of: the wait foretold, a second at least."""
    return max(1.0, told.start_s - told.at_s)
