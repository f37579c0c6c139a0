"""What the general engine works on: the jobs, the rules, everything that changes, and the record it writes."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

DONE, PAUSED, NOT_FINITE = 0, 1, 2
"""What `run` returns: finished; the records are full, call again; a policy's score is not a finite number."""
PARETO = 32
"""Failed demands remembered in a cycle beside the exact ones."""


class Jobs(NamedTuple):
    """J jobs of K distinct demands.

    Attributes:
        submit_s: float64[J].
        runtime_s: float64[J].
        kind: int32[J], the row of the job's demand in `demand`.
        tasks: int32[J].
        first_task: int64[J + 1].
        project: int32[J].
        demand: float64[K, R].
        smallest: bool[K], no job of the log asks for less of anything.
        holdable: bool[K], every host could hold it when empty.
    """

    submit_s: NDArray[np.float64]
    runtime_s: NDArray[np.float64]
    kind: NDArray[np.int32]
    tasks: NDArray[np.int32]
    first_task: NDArray[np.int64]
    project: NDArray[np.int32]
    demand: NDArray[np.float64]
    smallest: NDArray[np.bool_]
    holdable: NDArray[np.bool_]


class Rules(NamedTuple):
    """How the queue is served; -1 stands for no limit."""

    interval_s: float
    members: int
    reservations: int
    lookahead: int
    blocking: bool
    varies: int  # bit m: member m's scores are never remembered
    target: int  # 0: jobs, 1: cores, 2: weighted
    seed: int


class State(NamedTuple):
    """Everything that changes; H hosts, P projects.

    Attributes:
        free: float64[H, R].
        open: bool[H], not reserved in this cycle.
        closed: int32[H], the hosts reserved in this cycle.
        following: int32[J], the next job of the same project in the queue, -1 at the end.
        head, tail: int32[P], first and last waiting job of a project, -1 if none.
        used, share: float64[P], cores in use and share.
        cursor: int32[P], the job that a walk looks at next.
        end_s, ending: float64[J], int32[J], heap of running jobs by their end.
        failed: int64[K], stamp of the walk in which the demand failed; failed_tasks: with how many tasks.
        pareto: float64[PARETO, R + 1], other failed demands of this walk, tasks last.
        left, holder: float64[H], int32[H], heap of open hosts by most free memory.
        undo_host, undo_free: int32[U], float64[U, R], hosts changed in this walk and what they had before.
        plan_job, plan_host: int32[2, U], starts of the best walk so far and of the present one.
        tally: int64[12], see the constants below.
    """

    free: NDArray[np.float64]
    open: NDArray[np.bool_]
    closed: NDArray[np.int32]
    following: NDArray[np.int32]
    head: NDArray[np.int32]
    tail: NDArray[np.int32]
    used: NDArray[np.float64]
    share: NDArray[np.float64]
    cursor: NDArray[np.int32]
    end_s: NDArray[np.float64]
    ending: NDArray[np.int32]
    failed: NDArray[np.int64]
    failed_tasks: NDArray[np.int32]
    pareto: NDArray[np.float64]
    left: NDArray[np.float64]
    holder: NDArray[np.int32]
    undo_host: NDArray[np.int32]
    undo_free: NDArray[np.float64]
    plan_job: NDArray[np.int32]
    plan_host: NDArray[np.int32]
    tally: NDArray[np.int64]


ARRIVED, WAITING, RUNNING, LAST_HOST, STAMP, CLOSED, PARETOS, HEAPED, UNDO, PLANNED, PENDING, STARTED = range(12)


class Log(NamedTuple):
    """Results: start_s float64[J], host int32[T], and C rows of cycles."""

    start_s: NDArray[np.float64]
    host: NDArray[np.int32]
    time_s: NDArray[np.float64]
    queue_length: NDArray[np.int64]
    started: NDArray[np.int64]
    winners: NDArray[np.int64]
    rows: NDArray[np.int64]
