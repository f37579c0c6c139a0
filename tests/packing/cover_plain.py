"""The cheapest choice of patterns for all tasks, by trying one after the other: an oracle for few tasks."""

from functools import cache

import numpy as np


def least_cost(problem, patterns):
    """The least price of hosts that hold all tasks, each pattern on a host of its kind; infinite if none does."""

    @cache
    def rest(left, hosts):
        if not any(left):
            return 0.0
        n = next(n for n, number in enumerate(left) if number)
        best = np.inf
        for kind, tasks in patterns:
            if tasks[n] and hosts[kind]:
                after = tuple(max(0, number - int(taken)) for number, taken in zip(left, tasks, strict=True))
                there = tuple(number - (k == kind) for k, number in enumerate(hosts))
                best = min(best, float(problem.price[kind]) + rest(after, there))
        return best

    return rest(tuple(problem.count.tolist()), tuple(problem.hosts.tolist()))
