"""The outcome of a recorded run, measured on its record: nothing is simulated, and no rule of it is run."""

import numpy as np

from loadmaster.measure import metrics, waits
from loadmaster.measure.distribution import wait_counts
from loadmaster.measure.losses import losses
from loadmaster.measure.run_diagnostics import run_diagnostics
from loadmaster.measure.timeline import QUEUE_POINTS, queue_series, timeline
from loadmaster.measure.usage import measured
from loadmaster.model import InputError
from loadmaster.runs.outcome import Outcome, members_in
from loadmaster.runs.record import Record


def recorded_outcome(record: Record) -> Outcome:
    """The outcome of the run that `record` holds, as the run itself had it.

    Raises:
        InputError: the record holds what no run comes to.
    """
    case, workload, schedule = record.case, record.workload, record.schedule
    if not workload.jobs:
        raise InputError("no job", "this record holds no job, so there is nothing to show")
    use = timeline(workload, case.cluster, schedule)
    stranded = use.mean_stranded(measured(workload, schedule)[1])
    return Outcome(
        setting=record.setting,
        load=case.load / record.setting.beta,
        rejected=case.rejected.total,
        metrics=metrics(workload, case.cluster, schedule),
        simulated_jobs_per_s=_pace(record),
        members=members_in(schedule),
        stranded={name: float(stranded[r]) for r, name in enumerate(workload.resources)},
        losses=losses(workload, schedule),
        faults=(),
        queue=queue_series(workload, schedule).thinned(QUEUE_POINTS),
        use=use,
        wait_counts=wait_counts(waits(workload, schedule)),
        beside=run_diagnostics(workload, case.cluster, schedule),
    )


def _pace(record: Record) -> float:
    """As the record says; a live run simulated nothing."""
    value = record.about.get("result", {}).get("simulated_jobs_per_s")
    return float(value) if isinstance(value, int | float) and np.isfinite(value) else 0.0
