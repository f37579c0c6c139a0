# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,untyped-decorator,no-any-return"
"""Branch and bound for the least maximum relative load under rigid capacities, compiled."""

from typing import NamedTuple

import numpy as np
from numba import njit

from loadmaster.model.arrays import Bools, Floats, Ints


class BranchProblem(NamedTuple):
    """Tasks in the order in which they are branched on.

    Attributes:
        need: float64[T, F]; room: float64[H, F], more than 0.
        hard: float64[T, D]; hard_room: float64[H, D].
        kind: int32[H], equal for hosts of equal capacity.
        twin: bool[T], the task equals the one before it.
        goal: a maximum load that cannot be beaten, or need not be.
        tolerance: by how much a host may be overfilled.
    """

    need: Floats
    room: Floats
    hard: Floats
    hard_room: Floats
    kind: Ints
    twin: Bools
    goal: float
    tolerance: float


@njit(cache=True, nogil=True, error_model="numpy")
def may_beat(problem, load, free, rest, rest_hard, least, least_hard, depth, best):
    """The rest of the tasks may still fit below `best`: summed over the hosts that can take any of them."""
    hosts, fluid = problem.room.shape
    dims = problem.hard.shape[1]
    for r in range(fluid + dims):
        given = 0.0
        for h in range(hosts):
            usable = True
            for f in range(fluid):
                if load[h, f] + least[depth, f] >= best * problem.room[h, f]:
                    usable = False
            for d in range(dims):
                if least_hard[depth, d] > free[h, d]:
                    usable = False
            if usable:
                given += best * problem.room[h, r] - load[h, r] if r < fluid else free[h, r - fluid]
        if r < fluid:
            if rest[depth, r] > given * (1.0 + 1e-12):
                return False
        elif rest_hard[depth, r - fluid] > given + 1e-12:
            return False
    return True


@njit(cache=True, nogil=True, error_model="numpy")
def candidates(problem, load, free, depth, first, best, out, peak):
    """Hosts for the task at `depth` that stay below `best`, least loaded first; one of each group in equal state."""
    hosts, fluid = problem.room.shape
    dims = problem.hard.shape[1]
    count = 0
    for h in range(first, hosts):
        fit = True
        worst = 0.0
        for d in range(dims):
            if problem.hard[depth, d] > free[h, d]:
                fit = False
        for f in range(fluid):
            worst = max(worst, (load[h, f] + problem.need[depth, f]) / problem.room[h, f])
        if not fit or worst >= best:
            continue
        for other in range(first, h):
            if problem.kind[other] != problem.kind[h]:
                continue
            same = True
            for f in range(fluid):
                same = same and load[other, f] == load[h, f]
            for d in range(dims):
                same = same and free[other, d] == free[h, d]
            if same:
                fit = False
                break
        if not fit:
            continue
        position = count
        while position > 0 and peak[position - 1] > worst:
            peak[position], out[position] = peak[position - 1], out[position - 1]
            position -= 1
        peak[position], out[position] = worst, h
        count += 1
    return count


@njit(cache=True, nogil=True, error_model="numpy")
def branch(problem, best, limit, mapping):
    """Search depth-first for mappings with a maximum load below `best`; the last and best goes to `mapping`.

    Returns (the least maximum load, nodes, 1 if the search was completed or met its goal).
    """
    need, hard = problem.need, problem.hard
    tasks, fluid = need.shape
    hosts, dims = problem.hard_room.shape
    load, free = np.zeros((hosts, fluid)), problem.hard_room + problem.tolerance
    rest, rest_hard = np.zeros((tasks + 1, fluid)), np.zeros((tasks + 1, dims))
    least, least_hard = np.full((tasks + 1, fluid), np.inf), np.full((tasks + 1, dims), np.inf)
    for t in range(tasks - 1, -1, -1):
        rest[t], rest_hard[t] = rest[t + 1] + need[t], rest_hard[t + 1] + hard[t]
        least[t], least_hard[t] = np.minimum(least[t + 1], need[t]), np.minimum(least_hard[t + 1], hard[t])
    options, peak = np.zeros((tasks, hosts), np.int64), np.zeros((tasks, hosts))
    count, tried = np.zeros(tasks, np.int64), np.zeros(tasks, np.int64)
    highest = np.zeros(tasks + 1)
    old_load, old_free = np.zeros((tasks, fluid)), np.zeros((tasks, dims))
    chosen = np.zeros(tasks, np.int64)
    depth, nodes, entering = 0, 0, True
    while depth >= 0:
        if entering:
            nodes += 1
            if nodes > limit:
                return best, nodes, 0
            first = chosen[depth - 1] if depth > 0 and problem.twin[depth] else 0
            tried[depth] = 0
            count[depth] = 0
            if may_beat(problem, load, free, rest, rest_hard, least, least_hard, depth, best):
                count[depth] = candidates(problem, load, free, depth, first, best, options[depth], peak[depth])
            entering = False
        k = tried[depth]
        if k > 0:
            h = chosen[depth]
            for f in range(fluid):
                load[h, f] = old_load[depth, f]
            for d in range(dims):
                free[h, d] = old_free[depth, d]
        if k >= count[depth] or peak[depth, k] >= best:
            depth -= 1
            continue
        tried[depth] += 1
        h = options[depth, k]
        chosen[depth] = h
        for f in range(fluid):
            old_load[depth, f] = load[h, f]
            load[h, f] += need[depth, f]
        for d in range(dims):
            old_free[depth, d] = free[h, d]
            free[h, d] -= hard[depth, d]
        highest[depth + 1] = max(highest[depth], peak[depth, k])
        if depth + 1 < tasks:
            depth += 1
            entering = True
        elif highest[tasks] < best:
            best = highest[tasks]
            for t in range(tasks):
                mapping[t] = chosen[t]
            if best <= problem.goal:
                return best, nodes, 1
    return best, nodes, 1
