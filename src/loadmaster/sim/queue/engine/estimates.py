"""Lays out the estimates of jobs for compiled engines, and lists the estimate models that these serve."""

import numpy as np

from loadmaster.backfilling import Easy
from loadmaster.model import Cluster, Workload
from loadmaster.model.arrays import Floats
from loadmaster.scheduling import Discipline
from loadmaster.scheduling.estimate_model import EstimateModel
from loadmaster.scheduling.predictions import STEPS_S
from loadmaster.sim.queue.engine.estimates_kernel import DOUBLE, NONE, STEPS, USER, Estimates

_CORRECTS = {"none": NONE, "steps": STEPS, "user": USER, "double": DOUBLE}


def serves_corrections(estimate_model: EstimateModel, cluster: Cluster, discipline: Discipline) -> bool:
    """Whether a compiled engine serves the estimate model: on hosts of speed 1, expired ends only under EASY."""
    assert cluster.speed is not None
    if not bool((cluster.speed == 1.0).all()):
        return False
    return type(discipline.backfilling) is Easy or not estimate_model.expiry_pass


def estimates_of(
    workload: Workload, expected_s: Floats, estimate_model: EstimateModel, *, ends_count: bool
) -> Estimates:
    """The estimates of jobs at the beginning of a run.

    Args:
        workload: with the user's own estimates.
        expected_s: float64[J], first predictions as far as they are known; written to for each job as it arrives.
        estimate_model: how runtimes are predicted and corrected.
        ends_count: expected ends are known, so that corrections count.
    """
    predicts = estimate_model.estimates == "last-two"
    user = np.full(workload.jobs, -1, np.int32) if workload.user is None else np.array(workload.user)
    users = 1 + int(user.max(initial=0))
    return Estimates(
        predicts=predicts,
        corrects=_CORRECTS[estimate_model.correction] if ends_count else NONE,
        expires=estimate_model.expiry_pass and ends_count,
        expected_s=expected_s,
        user_s=np.array(workload.expected_s),
        user=user,
        older_s=np.zeros(users),
        newer_s=np.zeros(users),
        ended=np.zeros(users, np.int64),
        steps_s=np.array(STEPS_S),
        moved=np.zeros(workload.jobs, np.int32),  # a running job stands once among the expected ends
        arrived=np.zeros(1, np.int64),
        last_s=np.full(1, -np.inf),
    )


def no_estimates() -> Estimates:
    """An `Estimates` for runs whose expected runtimes are known before and never corrected."""
    one, whole = np.zeros(1), np.zeros(1, np.int64)
    return Estimates(
        False, NONE, False, one, one, np.zeros(1, np.int32), one, one, whole, one, np.zeros(1, np.int32), whole, one
    )
