# mypy: disable-error-code="no-untyped-def"
"""A choice of patterns that covers all tasks within a cost: depth-first, the rarest task first; compiled."""

from typing import Any, NamedTuple

from loadmaster.jit.kernels import LEAN, cached_njit, inlined, inner
from loadmaster.model.arrays import Floats, Longs
from loadmaster.packing.improve_kernel import draw

kernel: Any = cached_njit(**LEAN)
CLOSE = 1e-7
"""How much more than is left a pattern may lose: rounding."""


class PatternSet(NamedTuple):
    """P patterns in E entries: entry e of pattern p is e in start[p] .. start[p + 1].

    Attributes:
        start: int64[P + 1]; task: int64[E], the kind of task; amount: int64[E].
        kind: int64[P], the kind of host.
        value: float64[E, B], what one of these tasks is worth by each of B certificates.
        limit: float64[P, B], the most that a pattern on this kind of host is worth.
    """

    start: Longs
    task: Longs
    amount: Longs
    kind: Longs
    value: Floats
    limit: Floats


class CoverSearch(NamedTuple):
    """Where the search stands; level l has chosen l patterns, at most D.

    Attributes:
        left: int64[D + 1, N], tasks without a pattern; hosts: int64[D + 1, K], hosts without one.
        spare: float64[D + 1, B], by how much the patterns still to come may stay below their limits.
        alive: int64[D + 1, P], patterns that may still be chosen; alive_count: int64[D + 1], how many.
        option: int64[D + 1, P], those of them that hold the task chosen; options: int64[D + 1], how many.
        tried: int64[D + 1], options that have been tried; chosen: int64[D].
        often: int64[N], scratch: how many patterns hold each kind of task.
    """

    left: Longs
    hosts: Longs
    spare: Floats
    alive: Longs
    alive_count: Longs
    option: Longs
    options: Longs
    tried: Longs
    chosen: Longs
    often: Longs


@inlined
def within(patterns, search, level, p):
    """Pattern p, for the tasks that are left, loses no more than is left to lose."""
    if search.hosts[level, patterns.kind[p]] == 0:
        return False
    fits = True
    for b in range(patterns.limit.shape[1]):
        loss = patterns.limit[p, b]
        for e in range(patterns.start[p], patterns.start[p + 1]):
            loss -= patterns.value[e, b] * min(patterns.amount[e], search.left[level, patterns.task[e]])
        fits &= loss <= search.spare[level, b] + CLOSE
    return fits


@inner
def find_options(patterns, search, level, random):
    """List the patterns for the task with the fewest of them, in random order.

    Returns 1 if all tasks have a pattern already, -1 if some task cannot get one, else 0.
    """
    kinds = search.left.shape[1]
    for n in range(kinds):
        search.often[n] = 0
    candidates = patterns.kind.shape[0] if level == 0 else search.alive_count[level - 1]
    count = 0
    for k in range(candidates):
        p = k if level == 0 else search.alive[level - 1, k]
        if within(patterns, search, level, p):
            search.alive[level, count] = p
            count += 1
            for e in range(patterns.start[p], patterns.start[p + 1]):
                search.often[patterns.task[e]] += 1
    search.alive_count[level] = count
    rarest = -1
    for n in range(kinds):
        if search.left[level, n] > 0 and (rarest < 0 or search.often[n] < search.often[rarest]):
            rarest = n
    search.options[level], search.tried[level] = 0, 0
    if rarest < 0:
        return 1
    options = 0
    for k in range(count):
        p = search.alive[level, k]
        for e in range(patterns.start[p], patterns.start[p + 1]):
            if patterns.task[e] == rarest:
                place = draw(random, options + 1)
                search.option[level, options] = search.option[level, place]
                search.option[level, place] = p
                options += 1
    search.options[level] = options
    return 0 if options > 0 else -1


@inner
def take(patterns, search, level, p):
    """Choose pattern p; the next level knows what is left."""
    search.chosen[level] = p
    for n in range(search.left.shape[1]):
        search.left[level + 1, n] = search.left[level, n]
    for k in range(search.hosts.shape[1]):
        search.hosts[level + 1, k] = search.hosts[level, k] - (1 if k == patterns.kind[p] else 0)
    for b in range(patterns.limit.shape[1]):
        search.spare[level + 1, b] = search.spare[level, b] - patterns.limit[p, b]
    for e in range(patterns.start[p], patterns.start[p + 1]):
        n = patterns.task[e]
        used = min(patterns.amount[e], search.left[level, n])
        search.left[level + 1, n] -= used
        for b in range(patterns.limit.shape[1]):
            search.spare[level + 1, b] += patterns.value[e, b] * used


@kernel
def cover(patterns, search, limit, random):
    """Search from nothing chosen, for at most `limit` steps.

    Args:
        patterns: to choose from.
        search: level 0 says what is asked; written.
        limit: steps: patterns looked at.
        random: uint64[1], the state of the random numbers.

    Returns (1 found, -1 there is no choice, 0 not known; how many patterns were chosen; steps).
    """
    level, steps = 0, 0
    deepest = search.chosen.shape[0]
    state = find_options(patterns, search, 0, random)
    while level >= 0:
        if state == 1:
            return 1, level, steps
        if steps >= limit:
            return 0, level, steps
        if search.tried[level] == search.options[level] or level == deepest:
            level -= 1
            state = 0
            continue
        p = search.option[level, search.tried[level]]
        search.tried[level] += 1
        take(patterns, search, level, p)
        level += 1
        steps += 1 + search.alive_count[level - 1]
        state = find_options(patterns, search, level, random)
    return -1, 0, steps
