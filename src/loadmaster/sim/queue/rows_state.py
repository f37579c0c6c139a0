"""What the NetBatch engine is handed and changes: the jobs, the rules, the calendar, the walk under way, the tally."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.sim.queue.rows_kernel import Records


class RowJobs(NamedTuple):
    """J jobs as the workload has them.

    Attributes:
        submit_s, runtime_s: float64[J].
        demand: float64[J, 2], cores and memory in whole units.
        first_task: int64[J + 1], where the tasks of a job begin; int64[0] if every job is one task.
    """

    submit_s: NDArray[np.float64]
    runtime_s: NDArray[np.float64]
    demand: NDArray[np.float64]
    first_task: NDArray[np.int64]


class RowRules(NamedTuple):
    """How the queue is served; -1 stands for no limit."""

    interval_s: float
    reservations: int
    lookahead: int
    blocking: bool
    log_ties: bool
    target: int  # 0: jobs, 1: cores, 2: weighted
    total_cores: float
    total_memory: float
    least_cores: int  # no job asks for less
    least_memory: int
    any_able: bool  # every job can be held by every host


RUN = np.dtype([("memory", np.int64), ("cores", np.int32), ("host", np.int32), ("after", np.int32)], align=True)


class EndRing(NamedTuple):
    """Running jobs by the cycle in which they will have ended: lists over a ring of cycles.

    Attributes:
        latest: int32[ring], the run that heads a cycle's list, -1 if none; the ring's size is a power of two.
        run: U records: what a running job holds, and the next run of the same list. Run 0 heads the unused ones.
    """

    latest: NDArray[np.int32]
    run: Records


class WalkPlan(NamedTuple):
    """Starts of the walk under way, and of the best walk so far.

    Attributes:
        position: int32[U], place in the queue of the job of every task that starts; best_position likewise.
        host: int32[U]; best_host likewise.
        failed: int64[C + 1], by number of cores: the least memory that failed in this walk with no more cores.
        open: int64[C + 1], by free cores: the most memory of an open host, for passing use.
        known: int64[C + 1], as `failed` of all walks so far, on hosts that nobody has left since, reserved or not.
            The tally says of both whether they are exact: what is less than they say fits somewhere.
        members: int64[M], the rules to try.
        run_mask, run_size: int64[64], reservations not made yet: groups that are able, and how many alike in a row.
    """

    position: NDArray[np.int32]
    host: NDArray[np.int32]
    best_position: NDArray[np.int32]
    best_host: NDArray[np.int32]
    failed: NDArray[np.int64]
    open: NDArray[np.int64]
    known: NDArray[np.int64]
    members: NDArray[np.int64]
    run_mask: NDArray[np.int64]
    run_size: NDArray[np.int64]


(
    ARRIVED, HEAD, CYCLE, RUNNING, STARTED, PLANNED, RUNS, PENDING, RESERVED, LAST, ANYWHERE, EXACT, KNOWN, FAILING,
    FULL,
) = range(15)  # fmt: skip
"""Entries of the tally: int64[15]. FULL: a start had no room in the plan.

The queue is int32[J]: jobs HEAD to ARRIVED wait, in the order of arrival."""
