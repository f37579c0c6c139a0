"""Tasks one after another, each to the lowest rated host that fits, in plain Python: the kernel's reference."""

import numpy as np

from loadmaster.packing.by_score_kernel import ScoreProblem
from loadmaster.place import Context, Policy
from loadmaster.place.policy import rated, read_only


def place_by_score_plain(problem: ScoreProblem, policy: Policy, seed: int, host: np.ndarray) -> int:
    """Fill `host` int32[T] in place; returns how many tasks of the order found one.

    Raises:
        InputError: the policy fails, or rates a host with something that is not a finite number.
    """
    free, last = problem.capacity.copy(), -1
    for placed, task in enumerate(problem.order):
        binding = problem.binding[task]
        able = np.flatnonzero(((binding <= 0) | (free + problem.tolerance >= binding)).all(axis=1))
        if able.size == 0:
            return placed
        demand, capacity, seen = (read_only(a) for a in (problem.demand, problem.capacity, np.maximum(free, 0.0)))
        scores = []
        with np.errstate(all="ignore"):
            for h in able:
                context = Context(int(h), len(free), last, int(task), seed)
                scores.append(rated(policy, demand[task], seen[h], capacity[h], context))
        last = int(able[int(np.argmin(scores))])
        host[task] = last
        free[last] -= problem.demand[task]
    return len(problem.order)
