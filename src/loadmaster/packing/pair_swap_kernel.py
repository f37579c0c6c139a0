# mypy: disable-error-code="no-untyped-def"
"""Local search from the fullest host: exchanges with random partners, then groups of hosts divided anew; compiled."""

from typing import Any, NamedTuple

from loadmaster.jit.kernels import LEAN, cached_njit, inner
from loadmaster.model.arrays import Floats, Longs
from loadmaster.packing.improve_kernel import changed_peak, draw, has_room, load_state, relocate
from loadmaster.packing.regroup_kernel import GROUP, regroup

kernel: Any = cached_njit(**LEAN)
PARTNERS = 1_000
"""Partners that the fullest host tries before groups are; all of them where there are no more."""
GROUPS = 200
"""Groups of hosts that are tried before the search is stuck."""
SHAKES = 3
"""Random swaps that get a stuck search going again."""


class PairWalk(NamedTuple):
    """What the search keeps beside the mapping, changed in place.

    Attributes:
        tree: int64[2, 2 L], two tournaments over L >= H leaves: each node has the host with the larger peak of two in
            the first and with the smaller in the second, the lower index among equals; -1 where there is none. Node 1
            is the fullest host, and the emptiest.
        best: int64[T], the best mapping; least: float64[1], its largest peak.
        random: uint64[1], the state of the random numbers.
    """

    tree: Longs
    best: Longs
    least: Floats
    random: Any


@inner
def winner(peak, one, other, side):
    """The fuller of two hosts (side 0) or the emptier (1); `one`, of the lower index, among equals; -1 is none."""
    if one < 0 or other < 0:
        return max(one, other)
    if side == 0:
        return one if peak[one] >= peak[other] else other
    return one if peak[one] <= peak[other] else other


@kernel
def build_tree(tree, peak):
    """Fill both tournaments."""
    leaves = tree.shape[1] // 2
    for side in range(2):
        for k in range(leaves):
            tree[side, leaves + k] = k if k < peak.shape[0] else -1
        for node in range(leaves - 1, 0, -1):
            tree[side, node] = winner(peak, tree[side, 2 * node], tree[side, 2 * node + 1], side)


