"""Cost against span: what every number of machines would cost, and how long it would take; and the one to choose."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from loadmaster.model.arrays import Floats
from loadmaster.packing.deadline import NO_DEADLINE, Deadline
from loadmaster.results.store import Store
from loadmaster.results.study import CellMaker
from loadmaster.results.threads import Threads
from loadmaster.results.watch import Watch
from loadmaster.sim.bags.repetitions import BagOutcomes
from loadmaster.sim.bags.study import SizerCase, run_ways_until
from loadmaster.sizing import FixedHosts, HostType, SilvaRule, Sizer

MIXED = " + "
"""Between the numbers, and between the types, of a mix."""


@dataclass(frozen=True)
class CurvePoint:
    """One way to run a bag, over all repetitions.

    Attributes:
        label: the sizer, or the number of machines; of a mix one for each type.
        type: name of the machine type, or of those of a mix.
        hosts: mean number of machines.
        cost, cost_sure: mean, and what suffices at the confidence requested.
        span_s, span_sure_s: likewise.
        speedup: mean.
        knows: the sizer got the durations beforehand, or a fixed number of machines.
    """

    label: str
    type: str
    hosts: float
    cost: float
    cost_sure: float
    span_s: float
    span_sure_s: float
    speedup: float
    knows: bool


def point(label: str, kind: str, outcomes: BagOutcomes, confidence: float, knows: bool) -> CurvePoint:
    """A point from repetitions."""
    return CurvePoint(
        label,
        kind,
        float(outcomes.hosts.mean()),
        float(outcomes.cost.mean()),
        float(np.quantile(outcomes.cost, confidence)),
        float(outcomes.span_s.mean()),
        float(np.quantile(outcomes.span_s, confidence)),
        float(outcomes.speedup.mean()),
        knows,
    )


def fixed_curve(
    durations: Floats,
    types: Sequence[HostType],
    confidence: float,
    pool: CellMaker = Threads(),
    store: Store | None = None,
    watch: Watch | None = None,
    deadline: Deadline = NO_DEADLINE,
) -> list[CurvePoint]:
    """A point for each number of machines up to 64, and some up to a machine a task, of every type.

    Those for which there was no time before `deadline` are left out, but for one.
    """
    ways = [
        (count, SizerCase(FixedHosts(count), (kind,))) for kind in types for count in _counts(durations.shape[1], kind)
    ]
    found = run_ways_until(durations, [way for _, way in ways], pool, store, watch, deadline, 1)
    return [
        point(str(count), way.types[0].name, outcomes, confidence, True)
        for (count, way), outcomes in zip(ways, found, strict=True)
        if outcomes is not None
    ]


def curve_runs(durations: Floats, types: Sequence[HostType]) -> int:
    """How many bags `fixed_curve` runs."""
    return len(durations) * sum(len(_counts(durations.shape[1], kind)) for kind in types)


def _counts(tasks: int, kind: HostType) -> list[int]:
    most = min(tasks, kind.limit)
    return sorted({*range(1, min(most, 64) + 1), *(round(float(n)) for n in np.geomspace(1, most, 24))})


def sizer_points(
    durations: Floats,
    sizers: Sequence[Sizer],
    types: Sequence[HostType],
    confidence: float,
    pool: CellMaker = Threads(),
    store: Store | None = None,
    watch: Watch | None = None,
    deadline: Deadline = NO_DEADLINE,
) -> list[CurvePoint]:
    """A point for every sizer that does not get the durations; the paper's rule rents of the first type only.

    Those for which there was no time before `deadline` are left out.
    """
    of_one_type = (SilvaRule, FixedHosts)
    ways = [SizerCase(sizer, tuple(types[:1]) if type(sizer) in of_one_type else tuple(types)) for sizer in sizers]
    return [
        point(way.sizer.name, "any" if len(way.types) > 1 else way.types[0].name, outcomes, confidence, False)
        for way, outcomes in zip(ways, run_ways_until(durations, ways, pool, store, watch, deadline), strict=True)
        if outcomes is not None
    ]


def recommended(
    points: Sequence[CurvePoint], budget: float | None, deadline_s: float | None, waste: float = 0.1
) -> CurvePoint | None:
    """The point to choose, None if no point keeps budget or deadline.

    With a budget the shortest span that it pays for at the stated confidence; with a deadline the least cost that
    keeps it; with both, the least cost that keeps both; with neither the shortest span whose mean cost is within
    `waste` of the least.
    """
    allowed = [
        p
        for p in points
        if (budget is None or p.cost_sure <= budget + 1e-9) and (deadline_s is None or p.span_sure_s <= deadline_s)
    ]
    if not allowed:
        return None
    if deadline_s is not None:
        return min(allowed, key=lambda p: (p.cost, p.span_s))
    if budget is None:
        least = min(p.cost for p in allowed)
        allowed = [p for p in allowed if p.cost <= least * (1 + waste) + 1e-9]
    return min(allowed, key=lambda p: (p.span_s, p.cost))
