"""The arrays that the engine works on, by what they are about.

Kernels index by job (its number in the workload), by place (where the job stands in an order that never changes), by
kind (a distinct demand), by host, or by block of so many hosts or places. No array grows: what a kernel appends to has
room for all that a whole run can append.
"""

from typing import NamedTuple

from loadmaster.model.arrays import Bools, Floats, Ints, Longs
from loadmaster.scores_kernel import Scores
from loadmaster.sim.queue.ends_kernel import Ends

HOSTS_OF_BLOCK = 32
FAN = 32
"""Places below a node of the queue's tree, and nodes below the next one."""
LEVELS = 3
REFUSALS = 24
"""Demands that found too little room which are compared with whole nodes of the tree; beyond, the oldest goes."""

ARRIVED, WAITING, RUNNING, STARTED = range(4)
"""In `EngineLog.counts`."""
JOB, COUNTED_FOR, HAS_SHADOW, STAMP, PARTLY = range(5)
"""In `PromisedHead.number`: the head; whose tasks `held` counts; whether its shadow time is known; a stamp; 1 if a job
found hosts beside the promise for some of its tasks only, 2 if another has started since: then it may find them all,
as the policy may lead it to hosts where it costs the head less."""
SHADOW_S, SLACK, HELD = range(3)
"""In `PromisedHead.amount`: the shadow time; tasks that hosts hold then beyond the head's; tasks that they hold now."""
TASKS, EXPECTED_S, DEMAND = range(3)
"""Columns of `WaitingTree.least`; a task's demand has a column a resource, and behind them so has the whole job's."""
ALONE, BESIDE = range(2)
"""How a job is tried: without a thought of the head, or on what the head leaves for longer than its shadow time."""


class EngineJobs(NamedTuple):
    """What never changes.

    Attributes:
        submit_s, runtime_s, expected_s: float64[J].
        tasks: int64[J].
        kind: int32[J], the row of `demand` that each task asks for.
        demand: float64[K, R].
        first_task: int64[J + 1].
        place: int32[J], where the job stands in the order.
        at: int32[J], the job at each place.
    """

    submit_s: Floats
    runtime_s: Floats
    expected_s: Floats
    tasks: Longs
    kind: Ints
    demand: Floats
    first_task: Longs
    place: Ints
    at: Ints


class EngineRules(NamedTuple):
    """What is asked for.

    Attributes:
        interval_s: between moments of decision; 0 for every event.
        blocks: the first job that does not fit blocks all behind it.
        promises: it is promised a moment, which nobody behind it may delay (rule Q6).
        first_fit: the placement policy is first-fit.
        varies: its scores are never remembered.
        seed: for scores that draw.
        moves: ranks change while jobs wait.
    """

    interval_s: float
    blocks: bool
    promises: bool
    first_fit: bool
    varies: bool
    seed: int
    moves: bool


class EngineHosts(NamedTuple):
    """What is free.

    Attributes:
        free: float64[H, R].
        most: float64[B, R], as much as any host of a block has free, or more: starts do not lower it.
        total: float64[R], of all hosts together.
        scores: how the policy rates them.
        last: int64[1], the host that got the last task, -1 before the first.
        usable: bool[H], closed: int32[H], hosts that are not usable for the job at hand: each is closed at most once.
    """

    free: Floats
    most: Floats
    total: Floats
    scores: Scores
    last: Longs
    usable: Bools
    closed: Ints


class WaitingTree(NamedTuple):
    """The waiting jobs, as a tree over places with the least that any job below a node asks for.

    Attributes:
        waits: bool[places].
        least: float64[nodes, 2 + 2 R], columns `TASKS` and so on; infinite where no job waits.
        first_node: int64[LEVELS], of each level, the leaves first.
        lowest: int64[1], no job waits at a place before it.
    """

    waits: Bools
    least: Floats
    first_node: Longs
    lowest: Longs


class MovingQueue(NamedTuple):
    """The waiting jobs under an order whose ranks move; empty under any other.

    Attributes:
        jobs: int32[J], the waiting jobs, in no order; the first `EngineLog.counts[WAITING]` count.
        row: int32[J], where a job is among them.
        rank: float64[J], their ranks now.
        key, next: float64[J], int32[J], a heap of (rank, job): each is in it once.
    """

    jobs: Ints
    row: Ints
    rank: Floats
    key: Floats
    next: Ints


class RunningTasks(NamedTuple):
    """The running jobs and their hosts. Tasks of a job on one host are one run: it has at most as many runs as tasks.

    Attributes:
        end_s, ending: float64[J], int32[J], a heap of (end, job).
        ends: the same jobs by expected end.
        run_host, run_tasks: int32[T], the runs of a job from its first task on.
        runs: int32[J].
    """

    end_s: Floats
    ending: Ints
    ends: Ends
    run_host: Ints
    run_tasks: Ints
    runs: Ints


class PromisedHead(NamedTuple):
    """The first job that did not fit, and what it is promised: enough hosts at its shadow time, whichever (rule Q6).

    Attributes:
        number: int64[5], amount: float64[3], see `JOB` and `SHADOW_S`.
        held: float64[H], its tasks that a host holds now, at most all of them.
        then: float64[H, R], then_held: float64[H], the same at the shadow time, of hosts that are `touched`; the others
            are as now.
        touched: int64[H], the stamp under which a host's row of `then` was written.
    """

    number: Longs
    amount: Floats
    held: Floats
    then: Floats
    then_held: Floats
    touched: Longs


class RefusedDemands(NamedTuple):
    """What is known of demands that were tried, until a job ends.

    Attributes:
        most: int64[2, K], at most so many tasks of a kind find room, `ALONE` and `BESIDE` the head's promise.
        stamp: int64[2, K], under which number that was learnt; now: int64[2], the number that counts.
        demand, tasks: float64[REFUSALS, R], int64[REFUSALS], `ALONE`, of kinds refused lately; a job that asks as much
            of everything, with more tasks, is refused too.
        size: int64[2], rows written in all, and rows that count.
    """

    most: Longs
    stamp: Longs
    now: Longs
    demand: Floats
    tasks: Longs
    size: Longs


class EngineLog(NamedTuple):
    """What has happened.

    Attributes:
        start_s: float64[J].
        counts: int64[4], see `ARRIVED`.
        time_s, queue_length, started: of each cycle of this chunk.
        rows: int64[1], cycles in it.
    """

    start_s: Floats
    counts: Longs
    time_s: Floats
    queue_length: Longs
    started: Longs
    rows: Longs


class EngineState(NamedTuple):
    """All of it, in the order in which the loop takes it."""

    jobs: EngineJobs
    rules: EngineRules
    hosts: EngineHosts
    queue: WaitingTree
    ranked: MovingQueue
    running: RunningTasks
    head: PromisedHead
    refused: RefusedDemands
    log: EngineLog