@kernel
def update_tree(tree, peak, h):
    """Host h has another peak."""
    for side in range(2):
        node = (tree.shape[1] // 2 + h) // 2
        while node > 0:
            tree[side, node] = winner(peak, tree[side, 2 * node], tree[side, 2 * node + 1], side)
            node //= 2


@kernel
def best_exchange(problem, state, top, g):
    """The move of a task from host `top` to g, or the swap of two, with the least larger peak of both below `top`'s.

    Returns (task, the task of g that comes back or -1, tasks and pairs looked at); task -1 if nothing helps.
    """
    limit, task, back, looks = state.peak[top] * (1.0 - 1e-12), -1, -1, 0
    t = state.head[top]
    while t >= 0:
        looks += 1
        value = max(changed_peak(problem, state.load, top, -1, t), changed_peak(problem, state.load, g, t, -1))
        if value < limit and has_room(problem, state.free, g, t, -1):
            limit, task, back = value, t, -1
        u = state.head[g]
        while u >= 0:
            looks += 1
            value = changed_peak(problem, state.load, top, u, t)
            if value < limit:
                value = max(value, changed_peak(problem, state.load, g, t, u))
                if (
                    value < limit
                    and has_room(problem, state.free, top, u, t)
                    and has_room(problem, state.free, g, t, u)
                ):
                    limit, task, back = value, t, u
            u = state.next[u]
        t = state.next[t]
    return task, back, looks


@inner
def exchange(problem, state, walk, top, g):
    """Make the best exchange between the two hosts; (whether there is one, looks)."""
    task, back, looks = best_exchange(problem, state, top, g)
    if task >= 0:
        relocate(problem, state, task, g)
        if back >= 0:
            relocate(problem, state, back, top)
        update_tree(walk.tree, state.peak, top)
        update_tree(walk.tree, state.peak, g)
    return task >= 0, looks


@inner
def relieve_by_pair(problem, state, walk, top):
    """Make the best exchange with the first partner that helps: the emptiest host, then all from a random one on.

    Returns (whether one did, looks).
    """
    hosts, g = problem.room.shape[0], walk.tree[1, 1]
    done, looks = False, 0
    if g != top:
        done, looks = exchange(problem, state, walk, top, g)
    g = draw(walk.random, hosts)
    for _ in range(min(hosts, PARTNERS)):
        if done:
            break
        if g != top:
            done, more = exchange(problem, state, walk, top, g)
            looks += more
        g = g + 1 if g + 1 < hosts else 0
    return done, looks


@inner
def relieve_by_group(problem, state, walk, scratch, top):
    """Divide the tasks of `top` and of a few random hosts anew, below its peak; (whether that was possible, looks)."""
    hosts, looks = problem.room.shape[0], 0
    for k in range(GROUPS):
        count = min(2 + draw(walk.random, GROUP - 1), hosts)
        scratch.hosts[0] = top
        for place in range(1, count):
            again = True
            while again:
                g = draw(walk.random, hosts)
                again = False
                for before in range(place):
                    again |= scratch.hosts[before] == g
            scratch.hosts[place] = g
        mean = 0.0
        for place in range(count):
            mean += state.peak[scratch.hosts[place]] / count
        part = 0.5 if k < GROUPS // 2 else 1.0
        limit = (mean + part * (state.peak[top] - mean)) * (1.0 - 1e-12)
        done, more = regroup(problem, state, scratch, count, limit, walk.random)
        looks += more
        if done:
            for place in range(count):
                update_tree(walk.tree, state.peak, scratch.hosts[place])
            return True, looks
    return False, looks


@inner
def shake(problem, state, walk):
    """Swap random tasks, one of the first two on the fullest host."""
    tasks = problem.need.shape[0]
    for k in range(SHAKES):
        t, u = draw(walk.random, tasks), draw(walk.random, tasks)
        if k == 0:
            t = state.head[walk.tree[0, 1]]
            if t < 0:  # what rounding left on an empty host is the largest load
                continue
        h, g = state.host[t], state.host[u]
        if h != g and has_room(problem, state.free, h, u, t) and has_room(problem, state.free, g, t, u):
            relocate(problem, state, t, g)
            relocate(problem, state, u, h)
            update_tree(walk.tree, state.peak, h)
            update_tree(walk.tree, state.peak, g)


@inner
def keep_best(state, walk, top):
    """The mapping at hand is the best."""
    for t in range(state.host.shape[0]):
        walk.best[t] = state.host[t]
    walk.least[0] = state.peak[top]


@kernel
def start_walk(problem, state, walk, mapping):
    """Begin at `mapping`, int64[T]."""
    load_state(problem, state, mapping)
    build_tree(walk.tree, state.peak)
    keep_best(state, walk, walk.tree[0, 1])


@kernel
def search_on(problem, state, walk, scratch, goal, budget):
    """Iterated local search: relieve the fullest host until nothing helps, shake, go back to the best if it is worse.

    Args:
        problem: tasks and hosts.
        state: the mapping at hand, changed.
        walk: where the search stands, changed; `walk.best` is the best mapping.
        scratch: of `regroup`.
        goal: a peak at which to stop.
        budget: pairs of tasks, and steps of dividing, after which to stop.

    Returns (1 if the goal is met, else 0; how often the search was stuck; pairs and steps).
    """
    looks, stuck = 0, 0
    while looks < budget:
        top = walk.tree[0, 1]
        if state.peak[top] <= goal:
            keep_best(state, walk, top)
            return 1, stuck, looks
        done, more = relieve_by_pair(problem, state, walk, top)
        looks += more + 1
        if not done and problem.room.shape[0] > 1:
            done, more = relieve_by_group(problem, state, walk, scratch, top)
            looks += more
        if done:
            continue
        stuck += 1
        looks += problem.need.shape[0]
        if state.peak[top] <= walk.least[0]:
            keep_best(state, walk, top)
        else:
            load_state(problem, state, walk.best)
            build_tree(walk.tree, state.peak)
        shake(problem, state, walk)
    top = walk.tree[0, 1]
    if state.peak[top] < walk.least[0]:
        keep_best(state, walk, top)
    return 0, stuck, looks
