# mypy: disable-error-code="no-untyped-def"
"""Multi-capacity bin packing, compiled: lists dealt in their order, hosts filled from them.

The reference is tests/packing/mcb_plain.py.

The parts that a probe calls for every task allocate nothing and are compiled without counting of references: with
it they took three times as long.
"""

from typing import Any, NamedTuple

import numpy as np

from loadmaster.jit.kernels import LEAN, cached_njit
from loadmaster.model.arrays import Bools, Floats, Longs
from loadmaster.packing.first_fit_kernel import build_trees, first_fit, take_out

kernel: Any = cached_njit(nogil=True, error_model="numpy")
part: Any = cached_njit(forceinline=True, **LEAN)


class McbProblem(NamedTuple):
    """What stays the same over all probes.

    Attributes:
        floor: float64[L, T, D], demand that does not depend on the level (rigid demands, guaranteed shares).
        slope: float64[L, T, D], demand per unit of level; demand at level y is max(floor, slope * y).
        task: int64[L, T], which task each row is. If the order within lists is the same at every level, L is D and
            table l has the tasks in the order of the lists led by resource l; else L is 1 and tasks are as given.
        room: float64[H, D], capacities in the order in which hosts are filled.
        key: 1..8, the sorting key of MCB1 to MCB8.
        tolerance: by how much a host may be overfilled.
    """

    floor: Floats
    slope: Floats
    task: Longs
    room: Floats
    key: int
    tolerance: float


class McbWork(NamedTuple):
    """Scratch, overwritten by every probe; K = D * D lists, list (a, b) of tasks whose largest demand is a, then b.

    The lists are kept as trees for first fit, see `first_fit_kernel`. `work_for` says why the arrays suffice. Hosts are
    fractions of the largest one, so that no infinite leaf, one without a task, ever fits.

    Attributes:
        capacity: leaves kept for each list, whole blocks.
        tree: float64[N, D], the leaves of all lists, then the levels above.
        task: int64[K * capacity], the task of every leaf.
        at: int64[K, LEVELS], where each level of each tree begins in `tree`.
        top: int64[K], the highest level of each tree.
        left: int64[K], tasks still to place in each list.
        open: bool[K], the list may still hold a task that fits the host being filled.
        cursor: int64[K], the leaf of each list behind which to go on searching for this host, -1 for all.
        free, gone, missing, coming: float64[D].
        ranked: int64[D], the resources, most free first.
        host: int64[T], the mapping being made, hosts numbered as in `room`.
    """

    capacity: int
    tree: Floats
    task: Longs
    at: Longs
    top: Longs
    left: Longs
    open: Bools
    cursor: Longs
    free: Floats
    gone: Floats
    missing: Floats
    coming: Floats
    ranked: Longs
    host: Longs


@kernel
def turn_of(problem, level):
    """int64[T]: the order of the key at `level`, for lists whose order depends on it; stable."""
    floor, slope = problem.floor[0], problem.slope[0]
    tasks, dims = floor.shape
    values = np.empty(tasks)
    for t in range(tasks):
        high = low = max(floor[t, 0], slope[t, 0] * level)
        total = 0.0
        for d in range(dims):
            value = max(floor[t, d], slope[t, d] * level)
            total += value
            high = max(high, value)
            low = min(low, value)
        kind = problem.key % 4
        if kind == 1:
            values[t] = total
        elif kind == 2:
            values[t] = high - low
        elif kind == 3:
            values[t] = high / low if low > 0.0 else np.inf
        else:
            values[t] = high
        if problem.key > 4:
            values[t] = -values[t]
    return np.argsort(values, kind="mergesort")


@part
def distribute_sorted(problem, work, lead, level):
    """Deal the tasks that request most of resource `lead` to its lists, in their order, and count them in `left`.

    Every task is written, and only those that belong are counted: a branch would be mispredicted half the time.
    """
    floor, slope, task = problem.floor[lead], problem.slope[lead], problem.task[lead]
    left, tree, owner, capacity, asked = work.left, work.tree, work.task, work.capacity, work.gone
    tasks, dims = floor.shape
    for row in range(tasks):
        for d in range(dims):
            value, least = slope[row, d] * level, floor[row, d]
            asked[d] = value if value > least else least
        own, second, more, belongs = asked[lead], 0, -1.0, 1
        for d in range(dims):
            if d != lead:
                belongs &= asked[d] < own or (asked[d] == own and d < lead)
                if asked[d] >= more:
                    second, more = d, asked[d]
        k = lead * dims + second
        leaf = k * capacity + left[k]
        owner[leaf] = task[row]
        for d in range(dims):
            tree[leaf, d] = asked[d]
        left[k] += belongs


