# mypy: disable-error-code="no-untyped-def"
"""Branch and bound for the highest level under rigid capacities, compiled."""

from typing import Any, NamedTuple

import numpy as np

from loadmaster.jit.kernels import LEAN, cached_njit
from loadmaster.model.arrays import Bools, Floats, Ints, Longs

kernel: Any = cached_njit(nogil=True, error_model="numpy")
part: Any = cached_njit(forceinline=True, **LEAN)


class BranchProblem(NamedTuple):
    """Tasks in the order in which they are branched on.

    Attributes:
        need: float64[T, F], load per unit of level; room: float64[H, F].
        turn: float64[T], the level at which a task's weighted yield overtakes its guarantee: it asks need x max(turn,
            level).
        hard: float64[T, D]; hard_room: float64[H, D].
        kind: int32[H], equal for hosts of equal capacity.
        twin: bool[T], the task equals the one before it.
        goal: a level that cannot be beaten.
        least: a level that every mapping which fits reaches.
        guaranteed: some turn is above 0.
        tolerance: by how much a host may be overfilled with what it must hold.
    """

    need: Floats
    room: Floats
    turn: Floats
    hard: Floats
    hard_room: Floats
    kind: Ints
    twin: Bools
    goal: float
    least: float
    guaranteed: bool
    tolerance: float


class BranchSearch(NamedTuple):
    """Where the search stands; the first tasks are placed, the rest is not. There is one task at least.

    A host is one option of a task at most, so H suffice for `options` and `peak`.

    Attributes:
        asked: float64[T, F], what tasks request at the level to beat; room: float64[H, F], what hosts have for it.
        rest: float64[T + 1, F + D], what tasks request from this one on; least: the same, the smallest of any of them.
        load: float64[H, F]; free: float64[H, D]; tasks: int64[H], how many on each host.
        old: float64[T, F + D], load and free of the chosen host before the task came.
        chosen: int64[T]; options: int64[T, H], hosts to try; peak: float64[H], scratch.
        found, tried: int64[T], how many options each placed task has, and has been through.
        at: int64[2], how many tasks are placed; 1 if the options of the next one are still to be found.
    """

    asked: Floats
    room: Floats
    rest: Floats
    least: Floats
    load: Floats
    free: Floats
    tasks: Longs
    old: Floats
    chosen: Longs
    options: Longs
    peak: Floats
    found: Longs
    tried: Longs
    at: Longs


@kernel
def start_walk(problem):
    """A walk with nothing placed."""
    tasks, fluid = problem.need.shape
    hosts, dims = problem.hard_room.shape
    return BranchSearch(
        np.zeros((tasks, fluid)),
        problem.room + (problem.tolerance if problem.guaranteed else 0.0),
        np.zeros((tasks + 1, fluid + dims)),
        np.full((tasks + 1, fluid + dims), np.inf),
        np.zeros((hosts, fluid)),
        problem.hard_room + problem.tolerance,
        np.zeros(hosts, np.int64),
        np.zeros((tasks, fluid + dims)),
        np.zeros(tasks, np.int64),
        np.zeros((tasks, hosts), np.int64),
        np.zeros(hosts),
        np.zeros(tasks, np.int64),
        np.zeros(tasks, np.int64),
        np.array([0, 1]),
    )


@part
def aim(problem, walk, level, depth):
    """Ask for more than `level` from here on; the loads of the first `depth` tasks follow."""
    tasks, fluid = problem.need.shape
    wanted = max(level * (1.0 + 1e-12), 1e-300) if level >= 0.0 else problem.least
    for t in range(tasks - 1, -1, -1):
        for f in range(fluid):
            walk.asked[t, f] = problem.need[t, f] * max(problem.turn[t], wanted)
            walk.rest[t, f] = walk.rest[t + 1, f] + walk.asked[t, f]
            walk.least[t, f] = min(walk.least[t + 1, f], walk.asked[t, f])
        for d in range(problem.hard.shape[1]):
            walk.rest[t, fluid + d] = walk.rest[t + 1, fluid + d] + problem.hard[t, d]
            walk.least[t, fluid + d] = min(walk.least[t + 1, fluid + d], problem.hard[t, d])
    walk.load[:] = 0.0
    for t in range(depth):
        h = walk.chosen[t]
        for f in range(fluid):
            walk.old[t, f] = walk.load[h, f]
            walk.load[h, f] += walk.asked[t, f]


@part
def may_fit(problem, walk, depth):
    """The rest of the tasks may still fit: summed over the hosts that can take any of them."""
    hosts, fluid = walk.room.shape
    for r in range(walk.rest.shape[1]):
        given = 0.0
        for h in range(hosts):
            usable = True
            for f in range(fluid):
                if walk.load[h, f] > walk.room[h, f]:
                    return False  # too full since the level to beat has risen
                usable &= walk.load[h, f] + walk.least[depth, f] <= walk.room[h, f]
            for d in range(problem.hard.shape[1]):
                usable &= walk.least[depth, fluid + d] <= walk.free[h, d]
            if usable:
                given += walk.room[h, r] - walk.load[h, r] if r < fluid else walk.free[h, r - fluid]
        if walk.rest[depth, r] > given * (1.0 + 1e-12) + 1e-12:
            return False
    return True


