"""Start bounds: the earliest possible start on each host, shared by all jobs of a class.

A class holds jobs of like demand and expected runtime. Invariant: a bound is never later than the true earliest start
of any job of the class on the host, so a host with a late bound can be skipped. Holding capacity only makes starts
later, so a bound stays valid. Capacity that is given back goes into a list. When a class is asked next, it lowers its
bounds by the entries that it has not seen.
"""
# mypy: disable-error-code="no-untyped-def,assignment"

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.backfilling.free_profile_kernel import covering, first_on, fits
from loadmaster.jit.kernels import inlined, inner
from loadmaster.model.arrays import Floats, Ints
from loadmaster.model.distinct_rows import distinct_rows

PARTS = 2.0
"""Classes of one demand for each doubling of the expected runtime, where bounds are kept from pass to pass."""
PARTS_A_PASS = 0.25
"""The same where each pass begins again: each class has to learn the bounds of each host by itself."""
MOST_BOUNDS = 2**21
"""Classes times hosts, about."""
FEW, SEVERAL = 16, 4
"""A class looks at up to SEVERAL new entries a host, for at least FEW hosts; beyond that it starts again."""
FREED = 4096
"""Entries in the list of what was given back: a power of two."""
LAST = FREED - 1
"""The last place of that list; & with it tells the place of an entry."""
BLOCK = 16
"""Hosts in a block with one least bound."""
APART = 8
"""Places by which the rows of needs are longer than the list; else entries compete for a few lines of the cache."""
UNKNOWN_S = 0.0
"""A time that does not occur: the entry has not been computed, because no job requested it."""
MOST_NEEDS = 64
"""Needs for which spans of time are kept: all of them, or fewer and lower ones."""


class StartBounds(NamedTuple):
    """C classes, H hosts, N entries in the list of what was given back, G needs that stand for those of all classes.

    Attributes:
        of: int32[J], the class of a job.
        need: float64[C, R], short_s, long_s: float64[C], the least that a job of the class requests, and for how long
            at least and at most.
        soon_s: float64[C, H], the bounds: no job of the class can start before on the host.
        least_s: float64[C], no later than any of these; block_s: float64[C, B], the same of each block of hosts.
        shorter: int32[C], a class of the same need and shorter jobs, -1 if there is none.
        known: int64[C], how many entries of the list the class has seen; live_at: int64[C], after the last of them that
            gave a job of the class a chance.
        freed_host, freed_s, until_s: int32[N], float64[N] twice, where something was given back, and for which time: a
            ring.
        freed_most: float64[N, R], the most that the host had then at any time in between.
        needs: float64[G, R], none of them more than a class of it needs; need_of: int32[C], which of them a class has.
        longest_s, begins_s: float64[G, N and a few], the longest time for which so much is free that overlaps with what
            was given back, `UNKNOWN_S` if it has not been requested yet, and when the first such time begins.
        freed: int64[1], how often that has happened.
        freed_at: int64[H], the count at the last time on the host.
    """

    of: NDArray[np.int32]
    need: NDArray[np.float64]
    short_s: NDArray[np.float64]
    long_s: NDArray[np.float64]
    soon_s: NDArray[np.float64]
    least_s: NDArray[np.float64]
    block_s: NDArray[np.float64]
    shorter: NDArray[np.int32]
    known: NDArray[np.int64]
    live_at: NDArray[np.int64]
    freed_host: NDArray[np.int32]
    freed_s: NDArray[np.float64]
    until_s: NDArray[np.float64]
    freed_most: NDArray[np.float64]
    needs: NDArray[np.float64]
    need_of: NDArray[np.int32]
    longest_s: NDArray[np.float64]
    begins_s: NDArray[np.float64]
    freed: NDArray[np.int64]
    freed_at: NDArray[np.int64]


