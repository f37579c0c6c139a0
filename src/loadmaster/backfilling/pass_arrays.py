"""The arrays of the compiled scheduling pass: the waiting jobs, the hosts, the expected ends, and the pass itself.

Rows, hosts, ends and the calendar are the state. Their owner is the code that runs from event to event, and it changes
them as events happen. The other arrays belong to a pass, and `begin_pass` prepares them for the next one: entries by
row, job or array carry the number of their pass, so nothing has to be cleared. All fields of one row stand in one
record, side by side; few arrays also compile sooner than many.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.backfilling.start_bounds_kernel import StartBounds
from loadmaster.host_index.scores_kernel import Scores
from loadmaster.model.arrays import Bools, Floats, Ints, Longs
from loadmaster.place.room_arrays import RoomArrays

Records = NDArray[np.void]


def _layout(**fields: str) -> np.dtype[Any]:
    return np.dtype(list(fields.items()), align=True)


ROW = _layout(
    expected_s="f8",
    since_s="f8",
    first_task="i8",
    first_host="i8",
    first_use="i8",
    uses="i4",
    job="i4",
    next_row="i4",
    kind="i4",
    tasks="i4",
    hosts="i4",
    partition="i4",
    array="i4",
    group="i4",
    least="i4",
    most="i4",
)
"""One job in one of its partitions.

`expected_s` at speed 1; `since_s`, since when it might have started; `first_task`, the number of its first task, for
policies that ask; `first_host`, where hosts of its tasks stand in tables of such hosts; `first_use` and `uses`, its
uses of limits; `job`; `next_row`, of the same job, after the last the first; `kind` of demand; `hosts`, its set of
hosts; `array`, -1 of none; `group`, the group whose share it uses, 0 where jobs are not served by need; on how many
hosts its tasks lie at `least` and at `most`, 0 for any number."""
USE = _layout(amount="f8", limit="i8")
"""The amount by which a start counts against a limit."""
HOST_SET = _layout(fastest="f8", whole="?")
"""Of a set of hosts: the speed of the fastest, 1 if there is none; and whether every host is in it."""
END = _layout(end_s="f8", start_s="f8", host="i4", kind="i4")
"""A running task: start plus expected runtime, which may be over; when it started, NaN where unknown; its host; and its
kind of demand."""
TIME = _layout(from_s="f8", to_s="f8")
"""When a closure holds, half open."""
GROUP = _layout(first="i8", end="i8", next="i8", used="f8", share="f8")
"""Rows served together: where they stand in the order, the next of them, cores in use, and their share."""
PART = _layout(stopped="i8", many="i8")
"""Of a partition: the pass in which it was stopped, and a counter for the backfilling."""
PROMISED = _layout(start_s="f8", number="i8", many="i8")
"""The reservation of a row: a start, how many hosts are named (one a task, or none), and when it was made, as a
number that goes on from pass to pass: up to `tally[SINCE]`, it was not made in this pass."""
PLACE = _layout(first="i8", row="i8")
"""A row started, and where its hosts begin in `started_host`."""
STANDING = _layout(start_s="f8", many="i8")
"""A row's reservation from an earlier pass: a start, and how many hosts are named."""
MOMENT = _layout(shadow_s="f8", slack="i8", row="i8")
"""A shadow time: when, how many tasks more than needed fit then, and the row that has it; -1 once that row has
started."""
COUNTED = _layout(held="i8", owner="i8")
"""Of a host: the shadow time that counts it, -1 for none, and how many of its tasks fit there then."""
STEP = _layout(start_s="f8", next="i8")
"""A step of a chain: when it begins, and the next one, -1 after the last."""
PLAN_FAILURE = _layout(serial="i8", expected_s="f8", tasks="i8")
"""Of a demand on a set of hosts: with how many tasks and for how long it has failed beside the plan of that number."""
ROOMY = _layout(serial="i8", many="i8")
"""How many hosts a row of a demand on a set of hosts found with room now beside the plan of that number."""
CHAIN = _layout(first="i8", last="i8", held="i8", falls_s="f8", stays="?")
"""The steps of a host; before `falls_s` it never has less than now; `last` and `held`, tasks of the row at hand, are
scratch; `stays`: the steps show the ends of tasks that ran there when the chain was made, and nothing else."""


