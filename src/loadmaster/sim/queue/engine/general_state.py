"""The state of the general pass: all that a pass reads, laid out once and kept up to date between passes.

The rows of the whole log are laid out when the run begins. A pass finds the waiting rows in their order, the running
tasks in the order of their expected ends, and the free capacity in the engine's own array.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.backfilling.pass_arrays import (
    AvailabilityArrays,
    CalendarArrays,
    ClusterWideArrays,
    EndArrays,
    Hosts,
    PassArrays,
    PassCards,
    PassParameters,
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
"""A status of the engine beside those of `state`: a pass needs a larger plan, and must be repeated."""
LEFT_TO_OTHERS = 16
"""The same for a pass that only the plain scheduling pass can make."""
STARTED, LEFT, CAME = range(3)
"""An event for an order: the job has started; it has left its hosts; it has arrived, or may start from now on."""
EVENT = np.dtype([("time_s", "f8"), ("job", "i4"), ("how", "i4")], align=True)
"""Events that an order has not processed yet, in the order of time."""


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
    """When Slurm's loops run, by the parameters of `SlurmParameters`.

    They are `batch_sched_delay`, `sched_min_interval` in seconds, `sched_interval`, `bf_interval` (infinite for never),
    `default_queue_depth` plus one, `defer`.
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
        rows, hosts, ends, calendar, room, this_pass, standing, shadow_times, availability, scores, cluster_wide, cards:
            as a scheduling pass takes them. `ends`, `standing.row` and the calendar's times are those of now;
            `room.free` is the engine's own.
        now: the part of a pass's parameters that never changes.
        varies: bit m: member m's scores are never remembered; first_fit: bit m: member m is first-fit.
        line: the waiting rows.
        owner: int32[E], the job of each row.
        runs: int32[N], beside `ends`, the job of each task; expected_end_s: float64[J], of running jobs.
        started_as, slowest_speed: int32[J], float64[J], of running jobs: their row, and the speed of their slowest
            host. began_s: float64[J], their start, later by as long as they were suspended: estimates count from here.
        estimates: expected runtimes that are not known before; runtime_s: float64[J]; teaches: bool[J], the job's end
            predicts its user's next jobs; row_expected_s: float64[E], for orders.
        work: limits on work.
        kept_in: int64[E], the pass that gave the row its `standing` reservation.
        seen: bool[J], the job might have started before.
        order_events: records, for an order that tracks events; none for any other.
        asked: int32[E], scratch: the jobs that are ranked.
        numbers: float64[4], the parameters of the backfilling; table: int64[2, N], scratch of `lookahead_kernel`.
        moves, tracks_events: ranks change at every pass; the order tracks events.
        keeps: reservations stand in later passes.
        slurm, loops, clock: Slurm's passes, when they run, and float64[4] the next of these times, see below; `looped`:
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
    cluster_wide: ClusterWideArrays | None
    cards: PassCards | None
    now: PassParameters
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
    table: NDArray[np.int64]
    moves: bool
    tracks_events: bool
    keeps: bool
    slurm: SlurmPass
    loops: SlurmTimers
    clock: NDArray[np.float64]
    looped: bool
    tally: NDArray[np.int64]


LOOKED, NEXT_MAIN, NEXT_FULL, NEXT_BACKFILL = range(4)
"""The last look at the queue for new jobs; when each pass is due."""
WAIT, STAND, NOTED_EVENTS, CLOSED, REDO, EARLY_END, COME, OVER, CAME_BEFORE, REFUSED_BEFORE, DECISION, LOST = range(12)
"""Rows in the line; rows with a standing reservation; events that the order has not processed; closures are known;
the last pass must be repeated; since the last pass a job has ended early, a job has arrived, a job has ended or
hosts have changed; jobs that had arrived, and that were refused, by the last moment; the number of the last
decision; an event for the order had no room in `order_events`."""
