"""Jobs that several dumps of one folder have: each counts once, from the record that shows most of it."""

from dataclasses import replace

import numpy as np

from loadmaster.model import Workload
from loadmaster.model.arrays import Floats, Longs
from loadmaster.system.counted import counted
from loadmaster.traces.trace import Trace

_SEVERAL = "{} left out: another dump of the folder has the same job, and saw more of it."


def latest_records(trace: Trace) -> Trace:
    """The trace with each job once: of records with the same number, arrival, user, start and size the longest runtime.

    A job that runs over midnight is in two daily dumps, in the first as a job that still runs. Jobs without numbers are
    all kept.
    """
    log = trace.workload
    if log.job_id is None:
        return trace
    order = np.lexsort((log.runtime_s, *_same(log)))
    keys = np.stack(_same(log))[:, order]
    last = np.append((keys[:, 1:] != keys[:, :-1]).any(axis=0), True) | (log.job_id[order] < 0)
    if last.all():
        return trace
    kept: Longs = np.sort(order[last])
    extra = {name: column[kept] for name, column in trace.extra.items()}
    lost = log.jobs - len(kept)
    notes = (*trace.notes, _SEVERAL.format(counted(lost, "record was", "records were")))
    return replace(trace, workload=log.take(kept), extra=extra, notes=notes)


def _same(log: Workload) -> tuple[Floats, ...]:
    """Columns of float64[J] that are equal for records of one job."""
    assert log.job_id is not None
    unknown = np.zeros(log.jobs)
    wait_s = unknown if log.recorded_wait_s is None else np.nan_to_num(log.recorded_wait_s, nan=-1.0)
    user = unknown if log.user is None else log.user.astype(float)
    return log.job_id.astype(float), log.submit_s, wait_s, user, log.demand[:, 0] * log.task_count
