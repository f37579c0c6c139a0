"""Expected runtimes of bound jobs during a run, and the effect of limits that kill."""

from dataclasses import dataclass, replace

import numpy as np

from loadmaster.model import Cluster, Schedule, Workload
from loadmaster.model.arrays import Bools, Floats
from loadmaster.model.constraints import STATUSES, Constraints
from loadmaster.scheduling.estimate_model import USERS, EstimateModel
from loadmaster.sim.queue.engine.estimates import estimates_of
from loadmaster.sim.queue.engine.estimates_kernel import Estimates

_TIMEOUT, _CUT_SHORT = STATUSES.index("timeout"), [STATUSES.index(word) for word in ("preempted", "node_fail")]


@dataclass(frozen=True, eq=False)
class RuntimeLimits:
    """J jobs as the general pass takes them.

    Attributes:
        workload: with the expected runtime of each job at its arrival, and runtimes up to the limits that kill.
        killed: bool[J], whether its limit ends each, if nothing else does before.
        estimates: expected runtimes that are not known before.
        runtime_s: float64[J], of the workload.
        teaches: bool[J], the job's end predicts its user's next jobs.
        estimate_model: how runtimes are predicted and corrected.
    """

    workload: Workload
    killed: Bools
    estimates: Estimates
    runtime_s: Floats
    teaches: Bools
    estimate_model: EstimateModel

    def finished(self, schedule: Schedule, end_s: Floats) -> Schedule:
        """The schedule with expected runtimes, and with the jobs that were killed; `end_s` float64[J] is their end."""
        if self.estimate_model != USERS:
            schedule = replace(schedule, expected_s=self.estimates.expected_s)
        status = np.full(len(end_s), -1, np.int32) if schedule.status is None else schedule.status
        killed = self.killed & schedule.started & (status < 0)
        if not killed.any():
            return schedule
        return replace(schedule, status=np.where(killed, np.int32(_TIMEOUT), status), end_s=end_s)


def serves_estimates(estimate_model: EstimateModel, cluster: Cluster) -> bool:
    """Whether the engine can kill at limits: on hosts of speed 1, where the kill is known before."""
    assert cluster.speed is not None
    return estimate_model.overrun == "run" or bool((cluster.speed == 1.0).all())


def runtime_limits(workload: Workload, estimate_model: EstimateModel) -> RuntimeLimits:
    """The jobs of a log under `estimate_model`."""
    estimated = estimate_model.estimated(workload)
    expected_s = np.array(estimated.expected_s)
    killed_s, killed, runtime_s = (
        estimate_model.killed_after_s(workload),
        np.zeros(estimated.jobs, bool),
        estimated.runtime_s,
    )
    if killed_s is not None:
        killed, runtime_s = np.asarray(runtime_s > killed_s), np.minimum(runtime_s, killed_s)
    status = (workload.constraints or Constraints()).status
    cut_short = np.zeros(estimated.jobs, bool) if status is None else np.isin(status, _CUT_SHORT)
    return RuntimeLimits(
        replace(estimated, runtime_s=runtime_s),
        killed,
        estimates_of(workload, expected_s, estimate_model, ends_count=True),
        np.array(runtime_s),
        killed | ~cut_short,
        estimate_model,
    )
