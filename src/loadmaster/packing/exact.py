"""`--exact`: the fastest exact solver for the size at hand, and what it could prove when time runs out."""

import importlib.util
from dataclasses import replace

from loadmaster.jit.first_compilation import FIRST_TIME
from loadmaster.packing.branch_and_bound import branch_and_bound
from loadmaster.packing.improve import improve
from loadmaster.packing.instance import Instance
from loadmaster.packing.level import level_of
from loadmaster.packing.mcb import mcb
from loadmaster.packing.milp import highs
from loadmaster.packing.packing import Attempt

SEARCH_FIRST = 20
"""More tasks than this and the local search goes first: the bound itself may be in reach."""
MOST_CELLS = 1_000
"""Tasks x hosts up to which a general solver proves what branch and bound does not, or finds more than local search."""

MOST_HOSTS = 100
"""On more hosts branch and bound proves nothing."""

WITHOUT_CP_SAT = (
    "HiGHS stood in for OR-tools, which is not installed and proves more in the same time: "
    "pip install 'loadmaster[exact]'"
)


def exact(instance: Instance, time_limit_s: float = 60.0, seed: int = 0) -> Attempt:
    """The optimum and its proof, or the best mapping within `time_limit_s` and its proven bound.

    MCB8, and local search from it where there are more than 20 tasks; then branch and bound, which proves most
    instances up to 4 x 20 and 8 x 16, for half of the time that is left; then CP-SAT (HiGHS where OR-tools is absent
    or yields are guaranteed) up to 1,000 tasks x hosts, and more local search beyond.
    """
    ends = FIRST_TIME.clock_s() + time_limit_s
    best = mcb(instance)
    if instance.tasks > SEARCH_FIRST:
        best = improve(instance, best, min(1.0, time_limit_s / 4), seed)
    if best.proven:
        return best
    tree = branch_and_bound(instance, (ends - FIRST_TIME.clock_s()) / 2 if instance.hosts <= MOST_HOSTS else 0.0, best)
    if tree.proven:
        return tree
    best = better(instance, best, tree)
    left = ends - FIRST_TIME.clock_s()
    if left <= 0.05:
        return best
    if instance.tasks * instance.hosts > MOST_CELLS:
        more = improve(instance, best, left, seed + 1)
        return better(instance, best, replace(more, solver=best.solver, status="ok" if more.proven else "limit"))
    if instance.guaranteed:
        return better(instance, best, highs(instance, "compact", left))
    if importlib.util.find_spec("ortools") is None:
        return replace(better(instance, best, highs(instance, "compact", left)), notes=(WITHOUT_CP_SAT,))
    from loadmaster.packing.cp_sat import cp_sat

    return better(instance, best, cp_sat(instance, left, best))


def better(instance: Instance, one: Attempt, other: Attempt) -> Attempt:
    """The attempt with the higher level, given the lower of both proven bounds."""
    if other.proven:
        return other
    levels = [-1.0 if a.host is None else level_of(instance, a.host) for a in (one, other)]
    winner = other if levels[1] > levels[0] else one
    bounds = [a.bound for a in (one, other) if a.bound is not None]
    status = other.status if other.status == "ok" and winner is other else "limit"
    return replace(winner, status=status, bound=min(bounds, default=None), effort=one.effort + other.effort)
