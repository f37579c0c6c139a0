"""The sweep behind `timeline`: one pass over starts and ends, keeping what is free on every host."""
# mypy: disable-error-code="no-untyped-def"

from typing import NamedTuple

import numpy as np

from loadmaster.jit.by_reference import by_reference
from loadmaster.jit.kernels import LEAN, cached_njit, inlined, inner
from loadmaster.model.arrays import Floats, Ints


class Events(NamedTuple):
    """N started tasks on H hosts with R resources and, where GPUs are cards (rule Q22), at most C cards; else C is 0.

    Attributes:
        start: float64[N].
        end: float64[N].
        by_start: int32[N], the tasks in the order of their starts.
        by_end: int32[N], the tasks in the order of their ends.
        row: int32[N], of the task's demand.
        host: int32[N].
        demand: float64[D, R + C].
        free: float64[H, R + C], the capacities; the sweep leaves here what was free after its last event.
        typical: float64[R], what a typical task requests; wanted, share: how many cards, and of each of them; else 0.
    """

    start: Floats
    end: Floats
    by_start: Ints
    by_end: Ints
    row: Ints
    host: Ints
    demand: Floats
    free: Floats
    typical: Floats
    wanted: int
    share: float


class Sums(NamedTuple):
    """What the sweep fills in.

    Attributes:
        used, stranded: float64[B, R], means over time; lowest, highest: float64[B, R], extremes of `used`.
        used_now, stranded_now: float64[R], between two events.
    """

    used: Floats
    lowest: Floats
    highest: Floats
    stranded: Floats
    used_now: Floats
    stranded_now: Floats


def empty_sums(bins: int, resources: int) -> Sums:
    """`Sums` before the sweep."""
    shape, none = (bins, resources), np.zeros(resources)
    return Sums(np.zeros(shape), np.full(shape, np.inf), np.full(shape, -np.inf), np.zeros(shape), none, none.copy())


@cached_njit(**LEAN)
def sweep(events, first, width, sums):
    """Walk through starts and ends in the order of time, ends before starts at equal times.

    Bin 0 begins at `first`, every bin is `width` wide (more than 0). Writes into `sums` and `events.free`.
    """
    _sweep(by_reference(events), first, width, by_reference(sums))


@inner
def _sweep(events, first, width, sums):
    start, end, by_start, by_end = events.start, events.end, events.by_start, events.by_end
    host, demand, free = events.host, events.demand, events.free
    tasks, resources = by_start.shape[0], events.typical.shape[0]
    used, stranded = sums.used_now, sums.stranded_now
    for h in range(free.shape[0]):
        _count_stranded(events, h, 1.0, stranded)
    now, started, ended = first, 0, 0
    until = first + width * sums.used.shape[0]
    while ended < tasks and now < until:
        task, sign = by_end[ended], -1.0
        time = end[task]
        if started < tasks and start[by_start[started]] < time:
            task, sign = by_start[started], 1.0
            time = start[task]
            started += 1
        else:
            ended += 1
        now = _advance(now, min(time, until), first, width, used, stranded, sums)
        h, row = host[task], events.row[task]
        _count_stranded(events, h, -1.0, stranded)
        for r in range(resources):
            used[r] += sign * demand[row, r]
        for r in range(free.shape[1]):
            free[h, r] -= sign * demand[row, r]
        _count_stranded(events, h, 1.0, stranded)
    _advance(now, until, first, width, used, stranded, sums)


@inlined
def _advance(now, time, first, width, used, stranded, sums):
    """Spread the state that held from `now` to `time` over the bins between them; returns `time`."""
    bins = sums.used.shape[0]
    while now < time:
        b = min(int((now - first) / width), bins - 1)
        edge = first + (b + 1) * width
        if edge <= now:  # rounding put `now` into the bin that it has just left
            b = min(b + 1, bins - 1)
            edge = first + (b + 1) * width
        until = time if b == bins - 1 else min(time, edge)
        part = (until - now) / width
        for r in range(used.shape[0]):
            sums.used[b, r] += used[r] * part
            sums.stranded[b, r] += stranded[r] * part
            sums.lowest[b, r] = min(sums.lowest[b, r], used[r])
            sums.highest[b, r] = max(sums.highest[b, r], used[r])
        now = until
    return now


@inlined
def _count_stranded(events, h, sign, stranded):
    """Add (sign 1) or take away (sign -1) what is stranded on host `h`."""
    free, typical, short, cards = events.free, events.typical, 0, 0
    for r in range(typical.shape[0]):
        if free[h, r] < typical[r]:
            short += 1
    for card in range(typical.shape[0], free.shape[1]):
        if free[h, card] >= events.share:
            cards += 1
    if short == 0 and cards >= events.wanted:
        return
    for r in range(typical.shape[0]):
        if free[h, r] >= typical[r]:
            stranded[r] += sign * free[h, r]