class RowArrays(NamedTuple):
    """E rows of K distinct demands.

    Attributes:
        of: ROW[E].
        use: USE[U].
        demand: float64[K, R], what a task requests.
    """

    of: Records
    use: Records
    demand: Floats


class Hosts(NamedTuple):
    """H hosts, C sets of hosts. Never changed.

    Attributes:
        capacity: float64[H, R]; speed: float64[H].
        allowed: bool[C, H], the sets; set: HOST_SET[C].
    """

    capacity: Floats
    speed: Floats
    allowed: Bools
    set: Records


class EndArrays(NamedTuple):
    """Running tasks END[N], by (end, job, task), on H hosts.

    Attributes:
        end: the first `many` int64[1] count.
        changed: bool[H], what the host has free now, or when its tasks end, has changed since the last plan.
        cards: int64[N], their cards, as bits; None where GPUs are no cards (rule Q22).
    """

    end: Records
    many: Longs
    changed: Bools
    cards: Longs | None = None


class CalendarArrays(NamedTuple):
    """L closures: hosts bool[L, H] are closed at TIME[L] to rows with a set bit in `shut` bool[L, E]."""

    hosts: Bools
    time: Records
    shut: Bools


class PassParameters(NamedTuple):
    """Parameters of one pass.

    Attributes:
        now_s: the clock.
        seed: for policies that draw.
        varies: scores are never remembered.
        several_speeds: hosts have several.
        limits_stop: a row beyond a limit keeps all later ones of its partition back.
        as_pool: reservations count hosts.
        planned: starts go through the plan from the beginning.
        scores_from: the number under which the scores of demand 0 are remembered, and so on from there.
        first_fit: the policy is first-fit.
        cluster_wide: the first so many limits are amounts of the whole cluster.
    """

    now_s: float
    seed: int
    varies: bool
    several_speeds: bool
    limits_stop: bool
    as_pool: bool
    planned: bool
    scores_from: int = 0
    first_fit: bool = False
    cluster_wide: int = 0


class PassArrays(NamedTuple):
    """The pass as a backfilling sees it: Q rows wait; J jobs, A arrays, L limits, T tasks of all rows.

    Attributes:
        order: int32[Q], the rows to serve, those of each group together, in their order; group: GROUP[G].
        left: float64[L], what is left of each limit.
        job_passed, array_passed: int64[J], int64[A * parts], the pass in which the job started, or the array was left
            in that partition.
        part: PART[P].
        promised: PROMISED[E]; promised_host: int32[T], from `first_host` of the row on.
        place: PLACE[Q + 1], the rows started; started_host: int32[T]. A job starts once in a pass.
        listed: int32[Q], rows put off, or rows with a standing reservation: a row is offered once in a walk.
        key_s, heap: float64[Q], int32[Q], for putting them in order, and for the rows started.
        everywhere: bool[0], no choice of hosts.
        wake_s: float64[1], decide again no later than this.
        tally: int64[16], see below.
    """

    order: Ints
    group: Records
    left: Floats
    job_passed: Longs
    array_passed: Longs
    part: Records
    promised: Records
    promised_host: Ints
    place: Records
    started_host: Ints
    listed: Ints
    key_s: Floats
    heap: Ints
    everywhere: Bools
    wake_s: Floats
    tally: Longs


PASS, OFFERED, TAKEN, SINCE, SEQUENCE, STARTED, LISTED, PLANNED, STATUS, NOTED = range(10)
DONE, NOT_FINITE, MORE_ROOM, NEEDS_PLAN, ODD = range(5)
"""Values of `tally[STATUS]`: all is well; a score is no finite number; the plan needs more steps; a shadow time has
to be bound to hosts, for which there is no plan; something that the plain scheduling pass would refuse. After all
but the first, the pass must be repeated from the state before it. `tally[NOTED]`: reservations are only noted, no
plan holds them."""


class PromiseArrays(NamedTuple):
    """Reservations of earlier passes: STANDING[E] and hosts, int32[T], of `row` int32[S], in the order of arrival."""

    row: Ints
    promise: Records
    host: Ints


