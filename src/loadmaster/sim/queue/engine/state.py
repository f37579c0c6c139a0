"""The arrays of the compiled engine: the jobs, the rules, all that changes, and the record that it writes."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.place.cards_kernel import EngineCards
from loadmaster.sim.queue.engine.cluster_amounts_state import ClusterAmounts
from loadmaster.sim.queue.engine.cycle_ends_kernel import CycleEnds
from loadmaster.sim.queue.engine.estimates_kernel import Estimates
from loadmaster.sim.queue.engine.host_pool_kernel import CountedHosts
from loadmaster.sim.queue.engine.running_by_host_kernel import RunningByHost
from loadmaster.sim.queue.walks import ASKED as ASKED
from loadmaster.sim.queue.walks import BLOCKING as BLOCKING
from loadmaster.sim.queue.walks import EASY as EASY
from loadmaster.sim.queue.walks import PROFILE as PROFILE
from loadmaster.sim.queue.walks import WALK as WALK

DONE, PAUSED, NOT_FINITE, MORE_ROOM, NO_RANK, OUT_OF_ROOM = 0, 1, 2, 3, 4, 32
"""What `run` returns: finished; the records are full, call again; a score, or a rank, is not a finite number; the
profile might need more steps than it has room for: give it more, call again; an array is too short for what the next
step writes, which has not been written."""
PARETO = 32
"""Failed demands remembered in a pass beside the exact ones."""
FAN = 32
"""Jobs, or nodes, below a node of the tree of least demands."""
HOSTS_OF_BLOCK = 32
LANES = 8
"""Lanes of jobs by the cores that a task requests: less than one, one, two and three, four to seven, and so on."""
LOW, MID, TOP = 0, 1, 2
"""Levels of nodes."""
MEMORY, EXPECTED, WHOLE, AMOUNTS = range(4)
"""The least values of a lane. WHOLE, cores of all tasks together, is there only where some job has several tasks, or
where amounts of the whole cluster bind: these stand from AMOUNTS on."""
SHORT, LONG = 0, 1
"""Jobs that end by the head's shadow time, and jobs that outlast it."""
NEWS = 2
"""Added to these: on changed hosts alone, where a job has ended since the last pass."""
LAST_PLACE = 2**62
"""Behind all positions of jobs."""


STEP = np.dtype([("stamp", np.int64), ("memory", np.float64)])
FIRST_ROOM = np.dtype([("raises", np.int64), ("host", np.int64)])


class Jobs(NamedTuple):
    """J jobs of K distinct demands, C sets of hosts, L limits.

    Attributes:
        submit_s, runtime_s, expected_s: float64[J].
        kind: int32[J], the row of the job's demand in `demand`.
        tasks: int32[J].
        first_task: int64[J + 1].
        project: int32[J].
        demand: float64[K, R].
        smallest: bool[K], no job of the log requests less of anything.
        holdable: bool[K], every host could hold it when empty.
        position: int32[J], where the job stands in the order that never changes; at: int32[J], the job at each
            position.
        span: int64[P + 1], the positions of each project's jobs.
        hosts: int32[J], the row of `allowed`; allowed: bool[C, H]; whole: bool[C], every host is.
        uses: int64[J + 1], int32[U], float64[U]: the limits that each job counts against, and with how much.
    """

    submit_s: NDArray[np.float64]
    runtime_s: NDArray[np.float64]
    expected_s: NDArray[np.float64]
    kind: NDArray[np.int32]
    tasks: NDArray[np.int32]
    first_task: NDArray[np.int64]
    project: NDArray[np.int32]
    demand: NDArray[np.float64]
    smallest: NDArray[np.bool_]
    holdable: NDArray[np.bool_]
    position: NDArray[np.int32]
    at: NDArray[np.int32]
    span: NDArray[np.int64]
    hosts: NDArray[np.int32]
    allowed: NDArray[np.bool_]
    whole: NDArray[np.bool_]
    uses: NDArray[np.int64]
    use_limit: NDArray[np.int32]
    use_amount: NDArray[np.float64]