def empty_bounds(
    demand: Floats, kind: Ints, expected_s: Floats, hosts: int, parts: float = PARTS, most: int = MOST_BOUNDS
) -> StartBounds:
    """Bounds that allow every start.

    Args:
        demand: float64[K, R], the distinct demands.
        kind: int32[J], the demand of each job.
        expected_s: float64[J].
        hosts: how many.
        parts: classes of one demand for each doubling of the expected runtime.
        most: classes times hosts, about.
    """
    of = _classes(demand, kind, expected_s, parts, max(most // max(hosts, 1), 1))
    many, resources = int(of.max(initial=0)) + 1, demand.shape[1]
    need, short_s, long_s = np.full((many, resources), np.inf), np.full(many, np.inf), np.zeros(many)
    np.minimum.at(need, of, demand[kind])
    np.minimum.at(short_s, of, expected_s)
    np.maximum.at(long_s, of, expected_s)
    needs, need_of = _needs(need)
    entry, number = np.zeros(FREED), np.zeros(many, np.int64)
    return StartBounds(
        of,
        need,
        short_s,
        long_s,
        np.zeros((many, hosts)),
        np.zeros(many),
        np.zeros((many, -(-hosts // BLOCK))),
        _shorter(need, short_s),
        number,
        number.copy(),
        np.zeros(FREED, np.int32),
        entry,
        entry.copy(),
        np.zeros((FREED, resources)),
        needs,
        need_of,
        np.zeros((len(needs), FREED + APART)),
        np.zeros((len(needs), FREED + APART)),
        np.full(1, 2 * FREED, np.int64),
        np.zeros(hosts, np.int64),
    )


def _classes(demand: Floats, kind: Ints, expected_s: Floats, parts: float, most: int) -> Ints:
    """int32[J]: classes of jobs, as fine as the memory limit allows."""
    _, scale = np.frexp(demand)
    for asked, share in ((kind[:, None], parts), (kind[:, None], min(parts, 1.0)), (scale[kind], min(parts, 1.0))):
        span = np.floor(share * np.log2(np.maximum(expected_s, 1.0)))
        shapes, of = distinct_rows(np.column_stack((asked, span)).astype(np.float64))
        if len(shapes) <= most:
            return of.astype(np.int32)
    return np.zeros(len(kind), np.int32)


def _needs(need: Floats) -> tuple[Floats, Ints]:
    """float64[G, R]: few needs, and for each class one that is no more than its own."""
    _, scale = np.frexp(need)
    for alike in (need, scale.astype(np.float64)):
        _, of = distinct_rows(alike)
        if of.max(initial=0) < MOST_NEEDS:
            break
    else:
        of = np.zeros(len(need), np.int32)
    needs = np.full((int(of.max(initial=0)) + 1, need.shape[1]), np.inf)
    np.minimum.at(needs, of, need)
    return needs, of.astype(np.int32)


def _shorter(need: Floats, short_s: Floats) -> Ints:
    """int32[C]: of each class the next one of the same need whose jobs are shorter, -1 if there is none."""
    _, alike = distinct_rows(need)
    order = np.lexsort((short_s, alike))
    before = np.concatenate((np.full(1, -1), order[:-1]))
    before[alike[order] != alike[before]] = -1
    shorter = np.empty(len(order), np.int32)
    shorter[order] = before
    return shorter


@inner
def note_freed(bounds, sky, host, from_s, until_s):
    """Add an entry to the list: capacity on a host was given back for that time."""
    at = bounds.freed[0] & LAST
    bounds.freed_host[at], bounds.freed_s[at], bounds.until_s[at] = host, from_s, until_s
    bounds.freed[0] += 1
    bounds.freed_at[host] = bounds.freed[0]
    bounds.longest_s[:, at] = UNKNOWN_S
    step, end = covering(sky, host, from_s), sky.first[host] + sky.many[host]
    for r in range(bounds.freed_most.shape[1]):
        bounds.freed_most[at, r] = sky.free[step, r]
    step += 1
    while step < end and sky.time_s[step] < until_s:
        for r in range(bounds.freed_most.shape[1]):
            bounds.freed_most[at, r] = max(bounds.freed_most[at, r], sky.free[step, r])
        step += 1


@inner
def note_freed_from(bounds, host, from_s):
    """Add an entry to the list, of which only the host and the beginning are known."""
    at = bounds.freed[0] & LAST
    bounds.freed_host[at], bounds.freed_s[at] = host, from_s
    bounds.freed[0] += 1


@inlined
def may_lower_start(bounds, at, kind):
    """Whether entry `at` of the list might let a job of the class start.

    Of several such entries for one time the last one decides: only less is free since.
    """
    return _is_enough(bounds.freed_most[at], bounds.need[kind])


@inner
def freed_since(bounds, seen, kind):
    """The span of time in which capacity was given back, since `seen`, that might let a job of the class start.

    It is all time if the list does not go back so far, and empty if there is no such entry.
    """
    if bounds.freed[0] - seen > FREED:
        return -np.inf, np.inf
    from_s, until_s = np.inf, -np.inf
    for entry in range(seen, bounds.freed[0]):
        at = entry & LAST
        if may_lower_start(bounds, at, kind):
            from_s, until_s = min(from_s, bounds.freed_s[at]), max(until_s, bounds.until_s[at])
    return from_s, until_s


@inlined
def _is_enough(free, need):
    enough = True
    for r in range(need.shape[0]):
        enough &= free[r] >= need[r]
    return enough


@inlined
def lasts(bounds, sky, at, number, longest_s, expected_s, now_s):
    """Whether a job of need `number` and that runtime might start thanks to entry `at` of the list.

    If so, the job overlaps with the entry's time, and its need is free for its whole runtime. Such a time existed when
    it was first requested; later gains have entries of their own. `longest_s` is the row of that need.
    """
    if longest_s[at] == UNKNOWN_S:
        _remember_longest(bounds, sky, at, number, now_s)
    return expected_s <= longest_s[at] + 1.0  # a second, for rounding


@inner
def _remember_longest(bounds, sky, at, number, now_s):
    """Compute the longest time with the need free that overlaps with entry `at`, and when the first begins."""
    host, need, until_s = np.int64(bounds.freed_host[at]), bounds.needs[number], bounds.until_s[at]
    bounds.longest_s[number, at] = -np.inf
    if not _is_enough(bounds.freed_most[at], need):
        return
    end, step = sky.first[host] + sky.many[host], covering(sky, host, bounds.freed_s[at])
    # the free time may have begun before the entry's own
    if fits(sky, step, need):
        while step > sky.first[host] and fits(sky, step - 1, need):
            step -= 1
    longest_s, begins_s, first_s = -np.inf, np.inf, np.inf
    while step < end and (begins_s < np.inf or sky.time_s[step] < until_s):
        if not fits(sky, step, need):
            if begins_s < np.inf:
                longest_s = max(longest_s, sky.time_s[step] - begins_s)
            begins_s = np.inf
        elif begins_s == np.inf:
            begins_s = max(sky.time_s[step], now_s)
            first_s = min(first_s, begins_s)
        step += 1
    bounds.longest_s[number, at] = np.inf if begins_s < np.inf else longest_s
    bounds.begins_s[number, at] = first_s


@inner
def forget(bounds):
    """Forget all bounds: everything may have changed."""
    bounds.freed[0] += 2 * bounds.freed_host.shape[0]
    for host in range(bounds.freed_at.shape[0]):
        bounds.freed_at[host] = bounds.freed[0]


@inner
def apply_new_entries(bounds, sky, kind, now_s):
    """Lower the bounds of a class by the new entries: a job that starts sooner because of one overlaps with it.

    If there are too many new entries, the hosts concerned start again.
    """
    known, freed = bounds.known[kind], bounds.freed[0]
    if known == freed:
        return
    bounds.known[kind] = freed
    # too many entries: bound the hosts concerned by now, which is always valid
    if freed - known > min(SEVERAL * max(bounds.freed_at.shape[0], FEW), FREED):
        for host in range(bounds.soon_s.shape[1]):
            if bounds.freed_at[host] > known:
                bounds.soon_s[kind, host] = now_s
        bounds.least_s[kind] = now_s
        bounds.live_at[kind] = freed
        return
    number, short_s, long_s = np.int64(bounds.need_of[kind]), bounds.short_s[kind], bounds.long_s[kind]
    longest_s = bounds.longest_s[number]
    for entry in range(known, freed):
        at = entry & LAST
        if not lasts(bounds, sky, at, number, longest_s, short_s, now_s):
            continue
        host, until_s = np.int64(bounds.freed_host[at]), bounds.until_s[at]
        from_s = max(now_s, bounds.freed_s[at] - long_s - 1.0)  # a second, for rounding
        if from_s < until_s:
            bound_s = max(from_s, bounds.begins_s[number, at])
            # the entry may allow an earlier start than the bound: compute it
            if bound_s < bounds.soon_s[kind, host]:
                bound_s = first_on(sky, host, bounds.need[kind], bounds.short_s[kind], bound_s, until_s)
                if bound_s < until_s:
                    bounds.soon_s[kind, host] = min(bounds.soon_s[kind, host], bound_s)
                    bounds.least_s[kind] = min(bounds.least_s[kind], bound_s)
                    bounds.live_at[kind] = entry + 1
            elif bound_s < until_s:
                bounds.live_at[kind] = entry + 1


@inner
def bound_on(bounds, sky, kind, host, now_s, latest_s):
    """The bound of a class on a host, made exact unless it is after `latest_s`."""
    from_s = max(now_s, bounds.soon_s[kind, host])
    if from_s <= latest_s:
        from_s = first_on(sky, host, bounds.need[kind], bounds.short_s[kind], from_s, latest_s)
        bounds.soon_s[kind, host] = from_s
    return from_s
