"""What is in a log, in numbers: jobs, span, load, demands, runtimes, users."""

from dataclasses import dataclass

import numpy as np

from loadmaster.model import Cluster, Workload
from loadmaster.model.arrays import Floats, sum_of_products
from loadmaster.traces.dump_window import window_load
from loadmaster.traces.spread import SpreadChoice, fit_by
from loadmaster.traces.trace import Skipped

QUANTILES = {"min": 0.0, "p10": 0.1, "median": 0.5, "p90": 0.9, "p99": 0.99, "max": 1.0}


@dataclass(frozen=True)
class Summary:
    """A workload in numbers.

    Attributes:
        jobs: number of jobs.
        span_s: from the first arrival to the last.
        rate_per_h: arrivals an hour, in the window of a dump; None where all jobs arrive at once.
        users: how many users, None if the log does not say.
        projects: how many projects, None if the log does not say.
        serial: the part of the jobs that request one core in all.
        work: for each resource, the sum of amount x tasks x runtime, in unit seconds.
        columns: for each of runtime_s, gap_s (between arrivals), tasks, every resource of the whole job and estimate
            over runtime: mean and `QUANTILES`.
    """

    jobs: int
    span_s: float
    rate_per_h: float | None
    users: int | None
    projects: int | None
    serial: float
    work: dict[str, float]
    columns: dict[str, dict[str, float]]


@dataclass(frozen=True)
class Fit:
    """A workload beside a cluster.

    Attributes:
        hosts: number of hosts.
        total: what all hosts have of each resource.
        kinds: (number of hosts, amounts in the order of `total`) for each kind of host.
        load: offered load of the jobs that fit, for each resource.
        jobs: how many jobs fit.
        rejected: the jobs that fit on no empty host.
        note: how the tasks of a job were spread where that was left open; else empty.
    """

    hosts: int
    total: dict[str, float]
    kinds: list[tuple[int, list[float]]]
    load: dict[str, float]
    jobs: int
    rejected: Skipped
    note: str


def summarise(workload: Workload, opens_s: float | None = None) -> Summary:
    """Count and measure a workload.

    Args:
        workload: the jobs.
        opens_s: when the window of the dump opens; None of a log without one.

    Example:
        >>> found = summarise(Workload.of(submit_s=[0, 10, 20], runtime_s=[5, 5, 50], cores=[1, 1, 4]))
        >>> found.jobs, found.columns["cores"]["max"], round(found.serial, 2)
        (3, 4.0, 0.67)
    """
    tasks = workload.task_count
    whole = workload.demand * tasks[:, None]
    columns = {"runtime_s": _spread(workload.runtime_s), "gap_s": _spread(np.diff(workload.submit_s))}
    columns |= {name: _spread(whole[:, r]) for r, name in enumerate(workload.resources)}
    if workload.tasks is not None:
        columns["tasks"] = _spread(tasks.astype(np.float64))
    if workload.estimate_s is not None:
        columns["estimate_over_runtime"] = _spread(workload.estimate_s / workload.runtime_s)
    return Summary(
        jobs=workload.jobs,
        span_s=workload.span_s,
        rate_per_h=_rate_per_h(workload, opens_s),
        users=_distinct(workload.user),
        projects=_distinct(workload.project),
        serial=float(np.mean(whole[:, 0] <= 1.0)) if workload.jobs else 0.0,
        work=dict(
            zip(workload.resources, (sum_of_products(workload.runtime_s, column) for column in whole.T), strict=True)
        ),
        columns=columns,
    )


def fit(
    workload: Workload,
    cluster: Cluster,
    spread: SpreadChoice = "single-host",
    *,
    machines_of_log: bool = False,
    opens_s: float | None = None,
) -> Fit:
    """Measure what `workload` asks of `cluster`, with the jobs that fit; see `fit_by`. Loads are those of the window.

    Args:
        workload: the jobs.
        cluster: the hosts.
        spread: where the tasks of one job may go.
        machines_of_log: the log's own header names the hosts.
        opens_s: when the window of the dump opens; None of a log without one.
    """
    fitted, rejected, _, note = fit_by(spread, workload, cluster, machines_of_log=machines_of_log)
    rows, kind = cluster.kinds
    counts = np.bincount(kind, minlength=len(rows))
    return Fit(
        hosts=cluster.hosts,
        total=dict(zip(cluster.resources, cluster.total.tolist(), strict=True)),
        kinds=[(int(counts[k]), rows[k].tolist()) for k in np.argsort(-counts, kind="stable")],
        load=_loads(fitted, cluster, opens_s),
        jobs=fitted.jobs,
        rejected=rejected,
        note=note,
    )


def _loads(workload: Workload, cluster: Cluster, opens_s: float | None) -> dict[str, float]:
    if opens_s is not None and workload.jobs:
        return window_load(workload, cluster, opens_s)
    return {name: float(workload.offered_load(cluster, r)) for r, name in enumerate(cluster.resources)}


def _rate_per_h(workload: Workload, opens_s: float | None) -> float | None:
    jobs, span_s = workload.jobs, workload.span_s
    if opens_s is not None:
        jobs, span_s = int((workload.submit_s >= opens_s).sum()), float(workload.submit_s[-1]) - opens_s
    return jobs / span_s * 3600 if span_s > 0 else None


def _spread(values: Floats) -> dict[str, float]:
    if values.size == 0:
        return {"mean": 0.0} | dict.fromkeys(QUANTILES, 0.0)
    quantiles = np.quantile(values, list(QUANTILES.values()))
    return {"mean": float(values.mean())} | dict(zip(QUANTILES, quantiles.tolist(), strict=True))


def _distinct(codes: np.ndarray | None) -> int | None:
    return None if codes is None else int(np.unique(codes[codes >= 0]).size)
