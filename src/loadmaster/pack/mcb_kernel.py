# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,untyped-decorator,no-any-return"
"""Multi-capacity bin packing, compiled: lists sorted once, first fit by a tree of minima (reference: mcb_plain.py)."""

from typing import NamedTuple

import numpy as np
from numba import njit

from loadmaster.model.arrays import Bools, Floats, Longs


class McbProblem(NamedTuple):
    """What stays the same over all probes.

    Attributes:
        floor: float64[T, D], demand that does not depend on the level (rigid demands, guaranteed shares).
        slope: float64[T, D], demand per unit of level; demand at level y is max(floor, slope * y).
        room: float64[H, D], capacities in the order in which hosts are filled.
        order: int64[D, T], tasks in the order of the key within a list led by resource d, where `sorted_once`.
        sorted_once: the order within each list is the same at every level.
        key: 1..8, the sorting key of MCB1 to MCB8.
        tolerance: by how much a host may be overfilled.
    """

    floor: Floats
    slope: Floats
    room: Floats
    order: Longs
    sorted_once: bool
    key: int
    tolerance: float


class McbWork(NamedTuple):
    """Scratch, overwritten by every probe.

    Attributes:
        demand: float64[T, D].
        item: int64[T], tasks list after list; list (a, b) holds tasks whose largest demand is a and the next b.
        list_of: int64[T].
        start: int64[K + 1], where each list begins in `item`; K = D * D.
        base: int64[K + 1], where each list's tree begins, in nodes.
        leaves: int64[K], leaves of each tree, a power of two.
        tree: float64[(4 T + 4 K) * D], the least demands below every node; infinity where nothing is left.
        left: int64[K], tasks still to place in each list.
        open: bool[K], the list may still hold a task that fits the host being filled.
        cursor: int64[K], where to go on searching for this host.
        host: int64[T], the mapping being made, hosts numbered as in `room`.
    """

    demand: Floats
    item: Longs
    list_of: Longs
    start: Longs
    base: Longs
    leaves: Longs
    tree: Floats
    left: Longs
    open: Bools
    cursor: Longs
    host: Longs


@njit(cache=True, nogil=True, error_model="numpy")
def sort_value(key, demand, task, dims):
    """The key of MCB1 to MCB8 for one task, so that ascending order of the value is the list's order."""
    high, low, total = demand[task, 0], demand[task, 0], 0.0
    for d in range(dims):
        value = demand[task, d]
        total += value
        high = max(high, value)
        low = min(low, value)
    kind = key % 4
    if kind == 1:
        value = total
    elif kind == 2:
        value = high - low
    elif kind == 3:
        value = high / low if low > 0.0 else np.inf
    else:
        value = high
    return value if key <= 4 else -value


@njit(cache=True, nogil=True, error_model="numpy")
def make_lists(problem, work, level):
    """Part the tasks into lists by their two largest demands, each in the order of the key; build the trees."""
    floor, slope, order = problem.floor, problem.slope, problem.order
    demand, item, list_of, start = work.demand, work.item, work.list_of, work.start
    tasks, dims = floor.shape
    kinds = dims * dims
    start[:] = 0
    for t in range(tasks):
        first = 0
        for d in range(dims):
            demand[t, d] = max(floor[t, d], slope[t, d] * level)
            if demand[t, d] >= demand[t, first]:
                first = d
        second = 1 if first == 0 and dims > 1 else 0
        for d in range(dims):
            if d != first and demand[t, d] >= demand[t, second]:
                second = d
        list_of[t] = first * dims + second
        start[list_of[t] + 1] += 1
    for k in range(kinds):
        start[k + 1] += start[k]
        work.cursor[k] = start[k]
    if problem.sorted_once:
        for d in range(dims):
            for position in range(tasks):
                t = order[d, position]
                k = list_of[t]
                if k // dims == d:
                    item[work.cursor[k]] = t
                    work.cursor[k] += 1
    else:
        values = np.empty(tasks)
        for t in range(tasks):
            values[t] = sort_value(problem.key, demand, t, dims)
        for t in np.argsort(values, kind="mergesort"):
            k = list_of[t]
            item[work.cursor[k]] = t
            work.cursor[k] += 1
    build_trees(work, dims, kinds)


