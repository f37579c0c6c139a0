"""The registry of metrics: each has a name, a unit, a formula over a schedule, and the direction that is better.

To add a metric, add an entry: tables on the terminal and on pages, frames, CSV and LaTeX, JSON and its schemas,
`--metrics`, rows of the record, differences over samples and targets of `tune` take their metrics from here. A user's
own metric is a function of `ScheduledJobs`, named `file.py:function`.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from loadmaster.measure.scheduled import ScheduledJobs
from loadmaster.model.arrays import Floats
from loadmaster.model.errors import InputError
from loadmaster.rules.find import NO_SOURCES, Reference, Sources, refuse_end
from loadmaster.rules.near import pick

Unit = Literal["s", "core_s", "part", "jobs", "count", "ratio", "kwh", "money", "kg"]
Shown = Literal["usual", "interval", "row", "any", "asked"]
Needs = Literal["starts", "all starts", "run"]
_UTILIZATION, _STRANDED = "utilization_", "stranded_"
Formula = Callable[[ScheduledJobs], float]


@dataclass(frozen=True)
class Metric:
    """One number of a run.

    Attributes:
        name: in JSON, in frames and in `--metrics`; ends in its unit.
        summary: what it is.
        unit: seconds, core seconds, a part of 1, a number of jobs, a mean count, a ratio without a unit, kWh, money, or
            kilograms.
        of: the formula; NaN where this run has no such number.
        better: the direction that is better; empty for neither.
        title: heading of a table; made of the name where it is empty.
        shown: `row` as a key of every row of JSON; `interval` so too, and over samples with its interval on the page;
            `usual` so too, and in every table; `any` in tables and as a key where a run has any of it, which is neither
            0 nor NaN; `asked` only with `--metrics`.
        needs: what must be known for it: `starts` of the jobs that its formula looks at, `all starts`, or a simulated
            `run`. The row of what really happened has the first, and the second where no start is unknown.
    """

    name: str
    summary: str
    unit: Unit
    of: Formula
    better: Literal["lower", "higher", ""] = "lower"
    title: str = ""
    shown: Shown = "asked"
    needs: Needs = "run"

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
        Metric(
            "mean_wait_s", "start minus arrival, the mean", "s", lambda jobs: jobs.measures.mean_wait_s,
            shown="usual", needs="starts",
        ),
        Metric(
            "unstarted", "jobs that never started; the means leave them out", "jobs",
            lambda jobs: jobs.measures.unstarted, title="never started", shown="any",
        ),
        Metric(
            "median_wait_s", "the median of the waits", "s", lambda jobs: jobs.measures.median_wait_s,
            shown="row", needs="starts",
        ),
        Metric("p90_wait_s", "the wait that one job in ten exceeds", "s", _quantile(0.9), needs="starts"),
        Metric(
            "p95_wait_s", "the wait that one job in twenty exceeds", "s", lambda jobs: jobs.measures.p95_wait_s,
            shown="interval", needs="starts",
        ),
        Metric(
            "p99_wait_s", "the wait that one job in a hundred exceeds", "s", lambda jobs: jobs.measures.p99_wait_s,
            shown="usual", needs="starts",
        ),
        Metric(
            "longest_wait_s", "the longest wait", "s", lambda jobs: jobs.measures.longest_wait_s,
            shown="usual", needs="starts",
        ),
        Metric(
            "mean_start_up_s", "the part of the wait in which the hosts of a job started, the mean", "s",
            _mean(lambda jobs: jobs.start_up_s), title="start-up of hosts", shown="any",
        ),
        Metric(
            "mean_turnaround_s", "end minus arrival, the mean", "s", _mean(lambda jobs: jobs.end_s - jobs.submit_s),
            needs="starts",
        ),
        Metric(
            "mean_slowdown", "mean of (wait + runtime) / runtime, runtimes below 1 s taken as 1 s", "ratio",
            lambda jobs: jobs.measures.mean_slowdown, shown="row", needs="starts",
        ),
        Metric(
            "mean_bounded_slowdown", "as mean_slowdown, with 10 s instead of 1 s, and at least 1",
            "ratio", lambda jobs: jobs.measures.mean_bounded_slowdown, title="bounded slowdown",
            shown="usual", needs="starts",
        ),
        Metric(
            "waiting_part", "the part of the jobs that waited at all", "part",
            _mean(lambda jobs: (jobs.wait_s > 0).astype(float)), title="jobs that waited", needs="starts",
        ),
        Metric(
            "mean_queue_length", "waiting jobs, averaged over time", "count",
            lambda jobs: jobs.measures.mean_queue_length, shown="interval", needs="all starts",
        ),
        Metric(
            "makespan_s", "from the first arrival until the last job ended", "s", lambda jobs: jobs.measures.makespan_s,
            shown="interval", needs="all starts",
        ),
        Metric(
            "energy_kwh", "what all hosts draw from the first arrival until the last end", "kwh",
            lambda jobs: jobs.energy.kwh, title="energy", shown="any",
        ),
        Metric(
            "energy_cost", "what that energy costs", "money", lambda jobs: jobs.energy.cost, title="energy cost",
            shown="any",
        ),
        Metric(
            "carbon_kg", "the carbon dioxide that this energy stands for", "kg", lambda jobs: jobs.energy.carbon_kg,
            title="carbon", shown="any",
        ),
        Metric("killed", "jobs that their limit ended", "jobs", lambda jobs: jobs.losses.killed, shown="any"),
        Metric(
            "stopped", "jobs that preemption or the failure of a host ended for good", "jobs",
            lambda jobs: jobs.losses.stopped, shown="any",
        ),
        Metric(
            "refused", "jobs refused as they arrived, by a limit of what may wait", "jobs",
            lambda jobs: jobs.losses.refused, shown="any",
        ),
        Metric(
            "lost_core_s", "core seconds of work that was lost with runs that were stopped", "core_s",
            lambda jobs: jobs.losses.lost_core_s, shown="any",
        ),
        Metric(
            "jain_of_users", "Jain's index over the users' mean bounded slowdowns: 1 where all are slowed down alike",
            "ratio", lambda jobs: math.nan if jobs.fairness is None else jobs.fairness.jain, "higher",
            title="fairness", needs="starts",
        ),
    )
}  # fmt: skip
"""Every built-in metric that is one number for each run, in the order of the columns of a table."""
IN_ROWS = tuple(name for name, metric in METRICS.items() if metric.shown in ("usual", "interval", "row"))
"""Metrics that every row of JSON has as keys."""


def utilization_of(resource: str) -> Metric:
    """The metric of the use of one resource.

    Example:
        >>> utilization_of("gpus").name, utilization_of("gpus").heading
        ('utilization_gpus', 'gpus used')
    """
    summary = f"the part of the {resource} that was used, from the first arrival to the last"
    name, title = f"{_UTILIZATION}{resource}", f"{resource} used"
    return Metric(
        name, summary, "part", lambda jobs: jobs.measures.utilization[resource], "", title, needs="all starts"
    )


def stranded_of(resource: str) -> Metric:
    """The metric of what was stranded of one resource.

    Example:
        >>> stranded_of("memory").name, stranded_of("memory").heading
        ('stranded_memory', 'memory stranded')
    """
    summary = f"the part of the {resource} that was stranded, from the first arrival to the last"
    title = f"{resource} stranded"
    return Metric(f"{_STRANDED}{resource}", summary, "part", lambda jobs: jobs.stranded[resource], title=title)


_OF_RESOURCE = {_UTILIZATION: utilization_of, _STRANDED: stranded_of}
"""What makes the metric of one resource, by what its name begins with."""


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
        see = "take a name that stands under metrics in `loadmaster compare --json`"
        return built_in(name) or pick(name, METRICS, what="metric", see=see)
    function = reference.function(sources.get(reference.path))
    if function.__code__.co_argcount != 1:
        rule = "a metric takes one argument, the jobs as they were scheduled"
        raise InputError(name, rule, fix="def late(jobs): return float((jobs.wait_s > 3600).mean())")
    return replace(shown_as(name), of=_own(name, function))


def resource_of(name: str) -> str | None:
    """The resource that a built-in metric speaks of; None of one that speaks of no resource.

    Example:
        >>> resource_of("stranded_memory"), resource_of("mean_wait_s")
        ('memory', None)
    """
    return next((name.removeprefix(each) for each in _OF_RESOURCE if name.startswith(each)), None)


def built_in(name: str) -> Metric | None:
    """The built-in metric `name`; None where there is none."""
    resource = resource_of(name)
    if resource is None:
        return METRICS.get(name)
    return _OF_RESOURCE[name.removesuffix(resource)](resource)


def shown_as(name: str) -> Metric:
    """How a metric is shown: the built-in one, or the user's own without its formula, whose file is not read.

    Example:
        >>> shown_as("late.py:wait_of_wide_s").heading, shown_as("late.py:wait_of_wide_s").unit
        ('wait of wide', 's')
    """
    called = name.rpartition(":")[2].lstrip("@")
    unit: Unit = "s" if called.endswith("_s") else "ratio"
    title = called.removesuffix("_s").replace("_", " ")
    return built_in(name) or Metric(name, "your own metric", unit, lambda _: math.nan, "", title)


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
    """Every built-in metric of a schedule by its name, those of each resource among them, and the user's `own`."""
    metrics = (*_built_in(jobs), *(metric_named(name, sources) for name in own))
    return {metric.name: float(metric.of(jobs)) for metric in metrics}


