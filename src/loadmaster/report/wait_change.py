"""The mean wait of a run against the baseline of its load: the one number that tables, documents and charts show."""

import math
from dataclasses import dataclass

from loadmaster.measure.paired_comparison import Difference
from loadmaster.report.comparison import Comparison, Group
from loadmaster.runs import Outcome


@dataclass(frozen=True)
class WaitChange:
    """A run against the baseline of its load.

    Attributes:
        part: mean wait over the baseline's, less 1; over the samples, where any were drawn. Infinite where only the
            baseline does not wait; None where the two may not be compared, or there is nothing to compare.
        difference: what samples say; None where none were drawn, or they say nothing.
        of_baseline: it is the baseline itself.
    """

    part: float | None
    difference: Difference | None = None
    of_baseline: bool = False


def change_of(comparison: Comparison, outcome: Outcome) -> WaitChange:
    """What is said of a run everywhere: with samples their difference, else that of this log."""
    group = comparison.at(outcome.load)
    if outcome is group.baseline:
        return WaitChange(0.0, of_baseline=True)
    judged = group.sampled(outcome)
    if judged is None:
        return WaitChange(change_on_this_log(group, outcome))
    return WaitChange(None if judged.difference is None else judged.difference.change[0], judged.difference)


def change_on_this_log(group: Group, outcome: Outcome) -> float | None:
    """Mean wait of a run over the baseline's, less 1; None where either leaves out more jobs than another run does."""
    base = group.baseline
    if base is None or not {id(base), id(outcome)} <= {id(each) for each in group.eligible}:
        return None
    one, other = outcome.metrics.mean_wait_s, base.metrics.mean_wait_s
    if other > 0:
        return one / other - 1.0
    return 0.0 if one == 0 else math.inf
