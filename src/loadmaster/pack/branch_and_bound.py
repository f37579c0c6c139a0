"""Exact packing by our own branch and bound on the compact form: the least maximum load under rigid capacities."""

import numpy as np

from loadmaster.pack.bound import hopeless, pair_bound, upper_bound
from loadmaster.pack.branch_kernel import BranchProblem, branch
from loadmaster.pack.greedy import sorted_greedy_backtracking
from loadmaster.pack.instance import TOLERANCE, Instance
from loadmaster.pack.level import host_use, level_of
from loadmaster.pack.mcb import mcb
from loadmaster.pack.packing import Attempt

NODES = 20_000_000
"""Where the search gives up by default; some seconds."""


def branch_and_bound(instance: Instance, nodes: int = NODES) -> Attempt:
    """The optimum, or the best mapping after `nodes` nodes with the best bound known.

    By fact F1 the yield needs no variables of its own: the search minimises the largest relative load. It starts
    from MCB8, branches on large tasks first, tries one host of each group in equal state, lets equal tasks go to
    ascending hosts only, and drops a branch when the room that is left below the best load, summed over the hosts
    that can still take any task, is too small for the rest. Not for instances with guarantees.
    """
    assert not instance.guaranteed
    lost = hopeless(instance)
    if lost is not None:
        return Attempt(None, "infeasible", "branch-and-bound", 0.0, True, lost[0], lost[1])
    ceiling = min(upper_bound(instance), pair_bound(instance))
    scaled = instance.scaled
    usable = (scaled.room > 0).all(axis=1)
    if not usable.all() or instance.tasks == 0:
        return _with_start(instance, None, ceiling)
    order = np.lexsort((-scaled.hard.sum(axis=1), -_size(instance)))
    kinds = np.zeros(instance.hosts, np.int64)
    if not instance.uniform:
        kinds = np.unique(np.hstack((scaled.room, scaled.hard_room)), axis=0, return_inverse=True)[1]
    rows = np.hstack((scaled.need, scaled.hard))[order]
    twin = np.concatenate(([False], (rows[1:] == rows[:-1]).all(axis=1)))
    problem = BranchProblem(
        scaled.need[order], scaled.room, scaled.hard[order], scaled.hard_room,
        kinds.reshape(-1).astype(np.int32), twin, 1.0 / ceiling * (1 + 1e-12), TOLERANCE,
    )  # fmt: skip
    start = mcb(instance)
    if start.host is None:
        start = sorted_greedy_backtracking(instance, 50_000)
    mapping = np.full(instance.tasks, -1, np.int64)
    best = 1e18
    if start.host is not None:
        best = float((host_use(scaled.need, start.host, instance.hosts) / scaled.room).max(initial=0.0))
        mapping[:] = start.host[order]
        if level_of(instance, start.host) >= ceiling * (1 - 1e-12):
            return Attempt(start.host, "ok", "branch-and-bound", ceiling, True)
    best, visited, done = branch(problem, best, nodes, mapping)
    if mapping[0] < 0:
        if done:
            reason = "every way to place the tasks was tried and overfills some host"
            return Attempt(None, "infeasible", "branch-and-bound", 0.0, True, reason=reason, effort=visited)
        return Attempt(None, "limit", "branch-and-bound", ceiling, reason=f"{visited} nodes searched", effort=visited)
    host = np.empty(instance.tasks, np.int32)
    host[order] = mapping
    bound = level_of(instance, host) if done else ceiling
    return Attempt(host, "ok" if done else "limit", "branch-and-bound", bound, bool(done), effort=visited)


def _size(instance: Instance):  # type: ignore[no-untyped-def]
    """float64[T]: how hard a task is to place: its largest demand relative to the mean room for it."""
    scaled = instance.scaled
    return np.maximum(scaled.need.max(axis=1, initial=0.0), scaled.hard.max(axis=1, initial=0.0))


def _with_start(instance: Instance, _: None, ceiling: float) -> Attempt:
    """Hosts without any fluid capacity, or nothing to place: left to the other solvers, with MCB8's mapping."""
    start = mcb(instance)
    proven = start.host is not None and level_of(instance, start.host) >= ceiling * (1 - 1e-12)
    return Attempt(start.host, "ok" if proven else "limit", "branch-and-bound", ceiling, proven, reason=start.reason)
