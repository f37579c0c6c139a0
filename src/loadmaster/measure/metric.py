"""The registry of metrics: each has a name, a unit, a formula over a schedule, and the direction that is better.

Frames, the `metrics` of JSON rows, `--metrics`, differences over samples and targets of `tune` take their metrics from
here: to add one there, add an entry. `USUAL` in `report/columns.py` names the columns that a table shows unasked. A
user's own metric is a function of `ScheduledJobs`, named `file.py:function`.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from loadmaster.measure.scheduled import ScheduledJobs
from loadmaster.model.arrays import Floats
from loadmaster.model.errors import InputError
from loadmaster.rules.find import NO_SOURCES, Reference, Sources, refuse_end
from loadmaster.rules.near import pick

Unit = Literal["s", "core_s", "part", "count", "ratio", "kwh", "money", "kg"]
Formula = Callable[[ScheduledJobs], float]


@dataclass(frozen=True)
class Metric:
    """One number of a run.

    Attributes:
        name: in JSON, in frames and in `--metrics`; ends in its unit.
        summary: what it is.
        unit: seconds, core seconds, a part of 1, a count, a ratio without a unit, kWh, money, or kilograms.
        of: the formula; NaN where this run has no such number.
        better: the direction that is better; empty for neither.
        title: heading of a table; made of the name where it is empty.
    """

    name: str
    summary: str
    unit: Unit
    of: Formula
    better: Literal["lower", "higher", ""] = "lower"
    title: str = ""

    @property
    def heading(self) -> str:
        """The heading of a table, without a unit."""
        return self.title or self.name.removesuffix(f"_{self.unit}").rpartition(":")[2].replace("_", " ")


def _quantile(part: float) -> Formula:
    def of(jobs: ScheduledJobs) -> float:
        wait_s = jobs.wait_s[jobs.started]
        return float(np.quantile(wait_s, part)) if wait_s.size else 0.0

    return of


def _mean(values: Callable[[ScheduledJobs], Floats]) -> Formula:
    """The mean over the jobs that started, 0 where none did."""

    def of(jobs: ScheduledJobs) -> float:
        each = values(jobs)[jobs.started]
        return float(each.mean()) if each.size else 0.0

    return of


METRICS: Mapping[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("mean_wait_s", "start minus arrival, the mean", "s", lambda jobs: jobs.measures.mean_wait_s),
        Metric("median_wait_s", "the median of the waits", "s", lambda jobs: jobs.measures.median_wait_s),
        Metric("p90_wait_s", "the wait that one job in ten exceeds", "s", _quantile(0.9)),
        Metric("p95_wait_s", "the wait that one job in twenty exceeds", "s", lambda jobs: jobs.measures.p95_wait_s),
        Metric("p99_wait_s", "the wait that one job in a hundred exceeds", "s", lambda jobs: jobs.measures.p99_wait_s),
        Metric("longest_wait_s", "the longest wait", "s", lambda jobs: jobs.measures.longest_wait_s),
        Metric("mean_turnaround_s", "end minus arrival, the mean", "s", _mean(lambda jobs: jobs.end_s - jobs.submit_s)),
        Metric(
            "mean_slowdown", "mean of (wait + runtime) / runtime, runtimes below 1 s taken as 1 s", "ratio",
            lambda jobs: jobs.measures.mean_slowdown,
        ),
        Metric(
            "mean_bounded_slowdown", "the same with 10 s, and at least 1", "ratio",
            lambda jobs: jobs.measures.mean_bounded_slowdown, title="bounded slowdown",
        ),
        Metric(
            "waiting_part", "the part of the jobs that waited at all", "part",
            _mean(lambda jobs: (jobs.wait_s > 0).astype(float)), title="jobs that waited",
        ),
        Metric(
            "mean_queue_length", "waiting jobs, averaged over time", "count",
            lambda jobs: jobs.measures.mean_queue_length,
        ),
        Metric(
            "makespan_s", "from the first arrival until the last job ended", "s", lambda jobs: jobs.measures.makespan_s
        ),
        Metric("unstarted", "jobs that never started", "count", lambda jobs: float(jobs.measures.unstarted)),
        Metric("killed", "jobs that their limit ended", "count", lambda jobs: float(jobs.losses.killed)),
        Metric(
            "stopped", "jobs that preemption or the failure of a host ended", "count",
            lambda jobs: float(jobs.losses.stopped),
        ),
        Metric(
            "lost_core_s", "core seconds of work that was lost with runs that were stopped", "core_s",
            lambda jobs: jobs.losses.lost_core_s,
        ),
        Metric(
            "energy_kwh", "what all hosts draw from the first arrival until the last end", "kwh",
            lambda jobs: jobs.energy.kwh, title="energy",
        ),
        Metric("energy_cost", "what that energy costs", "money", lambda jobs: jobs.energy.cost, title="energy cost"),
        Metric(
            "carbon_kg", "the carbon dioxide that this energy stands for", "kg", lambda jobs: jobs.energy.carbon_kg,
            title="carbon",
        ),
    )
}  # fmt: skip
"""Every built-in metric that is one number for each run; what is used of each resource has names of its own."""


def metric_named(name: str, sources: Sources = NO_SOURCES) -> Metric:
    """The built-in metric `name`, or the user's where it reads `file.py:function`.

    Args:
        name: as `--metrics` takes it.
        sources: text of the user's files, taken instead of what stands on the disk.

    Raises:
        InputError: no such metric, file or function.

    Example:
        >>> metric_named("p99_wait_s").unit, metric_named("mean_bounded_slowdown").heading
        ('s', 'bounded slowdown')
    """
    reference = Reference.of(name)
    if reference is None:
        return pick(name, METRICS, what="metric")
    function = reference.function(sources.get(reference.path))
    if function.__code__.co_argcount != 1:
        rule = "a metric takes one argument, the jobs as they were scheduled"
        raise InputError(name, rule, fix="def late(jobs): return float((jobs.wait_s > 3600).mean())")
    return replace(shown_as(name), of=_own(name, function))


def shown_as(name: str) -> Metric:
    """How a metric is shown: the built-in one, or the user's own without its formula, whose file is not read.

    Example:
        >>> shown_as("late.py:wait_of_wide_s").heading, shown_as("late.py:wait_of_wide_s").unit
        ('wait of wide', 's')
    """
    called = name.rpartition(":")[2].lstrip("@")
    unit: Unit = "s" if called.endswith("_s") else "ratio"
    title = called.removesuffix("_s").replace("_", " ")
    return METRICS.get(name) or Metric(name, "your own metric", unit, lambda _: math.nan, "", title)


def _own(name: str, function: Formula) -> Formula:
    """The user's function; what it does wrong is told in one line."""

    def of(jobs: ScheduledJobs) -> float:
        try:
            value = float(function(jobs))
        except SystemExit as ending:
            refuse_end(ending)
            raise
        except Exception as error:
            rule = f"this metric fails on the schedule: {type(error).__name__}: {error}"
            raise InputError(name, rule[:200], fix="look at the columns of loadmaster.measure.ScheduledJobs") from error
        if math.isinf(value):
            raise InputError(name, "a metric is a number, or NaN where a run has none; this one is infinite")
        return value

    return of


def values_of(jobs: ScheduledJobs, own: Iterable[str] = (), sources: Sources = NO_SOURCES) -> dict[str, float]:
    """Every built-in metric of a schedule by its name, and the user's `own`."""
    metrics = (*METRICS.values(), *(metric_named(name, sources) for name in own))
    return {metric.name: metric.of(jobs) for metric in metrics}