class ShadowTimes(NamedTuple):
    """Up to M shadow times, none of which counts a host of another.

    Attributes:
        promise: MOMENT[M]; many: int64[1]. One row a partition gets a shadow time in a pass (`easy_kernel`).
        counted: COUNTED[H]; then: float64[H, R], what hosts have at the shadow time that counts them.
    """

    promise: Records
    many: Longs
    counted: Records
    then: Floats


class AvailabilityArrays(NamedTuple):
    """The free capacity of each host from now on: chains of steps, the last one lasting for ever.

    Where reservations count hosts, one chain stands for all of them, and column 0 of it counts.

    Attributes:
        step: STEP[M]; step_free: float64[M, R]; size: int64[4], see below. Code that makes steps asks `has_room`
            before.
        chain: CHAIN[H].
        window: float64[H, R], the least that a host has free in a span of time.
        value: float64[H], scores; able: int32[H], hosts that can hold a task; again: int32[1], one to rate once more.
        turn_s, turn_host: float64[H + B], int32[H + B], heap of hosts by their next step, and of blocks of hosts; each
            is in it once, and a host that is `able` is not.
        score, rated: float64[H], int32[H], heap of hosts by their scores.
        failed: PLAN_FAILURE[C, K]; most: float64[S], upper bounds of what any host has now, as `Room.memory`.
        roomy: ROOMY[N], by set of hosts and demand, of the first N; roomy_host: int32[N, H], these hosts.
        bounds: lower bounds of the start of rows on each host.
    """

    step: Records
    step_free: Floats
    size: Longs
    chain: Records
    window: Floats
    value: Floats
    able: Ints
    again: Ints
    turn_s: Floats
    turn_host: Ints
    score: Floats
    rated: Ints
    failed: Records
    most: Floats
    roomy: Records
    roomy_host: Ints
    bounds: StartBounds


STEPS, SERIAL, FRESH_AT, SPARE = range(4)
"""The steps that have been in use; the number of the plan, another one after something was taken back; starts in this
pass after which `most` was made, -1 if it has not been since then; the first of the steps given back, each of which
names the next one; 0, always the first step of a host, if there is none."""


class ClusterWideArrays(NamedTuple):
    """W amounts of the whole cluster from now on, as the free capacity of one host.

    Attributes:
        step, step_free, size, chain: as `AvailabilityArrays` has them, of one host; step_free: float64[M, W].
        end_s: float64[N], the expected end of each of N running jobs, ascending; the first `many` int64[1] count.
        held: float64[N, W], what each holds.
        change_s, change: float64[C], float64[C, W], when the amounts themselves change, and by how much; ascending.
        amount: float64[W], scratch.
    """

    step: Records
    step_free: Floats
    size: Longs
    chain: Records
    end_s: Floats
    held: Floats
    many: Longs
    change_s: Floats
    change: Floats
    amount: Floats


class PassCards(NamedTuple):
    """GPUs as cards (rule Q22): H hosts, at most C cards each, in passes over rows of K distinct demands.

    Hosts and demands then have R + 2 amounts (`cards_kernel`), and behind these `step_free` and `window` of
    `AvailabilityArrays` have what is free of each card.

    Attributes:
        free, wanted, share, resources: as `EngineCards` has them; cost: float64[C], all 0 but while cards are picked.
        picked: int64[U], the cards, as bits, of the tasks of the row at hand, beside `RoomArrays.host`.
        started, promised, standing: int64[T], the same beside `started_host` and `promised_host` of `PassArrays`, and
            beside the hosts of `PromiseArrays`.
        taken: int64[T], the same for each task of the log that has started.
    """

    free: Floats
    wanted: Longs
    share: Floats
    cost: Floats
    picked: Longs
    started: Longs
    promised: Longs
    standing: Longs
    taken: Longs
    resources: int


class PassView(NamedTuple):
    """The arrays that each pass reads; a run with more of them passes its own tuple, with the same fields.

    `cluster_wide` is None where nothing belongs to the whole cluster, and `cards` where GPUs are no cards: the code for
    it is then not compiled.
    """

    rows: RowArrays
    hosts: Hosts
    ends: EndArrays
    calendar: CalendarArrays
    room: RoomArrays
    this_pass: PassArrays
    scores: Scores
    cluster_wide: ClusterWideArrays | None = None
    cards: PassCards | None = None
