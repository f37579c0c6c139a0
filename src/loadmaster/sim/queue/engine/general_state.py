"""What a run keeps for the compiled pass: all that a pass looks at, laid out once and kept up to date between passes.

The rows of the whole log are laid out as the run begins; a pass finds those that wait in their order, what runs in the
order of its expected ends, and what is free where the engine itself has it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.backfilling.pass_arrays import (
    AvailabilityArrays,
    CalendarArrays,
    EndArrays,
    Hosts,
    Now,
    PassArrays,
    PromiseArrays,
    Records,
    RowArrays,
    ShadowTimes,
)
from loadmaster.backfilling.slurm_arrays import SlurmPass
from loadmaster.host_index.scores_kernel import Scores
from loadmaster.place.room_arrays import RoomArrays
from loadmaster.sim.queue.engine.estimates_kernel import Estimates
from loadmaster.sim.queue.engine.work_limits import WorkCounts

AGAIN = 8
"""What the engine returns beside what `state` has: a pass needs a larger plan, and is to be made again."""
LEFT_TO_OTHERS = 16
"""The same for a pass that only the plain scheduling pass can make."""
STARTED, LEFT, CAME = range(3)
"""What an order is told of a job: it has started; it has left its hosts; it has come, or may start from now on."""
EVENT = np.dtype([("time_s", "f8"), ("job", "i4"), ("how", "i4")], align=True)
"""What an order has not heard yet, in the order in which it happened."""


class WaitingOrder(NamedTuple):
    """Rows that wait, in their order, which stands in `PassArrays.order`.

    Attributes:
        here: bool[E], the row is in it.
        tier, key: int32[E], float64[E]: the lower tier goes first, then the lower key, then the lower number.
        spare: int32[E], scratch.
    """

    here: NDArray[np.bool_]
    tier: NDArray[np.int32]
    key: NDArray[np.float64]
    spare: NDArray[np.int32]


class SlurmTimers(NamedTuple):
    """When Slurm's loops run, as `SlurmParameters` name it: `batch_sched_delay`, `sched_min_interval` in seconds,
    `sched_interval`, `bf_interval` (infinite for never), `default_queue_depth` and one, `defer`.
    """

    delay_s: float
    spacing_s: float
    full_s: float
    backfill_s: float
    most: int
    defer: bool


class GeneralPass(NamedTuple):
    """E rows of J jobs, of which P groups are served together.

    Attributes:
        rows, hosts, ends, calendar, room, this_pass, standing, shadow_times, availability, scores: as the board takes
        them. `ends`,
            `standing.row` and the calendar's times are what holds now; `room.free` is the engine's own.
        now: what never changes of what holds for a pass.
        varies: bit m: member m's scores are never remembered; first_fit: bit m: member m is first-fit.
        line: who waits.
        owner: int32[E], of whom each is a row.
        runs: int32[N], beside `ends`, whose each task is; expected_end_s: float64[J], of running jobs.
        started_as, slowest_speed: int32[J], float64[J], of running jobs: their row, and the speed of their slowest
        host. began_s: float64[J], their start, later by as long as they were suspended: estimates count from here.
        estimates: what is expected of jobs where that is not known before; runtime_s: float64[J]; teaches: bool[J], its
        end
            tells something of its user's next jobs; row_expected_s: float64[E], what orders look at.
        work: limits on work.
        kept_in: int64[E], the pass that promised the row what is `standing`.
        seen: bool[J], the job might have started before.
        order_events: records, for an order that is told what happens; none for any other.
        asked: int32[E], scratch: the jobs that are ranked.
        numbers: float64[4], the parameters of the backfilling.
        moves, tracks_events: ranks change at every pass; the order is told what happens.
        keeps: what was promised stands in later passes.
        slurm, loops, clock: Slurm's passes, when they run, and float64[4] what of that comes next, see below; `looped`:
            they are the backfilling.
        tally: int64[16], see below.
    """

    rows: RowArrays
    hosts: Hosts
    ends: EndArrays
    calendar: CalendarArrays
    room: RoomArrays
    this_pass: PassArrays
    standing: PromiseArrays
    shadow_times: ShadowTimes
    availability: AvailabilityArrays
    scores: Scores
    now: Now
    varies: int
    first_fit: int
    line: WaitingOrder
    owner: NDArray[np.int32]
    runs: NDArray[np.int32]
    expected_end_s: NDArray[np.float64]
    started_as: NDArray[np.int32]
    slowest_speed: NDArray[np.float64]
    began_s: NDArray[np.float64]
    estimates: Estimates
    runtime_s: NDArray[np.float64]
    teaches: NDArray[np.bool_]
    row_expected_s: NDArray[np.float64]
    work: WorkCounts
    kept_in: NDArray[np.int64]
    seen: NDArray[np.bool_]
    order_events: Records
    asked: NDArray[np.int32]
    numbers: NDArray[np.float64]
    moves: bool
    tracks_events: bool
    keeps: bool
    slurm: SlurmPass
    loops: SlurmTimers
    clock: NDArray[np.float64]
    looped: bool
    tally: NDArray[np.int64]


LOOKED, NEXT_MAIN, NEXT_FULL, NEXT_BACKFILL = range(4)
"""When the queue was last looked at for what had come; when the passes are due."""
WAIT, STAND, NOTED_EVENTS, CLOSED, REDO, EARLY_END, COME, OVER, CAME_BEFORE, REFUSED_BEFORE, DECISION, LOST = range(12)
"""Rows in the line; rows promised something before that stands; things that the order has not heard; closures are
known; the last pass is to be made again; since the last pass some job has ended before it was expected to, some job has
come, some job has ended or hosts have changed; jobs that had come, and that were refused, by the last moment; the
number of the last decision; something that the order is to hear had no room in `order_events`."""
