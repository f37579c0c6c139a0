"""Borg-like: between spreading tasks out and leaving no resource stranded (after Verma et al. 2015)."""

import math

from loadmaster.model.arrays import Floats
from loadmaster.model.errors import InputError
from loadmaster.place.policy import Context, Score


def borg_like(w: float = 0.5) -> Score:
    """Rate by w E + (1 - w) D (rule P17).

    E is the growth of the opportunity cost (rule P3), scaled so that filling an empty host whole makes it 1. D is what
    the task adds to the stranded part of the host: what would be left of its other resources when the fullest one runs
    out, as a mean fraction. A resource of which the host has nothing does not count.

    Args:
        w: 1 chooses as opportunity-cost does, 0 looks at stranded resources alone.

    Differs from the paper: it says that Google's hybrid cuts stranded resources, and publishes no formula; this one is
    ours.

    Raises:
        InputError: w is not in [0, 1].
    """
    if not 0.0 <= w <= 1.0:
        raise InputError(w, "the weight w must lie in [0, 1]")
    spread, fit = float(w), 1.0 - float(w)

    def score(demand: Floats, free: Floats, capacity: Floats, context: Context) -> float:
        base = max(2.0, float(context.hosts))
        log_base = math.log(base)
        there = 0
        growth = 0.0
        total_before, total_after = 0.0, 0.0
        most_before, most_after = 0.0, 0.0
        for r in range(capacity.shape[0]):
            if capacity[r] > 0.0:
                before = (capacity[r] - free[r]) / capacity[r]
                after = (capacity[r] - free[r] + demand[r]) / capacity[r]
                growth += math.exp(log_base * before) * math.expm1(log_base * demand[r] / capacity[r])
                total_before, total_after = total_before + before, total_after + after
                most_before, most_after = max(most_before, before), max(most_after, after)
                there += 1
            elif demand[r] > 0.0:
                return math.inf
        if there == 0:
            return 0.0
        stranded = (most_after - most_before) - (total_after - total_before) / there
        return spread * growth / (there * (base - 1.0)) + fit * stranded

    return score
