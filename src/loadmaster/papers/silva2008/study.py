"""What is run: the paper's grid of creation and increase ratios, and the planner against the paper's rule."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from loadmaster.measure.interval import bootstrap_interval
from loadmaster.model.arrays import Floats
from loadmaster.model.bag import BagSource
from loadmaster.results.store import Store
from loadmaster.results.study import CellMaker
from loadmaster.results.threads import Threads
from loadmaster.results.watch import Watch
from loadmaster.sim.bags.repetitions import BagOutcomes, draws
from loadmaster.sim.bags.study import SizerCase, run_ways
from loadmaster.sizing import HostType, Planner, SilvaRule, Sizer

GRID = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Creation and increase ratios; the paper's axis values cannot be read, these are ours."""
CONSERVATIVE, AGGRESSIVE = (0.5, 0.5), (0.75, 0.75)

Cells = dict[tuple[float, float], BagOutcomes]


@dataclass(frozen=True)
class StudyRuns:
    """Makes the runs of the study, each way with machines of one type, billed by the hour.

    Attributes:
        pool: runs the cells.
        store: where finished ones are kept; None keeps none.
        watch: called with the progress; None calls nothing.
    """

    pool: CellMaker = field(default_factory=Threads)
    store: Store | None = None
    watch: Watch | None = None

    def __call__(self, durations: Floats, sizers: Sequence[Sizer]) -> list[BagOutcomes]:
        """What each of `sizers` comes to on all rows of `durations`, float64[R, N]."""
        return run_ways(
            durations, [SizerCase(sizer, (HostType(),)) for sizer in sizers], self.pool, self.store, self.watch
        )

    def told(self, watch: Watch) -> "StudyRuns":
        """The same, with progress told to `watch`."""
        return replace(self, watch=watch)


def grid(
    durations: Floats,
    tick_s: float = 60.0,
    c_update: Literal["in_if", "every"] = "in_if",
    runs: StudyRuns = StudyRuns(),
) -> Cells:
    """Every cell of the grid on the same bags."""
    ratios = [(c, i) for c in GRID for i in GRID]
    rules = [SilvaRule(c, i, tick_s=tick_s, c_update=c_update) for c, i in ratios]
    return dict(zip(ratios, runs(durations, rules), strict=True))


@dataclass(frozen=True)
class Paired:
    """The planner less the paper's rule, over the same bags: mean and 95 % interval.

    Attributes:
        paper_cost, paper_span_s: means of the paper's rule.
        cost, span_s: (mean, low, high) of the difference; below zero the planner is better.
        both: the same of log(cost x span): a rule that only rents more or fewer machines leaves it about as it was.
    """

    workload: str
    n: int
    paper_cost: float
    paper_span_s: float
    cost: tuple[float, float, float]
    span_s: tuple[float, float, float]
    both: tuple[float, float, float]

    @property
    def verdict(self) -> str:
        """On the Pareto front: `better`, `cheaper, slower`, `dearer, faster`, `no difference` or `worse`."""
        cost, span = _sign(self.cost), _sign(self.span_s)
        if cost == span == 0:
            return "no difference"
        if cost <= 0 and span <= 0:
            return "better"
        if cost >= 0 and span >= 0:
            return "worse"
        return "cheaper, slower" if cost < 0 else "dearer, faster"


def paired(name: str, source: BagSource, repetitions: int, seed: int, runs: StudyRuns = StudyRuns()) -> Paired:
    """Planner and paper's rule (its conservative setting) on the same bags, billed by the hour."""
    bags = draws(source, repetitions, seed)
    ours, paper = runs(bags, [Planner(), SilvaRule(*CONSERVATIVE)])
    both = np.log(ours.cost * ours.span_s) - np.log(paper.cost * paper.span_s)
    return Paired(
        name,
        repetitions,
        float(paper.cost.mean()),
        float(paper.span_s.mean()),
        mean_and_interval(ours.cost - paper.cost, seed),
        mean_and_interval(ours.span_s - paper.span_s, seed),
        mean_and_interval(both, seed),
    )


def mean_and_interval(values: Floats, seed: int) -> tuple[float, float, float]:
    """Mean and its 95 % bootstrap interval."""
    return (float(values.mean()), *bootstrap_interval(values, seed=seed))


def _sign(interval: tuple[float, float, float]) -> int:
    return -1 if interval[2] < 0 else 1 if interval[1] > 0 else 0
