# mypy: disable-error-code="no-untyped-def"
"""A few hosts whose tasks are divided among them anew so that none is fuller than a limit, compiled."""

from typing import Any, NamedTuple

from loadmaster.jit.kernels import LEAN, cached_njit, inlined, inner
from loadmaster.model.arrays import Floats, Longs
from loadmaster.packing.improve_kernel import draw, relocate

kernel: Any = cached_njit(**LEAN)
GROUP = 5
"""Hosts in a group at most."""
FREE = 15
"""Tasks that are divided at most; of each host as many, drawn at random, the others stay where they are."""
STEPS = 3_000
"""Steps after which a division is given up."""


class HostGroup(NamedTuple):
    """Scratch of `regroup`: G hosts at most, N tasks at most, R = F + D resources, the fluid ones first.

    Attributes:
        hosts: int64[G], the hosts of the group.
        tasks: int64[N], the tasks that are divided; place: int64[N], the host's place in the group for each, -1 so far.
        used: float64[G, R], what stands on each host; most: float64[G, R], what may.
        rest: float64[G, N + 1, R], what the tasks from this one on request that no host before this one has taken.
        spare: float64[G + 1, R], what the hosts from this one on may leave empty.
        choice: int64[G * (N + 1)], the stack: 1 taken, 2 left to the hosts behind, 3 has a host already.
    """

    hosts: Longs
    tasks: Longs
    place: Longs
    used: Floats
    most: Floats
    rest: Floats
    spare: Floats
    choice: Longs


@inlined
def demand_of(problem, task, r):
    """What a task requests of resource r, the fluid ones first."""
    fluid = problem.need.shape[1]
    return problem.need[task, r] if r < fluid else problem.hard[task, r - fluid]


@inner
def pick_tasks(state, group, count, random):
    """Write the tasks that are divided to `group.tasks`: of each host at most FREE // count; returns how many."""
    most, found = FREE // count, 0
    for p in range(count):
        seen, start = 0, found
        t = state.head[group.hosts[p]]
        while t >= 0:
            if seen < most:
                group.tasks[found] = t
                found += 1
            else:
                k = draw(random, seen + 1)
                if k < most:
                    group.tasks[start + k] = t
            seen += 1
            t = state.next[t]
    return found


@inner
def set_up(problem, state, group, count, tasks, limit):
    """Fill `used`, `most` and `spare[0]` with nothing divided yet; False if the group is too full for the limit."""
    fluid, hard = problem.need.shape[1], problem.hard.shape[1]
    group.spare[0, :] = 0.0
    for p in range(count):
        h = group.hosts[p]
        for f in range(fluid):
            group.used[p, f] = state.load[h, f]
            group.most[p, f] = problem.room[h, f] * limit
            group.spare[0, f] += group.most[p, f] - state.load[h, f]
        for d in range(hard):
            group.used[p, fluid + d] = problem.hard_room[h, d] - state.free[h, d]
            group.most[p, fluid + d] = problem.hard_room[h, d]
            group.spare[0, fluid + d] += state.free[h, d]
    for k in range(tasks):
        group.place[k] = -1
        t = group.tasks[k]
        for p in range(count):
            if group.hosts[p] == state.host[t]:
                for r in range(fluid + hard):
                    group.used[p, r] -= demand_of(problem, t, r)
    enough = True
    for r in range(fluid):
        enough &= group.spare[0, r] >= 0.0
    return enough


@inner
def sum_rest(problem, group, p, tasks):
    """Fill `rest` of host p, which is next."""
    group.rest[p, tasks, :] = 0.0
    for k in range(tasks - 1, -1, -1):
        for r in range(group.rest.shape[2]):
            asked = demand_of(problem, group.tasks[k], r) if group.place[k] < 0 else 0.0
            group.rest[p, k, r] = group.rest[p, k + 1, r] + asked


@inlined
def may_still_fill(group, p, k):
    """Host p, with all tasks from k on that have no host, leaves no more empty than the group may."""
    enough = True
    for r in range(group.most.shape[1]):
        enough &= group.used[p, r] + group.rest[p, k, r] >= group.most[p, r] - group.spare[p, r] - 1e-12
    return enough


@inlined
def takes(problem, group, p, task):
    """Host p holds one more task within the limit."""
    fits = True
    for r in range(group.most.shape[1]):
        fits &= group.used[p, r] + demand_of(problem, task, r) <= group.most[p, r]
    return fits


@inlined
def give(problem, group, p, k, sign):
    """Give the k-th task to host p (sign 1), or take it back (-1)."""
    group.place[k] = p if sign > 0 else -1
    for r in range(group.used.shape[1]):
        group.used[p, r] += sign * demand_of(problem, group.tasks[k], r)


@inner
def divide(problem, group, count, tasks):
    """Give every task a host, one host after the other, depth-first; (whether it was possible, steps)."""
    p, k, steps, forward = 0, 0, 0, True
    sum_rest(problem, group, 0, tasks)
    while True:
        depth = p * (tasks + 1) + k
        if forward:
            steps += 1
            if steps > STEPS:
                return False, steps
            if not may_still_fill(group, p, k):
                forward = False
            elif k == tasks:
                if p == count - 1:
                    return True, steps
                for r in range(group.most.shape[1]):
                    group.spare[p + 1, r] = group.spare[p, r] - (group.most[p, r] - group.used[p, r])
                p, k = p + 1, 0
                sum_rest(problem, group, p, tasks)
                continue
            elif group.place[k] >= 0:
                group.choice[depth] = 3
                k += 1
                continue
            elif takes(problem, group, p, group.tasks[k]):
                give(problem, group, p, k, 1)
                group.choice[depth] = 1
                k += 1
                continue
            elif p < count - 1:
                group.choice[depth] = 2
                k += 1
                continue
            else:
                forward = False
        if k == 0:
            if p == 0:
                return False, steps
            p, k = p - 1, tasks
            continue
        k -= 1
        depth = p * (tasks + 1) + k
        if group.choice[depth] == 1:
            give(problem, group, p, k, -1)
            if p < count - 1:
                group.choice[depth] = 2
                k += 1
                forward = True


@kernel
def regroup(problem, state, group, count, limit, random):
    """Divide tasks of the first `count` hosts in `group.hosts` anew so that no peak is above `limit`.

    The mapping changes only where that is possible. Returns (whether it was, steps).
    """
    tasks = pick_tasks(state, group, count, random)
    if not set_up(problem, state, group, count, tasks, limit):
        return False, tasks
    done, steps = divide(problem, group, count, tasks)
    if done:
        for k in range(tasks):
            relocate(problem, state, group.tasks[k], group.hosts[group.place[k]])
    return done, steps + tasks
