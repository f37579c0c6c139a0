"""Diagnostics of a run: its steady state, waits by group, and the reason for idle machines."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from loadmaster.measure.group_stranding import GroupStranding
from loadmaster.measure.group_waits import MEASURES, Fairness, Groups, fairness, group_waits
from loadmaster.measure.idle_load import why_idle
from loadmaster.measure.steady_state import Steady, steady
from loadmaster.measure.usage import utilization
from loadmaster.model.cluster import Cluster
from loadmaster.model.schedule import Schedule
from loadmaster.model.workload import Workload


@dataclass(frozen=True, eq=False)
class RunDiagnostics:
    """Diagnostics of a run, beside its means.

    Attributes:
        steady: the run without its warm-up and its drain, and whether the queue only grows.
        groups: jobs by all that the log knows of them, such as user, account and hour.
        idle: why far less was used than the load offers; empty where it was used.
    """

    steady: Steady
    groups: tuple[Groups, ...]
    idle: str

    @property
    def fairness(self) -> Fairness | None:
        """Fairness between users; None if the log does not have them."""
        return fairness(self.groups)

    def row(self) -> dict[str, Any]:
        """The diagnostics in the row of a run."""
        even, settled = self.fairness, self.steady
        return {
            "warm_up_s": settled.warm_up_s,
            "drain_s": settled.drain_s,
            "steady_mean_wait_s": settled.mean_wait_s,
            "steady_mean_queue_length": settled.mean_queue_length,
            "overloaded": settled.overloaded,
            "jain_of_users": None if even is None else even.jain,
            "worst_user": None if even is None else even.worst_user,
            "worst_user_bounded_slowdown": None if even is None else even.worst_user_slowdown,
        }

    def plain(self) -> dict[str, Any]:
        """The diagnostics as values for JSON."""
        columns = [{name: _list(getattr(each, name)) for name in ("by", "names", *MEASURES)} for each in self.groups]
        return {"steady": dataclasses.asdict(self.steady), "groups": columns, "idle": self.idle}

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> "RunDiagnostics":
        """The diagnostics that `plain` described."""
        return cls(Steady(**plain["steady"]), tuple(map(_groups, plain["groups"])), plain["idle"])


def _groups(plain: Mapping[str, Any]) -> Groups:
    columns: Any = [np.array(plain[name]) for name in MEASURES]
    return Groups(plain["by"], tuple(plain["names"]), *columns)


def run_diagnostics(workload: Workload, cluster: Cluster, schedule: Schedule) -> RunDiagnostics:
    """Diagnostics beside the metrics of a run: means in the steady state, waits by group, and why hosts were idle."""
    used = np.array(list(utilization(workload, cluster, schedule).values()))
    groups = group_waits(workload, schedule, GroupStranding(workload, cluster, schedule))
    return RunDiagnostics(steady(workload, schedule), groups, why_idle(workload, cluster, schedule, used))


def _list(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value