def recorded_values(jobs: ScheduledJobs) -> dict[str, float]:
    """Every built-in metric of the starts that a log recorded; NaN where they do not tell it."""
    known = ("starts", "all starts") if jobs.started.all() else ("starts",)
    return {each.name: float(each.of(jobs)) if each.needs in known else math.nan for each in _built_in(jobs)}


def metrics_row(values: Mapping[str, float]) -> dict[str, Any]:
    """What a row of JSON has of metrics: its keys, of those shown where there are any, and `metrics` with all.

    Example:
        >>> row = metrics_row({"mean_wait_s": 2.0, "killed": 3.0, "stopped": 0.0, "utilization_cores": 0.5})
        >>> row["mean_wait_s"], row["killed"], "stopped" in row, row["metrics"]["stopped"], row["utilization"]
        (2.0, 3, False, 0, {'cores': 0.5})
    """
    plain = {name: _plain(name, value) for name, value in values.items()}
    here = {
        name: plain.get(name)
        for name, metric in METRICS.items()
        if name in IN_ROWS or (metric.shown == "any" and plain.get(name))
    }
    used = {name.removeprefix(_UTILIZATION): part for name, part in plain.items() if name.startswith(_UTILIZATION)}
    return {**here, "utilization": used if used and None not in used.values() else None, "metrics": plain}


def _plain(name: str, value: float) -> float | None:
    """A number of jobs is whole in JSON, and what is not known is null."""
    if not math.isfinite(value):
        return None
    return int(value) if name in METRICS and METRICS[name].unit == "jobs" else value


def _built_in(jobs: ScheduledJobs) -> tuple[Metric, ...]:
    resources = jobs.workload.resources
    return *METRICS.values(), *(of(resource) for of in _OF_RESOURCE.values() for resource in resources)