@part
def distribute_by_two_largest(problem, work, turn, level):
    """Deal all tasks, in the order of `turn`, to the lists of their two largest demands; count them in `left`."""
    floor, slope = problem.floor[0], problem.slope[0]
    left, tree, owner, capacity = work.left, work.tree, work.task, work.capacity
    tasks, dims = floor.shape
    for position in range(tasks):
        row = turn[position]
        first = second = 0
        most = more = -1.0
        for d in range(dims):
            value = max(floor[row, d], slope[row, d] * level)
            if value >= most:
                first, second, most, more = d, first, value, most
            elif value >= more:
                second, more = d, value
        k = first * dims + second
        leaf = k * capacity + left[k]
        owner[leaf] = row
        for d in range(dims):
            tree[leaf, d] = max(floor[row, d], slope[row, d] * level)
        left[k] += 1


@part
def next_list(free, is_open, ranked):
    """The open list that goes most against the host's imbalance, -1 if none is open; `ranked` is kept by free room."""
    dims = free.shape[0]
    for i in range(1, dims):
        d, j = ranked[i], i
        while j > 0 and (free[ranked[j - 1]] < free[d] or (free[ranked[j - 1]] == free[d] and ranked[j - 1] > d)):
            ranked[j] = ranked[j - 1]
            j -= 1
        ranked[j] = d
    for i in range(dims):
        for j in range(dims):
            if is_open[ranked[i] * dims + ranked[j]]:
                return ranked[i] * dims + ranked[j]
    return -1


@part
def fill_hosts(problem, work):
    """Fill host after host from the lists (rule K10); the number of tasks placed.

    Stops early, with fewer than could be, when what is left cannot fit into the hosts that are left.
    """
    room, tolerance, free, missing, coming = problem.room, problem.tolerance, work.free, work.missing, work.coming
    tree, owner, at, top, host, gone = work.tree, work.task, work.at, work.top, work.host, work.gone
    left, is_open, cursor = work.left, work.open, work.cursor
    hosts, dims = room.shape
    tasks = host.shape[0]
    for d in range(dims):
        missing[d] = coming[d] = 0.0
        for k in range(left.shape[0]):
            for i in range(left[k]):
                missing[d] += tree[at[k, 0] + i, d]
        for h in range(hosts):
            coming[d] += room[h, d] + tolerance
    placed = 0
    for h in range(hosts):
        for d in range(dims):
            free[d] = room[h, d] + tolerance
            if missing[d] > coming[d] + 1e-7 * (1.0 + coming[d]):
                return placed
            coming[d] -= free[d]
        for k in range(left.shape[0]):
            is_open[k] = left[k] > 0
            cursor[k] = -1
        k = next_list(free, is_open, work.ranked)
        while k >= 0:
            i = first_fit(tree, at, k, top[k], cursor[k], free)
            if i < 0:
                is_open[k] = False
            else:
                host[owner[at[k, 0] + i]] = h
                for d in range(dims):
                    free[d] -= tree[at[k, 0] + i, d]
                    missing[d] -= tree[at[k, 0] + i, d]
                take_out(tree, at, k, top[k], i, gone)
                left[k] -= 1
                placed += 1
                cursor[k] = i
                is_open[k] = left[k] > 0
            k = next_list(free, is_open, work.ranked)
        if placed == tasks:
            return placed
    return placed


@kernel
def probe(problem, work, level):
    """Try to pack every task at `level`: `work.host` is the mapping if the number of tasks returned is all."""
    work.left[:] = 0
    if problem.task.shape[0] == 1:
        distribute_by_two_largest(problem, work, turn_of(problem, level), level)
    else:
        for lead in range(problem.task.shape[0]):
            distribute_sorted(problem, work, lead, level)
    build_trees(work.tree, work.at, work.top, work.left, work.capacity)
    return fill_hosts(problem, work)


@kernel
def search(problem, work, high, threshold, probe_high, best):
    """Bisect for the highest level at which `probe` succeeds; its mapping goes to `best`.

    Returns (level of the last success, -1 without one; number of probes).
    """
    tasks = work.host.shape[0]
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
