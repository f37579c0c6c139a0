# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,untyped-decorator,no-any-return"
"""Dynamic programme over subsets of tasks, compiled: the oracle for small instances."""

import numpy as np

from loadmaster.kernels import kept_njit


@kept_njit(nogil=True, error_model="numpy")
def least_peak(alone, choice):
    """best[h, S] = min over T in S of max(best[h - 1, S - T], alone[h, T]) (rule K6); the least for all tasks.

    Args:
        alone: float64[H, 2^T], the relative load of host h with the tasks of a set, infinite where they do not fit.
        choice: int32[H, 2^T], written: the set that host h takes.
    """
    hosts, sets = alone.shape
    before = alone[0].copy()
    for s in range(sets):
        choice[0, s] = s
    for h in range(1, hosts):
        after = np.full(sets, np.inf)
        for s in range(sets):
            part = s
            while True:
                value = max(before[s ^ part], alone[h, part])
                if value < after[s]:
                    after[s] = value
                    choice[h, s] = part
                if part == 0:
                    break
                part = (part - 1) & s
        before = after
    return before[sets - 1]
