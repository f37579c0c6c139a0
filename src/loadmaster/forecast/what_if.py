"""What would start a waiting job sooner: fewer tasks, a shorter limit, another partition (rule F6)."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from loadmaster.forecast.start_forecast import StartForecast, start_forecast
from loadmaster.forecast.start_samples import ForecastBasis
from loadmaster.model import Cluster, Constraints, Named, Workload
from loadmaster.model.arrays import Floats
from loadmaster.model.units import show_seconds
from loadmaster.scheduling.resolved_constraints import binds, resolve_constraints


@dataclass(frozen=True, eq=False)
class RequestChange:
    """The same job with another request, in the same samples.

    Attributes:
        words: what is changed.
        forecast: when it starts then.
        gain_s: the median over the samples of how much sooner it starts, in seconds; negative: later. Infinite where
            only one of both ever starts, None where neither does.
        sooner: the part of the samples in which it starts sooner.
        why_never: why it can never start; empty where it can.
    """

    words: str
    forecast: StartForecast
    gain_s: float | None
    sooner: float
    why_never: str = ""


def changed_requests(onward: ForecastBasis, job: int, base_s: Floats) -> Iterator[RequestChange]:
    """The effect of each change of the request.

    Args:
        onward: of the moment.
        job: the job's place among those of the state.
        base_s: float64[S], its starts in the samples without a change.
    """
    row = int(onward.state.rows[job])
    for words, workload in _changes(onward.workload, onward.cluster, row):
        reason = why_never(workload, onward.cluster, row)
        start_s = np.full(base_s.size, np.inf)
        if not reason:
            start_s = replace(onward, workload=workload).starts_s(job, base_s.size)
        made = start_forecast(start_s, onward.state.now_s)
        yield RequestChange(words, made, _gain_s(base_s, start_s), float((start_s < base_s - 1e-3).mean()), reason)


def open_hosts(onward: ForecastBasis, job: int, base_s: Floats, closures: int) -> RequestChange:
    """The forecast if no host closes.

    Args:
        onward: of the moment, with hosts that close.
        job: the job's place among those of the state.
        base_s: float64[S], its starts in the samples.
        closures: the last so many rows of the calendar are left out.
    """
    rules = onward.cluster.rules
    assert rules is not None
    kept = rules.calendar[: len(rules.calendar) - closures]
    cluster = replace(onward.cluster, rules=replace(rules, calendar=kept))
    beside = replace(onward, cluster=cluster)
    reason = why_never(onward.workload, cluster, int(onward.state.rows[job]))
    start_s = np.full(base_s.size, np.inf) if reason else beside.starts_s(job, base_s.size)
    made = start_forecast(start_s, onward.state.now_s)
    sooner = float((start_s < base_s - 1e-3).mean())
    return RequestChange("if no host closes", made, _gain_s(base_s, start_s), sooner, reason)


def why_never(workload: Workload, cluster: Cluster, job: int) -> str:
    """Why a job can never run under the rules of the site; empty where it can."""
    if not binds(workload, cluster):
        return ""
    binding = resolve_constraints(workload.take(np.array([job])), cluster)
    return binding.reasons[int(binding.never[0])]


def _gain_s(base_s: Floats, start_s: Floats) -> float | None:
    both = np.isfinite(base_s) | np.isfinite(start_s)
    if not both.any():
        return None
    gain_s = float(np.median(base_s[both] - start_s[both]))
    return None if math.isnan(gain_s) else gain_s


def _changes(workload: Workload, cluster: Cluster, row: int) -> Iterator[tuple[str, Workload]]:
    tasks, cores = int(workload.task_count[row]), float(workload.demand[row, 0])
    if tasks > 1:
        yield f"half the tasks ({tasks // 2} of {tasks})", _with_tasks(workload, row, tasks // 2)
    elif cores >= 2:
        demand = np.array(workload.demand)
        demand[row, 0] = cores // 2
        yield f"half the cores ({cores // 2:g} of {cores:g})", replace(workload, demand=demand)
    limit_s = float(workload.expected_s[row])
    yield f"half the limit ({show_seconds(limit_s / 2)} of {show_seconds(limit_s)})", _with_limit(workload, row, 0.5)
    rules = cluster.rules
    own = _partition_of(workload, cluster, row)
    for part in () if rules is None else rules.partitions:
        if part.name in own.split(","):
            continue
        moved, words = _with_partition(workload, row, part.name), f"partition {part.name}"
        if part.max_time_s is not None and part.max_time_s < limit_s:
            moved = _with_limit(moved, row, part.max_time_s / limit_s)
            words += f", limit {show_seconds(part.max_time_s)}"
        yield words, moved


def _partition_of(workload: Workload, cluster: Cluster, row: int) -> str:
    bound, rules = workload.constraints, cluster.rules
    named = "" if bound is None or bound.partition is None else bound.partition[row]
    if named or rules is None or not rules.partitions:
        return named
    return rules.default_partition or rules.partitions[0].name


def _with_tasks(workload: Workload, row: int, tasks: int) -> Workload:
    count = np.array(workload.task_count)
    part, count[row] = tasks / count[row], tasks
    bound, columns = workload.constraints, dict[str, Any]()
    for name in ("min_hosts", "max_hosts"):
        column = None if bound is None else getattr(bound, name)
        if column is not None:
            column = np.array(column)
            column[row] = int(np.ceil(column[row] * part))
            columns[name] = column
    return replace(workload, tasks=count, constraints=None if bound is None else replace(bound, **columns))


def _with_limit(workload: Workload, row: int, factor: float) -> Workload:
    estimate_s = np.array(workload.expected_s)
    estimate_s[row] *= factor
    bound = workload.constraints
    if bound is not None and bound.limit_s is not None:
        limit_s = np.array(bound.limit_s)
        limit_s[row] *= factor
        bound = replace(bound, limit_s=limit_s)
    return replace(workload, estimate_s=estimate_s, constraints=bound)


def _with_partition(workload: Workload, row: int, name: str) -> Workload:
    bound = workload.constraints
    words: list[str | None] = [None] * workload.jobs
    if bound is not None and bound.partition is not None:
        words = bound.partition.words()
    words[row] = name
    column = Named.of(words)
    bound = Constraints(partition=column) if bound is None else replace(bound, partition=column)
    return replace(workload, constraints=bound)
