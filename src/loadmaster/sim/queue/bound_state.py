"""What the compiled engine works on beside the rest where constraints bind jobs: static columns, and what changes.

There the queue holds *rows*, one for each partition in which a job may run: all that `Jobs` says is said of rows, and
`Bound.owner` says whose they are.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

AFTER, ANY, WELL, ILL = range(4)
"""What a dependency waits for: that the other starts, ends in any way, ends well, ends otherwise."""
ENDED, STOPPED, SENT_BACK = range(3)
"""How a job leaves its hosts: by itself, for good, or back to the queue."""
NOBODY = -1


class Waits(NamedTuple):
    """What jobs wait for in others (rule C3): D dependencies of J jobs, G groups of which one runs at a time.

    Attributes:
        first: int64[J + 1], the dependencies of job j are first[j] up to first[j + 1].
        kind: int8[D], a constant of above; delay_s: float64[D]; owner: int32[D], who waits.
        one_is_enough: bool[J].
        told, telling: int64[J + 1], int32[N], the dependencies that name job j.
        todo: int64[D], jobs that a dependency still waits for; met_s: float64[D], when the last of the others was met.
        group: int32[J]; single: bool[J], only starts when it is the first of its group to wait and none of it runs.
        members, member: int64[G + 1], int32[M], the jobs of each group in the order of arrival.
        place: int64[J], where a job stands in `member`; lead: int64[G], where the first that waits does, or before.
        busy: int64[G], how many run; turn: int32[G], whose turn it is, or nobody's.
    """

    first: NDArray[np.int64]
    kind: NDArray[np.int8]
    delay_s: NDArray[np.float64]
    owner: NDArray[np.int32]
    one_is_enough: NDArray[np.bool_]
    told: NDArray[np.int64]
    telling: NDArray[np.int32]
    todo: NDArray[np.int64]
    met_s: NDArray[np.float64]
    group: NDArray[np.int32]
    single: NDArray[np.bool_]
    members: NDArray[np.int64]
    member: NDArray[np.int32]
    place: NDArray[np.int64]
    lead: NDArray[np.int64]
    busy: NDArray[np.int64]
    turn: NDArray[np.int32]


class Closures(NamedTuple):
    """N times in which hosts are closed to some jobs (rule C7); F of them begin with a failure of the hosts.

    Attributes:
        hosts: bool[N, H]; from_s, to_s: float64[N].
        unforeseen: bool[N], nobody knows of it before it begins.
        who: int32[N], the row of `shuts`; shuts: bool[W, J], the jobs that it shuts out.
        failing: int32[F], closures that stop what runs there, in the order of time.
        moments_s: float64[M], when something begins or ends, in the order of time.
        shut: bool[H], hosts closed to the job at hand.
    """

    hosts: NDArray[np.bool_]
    from_s: NDArray[np.float64]
    to_s: NDArray[np.float64]
    unforeseen: NDArray[np.bool_]
    who: NDArray[np.int32]
    shuts: NDArray[np.bool_]
    failing: NDArray[np.int32]
    moments_s: NDArray[np.float64]
    shut: NDArray[np.bool_]


class Cut(NamedTuple):
    """Runs that were cut short in this step; the shell puts them aside.

    Attributes:
        job: int32[J]; start_s, end_s: float64[J]; host: int32[T], of their tasks one after another.
        key, row: float64[J], int32[J], heap of the rows that a failure stops by the order of their starts.
    """

    job: NDArray[np.int32]
    start_s: NDArray[np.float64]
    end_s: NDArray[np.float64]
    host: NDArray[np.int32]
    key: NDArray[np.float64]
    row: NDArray[np.int32]


class Bound(NamedTuple):
    """E rows of J jobs.

    Attributes:
        owner: int32[E]; rows: int64[J + 1], the rows of job j are rows[j] up to rows[j + 1]; none if it never can run.
        partition, tier: int32[E], tiers counted from 0, which goes first.
        array: int32[J], the array of which a job is a task, or nobody's.
        submit_s, eligible_s, latest_s: float64[J].
        by_latest: int32[L], the jobs that have a latest moment, in its order.
        never, requeue, well: bool[J], never can run; may go back to the queue; ends well by itself.
        submits: int64[J + 1], limit: int32[U], most: float64[S]: limits of what runs or waits; each job counts one.
        waits: bool[J], has arrived and not started; queued: bool[J], its rows are in the queue.
        ready_s: float64[J], from when on a waiting job may start, by all that is known.
        timer_s, timer: float64, int32[2J + 2], heap of such moments to come, with some that hold no longer.
        begun: bool[J], has started once; serial: int64[E], the number of its latest start.
        end_s: float64[J], when its latest run ends; stopped: bool[J], for good by a failure.
        entered: int64[J], the number of the round of starts in which its rows joined the queue.
        started, passed, shunned: int64[J], int64[A], int64[P]: the pass in which a job started, an array or a
            partition is passed over.
        saved, saved_limit: float64[V], int32[V], what limits had left before the starts of this pass.
        clock: float64[2], the present moment; when to decide again though nothing happens, infinite if never.
        news_job, news_s, news_how: int32, float64, int8[J], who has left its hosts in this step, when and how (a
            constant of above); empty where nobody asks.
        tiers, limits_stop, looks_at_all: how many; a job beyond a limit keeps its partition back; no job may be passed
            over unseen, since others depend on that it was looked at.
        tally: int64[20], see the constants below.
    """

    owner: NDArray[np.int32]
    rows: NDArray[np.int64]
    partition: NDArray[np.int32]
    tier: NDArray[np.int32]
    array: NDArray[np.int32]
    submit_s: NDArray[np.float64]
    eligible_s: NDArray[np.float64]
    latest_s: NDArray[np.float64]
    by_latest: NDArray[np.int32]
    never: NDArray[np.bool_]
    requeue: NDArray[np.bool_]
    well: NDArray[np.bool_]
    submits: NDArray[np.int64]
    limit: NDArray[np.int32]
    most: NDArray[np.float64]
    waits: NDArray[np.bool_]
    queued: NDArray[np.bool_]
    ready_s: NDArray[np.float64]
    timer_s: NDArray[np.float64]
    timer: NDArray[np.int32]
    begun: NDArray[np.bool_]
    serial: NDArray[np.int64]
    end_s: NDArray[np.float64]
    stopped: NDArray[np.bool_]
    entered: NDArray[np.int64]
    started: NDArray[np.int64]
    passed: NDArray[np.int64]
    shunned: NDArray[np.int64]
    saved: NDArray[np.float64]
    saved_limit: NDArray[np.int32]
    clock: NDArray[np.float64]
    news_job: NDArray[np.int32]
    news_s: NDArray[np.float64]
    news_how: NDArray[np.int8]
    tiers: int
    limits_stop: bool
    looks_at_all: bool
    tally: NDArray[np.int64]
    on: Waits
    closures: Closures
    cut: Cut


(
    STUCK, REFUSED, IN_QUEUE, TIMERS, EXPIRED, FAILED, MOMENTS, SERIAL, ROUND, ENTERED, AGAIN, SAVED, SHUT, CUTS,
    CUT_TASKS, NEWS, REPEATED, DECIDED,
) = range(18)  # fmt: skip
