# mypy: disable-error-code="no-untyped-def"
"""The pattern of the highest value on one host: by a table over whole amounts, or by branching; compiled."""

from typing import Any, NamedTuple

from loadmaster.jit.kernels import LEAN, cached_njit, inner
from loadmaster.model.arrays import Floats, Longs

kernel: Any = cached_njit(**LEAN)


class Items(NamedTuple):
    """What may stand on the host, in the order of branching: the most value for its size first.

    Attributes:
        value: float64[N], more than 0.
        demand: float64[N, R].
        most: int64[N], how many of each, 1 or more.
        size: float64[N], the weighted sum of the demands; see `Host.weight`.
    """

    value: Floats
    demand: Floats
    most: Longs
    size: Floats


class Branching(NamedTuple):
    """Where a depth-first search stands, L levels deep at most: level l has added l tasks.

    Attributes:
        now: int64[N], the pattern at hand; chosen: int64[N], the best one.
        item: int64[L], what each level adds; at: int64[L + 1], the first item that it may still add.
        free: float64[L + 1, R]; worth: float64[L + 1], the value so far; room: float64[L + 1], see `branch_pattern`.
    """

    now: Longs
    chosen: Longs
    item: Longs
    at: Longs
    free: Floats
    worth: Floats
    room: Floats


@kernel
def fill_table(size, most, value, best, taken):
    """Fill the table of a bounded knapsack over two whole amounts, and return the highest value.

    Copies of an item are taken in groups of 1, 2, 4, ...; a row of `taken` stands for a group.

    Args:
        size: int64[N, 2], the amounts of each item.
        most: int64[N], how many of each.
        value: float64[N].
        best: float64[C1 + 1, C2 + 1], written: the highest value within these amounts.
        taken: uint8[G, C1 + 1, C2 + 1], written: 1 where the group is taken.
    """
    best[:] = 0.0
    group = 0
    for n in range(value.shape[0]):
        left, copies = most[n], 1
        while left > 0:
            copies = min(copies, left)
            a, b, gain = size[n, 0] * copies, size[n, 1] * copies, value[n] * copies
            mark = taken[group]
            mark[:] = 0
            for i in range(best.shape[0] - 1, a - 1, -1):
                for j in range(best.shape[1] - 1, b - 1, -1):
                    worth = best[i - a, j - b] + gain
                    if worth > best[i, j]:
                        best[i, j] = worth
                        mark[i, j] = 1
            left -= copies
            copies *= 2
            group += 1
    return best[best.shape[0] - 1, best.shape[1] - 1]


@kernel
def read_table(size, most, taken, pattern):
    """Write to `pattern`, int64[N], how many of each item the highest value of a filled table takes."""
    pattern[:] = 0
    group = 0
    for n in range(most.shape[0]):
        left, copies = most[n], 1
        while left > 0:
            left -= min(copies, left)
            copies *= 2
            group += 1
    i, j = taken.shape[1] - 1, taken.shape[2] - 1
    for n in range(most.shape[0] - 1, -1, -1):
        groups, left, copies = 0, most[n], 1
        while left > 0:
            left -= min(copies, left)
            copies *= 2
            groups += 1
        for g in range(groups - 1, -1, -1):
            group -= 1
            if taken[group, i, j]:
                number = min(1 << g, most[n] - ((1 << g) - 1))
                pattern[n] += number
                i -= size[n, 0] * number
                j -= size[n, 1] * number


@inner
def begin(search, capacity, room):
    """Nothing is on the host yet."""
    search.now[:] = 0
    search.chosen[:] = 0
    for r in range(capacity.shape[0]):
        search.free[0, r] = capacity[r]
    search.worth[0], search.room[0], search.at[0] = 0.0, room, 0


@inner
def may_add(items, search, level, n):
    """One more of item n fits."""
    if search.now[n] >= items.most[n]:
        return False
    fits = True
    for r in range(items.demand.shape[1]):
        fits &= items.demand[n, r] <= search.free[level, r]
    return fits


