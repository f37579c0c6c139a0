"""The state of conservative backfilling: a free profile of each host, and the reservations of waiting jobs.

Where hosts are counted (rule Q11), the profile has one host with as many units as there are hosts. Each job is then one
task that requests as many units as it has tasks, so `Requests` differs from the jobs themselves.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.backfilling.free_profile_kernel import FreeProfile
from loadmaster.backfilling.start_bounds_kernel import StartBounds
from loadmaster.model.arrays import Floats
from loadmaster.sim.queue.engine.state import (
    CapacityFrontier,
    HeadPromise,
    Jobs,
    Log,
    QueueRules,
    QueueState,
    WaitingRows,
)

BUCKETS, BUCKET_S = 256, 64.0
"""Spans of time that are told apart, and their length: spans share the numbers in turn."""
BLOCK = 16
"""Hosts in a block with one least bound, where each pass makes a new plan."""


class Requests(NamedTuple):
    """The demands of J jobs on the P hosts of the profile; K distinct demands, U tasks in all. Never changed.

    Attributes:
        kind, tasks: int32[J]; first: int64[J + 1], where the tasks of a job begin; task_job: int32[U], the job of each.
        demand: float64[K, R]; expected_s: float64[J].
        capacity: float64[P, R].
    """

    kind: NDArray[np.int32]
    tasks: NDArray[np.int32]
    first: NDArray[np.int64]
    task_job: NDArray[np.int32]
    demand: NDArray[np.float64]
    expected_s: NDArray[np.float64]
    capacity: NDArray[np.float64]


class SearchScratch(NamedTuple):
    """The job at hand; P hosts, M tasks of the largest job.

    Attributes:
        window: float64[P, R], the least that hosts have free in the time in question.
        able, value: int32[P], float64[P], hosts that can hold a task, and their scores; again: int32[1].
        host, tasks: int32[M], the hosts chosen, and how many tasks go to each, side by side.
        before: int32[M], the hosts of the job's earlier reservation.
        need: float64[R], what several tasks request, or the least that jobs do.
        listed, listed_at: int32[P], int64[P], hosts to look at, and the question for which each is listed; limit_s:
            float64[P], the latest start of the job there.
        turn_s, turn_host: float64[P], int32[P], heap of hosts that are chosen from.
        held, held_until_s: int64[P], float64[P], how many tasks a host holds through the time in question, and when it
            might hold more.
        next_step, next_s: int64[P], float64[P], the first step of a host behind that time, and when it begins.
        question: int64[2], the number of the question, and of the last in which a host is listed for the room that the
            job's own reservation takes.
    """

    window: NDArray[np.float64]
    able: NDArray[np.int32]
    value: NDArray[np.float64]
    again: NDArray[np.int32]
    host: NDArray[np.int32]
    tasks: NDArray[np.int32]
    before: NDArray[np.int32]
    need: NDArray[np.float64]
    listed: NDArray[np.int32]
    listed_at: NDArray[np.int64]
    limit_s: NDArray[np.float64]
    turn_s: NDArray[np.float64]
    turn_host: NDArray[np.int32]
    held: NDArray[np.int64]
    held_until_s: NDArray[np.float64]
    next_step: NDArray[np.int64]
    next_s: NDArray[np.float64]
    question: NDArray[np.int64]


class KeptReservations(NamedTuple):
    """Further state where reservations are kept from pass to pass; J jobs, P hosts, U tasks, N = `BUCKETS`.

    Attributes:
        seen: int64[J], the count of `StartBounds.freed` when the job was last looked at.
        on_first: int32[P], on_next, on_before: int32[U], a list for each host of the entries of `Reservations.host`
            that reserve it, -1 at both ends.
        due_s, due: float64[2 J + 16], int32[...], heap of reservations by their start; some entries are out of date.
        order_s, order: float64[J], int32[J], heap for putting jobs in order; moved: int32[J], jobs to start.
        look_s: float64[P], when a host may have become able to start a job at once; looked: int32[P], hosts that are
            checked; looked_at: int64[P], in which pass; look_most: float64[R], none of them has more free now.
        capacity: float64[H, R], what the rows of the profile have when nothing is held: H = P, or P + 1 with a total.
        out: bool[U], the entry's reservation has been taken off its host, to be held there again.
        cleared, cleared_at: int32[P], int64[P], hosts whose reservations are checked again, and in which pass.
        near: int32[N, P], how many reservations begin on a host in each span of time.
        most, next_s: float64[R, P], float64[P], the most that a host has free at any time before the moment at hand,
            and
            its first step after that; -inf where it has to be computed.
    """

    seen: NDArray[np.int64]
    on_first: NDArray[np.int32]
    on_next: NDArray[np.int32]
    on_before: NDArray[np.int32]
    due_s: NDArray[np.float64]
    due: NDArray[np.int32]
    order_s: NDArray[np.float64]
    order: NDArray[np.int32]
    moved: NDArray[np.int32]
    look_s: NDArray[np.float64]
    look_most: NDArray[np.float64]
    looked: NDArray[np.int32]
    looked_at: NDArray[np.int64]
    capacity: NDArray[np.float64]
    out: NDArray[np.bool_]
    cleared: NDArray[np.int32]
    cleared_at: NDArray[np.int64]
    near: NDArray[np.int32]
    most: NDArray[np.float64]
    next_s: NDArray[np.float64]


class PlanDiff(NamedTuple):
    """Where hosts may have other free capacity than when jobs got their reservations; P hosts.

    Attributes:
        hosts, many: int32[P], int64[1], hosts with such a time.
        more_from_s, more_until_s: float64[P], when more may be free than there was, empty if never.
        less_from_s, less_until_s: the same for less.
    """

    hosts: NDArray[np.int32]
    many: NDArray[np.int64]
    more_from_s: NDArray[np.float64]
    more_until_s: NDArray[np.float64]
    less_from_s: NDArray[np.float64]
    less_until_s: NDArray[np.float64]


class UnvisitedJobs(NamedTuple):
    """The same for jobs that no pass has reached since: a stack, the first of these jobs on top; S of N hosts.

    Attributes:
        many, job: int64[1], int64[S], from which job on each counts; entry: int64[S + 1], where its hosts begin.
        host, span_s: int32[N], float64[N, 4], hosts, with the times of `PlanDiff` in their order.
    """

    many: NDArray[np.int64]
    job: NDArray[np.int64]
    entry: NDArray[np.int64]
    host: NDArray[np.int32]
    span_s: NDArray[np.float64]


class Replan(NamedTuple):
    """Further state where each pass makes a new plan; J jobs, P hosts, C classes, B blocks, K demands.

    Attributes:
        alone: bool[J], the job has one task, and no other host could take it when its own was reserved.
        planned, planned_at: int32[P], int64[P + 1], hosts on which the pass has reserved something, and in which pass,
            the last one for the total.
        block_s: float64[C, B], no later than any of the bounds of a class for the hosts of a block.
        changes: int64[1], how often the profile ahead of a host has changed; changed_at: int64[P + 1], the last time,
            and
            of the total.
        exact_at: int64[C, P], the bound was the earliest start itself after that change.
        likely: int32[C], the host that a job of the class got last.
        undo_class, undo_host, undo_s: int32[N], int32[N], float64[N], bounds that hold in this pass only, and what they
            were; undo: int64[1], how many.
        least: float64[R], the least that any job requests.
        roomy, many_roomy: int32[P], int64[1], the hosts that have so much, -1 where they are not listed yet.
        dead_at, dead_long_s: int64[K], float64[K], in that pass no host can hold a task of the demand from now on for
            so long.
        diff: the difference for the job at hand; since: the difference since the last pass that planned, for all jobs.
        unseen: further differences for jobs that no pass has reached since.
    """

    alone: NDArray[np.bool_]
    planned: NDArray[np.int32]
    planned_at: NDArray[np.int64]
    block_s: NDArray[np.float64]
    changes: NDArray[np.int64]
    changed_at: NDArray[np.int64]
    exact_at: NDArray[np.int64]
    likely: NDArray[np.int32]
    undo_class: NDArray[np.int32]
    undo_host: NDArray[np.int32]
    undo_s: NDArray[np.float64]
    undo: NDArray[np.int64]
    least: NDArray[np.float64]
    roomy: NDArray[np.int32]
    many_roomy: NDArray[np.int64]
    dead_at: NDArray[np.int64]
    dead_long_s: NDArray[np.float64]
    diff: PlanDiff
    since: PlanDiff
    unseen: UnvisitedJobs


class Reservations(NamedTuple):
    """All that a pass takes; J jobs, P hosts, U tasks.

    Attributes:
        jobs, capacity, rules, state, waiting, frontier, moment, scores, log: of the engine.
        requests: the demands of jobs on the profile.
        early_end: what becomes of reservations, a constant of `conservative_kernel`.
        as_pool: the profile counts hosts.
        sky: the free profile beside all that stands from pass to pass, a row for each host.
        total: the row of `sky` with the free capacity of all hosts together, except for reservations that are checked
            again; -1 if all jobs have one task.
        ahead: the same beside the reservations of the pass too, in the same arrays; `sky` itself where they are kept.
        bounds: lower bounds of the start of a job on a host.
        scratch: the job at hand.
        start_s: float64[J], the reserved start.
        host, tasks: int32[U], the hosts that are reserved, or held by a running job, and how many of its tasks each
            has. Tasks that stand side by side on one host make one entry; those of a job begin at its `requests.first`.
        entries: int32[J], how many a job has.
        runs: bool[J].
        over_s, over: float64[J], int32[J], heap of running jobs by expected end; overdue: int32[J], those past it.
        tally: int64[16], see below; now: float64[1], the moment of the pass.
        kept: further state where reservations are kept; replan: where each pass makes a new plan; the other is None.
    """

    jobs: Jobs
    capacity: Floats
    rules: QueueRules
    state: QueueState
    waiting: WaitingRows
    frontier: CapacityFrontier
    moment: HeadPromise | None
    scores: Any
    log: Log
    requests: Requests
    early_end: int
    as_pool: bool
    total: int
    sky: FreeProfile
    ahead: FreeProfile
    bounds: StartBounds
    scratch: SearchScratch
    start_s: NDArray[np.float64]
    host: NDArray[np.int32]
    tasks: NDArray[np.int32]
    entries: NDArray[np.int32]
    runs: NDArray[np.bool_]
    over_s: NDArray[np.float64]
    over: NDArray[np.int32]
    overdue: NDArray[np.int32]
    tally: NDArray[np.int64]
    now: NDArray[np.float64]
    kept: KeptReservations | None
    replan: Replan | None


(
    PASS,
    PROMISED,
    ENDED_TASKS,
    UNDER_WAY,
    EARLY,
    DUE,
    OVER,
    OVERDUE,
    LOOKED,
    MOVED,
    WRONG,
    CLEARED,
    PLANNED_HOSTS,
    CHOSEN,
) = range(14)
"""Number of the pass; jobs before this one have a reservation; tasks of jobs that have ended; a pass is under way;
some job has ended early; sizes of the heaps and lists; WRONG: the engine's status, or 0; CHOSEN: how many hosts
stand in `SearchScratch.host`."""