@njit(cache=True, nogil=True, error_model="numpy")
def build_trees(work, dims, kinds):
    """Fill the tree of every list: leaf i has the demands of its i-th task, a node the minima of its children."""
    tree, base, leaves, start, item, demand = work.tree, work.base, work.leaves, work.start, work.item, work.demand
    base[0] = 0
    for k in range(kinds):
        count = start[k + 1] - start[k]
        size = 1
        while size < count:
            size *= 2
        leaves[k] = size
        base[k + 1] = base[k] + 2 * size
        for i in range(size):
            at = (base[k] + size + i) * dims
            for d in range(dims):
                tree[at + d] = demand[item[start[k] + i], d] if i < count else np.inf
        for node in range(size - 1, 0, -1):
            at = (base[k] + node) * dims
            child = (base[k] + 2 * node) * dims
            for d in range(dims):
                tree[at + d] = min(tree[child + d], tree[child + dims + d])


@njit(cache=True, nogil=True, error_model="numpy")
def probe(problem, work, level):
    """Try to pack every task at `level` (SPEC A1.10); fills `work.host`.

    One long function on purpose: a call that takes arrays would count references in the innermost loop, which cost
    more than the search itself.

    Returns the number of tasks placed; fewer than could be when it stops early because the rest cannot fit.
    """
    make_lists(problem, work, level)
    room, demand, host, tolerance = problem.room, work.demand, work.host, problem.tolerance
    tree, base, leaves, start, item = work.tree, work.base, work.leaves, work.start, work.item
    left, is_open, cursor = work.left, work.open, work.cursor
    hosts, dims = room.shape
    tasks, kinds = demand.shape[0], dims * dims
    free, rank = np.empty(dims), np.empty(dims, np.int64)
    missing, coming = np.zeros(dims), np.zeros(dims)
    for d in range(dims):
        for t in range(tasks):
            missing[d] += demand[t, d]
        for h in range(hosts):
            coming[d] += room[h, d] + tolerance
    for k in range(kinds):
        left[k] = start[k + 1] - start[k]
    placed = 0
    for h in range(hosts):
        for d in range(dims):
            free[d] = room[h, d] + tolerance
            if missing[d] > coming[d] + 1e-7 * (1.0 + coming[d]):
                return placed  # what is left cannot fit into the hosts that are left
            coming[d] -= free[d]
        for k in range(kinds):
            is_open[k] = left[k] > 0
            cursor[k] = 0
        while True:
            # The open list that goes most against the host's imbalance.
            for d in range(dims):
                rank[d] = 0
                for other in range(dims):
                    if free[other] > free[d] or (free[other] == free[d] and other < d):
                        rank[d] += 1
            k, best = -1, kinds
            for a in range(dims):
                for b in range(dims):
                    if is_open[a * dims + b] and rank[a] * dims + rank[b] < best:
                        k, best = a * dims + b, rank[a] * dims + rank[b]
            if k < 0:
                break
            # Its first task that fits: down where the minima fit, else on to the next subtree to the right.
            size, root = leaves[k], base[k]
            node = 1 if cursor[k] == 0 else size + cursor[k]
            while node > 0:
                at = (root + node) * dims
                d = 0
                while d < dims and tree[at + d] <= free[d]:
                    d += 1
                if d == dims:
                    if node >= size:
                        break
                    node = 2 * node
                else:
                    while node & 1:
                        node >>= 1
                    if node > 0:
                        node += 1
            if node == 0:
                is_open[k] = False
                continue
            index = node - size
            t = item[start[k] + index]
            host[t] = h
            for d in range(dims):
                free[d] -= demand[t, d]
                missing[d] -= demand[t, d]
                tree[(root + node) * dims + d] = np.inf
            # Out of the tree, up to where the minima no longer change.
            node >>= 1
            while node > 0:
                at, child = (root + node) * dims, (root + 2 * node) * dims
                changed = False
                for d in range(dims):
                    least = min(tree[child + d], tree[child + dims + d])
                    if least != tree[at + d]:
                        tree[at + d] = least
                        changed = True
                if not changed:
                    break
                node >>= 1
            left[k] -= 1
            placed += 1
            cursor[k] = index + 1
            if left[k] == 0 or index + 1 >= size:
                is_open[k] = False
        if placed == tasks:
            return placed
    return placed


@njit(cache=True, nogil=True, error_model="numpy")
def search(problem, work, high, threshold, probe_high, best):
    """Bisect for the highest level at which `probe` succeeds; its mapping goes to `best`.

    Returns (level of the last success, -1 without one; number of probes).
    """
    tasks = problem.floor.shape[0]
    low, level, probes = 0.0, -1.0, 0
    if probe_high:
        probes += 1
        if probe(problem, work, high) == tasks:
            best[:] = work.host
            return high, probes
    while high - low > threshold:
        middle = (low + high) / 2.0
        probes += 1
        if probe(problem, work, middle) == tasks:
            low, level = middle, middle
            best[:] = work.host
        else:
            high = middle
    return level, probes
