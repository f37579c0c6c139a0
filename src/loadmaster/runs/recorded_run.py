"""The outcome of a recorded run, measured on its record: nothing is simulated, and no rule of it is run."""

import numpy as np

from loadmaster.measure.metric import values_of
from loadmaster.measure.scheduled import ScheduledJobs
from loadmaster.model import InputError
from loadmaster.runs.outcome import Outcome, measured_outcome
from loadmaster.runs.record import Record


def recorded_outcome(record: Record) -> Outcome:
    """The outcome of the run that `record` holds, as the run itself had it, without metrics of the user's own.

    Raises:
        InputError: the record holds what no run comes to.
    """
    if not record.workload.jobs:
        raise InputError("no job", "this record holds no job, so there is nothing to show")
    jobs = ScheduledJobs(record.workload, record.case.cluster, record.schedule)
    return measured_outcome(record.case, record.setting, jobs, values_of(jobs), simulated_jobs_per_s=_pace(record))


def _pace(record: Record) -> float:
    """As the record says; a live run simulated nothing."""
    value = record.about.get("result", {}).get("simulated_jobs_per_s")
    return float(value) if isinstance(value, int | float) and np.isfinite(value) else 0.0
