"""Jobs that wait longer because hosts close, against the same run with open hosts (rule C12)."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from loadmaster.model import Cluster, Schedule, Workload
from loadmaster.model.arrays import Floats
from loadmaster.runs.case import Case
from loadmaster.runs.outcome import run_fully
from loadmaster.runs.setting import Setting
from loadmaster.system.counted import counted

DELAYED_S = 600.0
"""A job that starts so much later counts as delayed."""
SHOWN = 10


@dataclass(frozen=True)
class DelayedJob:
    """A job that starts later because hosts close.

    Attributes:
        job: its number in the log.
        delay_s: by how much; infinite where it starts no more.
        wait_s: its wait with closed hosts; infinite where it starts no more.
    """

    job: int
    delay_s: float
    wait_s: float


@dataclass(frozen=True)
class ClosureEffect:
    """A run beside the same run with open hosts.

    Attributes:
        mean_wait_s: of the jobs that start in both, with closed hosts.
        mean_wait_open_s: of the same jobs, with open hosts.
        delayed: jobs that start over ten minutes later.
        never: jobs that start only with open hosts.
        most: the most delayed jobs, the longest delay first.
    """

    mean_wait_s: float
    mean_wait_open_s: float
    delayed: int
    never: int
    most: tuple[DelayedJob, ...]

    @property
    def sentences(self) -> tuple[str, ...]:
        """The effect in words."""
        from loadmaster.model.units import show_seconds

        longer = self.mean_wait_s - self.mean_wait_open_s
        jobs = counted(self.delayed, "job starts", "jobs start")
        lines = [
            f"Closed hosts: the mean wait is {show_seconds(self.mean_wait_s)}, with open hosts it is "
            f"{show_seconds(self.mean_wait_open_s)} ({'+' if longer >= 0 else '−'}{show_seconds(abs(longer))}).",
            f"{jobs} over 10 min later because hosts close.",
        ]
        if self.never:
            lines.append(f"{self.never:,} of them never start: no time is left in which they fit.")
        if self.most:
            each = ", ".join(
                f"{one.job} ({'never' if np.isinf(one.delay_s) else '+' + show_seconds(one.delay_s)})"
                for one in self.most
            )
            lines.append(f"Most delayed: {each}.")
        return tuple(lines)

    def row(self) -> dict[str, Any]:
        """The effect as plain values; null where a job never starts."""
        most = [
            {
                "job": one.job,
                "delay_s": one.delay_s if np.isfinite(one.delay_s) else None,
                "wait_s": one.wait_s if np.isfinite(one.wait_s) else None,
            }
            for one in self.most
        ]
        return {
            "mean_wait_s": self.mean_wait_s,
            "mean_wait_open_s": self.mean_wait_open_s,
            "delayed": self.delayed,
            "never": self.never,
            "most": most,
        }


def closure_effect(
    case: Case, open_cluster: Cluster, setting: Setting, sources: dict[str, str], workload: Workload, schedule: Schedule
) -> ClosureEffect:
    """Run the same with open hosts, and compare.

    Args:
        case: with closed hosts.
        open_cluster: its hosts, open.
        setting: how both are run.
        sources: text of the user's files.
        workload: the jobs as they arrived with closed hosts.
        schedule: their starts there.
    """
    beside = run_fully(replace(case, cluster=open_cluster), setting, sources)
    closed_s, open_s = _waits(workload, schedule), _waits(beside.workload, beside.schedule)
    both = np.isfinite(closed_s) & np.isfinite(open_s)
    able = np.isfinite(open_s)
    later_s = np.where(able, closed_s - np.where(able, open_s, 0.0), -np.inf)
    order = np.argsort(-later_s, kind="stable")[:SHOWN]
    most = tuple(
        DelayedJob(workload.id_of(job), float(later_s[job]), float(closed_s[job]))
        for job in order.tolist()
        if later_s[job] > DELAYED_S
    )
    return ClosureEffect(
        float(closed_s[both].mean()) if both.any() else 0.0,
        float(open_s[both].mean()) if both.any() else 0.0,
        int((later_s > DELAYED_S).sum()),
        int((able & ~both).sum()),
        most,
    )


def _waits(workload: Workload, schedule: Schedule) -> Floats:
    """float64[J]: from the arrival until the work begins; infinite of jobs that never start."""
    return np.where(schedule.started, schedule.begin_s - workload.submit_s, np.inf)
