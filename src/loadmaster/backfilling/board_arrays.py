"""What the compiled board works on: the waiting jobs, the hosts, what is expected to end, and one pass over them.

The first four groups say what is: whoever runs from event to event owns them and changes them as things happen. The
others belong to a pass: `begin_pass` makes them ready for the next one, at the cost of the hosts and the rows in it,
not of all rows that there are. Everything that a pass notes by row, job or array bears the number of the pass.
"""

from typing import NamedTuple

from loadmaster.model.arrays import Bools, Floats, Ints, Longs


class Rows(NamedTuple):
    """E rows: a job for each partition in which it may start. J jobs, K distinct demands, U uses of limits.

    Attributes:
        job: int32[E], the row's job; next_row: int32[E], the next row of the same job, after the last the first.
        kind: int32[E], the row of the job's demand in `demand` float64[K, R].
        tasks: int32[E].
        expected_s: float64[E], at speed 1.
        first_task: int64[E], the number of the job's first task, for policies that ask.
        first_host: int64[E + 1], where hosts of the row's tasks stand in tables of such hosts.
        hosts: int32[E], the row's set of hosts.
        partition: int32[E].
        array: int32[E], the array of which the job is a task, -1 of none.
        since_s: float64[E], since when it might have started.
        uses: int64[E + 1], int32[U], float64[U]: the limits that a start counts against, and with how much.
        group: int32[E], whose share it uses, 0 where jobs are not served by need.
    """

    job: Ints
    next_row: Ints
    kind: Ints
    demand: Floats
    tasks: Ints
    expected_s: Floats
    first_task: Longs
    first_host: Longs
    hosts: Ints
    partition: Ints
    array: Ints
    since_s: Floats
    uses: Longs
    use_limit: Ints
    use_amount: Floats
    group: Ints


class Hosts(NamedTuple):
    """H hosts, C sets of hosts. Never changed.

    Attributes:
        capacity: float64[H, R]; speed: float64[H].
        allowed: bool[C, H], the sets; whole: bool[C], every host is in the set; fastest: float64[C], of its hosts.
        partitions: bool[P, H], the hosts of every partition; empty where these are the row's own.
    """

    capacity: Floats
    speed: Floats
    allowed: Bools
    whole: Bools
    fastest: Floats
    partitions: Bools


class Ends(NamedTuple):
    """Expected ends of running tasks, by (end, job, task); `many` int64[1] of them.

    Attributes:
        end_s: float64[N], start plus expected runtime; whoever has outlived it is expected to end right after now.
        host: int32[N].
        kind: int32[N], the row of its demand in `Rows.demand`.
    """

    end_s: Floats
    host: Ints
    kind: Ints
    many: Longs


class Calendar(NamedTuple):
    """L closures: hosts bool[L, H] that may not be used in [from_s, to_s) by rows of which `shut` bool[L, E] is set."""

    hosts: Bools
    from_s: Floats
    to_s: Floats
    shut: Bools


class Now(NamedTuple):
    """What holds for one pass.

    Attributes:
        now_s: the clock.
        seed: for policies that draw.
        varies: scores are never remembered.
        several_speeds: hosts have several.
        limits_stop: a row beyond a limit keeps all later ones of its partition back.
        as_pool: promises count hosts.
        planned: starts go through the plan from the beginning.
    """

    now_s: float
    seed: int
    varies: bool
    several_speeds: bool
    limits_stop: bool
    as_pool: bool
    planned: bool


class Board(NamedTuple):
    """The pass as a backfilling sees it: Q rows in their order, G groups, L limits, A arrays, T tasks of all rows.

    Attributes:
        order: int32[Q], the rows to serve, those of each group together, in their order.
        span: int64[G + 1], where groups begin in `order`; cursor: int64[G], the next of each.
        used, share: float64[G], cores.
        left: float64[L], what is left of each limit.
        job_passed, array_passed, stopped: int64[J], int64[A], int64[P], the pass in which the job started, the array
            was left, the partition was stopped.
        promised: int64[E], when in this pass the row was promised what it is, counted from `tally[SINCE]`; not after
            that: nothing.
        promised_s: float64[E]; promised_many: int32[E], how many hosts are named, 0 or one a task.
        promised_host: int32[T], from `Rows.first_host` on.
        started: int32[Q], the rows started; started_first: int64[Q + 1], where their hosts begin in `started_host`.
        started_host: int32[T].
        listed: int32[Q], rows put off, or whose promises stand.
        key_s: float64[Q], heap: int32[Q], for putting them in order.
        per_partition: int64[P], counters of a backfilling.
        everywhere: bool[0], no choice of hosts; chosen: bool[H], one.
        wake_s: float64[1], decide again no later than this.
        tally: int64[16], see below.
    """

    order: Ints
    span: Longs
    cursor: Longs
    used: Floats
    share: Floats
    left: Floats
    job_passed: Longs
    array_passed: Longs
    stopped: Longs
    promised: Longs
    promised_s: Floats
    promised_many: Ints
    promised_host: Ints
    started: Ints
    started_first: Longs
    started_host: Ints
    listed: Ints
    key_s: Floats
    heap: Ints
    per_partition: Longs
    everywhere: Bools
    chosen: Bools
    wake_s: Floats
    tally: Longs


PASS, OFFERED, TAKEN, SINCE, SEQUENCE, STARTED, LISTED, PLANNED, STATUS = range(9)
DONE, NOT_FINITE, MORE_ROOM, NEEDS_PLAN, ODD = range(5)
"""What `tally[STATUS]` comes to: all is well; a score is no finite number; the plan needs more steps; a moment promised
before has to be bound to hosts, for which there is no plan; something that the plain board would refuse."""


class Standing(NamedTuple):
    """What earlier passes promised to rows: float64[E], NaN for nothing; how many hosts; the hosts, int32[T].

    Attributes:
        row: int32[S], the rows that were promised something, in the order of arrival.
    """

    row: Ints
    start_s: Floats
    many: Ints
    host: Ints


class Moments(NamedTuple):
    """Up to M promises of a moment, none of which counts a host of another.

    Attributes:
        then: float64[H, R], what hosts have at the moment that counts them; held: int64[H], tasks of its row they hold.
        owner: int32[H], the promise that counts a host, -1 for none.
        row: int32[M], -1 once the row has started elsewhere; shadow_s: float64[M]; slack: int64[M].
        many: int64[1].
        end_s, ending: float64[Q], int32[Q], heap of the rows started in this pass by expected end.
    """

    then: Floats
    held: Longs
    owner: Ints
    row: Ints
    shadow_s: Floats
    slack: Longs
    many: Longs
    end_s: Floats
    ending: Ints


class Outlook(NamedTuple):
    """What every host has free from now on: chains of M steps (time, free), the last one lasting for ever.

    Where promises count hosts, one chain stands for all of them, and column 0 of it counts.

    Attributes:
        step_s, step_next, step_free: float64[M], int32[M], float64[M, R].
        first_step: int32[H]; last_step: int32[H], scratch.
        window: float64[H, R], the least that a host has free in a stretch of time.
        value: float64[H], scores; able: int32[H], hosts that can hold a task; again: int32[1], one to rate once more.
        held: int64[H], tasks of the row at hand.
        turn_s, turn_host: float64[H], int32[H], heap of hosts by their next step.
        size: int64[1], the steps in use.
    """

    step_s: Floats
    step_next: Ints
    step_free: Floats
    first_step: Ints
    last_step: Ints
    window: Floats
    value: Floats
    able: Ints
    again: Ints
    held: Longs
    turn_s: Floats
    turn_host: Ints
    size: Longs
