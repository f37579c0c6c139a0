"""RRND and RRNZ: randomised rounding of the relaxed linear program (Casanova et al. 2008, section 3.2)."""

import numpy as np

from loadmaster.model.arrays import Floats
from loadmaster.packing.instance import TOLERANCE, Instance
from loadmaster.packing.milp import LpForm, paper_form, solve_relaxed
from loadmaster.packing.packing import Attempt

EPSILON = 0.01
"""What RRNZ puts where the linear program has 0."""


def fractions(instance: Instance, lp_form: LpForm = "alpha") -> Floats | None:
    """float64[T, H]: e_ij at a vertex of the relaxed program, found by the dual simplex; None if it has no solution.

    A vertex is needed: the closed-form solution spreads every task evenly and would round to chance. Another
    solver's vertex differs, and with it the numbers of RRND and RRNZ.
    """
    result = solve_relaxed(paper_form(instance, lp_form))
    if result.x is None:
        return None
    cells = instance.tasks * instance.hosts
    spread = result.x[:cells].reshape(instance.tasks, instance.hosts)
    return np.where(spread < 1e-12, 0.0, spread)


def rounded(instance: Instance, seed: int = 0, lp_form: LpForm = "alpha") -> Attempt:
    """RRND: each task in turn to a random host, with probability e_ij among the hosts whose memory fits."""
    return round_off(instance, fractions(instance, lp_form), 0.0, seed, "rrnd")


def rounded_no_zero(instance: Instance, seed: int = 0, lp_form: LpForm = "alpha") -> Attempt:
    """RRNZ: as RRND with a weight of 0.01 instead of 0, so that every host has a chance."""
    return round_off(instance, fractions(instance, lp_form), EPSILON, seed, "rrnz")


def round_off(instance: Instance, spread: Floats | None, epsilon: float, seed: int, name: str) -> Attempt:
    """Draw a host for every task from `spread`, with `epsilon` where it is 0."""
    if spread is None:
        return Attempt(None, "infeasible", name, 0.0, True, reason="the relaxed program has no solution")
    rng = np.random.default_rng(seed)
    draws = rng.random(instance.tasks)
    hard = instance.scaled.hard
    free = instance.scaled.hard_room + TOLERANCE
    host = np.empty(instance.tasks, np.int32)
    for task in range(instance.tasks):
        weight = np.where(spread[task] > 0, spread[task], epsilon) * (free >= hard[task]).all(axis=1)
        total = weight.cumsum()
        if total[-1] <= 0:
            label = instance.task_name(task)
            return Attempt(None, "infeasible", name, unplaced=task, reason=f"no host drawn for task {label} has room")
        host[task] = np.searchsorted(total, draws[task] * total[-1], side="right")
        free[host[task]] -= hard[task]
    return Attempt(host, "ok", name)
