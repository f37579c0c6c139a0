"""What a run cost in jobs and work: stopped, killed, refused, and those that could never run."""

from dataclasses import dataclass, field

import numpy as np

from loadmaster.model import Constraints, Schedule, Workload
from loadmaster.model.constraints import STATUSES
from loadmaster.model.schedule import STOPPED

DEPENDS = "what it depends on did not happen"
_TIMEOUT = STATUSES.index("timeout")


@dataclass(frozen=True)
class Losses:
    """Jobs that did not run to their end, and jobs that did not run.

    Attributes:
        killed: jobs that their limit ended.
        stopped: jobs that preemption or the failure of a host ended for good.
        lost_core_s: core seconds of work that was lost with a run that was stopped, also of jobs that began anew.
        refused: jobs refused as they arrived, because too many of their user, account or QOS ran or waited.
        never_run: how many jobs can never run, by reason.
    """

    killed: int = 0
    stopped: int = 0
    lost_core_s: float = 0.0
    refused: int = 0
    never_run: dict[str, int] = field(default_factory=dict)


def losses(workload: Workload, schedule: Schedule) -> Losses:
    """Count what a schedule lost.

    Example:
        >>> from loadmaster.model import Cycles
        >>> one = Workload.of(submit_s=[0], runtime_s=[10], cores=[2])
        >>> none = np.zeros(0)
        >>> killed = Schedule(np.zeros(1), np.zeros(1), Cycles(none, none, none, none), np.array([4.0]), np.array([2]))
        >>> losses(one, killed).killed
        1
    """
    status = np.zeros(0, np.int32) if schedule.status is None else schedule.status
    cores = workload.demand[:, 0] * workload.task_count
    never = dict(schedule.never)
    depends = (workload.constraints or Constraints()).depends
    if depends is not None:
        idle = int((~schedule.started & (np.diff(depends.first) > 0)).sum())
        other = int((~schedule.started).sum()) - schedule.refused - sum(never.values())
        never |= {DEPENDS: min(idle, other)} if min(idle, other) > 0 else {}
    return Losses(
        killed=int((status == _TIMEOUT).sum()),
        stopped=int(np.isin(status, STOPPED).sum()),
        lost_core_s=float((schedule.lost_s(workload) * cores).sum()),
        refused=schedule.refused,
        never_run=never,
    )
