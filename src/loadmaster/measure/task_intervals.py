"""All intervals in which a task held a host: its last run, and earlier runs that were cut short."""

from typing import NamedTuple

import numpy as np

from loadmaster.model.arrays import Floats, Ints, Longs
from loadmaster.model.schedule import Schedule
from loadmaster.model.workload import Workload


class TaskIntervals(NamedTuple):
    """N times: int64[N] job, int32[N] host, float64[N] from and until when."""

    job: Longs
    host: Ints
    start_s: Floats
    end_s: Floats


def task_intervals(workload: Workload, schedule: Schedule) -> TaskIntervals:
    """All of them, the last runs first, task by task.

    Example:
        >>> from loadmaster.model import Cycles
        >>> two = Workload.of(submit_s=[0, 0], runtime_s=[10, 5], cores=[1, 1], tasks=[2, 1])
        >>> none = np.array([], np.int64)
        >>> cycles = Cycles(none * 1.0, none, none, none)
        >>> task_intervals(two, Schedule(np.array([0.0, np.nan]), np.array([0, 1, -1]), cycles)).end_s.tolist()
        [10.0, 10.0]
    """
    placed = np.flatnonzero(schedule.host >= 0)
    job = task_jobs(workload)[placed]
    last = TaskIntervals(job, schedule.host[placed], schedule.start_s[job], schedule.ends_s(workload)[job])
    cut = schedule.segments
    if cut is None:
        return last
    row = np.repeat(np.arange(len(cut)), np.diff(cut.first))
    earlier = TaskIntervals(cut.job[row], cut.host, cut.start_s[row], cut.end_s[row])
    return TaskIntervals(
        np.concatenate((last.job, earlier.job)),
        np.concatenate((last.host, earlier.host)),
        np.concatenate((last.start_s, earlier.start_s)),
        np.concatenate((last.end_s, earlier.end_s)),
    )


def task_jobs(workload: Workload) -> Longs:
    """int64[T]: the job to which every task belongs."""
    jobs = np.arange(workload.jobs, dtype=np.int64)
    return jobs if workload.tasks is None else np.repeat(jobs, workload.tasks)
