"""What the engine works on that keeps its promises from event to event: arrays, and the names of their counters.

Where hosts are counted (rule Q11) the plan has one host, of as many units as there are hosts, and every job one task
that asks for as many units as the job has tasks: then `Asked` differs from the jobs as they are.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

BLOCK = 32
"""Jobs of a block, and blocks of a group."""
BUCKETS, BUCKET_S = 256, 64.0
"""Stretches of time that are told apart, and their length: a moment falls into one of them, in turn."""


class StandingRules(NamedTuple):
    """How the queue is served.

    Attributes:
        interval_s: between decisions.
        early_end: what becomes of promises, a constant of `conservative_kernel`.
        lookahead: -1 for no limit.
        as_pool: the plan counts hosts.
        varies: the policy's scores are never remembered.
        seed: for policies that draw.
    """

    interval_s: float
    early_end: int
    lookahead: int
    as_pool: bool
    varies: bool
    seed: int


class Asked(NamedTuple):
    """What J jobs ask of the P hosts of the plan; K distinct demands, U tasks in all. Never changed.

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


class Hand(NamedTuple):
    """The job at hand; P hosts, M tasks of the largest job.

    Attributes:
        window: float64[P, R], the least that hosts have free in the time in question.
        able, value: int32[P], float64[P], hosts that can hold a task, and their scores; again: int32[1].
        host: int32[M], the hosts chosen.
        listed, listed_at: int32[P], int64[P], hosts to look at, and the question for which each is listed; limit_s:
            float64[P], at the latest then the job may start there.
        turn_s, turn_host: float64[P], int32[P], heap of hosts by when they can hold a task.
        exact_at: int64[P], the question for which that is exact, and no bound.
        question: int64[2], the number of the question, and of the last in which a host is listed for the room that the
            job's own promise takes.
    """

    window: NDArray[np.float64]
    able: NDArray[np.int32]
    value: NDArray[np.float64]
    again: NDArray[np.int32]
    host: NDArray[np.int32]
    listed: NDArray[np.int32]
    listed_at: NDArray[np.int64]
    limit_s: NDArray[np.float64]
    turn_s: NDArray[np.float64]
    turn_host: NDArray[np.int32]
    exact_at: NDArray[np.int64]
    question: NDArray[np.int64]


class PromisesAgain(NamedTuple):
    """Promises that are gone through again, in the order of their moments; P hosts, U tasks, N = `BUCKETS`.

    Attributes:
        out: bool[U], what the task is promised has been taken off its host, to be held there again.
        cleared, cleared_at: int32[P], int64[P], hosts whose promises are gone through, and in which pass.
        near: int32[N, P], how many promises begin on a host in each stretch of time.
        most, next_s: float64[R, P], float64[P], the most that a host has at any time before the moment that is looked
            at, and its first step after that; -inf where it has to be worked out.
    """

    out: NDArray[np.bool_]
    cleared: NDArray[np.int32]
    cleared_at: NDArray[np.int64]
    near: NDArray[np.int32]
    most: NDArray[np.float64]
    next_s: NDArray[np.float64]


class Standing(NamedTuple):
    """Who waits for what, and who runs.

    Attributes:
        start_s: float64[J], the promised moment; host: int32[U], the promised hosts of the plan.
        waits: bool[J], came and has not started; runs: bool[J].
        seen: int64[J], how often something had been given back when the job was last looked at (`Soon.freed`).
        following, before: int32[J + 1], the waiting jobs in the order of arrival, a ring through number J.
        on_first: int32[P], on_next, on_before: int32[U], the promised tasks of each host, -1 at both ends.
        due_s, due: float64[2 J + 16], int32[...], heap of promises by their moment; those that have moved on are in it
            still.
        order_s, order: float64[J], int32[J], heap for putting jobs in order; moved: int32[J], jobs to start.
        over_s, over: float64[J], int32[J], heap of running jobs by expected end; overdue: int32[J], those past it.
        end_s, ending: float64[J], int32[J], heap of running jobs by end.
        look_s: float64[P], when a host may have become able to start somebody at once; looked: int32[P], those that
            are looked at; looked_at: int64[P], in which pass; look_most: float64[R], none of them has more free now.
        block_need, block_s: float64[B, R], float64[B], the least that a waiting job of the block asks for; block_old:
            bool[B], it may be more; group_need, group_s, group_old: the same of groups of blocks.
        again: for promises that are gone through again.
        free, open, undo_host, undo_free: what `starts_kernel.place` takes, where hosts are counted.
        tally: int64[24], see below; now: float64[1].
    """

    start_s: NDArray[np.float64]
    host: NDArray[np.int32]
    waits: NDArray[np.bool_]
    runs: NDArray[np.bool_]
    seen: NDArray[np.int64]
    following: NDArray[np.int32]
    before: NDArray[np.int32]
    on_first: NDArray[np.int32]
    on_next: NDArray[np.int32]
    on_before: NDArray[np.int32]
    due_s: NDArray[np.float64]
    due: NDArray[np.int32]
    order_s: NDArray[np.float64]
    order: NDArray[np.int32]
    moved: NDArray[np.int32]
    over_s: NDArray[np.float64]
    over: NDArray[np.int32]
    overdue: NDArray[np.int32]
    end_s: NDArray[np.float64]
    ending: NDArray[np.int32]
    look_s: NDArray[np.float64]
    look_most: NDArray[np.float64]
    looked: NDArray[np.int32]
    looked_at: NDArray[np.int64]
    block_need: NDArray[np.float64]
    block_s: NDArray[np.float64]
    block_old: NDArray[np.bool_]
    group_need: NDArray[np.float64]
    group_s: NDArray[np.float64]
    group_old: NDArray[np.bool_]
    again: PromisesAgain
    free: NDArray[np.float64]
    open: NDArray[np.bool_]
    undo_host: NDArray[np.int32]
    undo_free: NDArray[np.float64]
    tally: NDArray[np.int64]
    now: NDArray[np.float64]


(
    PASS, WAITING, RUNNING, LAST_HOST, ARRIVED, PROMISED, STARTED, RUNNING_TASKS, WAITING_TASKS, UNDER_WAY, EARLY, DUE,
    OVER, OVERDUE, LOOKED, MOVED, WRONG, CLEARED,
) = range(18)  # fmt: skip
"""Number of the pass; jobs that wait, run; the host of the last task, at the place where `starts_kernel` has it; jobs
that have come; those before this one have been promised something; jobs started; tasks; a pass is under way; somebody
has ended before it was expected; sizes of the heaps and lists; WRONG: what the engine is to return, or 0."""
