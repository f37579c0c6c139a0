"""What a pass of conservative backfilling works on: a free profile of each host, and what waiting jobs are promised.

Where hosts are counted (rule Q11) the profile has one host, of as many units as there are hosts, and every job one task
that asks for as many units as the job has tasks: then `Requests` differs from the jobs as they are.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.backfilling.skyline_kernel import Skyline
from loadmaster.backfilling.soon_kernel import Soon
from loadmaster.model.arrays import Floats
from loadmaster.sim.queue.queue_state import HeadPromise, Jobs, Log, QueueRules, QueueState, Stairs, WaitingRows

BUCKETS, BUCKET_S = 256, 64.0
"""Stretches of time that are told apart, and their length: a moment falls into one of them, in turn."""


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


class Scratch(NamedTuple):
    """The job at hand; P hosts, M tasks of the largest job.

    Attributes:
        window: float64[P, R], the least that hosts have free in the time in question.
        able, value: int32[P], float64[P], hosts that can hold a task, and their scores; again: int32[1].
        host: int32[M], the hosts chosen; before: int32[M], those of the job's earlier promise.
        need: float64[R], the least that jobs ask for.
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
    before: NDArray[np.int32]
    need: NDArray[np.float64]
    listed: NDArray[np.int32]
    listed_at: NDArray[np.int64]
    limit_s: NDArray[np.float64]
    turn_s: NDArray[np.float64]
    turn_host: NDArray[np.int32]
    exact_at: NDArray[np.int64]
    question: NDArray[np.int64]


class Kept(NamedTuple):
    """What is known besides where promises stand from pass to pass; J jobs, P hosts, U tasks, N = `BUCKETS`.

    Attributes:
        seen: int64[J], how often something had been given back when the job was last looked at (`Soon.freed`).
        on_first: int32[P], on_next, on_before: int32[U], the promised tasks of each host, -1 at both ends.
        due_s, due: float64[2 J + 16], int32[...], heap of promises by their moment; those that have moved on are in it
            still.
        order_s, order: float64[J], int32[J], heap for putting jobs in order; moved: int32[J], jobs to start.
        look_s: float64[P], when a host may have become able to start somebody at once; looked: int32[P], those that
            are looked at; looked_at: int64[P], in which pass; look_most: float64[R], none of them has more free now.
        out: bool[U], what the task is promised has been taken off its host, to be held there again.
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
    out: NDArray[np.bool_]
    cleared: NDArray[np.int32]
    cleared_at: NDArray[np.int64]
    near: NDArray[np.int32]
    most: NDArray[np.float64]
    next_s: NDArray[np.float64]


class Plan(NamedTuple):
    """All that a pass takes; J jobs, P hosts, U tasks.

    Attributes:
        jobs, capacity, rules, state, waiting, stairs, moment, scores, log: of the engine.
        requests: what jobs ask of the profile.
        early_end: what becomes of promises, a constant of `conservative_kernel`.
        as_pool: the profile counts hosts.
        sky: what hosts have free beside all that stands from pass to pass.
        soon: when a job can start on a host at the soonest.
        scratch: the job at hand.
        start_s: float64[J], the promised moment; host: int32[U], the hosts that are promised, or held by a running job.
        runs: bool[J].
        over_s, over: float64[J], int32[J], heap of running jobs by expected end; overdue: int32[J], those past it.
        tally: int64[16], see below; now: float64[1], the moment of the pass.
        kept: what else is known where promises stand; None where every pass makes them anew.
    """

    jobs: Jobs
    capacity: Floats
    rules: QueueRules
    state: QueueState
    waiting: WaitingRows
    stairs: Stairs
    moment: HeadPromise
    scores: Any
    log: Log
    requests: Requests
    early_end: int
    as_pool: bool
    sky: Skyline
    soon: Soon
    scratch: Scratch
    start_s: NDArray[np.float64]
    host: NDArray[np.int32]
    runs: NDArray[np.bool_]
    over_s: NDArray[np.float64]
    over: NDArray[np.int32]
    overdue: NDArray[np.int32]
    tally: NDArray[np.int64]
    now: NDArray[np.float64]
    kept: Kept | None


PASS, PROMISED, ENDED_TASKS, UNDER_WAY, EARLY, DUE, OVER, OVERDUE, LOOKED, MOVED, WRONG, CLEARED = range(12)
"""Number of the pass; jobs before this one have been promised something; tasks of jobs that have ended; a pass is under
way; some job has ended before it was expected; sizes of the heaps and lists; WRONG: what the engine is to return, or 0.
"""