@part
def relative_load(walk, h, depth):
    """The largest relative load of host h with the task at `depth`."""
    worst = 0.0
    for f in range(walk.room.shape[1]):
        load = walk.load[h, f] + walk.asked[depth, f]
        if load > 0.0:
            worst = max(worst, load / walk.room[h, f])
    return worst


@part
def equal_state(problem, walk, one, other):
    """Whatever is done with one host could be done with the other."""
    if problem.kind[one] != problem.kind[other]:
        return False
    if problem.guaranteed:  # equal loads at one level may differ at the next
        return walk.tasks[one] == 0 and walk.tasks[other] == 0
    for f in range(walk.load.shape[1]):
        if walk.load[one, f] != walk.load[other, f]:
            return False
    same = True
    for d in range(walk.free.shape[1]):
        same &= walk.free[one, d] == walk.free[other, d]
    return same


@part
def find_options(problem, walk, depth):
    """Hosts that can take the task at `depth`, the least loaded first; one of each group in equal state."""
    first = walk.chosen[depth - 1] if depth > 0 and problem.twin[depth] else 0
    out, peak, found = walk.options[depth], walk.peak, 0
    for h in range(first, walk.room.shape[0]):
        worst = relative_load(walk, h, depth)
        fit = worst <= 1.0
        for d in range(problem.hard.shape[1]):
            fit &= problem.hard[depth, d] <= walk.free[h, d]
        if not fit:
            continue
        position = found
        while position > 0 and peak[position - 1] > worst:
            position -= 1
        twin = position - 1  # hosts in equal state have equal loads
        while twin >= 0 and peak[twin] == worst and not equal_state(problem, walk, out[twin], h):
            twin -= 1
        if twin >= 0 and peak[twin] == worst:
            continue
        for k in range(found, position, -1):
            peak[k], out[k] = peak[k - 1], out[k - 1]
        peak[position], out[position] = worst, h
        found += 1
    return found


@part
def put(problem, walk, depth, h):
    """Place the task at `depth` on host h."""
    fluid = walk.load.shape[1]
    walk.chosen[depth] = h
    walk.tasks[h] += 1
    for f in range(fluid):
        walk.old[depth, f] = walk.load[h, f]
        walk.load[h, f] += walk.asked[depth, f]
    for d in range(walk.free.shape[1]):
        walk.old[depth, fluid + d] = walk.free[h, d]
        walk.free[h, d] -= problem.hard[depth, d]


@part
def take_back(walk, depth):
    """Undo `put`: sums get back the very values they had."""
    fluid, h = walk.load.shape[1], walk.chosen[depth]
    walk.tasks[h] -= 1
    for f in range(fluid):
        walk.load[h, f] = walk.old[depth, f]
    for d in range(walk.free.shape[1]):
        walk.free[h, d] = walk.old[depth, fluid + d]


@part
def reached(problem, walk):
    """The level of the complete mapping in `chosen`, at most the goal: the demand on a host is a line between turns."""
    hosts, fluid = problem.room.shape
    level = problem.goal
    for h in range(hosts):
        for f in range(fluid):
            while True:
                fixed = slope = turn = 0.0
                for t in range(problem.need.shape[0]):
                    if walk.chosen[t] == h and problem.turn[t] < level:
                        slope += problem.need[t, f]
                        turn = max(turn, problem.turn[t])
                    elif walk.chosen[t] == h:
                        fixed += problem.need[t, f] * problem.turn[t]
                if slope == 0.0 or fixed + slope * level <= problem.room[h, f]:
                    break
                meets = (problem.room[h, f] - fixed) / slope
                level = max(meets, turn)  # below its last turn the line is another one
                if meets >= turn or turn == 0.0:
                    break
    return level


@kernel
def branch(problem, walk, best, limit, mapping):
    """Search on depth-first for mappings with a level above `best`, -1 for any; the last and best goes to `mapping`.

    Returns (the highest level, nodes, 1 if the search is completed or has met its goal); called again it goes on.
    """
    tasks, found, tried = problem.need.shape[0], walk.found, walk.tried
    depth, entering, nodes = walk.at[0], walk.at[1] == 1, 0
    if depth == 0 and entering:
        aim(problem, walk, best, 0)
    while depth >= 0:
        if entering and nodes >= limit:
            walk.at[0], walk.at[1] = depth, 1
            return best, nodes, 0
        if entering:
            nodes += 1
            tried[depth] = 0
            found[depth] = find_options(problem, walk, depth) if may_fit(problem, walk, depth) else 0
        else:
            take_back(walk, depth)
        entering = False
        k = tried[depth]
        while k < found[depth] and relative_load(walk, walk.options[depth, k], depth) > 1.0:
            k += 1  # the level to beat has risen since
        tried[depth] = k + 1
        if k >= found[depth]:
            depth -= 1
            continue
        put(problem, walk, depth, walk.options[depth, k])
        if depth + 1 < tasks:
            depth += 1
            entering = True
            continue
        level = reached(problem, walk)
        if level > best:
            best = level
            mapping[:] = walk.chosen
            if best >= problem.goal:
                return best, nodes, 1
            aim(problem, walk, best, tasks)
    return best, nodes, 1
