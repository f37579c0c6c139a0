"""How many machines other logs like this one would need: the same search on each of many samples (rule D15)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from loadmaster.measure.paired_comparison import ENOUGH_FOR_PERCENTILES, SURE, by_spread
from loadmaster.measure.resample import whole_weeks, without_interval
from loadmaster.results.store import Store
from loadmaster.results.study import CellMaker
from loadmaster.results.watch import Watch
from loadmaster.runs import Case
from loadmaster.runs.samples import Drawing, SampleRun, run_samples, sampled
from loadmaster.search.fewest import Fewest, Target, on_number

Ends = Literal["percentile", "spread", "range"]


@dataclass(frozen=True)
class Needed:
    """The answers of the samples, beside the answer of the log.

    Attributes:
        numbers: the fewest machines of each sample; None where the most are too few.
        low, high: the numbers between which 95 of 100 such logs need; None where the most are too few there.
        how: they are percentiles, or of fewer than 40 samples by the spread; by the least and the most of these where
            for some the most machines are too few.
        because: why that is no interval, but only what chance moves; empty where it is one.
        met_in: the part of the samples in which the number found on the log itself meets the target.
        p95_low_s, p95_high_s: between which the 95th percentile of the waits lies there in 95 of 100 samples; in all of
            fewer than 40.
        cut: dependencies cut in a sample, on average.
    """

    numbers: tuple[int | None, ...]
    low: int | None
    high: int | None
    how: Ends
    because: str
    met_in: float
    p95_low_s: float
    p95_high_s: float
    cut: float


def needed(
    case: Case,
    fewest: Fewest,
    target: Target,
    drawing: Drawing,
    samples: int,
    store: Store | None,
    pool: CellMaker,
    watch: Watch | None = None,
) -> Needed | None:
    """The same search on each of `samples` samples; None where the log itself has no answer."""
    if fewest.number is None:
        return None
    search = _Search(case, fewest, target, drawing, store, pool, watch)
    numbers = search.run(fewest.number, samples)
    there = search.at(fewest.number, range(samples))
    p95 = np.sort([run.p95_wait_s for run in there])
    low, high, how = _between(numbers, fewest.number, drawing.how, whole_weeks(case.workload))
    because = "" if drawing.how == "seeds" else without_interval(case.workload, drawing.how)
    ranks = _ranks(samples)
    met = sum(search.met(k, run) for k, run in enumerate(there)) / samples
    cut = sum(run.cut for run in there) / samples
    return Needed(numbers, low, high, how, because, met, float(p95[ranks[0]]), float(p95[ranks[1]]), cut)


@dataclass(eq=False)
class _Bracket:
    """Where the answer of one sample lies: above `few`, at `enough` or below; None where that is not known yet."""

    few: int
    enough: int | None
    probe: int
    step: int


class _Search:
    """Halving for all samples at once: those that request the same number run together."""

    def __init__(
        self,
        case: Case,
        fewest: Fewest,
        target: Target,
        drawing: Drawing,
        store: Store | None,
        pool: CellMaker,
        watch: Watch | None,
    ) -> None:
        self._case, self._found, self._target, self._drawing = case, fewest, target, drawing
        self._how = (store, pool, watch)

    def at(self, number: int, samples: Sequence[int]) -> list[SampleRun]:
        """The runs of these samples on so many machines."""
        there = on_number(self._case, self._found.machines, number)
        return run_samples(there, [self._found.setting], self._drawing, samples, *self._how)[0]

    def met(self, sample: int, run: SampleRun) -> bool:
        """Whether a run meets the target, with all jobs of its sample."""
        jobs = sampled(self._case, self._drawing, sample).workload.jobs if self._drawing.how == "seeds" else run.jobs
        return run.jobs == jobs and self._target.met_by(run)

    def run(self, start: int, samples: int) -> tuple[int | None, ...]:
        """The fewest machines of each sample, looked for around `start`."""
        machines = self._found.machines
        step = max(1, start // 16)
        open_ = {k: _Bracket(machines.least - 1, None, start, step) for k in range(samples)}
        done: dict[int, int | None] = {}
        while open_:
            wanted: dict[int, list[int]] = {}
            for k, bracket in open_.items():
                wanted.setdefault(bracket.probe, []).append(k)
            for number, group in sorted(wanted.items()):
                for k, run in zip(group, self.at(number, group), strict=True):
                    if self._next(open_[k], met=self.met(k, run)):
                        done[k] = open_.pop(k).enough
        return tuple(done[k] for k in range(samples))

    def _next(self, bracket: _Bracket, *, met: bool) -> bool:
        """Narrow a bracket by what its probe showed, and choose the next; whether it is closed."""
        machines = self._found.machines
        if met:
            bracket.enough = bracket.probe
        else:
            bracket.few = bracket.probe
        if bracket.enough is None:
            if bracket.few >= machines.most:
                return True
            bracket.probe = min(machines.most, bracket.few + bracket.step)
        elif bracket.enough - bracket.few <= 1:
            return True
        elif bracket.few < machines.least:
            bracket.probe = max(machines.least, bracket.enough - bracket.step)
        else:
            bracket.probe = (bracket.few + bracket.enough) // 2
        bracket.step *= 2
        return False


def _between(numbers: Sequence[int | None], fewest: int, how: str, weeks: int) -> tuple[int | None, int | None, Ends]:
    """The middle 95 %; of few samples by their spread in ratios, as rule R7 has it, or from the least to the most."""
    ordered = sorted(numbers, key=lambda n: math.inf if n is None else n)
    low, high = _ranks(len(ordered))
    if len(numbers) >= ENOUGH_FOR_PERCENTILES:
        return ordered[low], ordered[high], "percentile"
    if None in numbers or 0 in (fewest, *numbers):  # of none more there is no ratio
        return ordered[0], ordered[-1], "range"
    ratio = np.log(np.array(numbers, dtype=float) / fewest)
    spread = by_spread(ratio, len(numbers) if how == "seeds" else weeks)
    if not math.isfinite(spread.high):
        return ordered[0], ordered[-1], "range"
    ends = fewest * math.exp(spread.low) + 1e-9, fewest * math.exp(spread.high) - 1e-9
    return max(1, math.floor(ends[0])), math.ceil(ends[1]), "spread"


def _ranks(samples: int) -> tuple[int, int]:
    """The places, from 0, of the lowest and the highest of the middle 95 %."""
    part = (1 - SURE) / 2 * (samples + 1)
    low = max(math.floor(part + 1e-9) - 1, 0)
    return low, samples - 1 - low