@inner
def reach(items, search, level, n):
    """No pattern that adds items from n on is worth more: the room left, filled with what still fits, one split."""
    worth, room = search.worth[level], search.room[level]
    for m in range(n, items.value.shape[0]):
        number = items.most[m] - search.now[m]
        if number > 0 and (m == n or may_add(items, search, level, m)):
            size = items.size[m] * number
            if size >= room:
                return worth + room * items.value[m] / items.size[m]
            worth += items.value[m] * number
            room -= size
    return worth


@inner
def add(items, search, level, n):
    """Go one level deeper with one more of item n."""
    search.item[level] = n
    search.now[n] += 1
    for r in range(items.demand.shape[1]):
        search.free[level + 1, r] = search.free[level, r] - items.demand[n, r]
    search.worth[level + 1] = search.worth[level] + items.value[n]
    search.room[level + 1] = search.room[level] - items.size[n]
    search.at[level + 1] = n


@inner
def take_back(search, level):
    """Take back what `level` added; the next item is its turn."""
    search.now[search.item[level]] -= 1
    search.at[level] = search.item[level] + 1


@kernel
def branch_pattern(items, capacity, room, least, limit, search):
    """The pattern of the highest value above `least` by depth-first search of at most `limit` steps.

    A branch ends where its value, with the items that still fit and could be split, is not above the best.
    `search.chosen` is the best pattern; all 0 if none is above `least`.

    Args:
        items: what may stand on the host.
        capacity: float64[R], what the host has.
        room: the weighted sum of the capacities, as `items.size` is of the demands.
        least: a value to beat.
        limit: steps after which the search stops.
        search: written.

    Returns:
        The best value, an upper bound on every value, and the steps.
    """
    begin(search, capacity, room)
    best, steps, level, kinds = least, 0, 0, items.value.shape[0]
    while level >= 0 and steps < limit:
        n = search.at[level]
        while n < kinds and not may_add(items, search, level, n):
            n += 1
        if n < kinds and reach(items, search, level, n) <= best + 1e-12:
            n = kinds
        if n == kinds:
            level -= 1
            if level >= 0:
                take_back(search, level)
            continue
        add(items, search, level, n)
        level += 1
        steps += 1
        if search.worth[level] > best + 1e-12:
            best = search.worth[level]
            for m in range(kinds):
                search.chosen[m] = search.now[m]
    upper = best
    while level >= 0:  # what the branches that are left could still reach
        if search.at[level] < kinds:
            upper = max(upper, reach(items, search, level, search.at[level]))
        level -= 1
        if level >= 0:
            take_back(search, level)
    return best, upper, steps


@kernel
def list_patterns(items, capacity, room, least, search, out):
    """All patterns with a value of at least `least` to which nothing can be added, written to the rows of `out`.

    Args:
        items: what may stand on the host.
        capacity: as for `branch_pattern`.
        room: as for `branch_pattern`.
        least: the least value.
        search: written.
        out: int64[P, N].

    Returns:
        How many patterns there are; -1 if more than P, or if the search took more than 100 steps for each row.
    """
    begin(search, capacity, room)
    count, steps, level, entered, kinds = 0, 0, 0, True, items.value.shape[0]
    while level >= 0:
        n = search.at[level]
        while n < kinds and not may_add(items, search, level, n):
            n += 1
        if n == kinds and entered and search.worth[level] >= least:
            full = True
            for m in range(search.at[level]):
                full &= not may_add(items, search, level, m)
            if full:
                if count == out.shape[0]:
                    return -1
                for m in range(kinds):
                    out[count, m] = search.now[m]
                count += 1
        if n < kinds and reach(items, search, level, n) < least:
            n = kinds
        if n == kinds:
            level -= 1
            entered = False
            if level >= 0:
                take_back(search, level)
            continue
        add(items, search, level, n)
        level += 1
        entered = True
        steps += 1
        if steps > 100 * out.shape[0]:
            return -1
    return count
