"""Exact packing by branch and bound on the compact form: no host too full at the level to beat."""

import numpy as np

from loadmaster.model.arrays import Longs
from loadmaster.packing.bound import ceiling, hopeless
from loadmaster.packing.branch_kernel import BranchProblem, branch, start_walk
from loadmaster.packing.deadline import Deadline
from loadmaster.packing.greedy import sorted_greedy_backtracking
from loadmaster.packing.instance import TOLERANCE, Instance
from loadmaster.packing.level import level_of
from loadmaster.packing.mcb import mcb
from loadmaster.packing.packing import Attempt

SLICE = 200_000
"""Nodes x hosts between two looks at the clock, and at whether the user wants to stop."""
NAME = "branch-and-bound"


def branch_and_bound(
    instance: Instance, time_limit_s: float = 60.0, start: Attempt | None = None, nodes: int = 10**12
) -> Attempt:
    """The optimum, or the best mapping within the time or the number of nodes, with the best bound known.

    By rule K2 the yield needs no variables of its own: a mapping is better than the best one known if every host can
    give every task what it requests at a higher level. The search starts from `start`, or MCB8, branches on large
    tasks first, tries one host of each group in equal state, lets equal tasks go to ascending hosts only, and drops a
    branch when the room that is left, summed over the hosts that can still take any task, is too small for the rest.
    """
    deadline = Deadline.after(time_limit_s)
    lost = hopeless(instance)
    if lost is not None:
        return Attempt(None, "infeasible", NAME, 0.0, True, lost[0], lost[1])
    bound = ceiling(instance)
    if start is None or start.host is None:
        start = mcb(instance)
    if start.host is None:
        start = sorted_greedy_backtracking(instance, 50_000)
    best = -1.0 if start.host is None else level_of(instance, start.host)
    if best >= bound * (1 - 1e-12) or instance.tasks == 0:
        return Attempt(start.host, "ok", NAME, bound, True)
    order, problem = _problem(instance, bound)
    mapping = np.full(instance.tasks, -1, np.int64)
    walk, visited, done, interrupted = start_walk(problem), 0, 0, False
    try:
        while not done and visited < nodes and not deadline.passed():
            best, more, done = branch(problem, walk, best, min(SLICE // instance.hosts + 1, nodes - visited), mapping)
            visited += more
    except KeyboardInterrupt:
        interrupted = True
    host = start.host
    if mapping[0] >= 0:
        host = np.empty(instance.tasks, np.int32)
        host[order] = mapping
    if host is not None:
        return Attempt(
            host,
            "ok" if done else "limit",
            NAME,
            level_of(instance, host) if done else bound,
            bool(done),
            effort=visited,
            interrupted=interrupted,
        )
    if done:
        reason = "every way to place the tasks was tried and overfills some host"
        return Attempt(None, "infeasible", NAME, 0.0, True, reason=reason, effort=visited)
    return Attempt(
        None, "limit", NAME, bound, reason=f"{visited} nodes searched", effort=visited, interrupted=interrupted
    )


def _problem(instance: Instance, bound: float) -> tuple[Longs, BranchProblem]:
    """The tasks in the order of branching, int64[T], and the kernel's view of them: the hardest to place first."""
    scaled = instance.scaled
    size = np.maximum(scaled.need.max(axis=1, initial=0.0), scaled.hard.max(axis=1, initial=0.0))
    order = np.lexsort((-scaled.hard.sum(axis=1), -size))
    kinds: Longs = np.zeros(instance.hosts, np.int64)
    if not instance.uniform:
        kinds = np.unique(np.hstack((scaled.room, scaled.hard_room)), axis=0, return_inverse=True)[1]
    turn = instance.task_guarantee / instance.task_weight
    rows = np.hstack((scaled.need, scaled.hard, turn[:, None]))[order]
    twin = np.concatenate(([False], (rows[1:] == rows[:-1]).all(axis=1)))
    total = scaled.need.sum(axis=0).max(initial=0.0)
    least = float(scaled.room.min(initial=1.0)) / total if total > 0 and not instance.guaranteed else 0.0
    return order, BranchProblem(
        scaled.need[order],
        scaled.room,
        turn[order],
        scaled.hard[order],
        scaled.hard_room,
        kinds.reshape(-1).astype(np.int32),
        twin,
        bound * (1 - 1e-12),
        least,
        instance.guaranteed,
        TOLERANCE,
    )