class QueueRules(NamedTuple):
    """How the queue is served; -1 stands for no limit.

    Attributes:
        begins_s: nothing is decided before this moment; minus infinity where the run begins with the log.
        varies: bit m: member m's scores are never remembered; first_fit, next_fit: bit m: member m is
            first-fit, or round-robin.
        target: of Max-Jobs, 0: jobs, 1: cores, 2: weighted.
        several_speeds: hosts have several.
        moving: ranks change at every pass.
        ticked: ranks change at ticks; jobs that arrived since the last tick stand in a run of their own.
        tracks_events: the order tracks starts and ends.
        shortest: behind the head, the jobs that are expected to be over first are tried first; ranks move.
        pruned: of Max-Jobs, no member after one that starts the whole queue is tried.
        everywhere: every job may use every host.
        limited: some job counts against some limit.
        keeps: a pass tells which jobs fail in the next one (`changed_hosts_kernel.py`).
    """

    interval_s: float
    begins_s: float
    backfilling: int
    members: int
    reservations: int
    lookahead: int
    varies: int
    first_fit: int
    next_fit: int
    target: int
    seed: int
    several_speeds: bool
    moving: bool
    ticked: bool
    tracks_events: bool
    shortest: bool
    pruned: bool
    everywhere: bool
    limited: bool
    keeps: bool


class WaitingRows(NamedTuple):
    """The queue tree: waiting jobs at their positions, and the least demand of each block; N positions, P runs of them.

    Attributes:
        here: bool[N], the job at this position waits.
        low, mid, top: float64[B, V, LANES], the least memory, the least expected runtime and so on (`MEMORY` and the
            constants beside it) that a job of the lane requests in each block of `FAN` jobs, in each `FAN` such blocks,
            and in each `FAN` of those; infinite where no job waits.
        loose: bool[3, B], by level: the values of the node may be too low (`min_demand_kernel.py`).
        position: int32[J], where each job stands; at: int32[N], the job at each position.
        span: int64[P + 1], the positions of each run: of a project, or of a ticked order (`priority_ticks_kernel.py`).
        rank: float64[J], of each job under a ticked order; empty under any other.
        edge: int64[2, P], no job of the run waits before the first of these positions, nor from the second on; not
            kept under a ticked order.
    """

    here: NDArray[np.bool_]
    low: NDArray[np.float64]
    mid: NDArray[np.float64]
    top: NDArray[np.float64]
    loose: NDArray[np.bool_]
    position: NDArray[np.int32]
    at: NDArray[np.int32]
    span: NDArray[np.int64]
    rank: NDArray[np.float64]
    edge: NDArray[np.int64]


class CapacityFrontier(NamedTuple):
    """The capacity frontier: upper bounds of what any host has, exact after each renewal (`queue_tree_kernel.py`).

    Row 0 is free capacity; row 1 is what LONG jobs may take; rows 2 and 3 are the same on changed hosts alone.

    Attributes:
        who: int32[B], the host with the value of row 0 when that was computed, -1 if there was none.
        most: float64[4], the most of the first resource on any host.
        memory: float64[4, B], the most of the second resource on any host with at least so many whole units of the
            first.
        lane: float64[4, LANES], the same for the fewest units that a job of the lane requests, -1 where no host has so
            many.
        total: float64[1], of the first resource, free on all hosts together.
        fresh: int64[2], the number of changes at the last renewal. For row 1 it is -1 until the first renewal of a
            pass;
            until then row 0 stands for it, since no job may take more than is free. Rows 2 and 3 are made when needed.
    """

    who: NDArray[np.int32]
    most: NDArray[np.float64]
    memory: NDArray[np.float64]
    lane: NDArray[np.float64]
    total: NDArray[np.float64]
    fresh: NDArray[np.int64]


