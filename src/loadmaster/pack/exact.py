"""`--exact`: the fastest exact solver for the size at hand, and what it could prove when time runs out."""

import importlib.util
import time

from loadmaster.pack.branch_and_bound import branch_and_bound
from loadmaster.pack.improve import improve
from loadmaster.pack.instance import Instance
from loadmaster.pack.level import level_of
from loadmaster.pack.mcb import mcb
from loadmaster.pack.milp import highs
from loadmaster.pack.packing import Attempt

NODES_PER_S = 500_000


def exact(instance: Instance, time_limit_s: float = 60.0, seed: int = 0) -> Attempt:
    """The optimum and its proof, or the best mapping within `time_limit_s` and its proven bound.

    Local search first where the bound itself may be in reach (more than 20 tasks); then branch and bound, which
    proves most instances up to 4 x 20 and 8 x 16; then CP-SAT (HiGHS where OR-tools is absent) with the time left.
    With guaranteed yields HiGHS solves the paper's form.
    """
    start = time.perf_counter()
    if instance.guaranteed:
        return highs(instance, "paper", time_limit_s)
    best = Attempt(None, "limit", "local-search")
    if instance.tasks > 20:
        best = improve(instance, mcb(instance), min(1.0, time_limit_s / 4), seed)
        if best.proven:
            return best
    seconds = time_limit_s if instance.tasks <= 20 else min(1.0, time_limit_s / 4)
    tree = branch_and_bound(instance, nodes_within(instance, seconds))
    if tree.proven:
        return tree
    best = better(instance, best, tree)
    left = time_limit_s - (time.perf_counter() - start)
    cells = instance.tasks * instance.hosts
    if left <= 0.05 or cells > 200_000:
        return best
    if importlib.util.find_spec("ortools") is not None:
        from loadmaster.pack.cp_sat import cp_sat

        last = cp_sat(instance, left, best)
    else:
        last = highs(instance, "compact", left)
    return better(instance, best, last)


def nodes_within(instance: Instance, seconds: float) -> int:
    """About how many nodes branch and bound visits in `seconds`: a node compares all pairs of hosts."""
    return max(100, int(NODES_PER_S * seconds * min(1.0, 256 / instance.hosts**2)))


def better(instance: Instance, one: Attempt, other: Attempt) -> Attempt:
    """The attempt with the higher level, given the lower of both proven bounds."""
    if other.proven:
        return other
    levels = [-1.0 if a.host is None else level_of(instance, a.host) for a in (one, other)]
    winner = other if levels[1] >= levels[0] else one
    bounds = [a.bound for a in (one, other) if a.bound is not None]
    return Attempt(
        winner.host, winner.status if winner.host is None else "limit", winner.solver, min(bounds, default=None),
        False, winner.unplaced, winner.reason, one.effort + other.effort,
    )  # fmt: skip
