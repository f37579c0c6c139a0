"""The windows of a log, their versions, and how the twin stands against its best member on them."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

import loadmaster as lm
from loadmaster.measure.resample import shake
from loadmaster.model import Cluster, Workload
from loadmaster.tuning.weeks import week_of

WEEKS = 6
PROMISED = math.log(1.03)
"""The twin is to wait no longer than its best member by more than 3 %."""


class RealLog(NamedTuple):
    """A log, and its machine.

    Attributes:
        name: as it is told.
        file: its name in the archive.
        hosts: one pool of as many processors as the log names, memory enough for all.
    """

    name: str
    file: str
    hosts: str

    def read(self, traces: Path) -> tuple[Workload, Cluster]:
        """Its jobs, and the pool."""
        case = lm.read(traces / self.file, hosts=self.hosts)
        return case.workload, case.cluster

    def cores_of(self, jobs: Workload, pool: Cluster) -> np.ndarray:
        """float64[J]: processors of every job, which must be all that binds."""
        demand = jobs.demand / jobs.demand[:, :1]
        if (demand.max(axis=0) * pool.total[0] > pool.total).any():
            raise SystemExit(f"{self.name} on {self.hosts}: something else than processors runs out; give hosts more")
        return np.asarray(jobs.demand[:, 0] * jobs.task_count)


LOGS = (
    RealLog("CTC-SP2", "CTC-SP2-1996-3.1-cln.swf.gz", "1x338c"),
    RealLog("HPC2N", "HPC2N-2002-2.2-cln.swf.gz", "1x240c1000g"),
)


def windows_of(jobs: Workload) -> Iterator[tuple[int, Workload]]:
    """The first week and the jobs of all whole windows, side by side from the beginning of the log."""
    week = week_of(jobs)
    for first in range(0, int(week.max()) + 2 - WEEKS, WEEKS):
        yield first, jobs.take((week >= first) & (week < first + WEEKS))


def versions_of(window: Workload, first: int, many: int) -> Iterator[Workload]:
    """The window itself, and as it is with its arrivals shaken: the same draws in every run."""
    yield window
    for version in range(1, many):
        yield shake(window, np.random.default_rng((first, version))).workload


class Window(NamedTuple):
    """How the twin stands on one window.

    Attributes:
        mean_wait_s: float64[rules], geometric mean over the versions.
        best: the member of the lowest.
        ratio: float64[versions], logarithm of the twin's mean wait over that member's.
        longest_s: the longest wait of all versions under the twin; under its members, whichever it is.
    """

    mean_wait_s: np.ndarray
    best: str
    ratio: np.ndarray
    longest_s: tuple[float, float]

    @property
    def mean(self) -> float:
        """The mean ratio."""
        return float(self.ratio.mean())

    @property
    def margin(self) -> str:
        """The mean ratio with its standard error."""
        error = self.ratio.std(ddof=1) / math.sqrt(len(self.ratio)) if len(self.ratio) > 1 else math.nan
        return f"{percent(self.mean)} ± {100 * error:.1f}"

    @property
    def worst(self) -> str:
        """The version on which the twin stands worst."""
        return percent(float(self.ratio.max()))

    @property
    def longest(self) -> str:
        """The longest waits, in days."""
        return " of ".join(f"{each / 86400:.1f}" for each in self.longest_s)


def margin_of(waits_s: np.ndarray, rules: Sequence[str]) -> Window:
    """The twin, the last of the `rules`, against the best of the others.

    Args:
        waits_s: float64[versions, rules, 2], mean and longest wait of every run.
        rules: their names.
    """
    means = np.log(waits_s[:, :, 0])
    best = int(means[:, :-1].mean(axis=0).argmin())
    longest = waits_s[:, :, 1].max(axis=0)
    return Window(
        np.exp(means.mean(axis=0)),
        rules[best],
        means[:, -1] - means[:, best],
        (float(longest[-1]), float(longest[:-1].max())),
    )


def percent(ratio: float) -> str:
    """A logarithm of a ratio as a difference."""
    return f"{100 * math.expm1(ratio):+.1f} %"


def totals(windows: Sequence[Window]) -> str:
    """On how many windows the promise holds, on the mean over versions and in every run."""
    many, means = len(windows), [window.mean for window in windows]
    kept = sum(mean <= PROMISED for mean in means)
    every = sum(bool((window.ratio <= PROMISED).all()) for window in windows)
    runs = [float(ratio) for window in windows for ratio in window.ratio]
    broken = sum(ratio > PROMISED for ratio in runs)
    lower = sum(mean < 0 for mean in means)
    return (
        f"at most 3 % above the best member on the mean of {kept} of {many} windows, below it on {lower}; mean over "
        f"all {percent(float(np.mean(means)))}, worst window {percent(max(means))}. In every run of {every} windows; "
        f"{broken} of {len(runs)} runs are more than 3 % above it."
    )