class HeadPromise(NamedTuple):
    """The reservation of the head of the queue in this pass (`head_promise_kernel.py`, `head_slack_kernel.py`).

    Attributes:
        then: float64[H, R], what hosts have at the shadow time; then_at: int64[H], under which stamp.
        held: int64[H], tasks of the head that a host holds then; held_now: int64[H], of a head of several tasks.
        touched: int32[H], hosts for which `then` holds.
        number: int64[7]: the head or -1, its slack, hosts touched; 1 if all that is as it was after the last pass; the
            stamp that counts; the job whose tasks `held_now` counts or -1, and how many those are in all.
        shadow_s: float64[1], the shadow time.
        fastest: float64[1], the fastest host of all. Never changed.
        end_s, ending: float64[U], int32[U], heap of jobs started in this pass by expected end.
    """

    then: NDArray[np.float64]
    then_at: NDArray[np.int64]
    held: NDArray[np.int64]
    held_now: NDArray[np.int64]
    touched: NDArray[np.int32]
    number: NDArray[np.int64]
    shadow_s: NDArray[np.float64]
    fastest: NDArray[np.float64]
    end_s: NDArray[np.float64]
    ending: NDArray[np.int32]


HEAD, SLACK, TOUCHED, SAME, STAMP_THEN, COUNTED, HELD = range(7)


class ChangedHosts(NamedTuple):
    """Changes since the last pass (`changed_hosts_kernel.py`).

    Attributes:
        host: int32[H], is_new: bool[H], hosts where a job has ended.
        number: int64[9], see the constants below.
    """

    host: NDArray[np.int32]
    is_new: NDArray[np.bool_]
    number: NDArray[np.int64]


HOSTS, OLD, LEANS, LAST_HEAD, THIS_HEAD, AT_FIRST, SOME, VALID, NEWEST = range(9)
"""Changed hosts; 1 if the last pass tells which jobs fail; 1 if that depends on a reservation; the head of that
pass, and of the present one, -1 if none; 1 if no job started in front of that; 1 if some failed job found hosts for
some of its tasks; 1 if the reservation of a head of several tasks, computed before, holds until a job ends; the
first position at which a job has arrived since."""


class QueueState(NamedTuple):
    """Everything else that changes; H hosts, P projects, U tasks that can start in one pass.

    Attributes:
        free: float64[H, R].
        speed: float64[H]; fastest: float64[C], the fastest host of each set. Never changed.
        open: bool[H], not reserved in this pass.
        usable: bool[H], hosts that may be used for the job at hand; all, while no job is.
        closed: int32[H], the hosts reserved in this pass, and behind them those that are too dear for the job at hand.
        used, share: float64[P], cores in use, which are counted where there are several projects, and share;
            cursor: int64[P], the next position of a project; need: int64[P], `used / share` as
            `fair_share_queue_kernel.py` keeps it in a pass.
        left: float64[L], what is left of each amount of the whole cluster, and of each limit.
        end_s, ending: float64[J], int32[J], heap of running jobs by their end: each is in it once, or none where ends
            stand by cycle.
        failed: int64[2, C, K], stamp of the pass in which the demand failed; failed_tasks: with how many tasks.
        steps: STEP[2, B], by whole cores: the least memory that failed with no more cores, in the pass of the stamp.
        pareto: float64[2, PARETO, R + 2], other failed demands of this pass, tasks and set of hosts last.
        paretos: int64[2], how many.
        left_free, holder: float64[2 H], int32[2 H], heap of open hosts by most free memory.
        shelf: int32[S], the first of the other open hosts by level of free memory; beside: int32[H], the next there, -1
            at the end; shelves_a_unit: float64[1], by so much a level rises with a unit of memory; on_level: int32[S],
            open hosts on each level of free memory, in a pass in which hosts have been put on shelves.
        least: float64[R], a host with less free of a resource has no room for any job; 0 where a job may reserve
            particular hosts.
        most: float64[C + R - 2, B], the values of host blocks: by whole cores the most memory on any host of a block
            that has so many free, or more; then the most of each further resource (`host_blocks_kernel.py`). B is 0
            where no search goes by the order of hosts.
        first_room: FIRST_ROOM[K]: before this host no open host has room for the demand, while RAISES is as stated.
        partly: int64[C, K], at which count of `MOVES` some tasks of the demand found no hosts beside the reservation;
            partly_tasks: int32[C, K], with how many tasks.
        picked: int32[H], tasks of the job at hand that go to a host; zero between jobs.
        held: int32[T], the hosts of the tasks of each running job, those of one host side by side.
        undo_host, undo_kind: int32[U], hosts of the tasks placed in this pass, and their demands; U is
            `initial_state.startable`, and `allocate_kernel` looks before each start.
        plan_job, plan_host: int32[2, U], starts of the best pass so far and of the present one: never more than are
            in `undo_host`, since each has a task.
        plan_task: int64[U], where the tasks of a start begin in `undo_host`.
        tally: int64[20], see the constants below.
        estimates: expected runtimes that are not known before; None in a basic run (`arrays.is_basic`).
        running_by_host: the running jobs on each host; None in a basic run.
        news: the changed hosts.
        pool: the pool of hosts, where the engine sees one host.
        cards: the GPUs of hosts, where some job requests a part of one (`cards_kernel.py`); None elsewhere.
        amounts: of the whole cluster, where some bind (`cluster_amounts_kernel.py`); None elsewhere.
        cycle_ends: running tasks by the cycle in which they end; None but in a basic run.
    """

    free: NDArray[np.float64]
    speed: NDArray[np.float64]
    fastest: NDArray[np.float64]
    open: NDArray[np.bool_]
    usable: NDArray[np.bool_]
    closed: NDArray[np.int32]
    used: NDArray[np.float64]
    share: NDArray[np.float64]
    cursor: NDArray[np.int64]
    need: NDArray[np.int64]
    left: NDArray[np.float64]
    end_s: NDArray[np.float64]
    ending: NDArray[np.int32]
    failed: NDArray[np.int64]
    failed_tasks: NDArray[np.int32]
    steps: NDArray[np.void]
    pareto: NDArray[np.float64]
    paretos: NDArray[np.int64]
    left_free: NDArray[np.float64]
    holder: NDArray[np.int32]
    shelf: NDArray[np.int32]
    beside: NDArray[np.int32]
    shelves_a_unit: NDArray[np.float64]
    on_level: NDArray[np.int32]
    least: NDArray[np.float64]
    most: NDArray[np.float64]
    first_room: NDArray[np.void]
    partly: NDArray[np.int64]
    partly_tasks: NDArray[np.int32]
    picked: NDArray[np.int32]
    held: NDArray[np.int32]
    undo_host: NDArray[np.int32]
    undo_kind: NDArray[np.int32]
    plan_job: NDArray[np.int32]
    plan_host: NDArray[np.int32]
    plan_task: NDArray[np.int64]
    tally: NDArray[np.int64]
    estimates: Estimates | None
    running_by_host: RunningByHost | None
    news: ChangedHosts
    pool: CountedHosts
    cards: EngineCards | None = None
    amounts: ClusterAmounts | None = None
    cycle_ends: CycleEnds | None = None


