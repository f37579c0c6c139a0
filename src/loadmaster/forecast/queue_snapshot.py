"""A queue at one moment: the jobs that run, since when and where, and the jobs that wait."""

from dataclasses import dataclass

import numpy as np

from loadmaster.model import Cluster, Workload
from loadmaster.model.arrays import Bools, Floats, Ints, Longs
from loadmaster.model.starting_state import StartingState
from loadmaster.runs.running_now import starting_state


@dataclass(frozen=True, eq=False)
class QueueSnapshot:
    """N jobs that run or wait at `now_s`.

    Attributes:
        now_s: the moment, on the clock of the table.
        rows: int64[N], their rows in the table, in ascending order.
        runs: bool[N], which of them run.
        start_s: float64[N], when each started; NaN of those that wait.
        host: int32[T], the hosts of all tasks of running jobs, those of one job after those of the job before.
    """

    now_s: float
    rows: Longs
    runs: Bools
    start_s: Floats
    host: Ints

    @property
    def held_s(self) -> Floats:
        """float64[N]: how long each has run; 0 of those that wait."""
        return np.where(self.runs, np.maximum(self.now_s - self.start_s, 0.0), 0.0)


def state_of_listing(starting: StartingState | None, listed_s: float, rows: Longs, zero_s: float) -> QueueSnapshot:
    """The state that a listing tells.

    Args:
        starting: its running jobs; None where none runs.
        listed_s: when it was made, on its own clock.
        rows: int64[N], the rows of its jobs in the table, in its order.
        zero_s: where the zero of its clock lies on that of the table.
    """
    runs, start_s = np.zeros(rows.size, bool), np.full(rows.size, np.nan)
    host = np.zeros(0, np.int32)
    if starting is not None:
        runs[starting.job] = True
        start_s[starting.job] = starting.start_s + zero_s
        host = np.asarray(starting.host, np.int32)
    return QueueSnapshot(listed_s + zero_s, rows, runs, start_s, host)


def state_in_log(
    workload: Workload, cluster: Cluster, start_s: Floats, end_s: Floats, host: Ints | None, now_s: float
) -> QueueSnapshot:
    """The state of a log at a moment.

    Args:
        workload: the log.
        cluster: its hosts.
        start_s: float64[J], when each job started; NaN where unknown.
        end_s: float64[J], when each ended.
        host: int32[T], the host of each task of the log; None: running jobs get the first hosts with room.
        now_s: the moment.

    Raises:
        InputError: the hosts have no room for all jobs that run then.
    """
    here = (workload.submit_s <= now_s) & (end_s > now_s)
    rows = np.flatnonzero(here)
    runs = start_s[rows] <= now_s
    since_s = np.where(runs, start_s[rows], np.nan)
    running = rows[runs]
    if host is None:
        placed = starting_state(now_s, workload, running, start_s[running], cluster)[0].host
    else:
        first, tasks = workload.first_task[running], workload.task_count[running]
        within = np.arange(int(tasks.sum())) - np.repeat(np.cumsum(tasks) - tasks, tasks)
        placed = host[np.repeat(first, tasks) + within]
    return QueueSnapshot(now_s, rows, runs, since_s, np.asarray(placed, np.int32))
