"""Where the tasks of one job may go, if the user leaves it open: on one host, or on any."""

from typing import Literal, NamedTuple

from loadmaster.model import Cluster, Workload
from loadmaster.model.units import percent
from loadmaster.system.counted import counted
from loadmaster.traces.fit import Spread, fit_to
from loadmaster.traces.trace import Skipped

SpreadChoice = Literal["auto", "single-host", "any", "asked"]
MOST = 0.5
"""If a larger part of the jobs fits on no single host, the log is one of parallel jobs."""


class Fitted(NamedTuple):
    """The jobs that the machines can hold.

    Attributes:
        spread: where the tasks of one job may go.
        note: what was chosen and why, a sentence; empty where nothing had to be chosen.
    """

    workload: Workload
    rejected: Skipped
    spread: Spread
    note: str


def fit_by(choice: SpreadChoice, workload: Workload, cluster: Cluster, *, machines_of_log: bool = False) -> Fitted:
    """The jobs that `cluster` can hold, their tasks spread by `choice`.

    Args:
        choice: `auto` takes `any` where the log itself names its machines, as those of parallel jobs do, where a job
            requests more than one host, or where most jobs fit on no single host; else `single-host`.
        workload: jobs as read.
        cluster: hosts.
        machines_of_log: the log's own header names the hosts.

    Example:
        >>> jobs = Workload.of(submit_s=[0, 1], runtime_s=[9, 9], cores=[1, 1], tasks=[4, 2])
        >>> fitted = fit_by("auto", jobs, Cluster.uniform(8, cores=1))
        >>> fitted.spread, fitted.workload.jobs
        ('any', 2)
    """
    if choice != "auto":
        return Fitted(*fit_to(workload, cluster, choice), choice, "")
    if workload.tasks is None:
        return Fitted(*fit_to(workload, cluster), "single-host", "")
    if machines_of_log:
        return Fitted(*fit_to(workload, cluster, "any"), "any", _note("the machines are those of the log's header"))
    if several := _ask_for_several_hosts(workload):
        jobs = counted(several, "job requests", "jobs request")
        return Fitted(*fit_to(workload, cluster, "any"), "any", _note(f"{jobs} more than one host"))
    fitted, rejected = fit_to(workload, cluster)
    if rejected.total > MOST * workload.jobs:
        spread_out, left_out = fit_to(workload, cluster, "any")
        if left_out.total < rejected.total:
            reason = f"{percent(rejected.total / workload.jobs)} of the jobs fit on no single host"
            return Fitted(spread_out, left_out, "any", _note(reason))
    note = "All tasks of a job go to one host; --spread any lets them go to several."
    return Fitted(fitted, rejected, "single-host", note)


def _ask_for_several_hosts(workload: Workload) -> int:
    """How many jobs request two hosts or more."""
    bound = workload.constraints
    return 0 if bound is None or bound.min_hosts is None else int((bound.min_hosts > 1).sum())


def _note(reason: str) -> str:
    return f"The tasks of a job may go to different hosts (--spread any), since {reason}."
