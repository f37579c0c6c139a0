"""The figures of a rule on several logs, beside the baseline on the same logs (rules U3 and U8)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from loadmaster.measure.metric import METRICS
from loadmaster.measure.paired_comparison import log_ratio
from loadmaster.model.arrays import Floats
from loadmaster.runs.samples import SampleRun

TARGETS = tuple(m.name for m in METRICS.values() if m.better == "lower" and m.unit in ("s", "ratio"))
"""Names of the metrics that a search can make low: every time and ratio of the registry of which less is better."""
_OF_THE_LOGS = 0.75
"""On so many of the logs the limit must hold: a single one whose baseline was lucky decides nothing."""
_LEFT_WAITING = 10.0
"""How far over the limit, as a logarithm, a rule counts that never starts a job that the baseline starts."""


@dataclass(frozen=True)
class Figures:
    """A rule against the baseline; natural logarithms of ratios, below 0 the rule has less.

    Attributes:
        values: of each target, the mean over the logs.
        longest: of the longest waits, what three of four logs do not exceed.
    """

    values: tuple[float, ...]
    longest: float

    @property
    def value(self) -> float:
        """All targets in one: their mean."""
        return sum(self.values) / len(self.values)

    def keeps(self, limit: float) -> bool:
        """Whether on three of four logs the longest wait is at most `limit` times the baseline's there."""
        return self.longest <= math.log(limit)


def column(runs: Sequence[SampleRun], target: str) -> Floats:
    """float64[N]: the metric `target` of each run."""
    import numpy as np

    return np.array([run.of(target) for run in runs], float)


def figures(runs: Sequence[SampleRun], baseline: Sequence[SampleRun], targets: Sequence[str]) -> Figures:
    """`runs` of a rule against those of the baseline on the same logs."""
    import numpy as np

    values = tuple(float(log_ratio(column(runs, target), column(baseline, target)).mean()) for target in targets)
    longest = log_ratio(*(np.array([run.longest_wait_s for run in each], float) for each in (runs, baseline)))
    if any(run.unstarted > other.unstarted for run, other in zip(runs, baseline, strict=True)):
        return Figures(values, _LEFT_WAITING)
    return Figures(values, float(np.sort(longest)[math.ceil(_OF_THE_LOGS * longest.size) - 1]))


def front(candidates: Sequence[Figures]) -> list[int]:
    """Those that no other beats in one target without losing in another, by their number (the Pareto front).

    Example:
        >>> front([Figures((1.0, 2.0), 0.0), Figures((2.0, 1.0), 0.0), Figures((2.0, 2.0), 0.0)])
        [0, 1]
    """
    return [at for at, one in enumerate(candidates) if not any(_is_better(other, one) for other in candidates)]


def _is_better(one: Figures, other: Figures) -> bool:
    return one.values != other.values and all(a <= b for a, b in zip(one.values, other.values, strict=True))
