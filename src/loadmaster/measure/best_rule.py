"""The best rule over samples, or the verdict that the samples do not show one (rules R10 and R11)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from loadmaster.measure.paired_comparison import Difference, log_ratio, weeks_needed
from loadmaster.model.arrays import Floats

UNSURE = 0.05

Judge = Callable[[Floats], Difference]
"""Makes a difference of paired log-ratios."""


@dataclass(frozen=True)
class Verdict:
    """What samples say of K rules.

    Attributes:
        kind: `best`, `tied`, or `none` where there is nothing to judge.
        best: the rows that may be the best, the leader first; one if the kind is `best`.
        apart: every other row against the leader, by its number; what is below 0 is in the leader's favour.
    """

    kind: Literal["best", "tied", "none"]
    best: tuple[int, ...]
    apart: dict[int, Difference]


NO_VERDICT = Verdict("none", (), {})


def verdict_of_samples(wait_s: Floats, rows: Sequence[int], judge: Judge, unsure: float = UNSURE) -> Verdict:
    """The verdict on those `rows` of mean waits, float64[K, N], that may be judged.

    The leader has the least mean of log waits. It is the best if it is better than every other row: each test has its
    p adjusted after Holm (1979), and its interval must not hold 0.
    """
    if len(rows) < 2:
        return NO_VERDICT
    leader = min(rows, key=lambda row: float(log_ratio(wait_s[row], np.ones(1)).mean()))
    others = [row for row in rows if row != leader]
    apart = {row: judge(log_ratio(wait_s[leader], wait_s[row])) for row in others}
    adjusted = holm([apart[row].p for row in others])
    level = [row for row, p in zip(others, adjusted, strict=True) if not p <= unsure or apart[row].holds_zero]
    return Verdict("tied" if level else "best", (leader, *level), apart)


def weeks_to_tell(verdict: Verdict, deviation: Mapping[int, float], weeks: int) -> dict[int, float]:
    """About how many weeks of log would tell each row from the leader (rule R9), each at the level that Holm leaves it.

    Args:
        verdict: over a log of `weeks` weeks.
        deviation: of the samples' log-ratios, for each row beside the leader.
        weeks: W.

    Returns:
        For each row beside the leader; above W for those that are tied with it, infinite for equals.
    """
    weeks_by_row, most = {}, 0.0
    rows = sorted(verdict.apart, key=lambda row: verdict.apart[row].p)
    for rank, row in enumerate(rows):
        sure = 1 - UNSURE / (len(rows) - rank)
        most = max(most, weeks_needed(verdict.apart[row], deviation[row], weeks, sure))
        weeks_by_row[row] = most
    return weeks_by_row


def holm(p: Sequence[float]) -> list[float]:
    """Each p, adjusted so that one false alarm among all is as unlikely as it would be in one (Holm 1979).

    Example:
        >>> [round(each, 3) for each in holm([0.01, 0.04, 0.03])]
        [0.03, 0.06, 0.06]
    """
    adjusted, most = [0.0] * len(p), 0.0
    for rank, index in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
        most = max(most, min(1.0, p[index] * (len(p) - rank)))
        adjusted[index] = most
    return adjusted
