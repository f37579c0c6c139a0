"""Fixed numbers of machines of several types together: the mixes that no other mix beats (rule Z10)."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from loadmaster.model.arrays import Floats
from loadmaster.packing.deadline import NO_DEADLINE, Deadline
from loadmaster.results.store import Store
from loadmaster.results.study import CellMaker
from loadmaster.results.threads import Threads
from loadmaster.results.watch import Watch
from loadmaster.sim.bags.curve import MIXED, CurvePoint, point
from loadmaster.sim.bags.repetitions import repeat
from loadmaster.sim.bags.study import SizerCase, run_ways_until
from loadmaster.sizing import FixedMix, HostType

MOST_POINTS = 40
"""So many mixes are varied in each round, and run on all repetitions at the end."""
FEW = 10
"""Repetitions on which mixes are tried."""
MOST_TASKS = 50_000_000
"""So many tasks are run to try mixes, over all mixes and repetitions; some ten seconds."""

Counts = tuple[int, ...]


class TriedMix(NamedTuple):
    """The mean cost and span of a mix on a few repetitions."""

    cost: float
    span_s: float
    counts: Counts


def mix_curve(
    durations: Floats,
    types: Sequence[HostType],
    confidence: float,
    pool: CellMaker = Threads(),
    store: Store | None = None,
    watch: Watch | None = None,
    deadline: Deadline = NO_DEADLINE,
) -> list[CurvePoint]:
    """Mixes of two types or more, the cheapest first; empty where fewer than two types stay until they are given back.

    A search on a few repetitions varies those that no other mix beats in cost and span, in half of the time before
    `deadline`. What it leaves is run on all, as far as there is time.
    """
    calm = tuple(kind for kind in types if not kind.interruptions_per_h)
    if len(calm) < 2:
        return []
    found = [each.counts for each in _search(durations, calm, deadline.share(0.5)) if sum(map(bool, each.counts)) > 1]
    ways = [SizerCase(FixedMix(counts), calm) for counts in found]
    points = []
    for counts, outcomes in zip(found, run_ways_until(durations, ways, pool, store, watch, deadline), strict=True):
        if outcomes is None:
            continue
        parts = [(str(count), kind.name) for count, kind in zip(counts, calm, strict=True) if count]
        label, name = (MIXED.join(words) for words in zip(*parts, strict=True))
        points.append(point(label, name, outcomes, confidence, True))
    return points


def _search(durations: Floats, types: tuple[HostType, ...], deadline: Deadline) -> list[TriedMix]:
    """Start with numbers of one type; give another number to one type of each mix that no other beats, in rounds."""
    tasks = durations.shape[1]
    grid = [[0, *_numbers(min(tasks, kind.limit))] for kind in types]
    few = durations[: max(2, min(FEW, MOST_TASKS // (tasks * 2_000)))]
    left, tried = MOST_TASKS // few.size, dict[Counts, TriedMix]()
    wanted: Iterable[Counts] = (
        _with_count((0,) * len(types), k, number) for k, each in enumerate(grid) for number in each
    )
    for near in (False,) * len(types) + (True, True):
        for counts in wanted:
            if left > 0 and counts not in tried and not deadline.passed() and 0 < sum(counts) <= tasks:
                outcomes = repeat(few, FixedMix(counts), types)
                tried[counts] = TriedMix(float(outcomes.cost.mean()), float(outcomes.span_s.mean()), counts)
                left -= 1
        wanted = [
            _with_count(each.counts, k, number)
            for each in pareto_front(tried.values())
            for k, kind in enumerate(types)
            for number in ((each.counts[k] - 1, each.counts[k] + 1) if near else grid[k])
            if 0 <= number <= kind.limit
        ]
    return pareto_front(tried.values())


def _with_count(counts: Counts, k: int, number: int) -> Counts:
    return (*counts[:k], number, *counts[k + 1 :])


def _numbers(most: int) -> list[int]:
    """Numbers from 1 to `most`, each at most a half above the one before."""
    return [int(n) for n in np.unique(np.geomspace(1, most, 2 + 2 * most.bit_length()).round())]


def pareto_front(tried: Iterable[TriedMix]) -> list[TriedMix]:
    """Those of which none is as cheap and shorter, or as short and cheaper: the cheapest first, at most `MOST_POINTS`.

    Where there are more, they are spread evenly, with both ends.
    """
    kept: list[TriedMix] = []
    for each in sorted(tried):
        if not kept or each.span_s < kept[-1].span_s:
            kept.append(each)
    if len(kept) <= MOST_POINTS:
        return kept
    return [kept[int(at)] for at in np.linspace(0, len(kept) - 1, MOST_POINTS).round()]
