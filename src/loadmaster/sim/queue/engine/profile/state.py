"""What a pass of conservative backfilling works on: a free profile of each host, and what waiting jobs are promised.

Where hosts are counted (rule Q11) the profile has one host, of as many units as there are hosts, and every job one task
that asks for as many units as the job has tasks: then `Requests` differs from the jobs as they are.
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
"""Stretches of time that are told apart, and their length: a moment falls into one of them, in turn."""
BLOCK = 16
"""Hosts whose least bound is kept where every pass promises anew."""


class Requests(NamedTuple):
    """What J jobs ask of the P hosts of the profile; K distinct demands, U tasks in all. Never changed.

    Attributes:
        kind, tasks: int32[J]; first: int64[J + 1], where the tasks of a job begin; task_job: int32[U], whose they are.
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
        before: int32[M], the hosts of the job's earlier promise.
        need: float64[R], what several tasks ask for, or the least that jobs do.
        listed, listed_at: int32[P], int64[P], hosts to look at, and the question for which each is listed; limit_s:
            float64[P], at the latest then the job may start there.
        turn_s, turn_host: float64[P], int32[P], heap of hosts that are chosen from.
        held, held_until_s: int64[P], float64[P], how many tasks a host holds through the time in question, and when it
            might hold more.
        next_step, next_s: int64[P], float64[P], the first step of a host behind that time, and when it begins.
        question: int64[2], the number of the question, and of the last in which a host is listed for the room that the
            job's own promise takes.
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
    """What is known besides where promises stand from pass to pass; J jobs, P hosts, U tasks, N = `BUCKETS`.

    Attributes:
        seen: int64[J], how often something had been given back when the job was last looked at (`StartBounds.freed`).
        on_first: int32[P], on_next, on_before: int32[U], a list for each host of the entries of `Reservations.host`
            that promise it, -1 at both ends.
        due_s, due: float64[2 J + 16], int32[...], heap of promises by their moment; those that have moved on are in it
            still.
        order_s, order: float64[J], int32[J], heap for putting jobs in order; moved: int32[J], jobs to start.
        look_s: float64[P], when a host may have become able to start somebody at once; looked: int32[P], those that
            are looked at; looked_at: int64[P], in which pass; look_most: float64[R], none of them has more free now.
        capacity: float64[H, R], what the rows of the profile have when nothing is held: H = P, or P + 1 with a total.
        out: bool[U], what the entry promises has been taken off its host, to be held there again.
        cleared, cleared_at: int32[P], int64[P], hosts whose promises are gone through again, and in which pass.
        near: int32[N, P], how many promises begin on a host in each stretch of time.
        most, next_s: float64[R, P], float64[P], the most that a host has at any time before the moment that is looked
            at, and its first step after that; -inf where it has to be worked out.
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
    """Where hosts may have something else free than they had when jobs were promised what they are; P hosts.

    Attributes:
        hosts, many: int32[P], int64[1], hosts of which any such time is known.
        more_from_s, more_until_s: float64[P], when more may be free than there was, empty if never.
        less_from_s, less_until_s: the same for less.
    """

    hosts: NDArray[np.int32]
    many: NDArray[np.int64]
    more_from_s: NDArray[np.float64]
    more_until_s: NDArray[np.float64]
    less_from_s: NDArray[np.float64]
    less_until_s: NDArray[np.float64]


class PassedOver(NamedTuple):
    """The same for jobs that no pass has come to since: a stack, the first of these jobs on top; S of N hosts.

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
    """What is known besides where every pass promises anew; J jobs, P hosts, C classes, B blocks, K demands.

    Attributes:
        alone: bool[J], the job has one task, and no other host could take it when it was promised its own.
        planned, planned_at: int32[P], int64[P + 1], hosts on which the pass has promised something, and in which pass,
            the last one for the total.
        block_s: float64[C, B], no later than any of the bounds of a class for the hosts of a block.
        changes: int64[1], how often what a host has ahead has changed; changed_at: int64[P + 1], the last time, and of
            the total.
        exact_at: int64[C, P], the bound was the first moment itself after that change.
        likely: int32[C], the host that a job of the class got last.
        undo_class, undo_host, undo_s: int32[N], int32[N], float64[N], bounds that hold in this pass only, and what they
            were; undo: int64[1], how many.
        least: float64[R], the least that any job asks for.
        roomy, many_roomy: int32[P], int64[1], the hosts that have so much, -1 where they are not listed yet.
        dead_at, dead_long_s: int64[K], float64[K], in that pass no host can hold a task of the demand from now on for
            so long.
        diff: what is otherwise now for the job at hand; since: what is so since the last pass that promised, for all.
        unseen: what else is for those that no pass has come to since.
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
    unseen: PassedOver


class Reservations(NamedTuple):
    """All that a pass takes; J jobs, P hosts, U tasks.

    Attributes:
        jobs, capacity, rules, state, waiting, frontier, moment, scores, log: of the engine.
        requests: what jobs ask of the profile.
        early_end: what becomes of promises, a constant of `conservative_kernel`.
        as_pool: the profile counts hosts.
        sky: what hosts have free beside all that stands from pass to pass, a row for each.
        total: the row of `sky` with what all hosts have free together, but for promises that are looked at again; -1 if
            all jobs have one task.
        ahead: the same beside what the pass has promised too, in the same arrays; `sky` itself where promises stand.
        bounds: when a job can start on a host at the soonest.
        scratch: the job at hand.
        start_s: float64[J], the promised moment.
        host, tasks: int32[U], the hosts that are promised, or held by a running job, and how many of its tasks each
            has. Tasks that stand side by side on one host make one entry; those of a job begin at its `requests.first`.
        entries: int32[J], how many a job has.
        runs: bool[J].
        over_s, over: float64[J], int32[J], heap of running jobs by expected end; overdue: int32[J], those past it.
        tally: int64[16], see below; now: float64[1], the moment of the pass.
        kept: what else is known where promises stand; replan: where every pass makes them anew; the other is None.
    """

    jobs: Jobs
    capacity: Floats
    rules: QueueRules
    state: QueueState
    waiting: WaitingRows
    frontier: CapacityFrontier
    moment: HeadPromise
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
    PASS, PROMISED, ENDED_TASKS, UNDER_WAY, EARLY, DUE, OVER, OVERDUE, LOOKED, MOVED, WRONG, CLEARED, PLANNED_HOSTS,
    CHOSEN,
) = range(14)  # fmt: skip
"""Number of the pass; jobs before this one have been promised something; tasks of jobs that have ended; a pass is under
way; some job has ended before it was expected; sizes of the heaps and lists; WRONG: what the engine is to return, or 0;
CHOSEN: how many hosts stand in `SearchScratch.host`.
"""
