"""The state of constraints in the compiled engine: static columns, and what changes.

Under constraints the queue holds *rows*, one for each partition in which a job may run. All columns of `Jobs` then
describe rows, and `ConstraintState.row` names the job of each. Fields that belong together stand in one array of
records: each array handed to a kernel costs seven words, and these kernels get them all.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.sim.queue.engine.sleeping_hosts_kernel import SleepingHostArrays

AFTER, ANY, WELL, ILL = range(4)
"""The event that a dependency waits for: the other job starts, ends in any way, ends well, ends otherwise."""
ENDED, STOPPED, SENT_BACK = range(3)
"""How a job leaves its hosts: by itself, for good, or back to the queue."""
NOBODY = -1
Records = np.recarray[Any, np.dtype[Any]]


def _records(**fields: str) -> np.dtype[Any]:
    return np.dtype([(name, kind) for kind, names in fields.items() for name in names.split()], align=True)


JOB = _records(
    f8="submit_s eligible_s latest_s ready_s end_s start_up_s",
    i8="rows submits depends named_by place seat entered started",
    i4="array throttled group",
    bool="never requeue well single one_is_enough waits ripe queued has_begun stopped",
)
"""Of each of J jobs, and one record behind the last.

submit_s, eligible_s, latest_s: as in `ResolvedConstraints`; ready_s: from when on it may start, by all that is known;
end_s: when its latest run ends, NaN before; start_up_s: how long that run waited for its hosts to start. rows, submits,
depends, named_by: where its rows, its limits of what runs or waits, its dependencies and the dependencies that name it
begin; those of the next job begin where they end. place: its position in `WaitState.member`. entered: the round of
starts in which its rows joined the queue; started: the pass of its start. array, throttled, group: the array of which
it is a task, the same among throttled arrays, the group that runs one job at a time; or `NOBODY`. seat: its position in
`WaitState.seated`. never: it can never run; requeue: it may go back to the queue; well: it ends well by itself; single:
it only starts when it is its turn in the group; one_is_enough: of its dependencies. waits: it has arrived and not
started; ripe: a task of a throttled array that may start in its turn; queued: its rows are in the queue; has_begun: it
has started once; stopped: for good, by a failure.
"""
ROW = _records(i8="serial", i4="owner queue tier")
"""Of each of E rows: the number of its latest start; its job, the partition whose queue it is in, and its tier
counted from 0, which goes first."""
DEPENDENCY = _records(f8="delay_s met_s", i8="todo", i4="owner kind")
"""Of each of D dependencies: the delay of `after`, when the last of the other jobs met it; the jobs that it still
waits for; the job that waits, a kind from above."""
GROUP = _records(i8="members lead busy", i4="turn")
"""Of each of G groups that run one job at a time, and one record behind the last: where its members begin, where the
first that waits stands, or before; how many run; the job whose turn it is, or `NOBODY`."""
THROTTLED = _records(i8="busy queued most last end")
"""Of each of A throttled arrays: how many of its tasks run, are in the queue, and run at most; the seat up to which
all tasks that may start are in the queue, and the seat before which all tasks are that may ever start."""
CLOSURE = _records(f8="from_s to_s", i4="who", bool="unforeseen")
"""Of each of N closures: its time; its row of `shuts`; whether it is unknown before it begins."""
CUT = _records(f8="start_s end_s", i4="job", bool="lost")
"""A run that was cut short; its work was lost, or the job continues from there."""
NEWS = _records(f8="time_s", i4="job how")
"""A job that has left its hosts: when, and how (a constant from above)."""


class WaitState(NamedTuple):
    """Dependencies between jobs (rule C3).

    Attributes:
        dependency, group: records.
        telling: int32[N], dependencies by the job that they name.
        member: int32[M], the jobs of each group in the order of arrival.
        throttled: records; seated: int32[S], the tasks of each such array by their index.
    """

    dependency: Records
    group: Records
    telling: NDArray[np.int32]
    member: NDArray[np.int32]
    throttled: Records
    seated: NDArray[np.int32]


class Closures(NamedTuple):
    """Times in which hosts are closed to some jobs (rule C7); F of them begin with a failure of the hosts.

    Attributes:
        closure: records; hosts: bool[N, H].
        shuts: bool[W, J], the jobs that a closure shuts out.
        failing: int32[F], closures that stop running jobs, in the order of time.
        moments_s: float64[M], each begin and end of a closure, in the order of time.
        shut: bool[H], hosts closed to the job at hand.
    """

    closure: Records
    hosts: NDArray[np.bool_]
    shuts: NDArray[np.bool_]
    failing: NDArray[np.int32]
    moments_s: NDArray[np.float64]
    shut: NDArray[np.bool_]


class Cut(NamedTuple):
    """Runs that were cut short in this step; the shell records them.

    Attributes:
        run: records[J]; host: int32[T], of their tasks one after another.
        key, row: float64[E], int32[E], heap of the rows that a failure stops, by the order of their starts.
    """

    run: Records
    host: NDArray[np.int32]
    key: NDArray[np.float64]
    row: NDArray[np.int32]


class ConstraintState(NamedTuple):
    """E rows of J jobs.

    Attributes:
        job, row: records.
        by_latest: int32[L], the jobs with a latest start, in the order of that time.
        limit: int32[U], most: float64[S]: the limits on submitted jobs, by job; what each limit has left. A job takes 1
            of each.
        timer_s, timer: float64, int32[2J + 2], heap of the times from which jobs may start; some are out of date.
        passed, shunned: int64[A * P], int64[P]: the pass in which an array in a partition is passed over, or all of it.
        clock: float64[2], the present moment; the next decision without an event, infinite if there is none.
        news: records[J], of this step; empty where ends are not noted.
        tiers, limits_stop, looks_at_all: the number of tiers; a job beyond a limit holds back its partition; each job
            must be looked at, because others depend on it.
        tally: int64[20], see the constants below.
        sleeping: hosts that sleep while they are idle.
    """

    job: Records
    row: Records
    by_latest: NDArray[np.int32]
    limit: NDArray[np.int32]
    most: NDArray[np.float64]
    timer_s: NDArray[np.float64]
    timer: NDArray[np.int32]
    passed: NDArray[np.int64]
    shunned: NDArray[np.int64]
    clock: NDArray[np.float64]
    news: Records
    tiers: int
    limits_stop: bool
    looks_at_all: bool
    tally: NDArray[np.int64]
    on: WaitState
    closures: Closures
    cut: Cut
    sleeping: SleepingHostArrays


(
    STUCK,
    REFUSED,
    IN_QUEUE,
    TIMERS,
    EXPIRED,
    FAILED,
    MOMENTS,
    SERIAL,
    ROUND,
    ENTERED,
    AGAIN,
    SHUT,
    CUTS,
    CUT_TASKS,
    EVENTS,
    REPEATED,
    ABLE_REFUSED,
    SUSPENDED,
) = range(18)
