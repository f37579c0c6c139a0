"""The expected runtimes of jobs in the plain engine, and when their limits kill them."""

import math

import numpy as np

from loadmaster.model import Workload
from loadmaster.model.arrays import Floats
from loadmaster.model.constraints import STATUSES
from loadmaster.scheduling.estimate_model import USERS, EstimateModel
from loadmaster.scheduling.predictions import LastTwo, corrections_of
from loadmaster.sim.queue.plain.occupancy import Occupancy, RunningJob

_CUT_SHORT = tuple(STATUSES.index(word) for word in ("preempted", "node_fail"))


class PlainEstimates:
    """Estimates as they are made, corrected and enforced while a log is replayed.

    Attributes:
        workload: the jobs with what is expected of each; under last-two that is written as each arrives.
        predicted_s: float64[J], the same; None where that is the user's estimate.
        killed: bool[J], whether its limit ends the last run of each.
    """

    def __init__(self, workload: Workload, estimate_model: EstimateModel) -> None:
        estimated = estimate_model.estimated(workload)
        self._estimate_model, self._kill_s = estimate_model, estimate_model.killed_after_s(workload)
        self.predicted_s: Floats | None = None
        self.killed = np.zeros(workload.jobs, bool)
        self._predicts: LastTwo | None = None
        if estimate_model != USERS:
            self.predicted_s = np.array(estimated.expected_s)
        if self.predicted_s is not None and estimate_model.estimates == "last-two":
            # The workload's column is a view of this one, so every order and every snapshot sees what is written.
            estimated = estimated.expecting(self.predicted_s)
            self._predicts = LastTwo(workload, self.predicted_s)
        self.workload = estimated
        self._corrections = corrections_of(estimate_model, workload, self.workload.expected_s)

    def arrived(self, job: int) -> None:
        """A job joins the queue."""
        if self._predicts is not None:
            self._predicts.until(float(self.workload.submit_s[job]))

    def start(self, job: int, speed: float) -> float:
        """A job starts on hosts of that speed: how long it will run, until it has done its work or its limit kills."""
        lasts_s = float(self.workload.runtime_s[job]) / speed
        self.killed[job] = self._kill_s is not None and lasts_s > self._kill_s[job]
        return float(self._kill_s[job]) if self._kill_s is not None and self.killed[job] else lasts_s

    def ended(self, job: int, run: RunningJob) -> None:
        """A job has ended."""
        if run.status in _CUT_SHORT:
            self.stopped(job)
        elif self._predicts is not None:
            runtime_s = float(self.workload.runtime_s[job])
            if self._kill_s is not None and self.killed[job]:
                runtime_s = float(self._kill_s[job]) * run.speed
            self._predicts.ended(job, run.end_s, runtime_s)

    def stopped(self, job: int) -> None:
        """A job was taken off its hosts by something else than its limit."""
        self.killed[job] = False

    def correct(self, occupancy: Occupancy, now_s: float) -> None:
        """Expect something else of those that run on past what was expected."""
        if self._corrections is None:
            return
        for job, run in occupancy.running.items():
            if run.expected_end_s <= now_s:
                end_s = self._corrections.end_s(job, run.began_s, run.speed, now_s)
                occupancy.running[job] = run.expecting(end_s)

    def next_expiry_s(self, occupancy: Occupancy, now_s: float) -> float:
        """When the next expected end passes, if that is a moment of decision; else infinite."""
        if not self._estimate_model.expiry_pass:
            return math.inf
        ends_s = (run.expected_end_s for run in occupancy.running.values())
        return min((end_s for end_s in ends_s if end_s > now_s), default=math.inf)
