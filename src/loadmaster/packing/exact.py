"""`--exact`: the fastest exact solvers for the size at hand, and their proof, or the gap when time runs out."""

import importlib.util
import sys
from dataclasses import replace

from loadmaster.packing import level_by_patterns as patterns
from loadmaster.packing import set_partition as partition
from loadmaster.packing.bound import ceiling
from loadmaster.packing.branch_and_bound import branch_and_bound
from loadmaster.packing.deadline import Deadline
from loadmaster.packing.improve import improve
from loadmaster.packing.incumbent import Incumbent, Report, silent
from loadmaster.packing.instance import Instance
from loadmaster.packing.level import level_of
from loadmaster.packing.mcb import mcb
from loadmaster.packing.milp import highs
from loadmaster.packing.packing import Attempt, Status

SEARCH_FIRST = 20
"""More tasks than this and the local search goes first: the bound itself may be in reach."""
BRANCHES = 250
"""Tasks x hosts up to which branch and bound gets half of the time: it proves most instances of this size."""
MOST_CELLS = 1_000
"""Tasks x hosts up to which a general solver proves what branch and bound does not, or finds more than local search."""
LOADING_S = 3.0
"""Seconds below which CP-SAT is not worth its loading, which takes half of them."""
STUCK = 20
"""How often the local search may be stuck before the exact solvers' turn."""

WITHOUT_CP_SAT = (
    "HiGHS stood in for OR-tools, which is not installed and proves more in the same time: "
    "pip install 'loadmaster[exact]'"
)


def exact(instance: Instance, time_limit_s: float = 60.0, seed: int = 0, report: Report = silent) -> Attempt:
    """The optimum and its proof, or the best mapping within `time_limit_s` and its proven bound.

    MCB8, and local search from it where there are more than 20 tasks. Then, each for a part of the time that is left:
    branch and bound for the smallest instances; the choice of disjoint sets for up to 64 tasks on equal hosts; the
    pattern program where there are few kinds of tasks; CP-SAT (HiGHS where OR-tools is absent or yields are
    guaranteed) up to 1,000 tasks x hosts; and local search for the rest of the time. `report` is told the best level
    and the bound before each step.
    """
    deadline = Deadline.after(time_limit_s)
    try:
        best = mcb(instance)
    except KeyboardInterrupt:
        return Attempt(
            None, "limit", "exact", reason="stopped by Ctrl-C before a placement was found", interrupted=True
        )
    try:
        best = _by_all(instance, best, deadline, seed, report)
    except KeyboardInterrupt:
        best = replace(best, interrupted=True)
    return replace(best, status="limit") if best.interrupted else best


def _by_all(instance: Instance, best: Attempt, deadline: Deadline, seed: int, report: Report) -> Attempt:
    for step in (_search, _branch, _partition, _patterns, _general, _search_on):
        if best.proven or best.interrupted or deadline.passed():
            break
        level = float("nan") if best.host is None else level_of(instance, best.host)
        report(Incumbent("level", level, ceiling(instance) if best.bound is None else best.bound))
        best = step(instance, best, deadline, seed)
    return best if best.proven or best.status == "infeasible" else replace(best, status="limit")


def _search(instance: Instance, best: Attempt, deadline: Deadline, seed: int) -> Attempt:
    if instance.tasks <= SEARCH_FIRST:
        return best
    return improve(instance, best, deadline.left_s() / 8, seed, STUCK)


def _branch(instance: Instance, best: Attempt, deadline: Deadline, _: int) -> Attempt:
    small = instance.tasks * instance.hosts <= BRANCHES
    if not small and best.host is not None:
        return best
    tree = branch_and_bound(instance, deadline.left_s() / (2 if small else 8), best)
    return tree if tree.proven else better(instance, best, tree)


def _partition(instance: Instance, best: Attempt, deadline: Deadline, _: int) -> Attempt:
    if best.host is None or not partition.served(instance):
        return best
    return better(instance, best, partition.set_partition(instance, best, deadline.left_s()))


def _patterns(instance: Instance, best: Attempt, deadline: Deadline, _: int) -> Attempt:
    if best.host is None or partition.served(instance) or not patterns.served(instance):
        return best
    return better(instance, best, patterns.level_by_patterns(instance, best, deadline.left_s() / 3))


def _general(instance: Instance, best: Attempt, deadline: Deadline, _: int) -> Attempt:
    if instance.tasks * instance.hosts > MOST_CELLS or (best.host is not None and partition.served(instance)):
        return best
    if instance.guaranteed:
        return better(instance, best, highs(instance, "compact", deadline.left_s()))
    if importlib.util.find_spec("ortools") is None:
        found = better(instance, best, highs(instance, "compact", deadline.left_s()))
        return replace(found, notes=(WITHOUT_CP_SAT,))
    if "ortools" not in sys.modules and deadline.left_s() < LOADING_S:
        return best
    from loadmaster.packing.cp_sat import cp_sat

    return better(instance, best, cp_sat(instance, deadline.left_s(), best))


def _search_on(instance: Instance, best: Attempt, deadline: Deadline, seed: int) -> Attempt:
    more = improve(instance, best, deadline.left_s(), seed + 1)
    return better(instance, best, replace(more, solver=best.solver))


def better(instance: Instance, one: Attempt, other: Attempt) -> Attempt:
    """The attempt with the higher level, given the lower of both proven bounds."""
    if other.proven:
        return other
    levels = [-1.0 if a.host is None else level_of(instance, a.host) for a in (one, other)]
    winner = other if levels[1] > levels[0] else one
    bounds = [a.bound for a in (one, other) if a.bound is not None]
    bound = min(bounds, default=None)
    proven = bound is not None and max(levels) >= bound * (1 - 1e-12)
    status: Status = "ok" if proven or (other.status == "ok" and winner is other) else "limit"
    return replace(
        winner,
        status=status,
        bound=bound,
        effort=one.effort + other.effort,
        proven=proven,
        interrupted=one.interrupted or other.interrupted,
    )