(
    ARRIVED,
    WAITING,
    RUNNING,
    LAST_HOST,
    STAMP,
    CLOSED,
    HEAPED,
    UNDO,
    PLANNED,
    PENDING,
    STARTED,
    CHANGES,
    PARTLY,
    SHELF,
    CHOICE,
    MOVES,
    LEVEL,
    ABOVE,
    RAISES,
    FULL,
) = range(20)
"""RUNNING: running jobs; where their ends stand by cycle, those on several hosts count once for each.
PARTLY: 0, or one more than the starts planned when a LONG job of several tasks found hosts for some of them last:
which depends on what the others hold.
MOVES: starts planned and passes begun, counted through the run.
CLOSED: reserved hosts that are not open. FULL: reserved hosts that are not marked, as no job has room there.
SHELF: hosts on this shelf and above have left their shelves.
RAISES: how often a host has got more free or has opened, counted through the run.
ABOVE: open hosts on LEVEL and the levels of free memory above it.
CHOICE: another policy might have started other jobs.
"""
NO_SHELVES = -1
"""The shelf of a pass in which hosts have not been put on shelves."""


class Log(NamedTuple):
    """Results: start_s float64[J], host int32[T], and C rows of cycles.

    `value` float64[C, M] is the value of each member's decision under a meta-rule, NaN where it was not computed.
    """

    start_s: NDArray[np.float64]
    host: NDArray[np.int32]
    time_s: NDArray[np.float64]
    queue_length: NDArray[np.int64]
    started: NDArray[np.int64]
    winners: NDArray[np.int64]
    value: NDArray[np.float64]
    rows: NDArray[np.int64]
