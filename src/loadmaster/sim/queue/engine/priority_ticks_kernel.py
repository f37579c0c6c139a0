"""The waiting jobs under an order whose ranks change at ticks only: sorted at each tick, new jobs inserted in between.

Jobs that waited at the last tick stand in the first run of positions of the tree (`queue_tree_kernel.py`), jobs that
arrived since in the second. Invariant: each run is sorted by rank and number, so a pass takes the lower of the two
fronts. Ranks are whole numbers, and are sorted by their digits, in a few rounds over all jobs.
"""
# mypy: disable-error-code="no-untyped-def"

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.jit.kernels import inlined, inner
from loadmaster.order.multifactor import priority_kernel
from loadmaster.order.multifactor.state import MOST, PriorityState
from loadmaster.sim.queue.engine.min_demand_kernel import update_block, update_node
from loadmaster.sim.queue.engine.ranked_state import MANY
from loadmaster.sim.queue.engine.state import FAN

rank_jobs, tick_until = priority_kernel.rank, priority_kernel.tick_until
started, ended = priority_kernel.started, priority_kernel.ended

DEAR = 4
"""Sorting one job costs about as much as moving so many jobs in the second run."""
DIGIT, SHORT_LIST = 11, 48
"""Bits sorted by in one round; up to so many jobs are sorted by insertion."""
NOWHERE, KEPT = -1, -2
"""In place of a position: of a job that has just arrived, and of one that is about to be sorted."""


class Ticked(NamedTuple):
    """Arrays for sorting J jobs.

    Attributes:
        member: int32[J], the jobs that waited when all were last sorted, and the jobs that have arrived since.
        key, job: int64[2, J], int32[2, J], what is being sorted, and where to.
        begins: int64[2 ** DIGIT], where the jobs with each digit go.
        number: int64[2]: members, and the jobs moved in the second run since all were sorted.
        time_s: float64[2], the last tick and the seconds between ticks.
    """

    member: NDArray[np.int32]
    key: NDArray[np.int64]
    job: NDArray[np.int32]
    begins: NDArray[np.int64]
    number: NDArray[np.int64]
    time_s: NDArray[np.float64]


MEMBERS, MOVED = range(2)


class Book(NamedTuple):
    """An order that tracks events: its state, its clock and its queue."""

    priorities: PriorityState
    ticked: Ticked


@inner
def update_priorities(book, waiting, ranked, jobs, now):
    """Process the events, let ticks pass up to `now`, and put all waiting jobs where they belong.

    Args:
        book: the order.
        waiting: where the jobs stand; not used by an order that ranks all jobs at every pass.
        ranked: the new jobs, which are taken in; or, for such an order, all waiting jobs, whose ranks are written
            there.
        jobs: of the log.
        now: float.
    """
    has_ticked = _process_events(book, ranked.happened, now)
    many = ranked.number[MANY]
    if book.priorities.flags.each_pass:
        rank_jobs(book.priorities, ranked.queue, many, now, ranked.rank)
        return
    _take_in(book, waiting, ranked, many, now)
    number = book.ticked.number
    if has_ticked or number[MOVED] > DEAR * number[MEMBERS]:
        _drop_started(book, waiting)
        if has_ticked:
            _rank(book, waiting, book.ticked.member, number[MEMBERS], now, ranked.rank)
        _sort_all(book, waiting, jobs)
    else:
        _insert(book.ticked, waiting, ranked.queue, many, jobs)
    ranked.number[MANY] = 0


@inlined
def _process_events(book, happened, now):
    """Process starts, ends and ticks in the order of time, a tick after the ends of its moment; whether it ticked."""
    before_s = book.ticked.time_s[0]
    for i in range(happened.number[0]):
        job, time_s = np.int64(happened.job[i]), happened.time_s[i]
        if job >= 0:
            tick_until(book.priorities, book.ticked.time_s, time_s)
            started(book.priorities, job, time_s)
        else:
            tick_until(book.priorities, book.ticked.time_s, np.nextafter(time_s, -np.inf))
            ended(book.priorities, -1 - job, time_s)
    happened.number[0] = 0
    tick_until(book.priorities, book.ticked.time_s, now)
    happened.due_s[0] = book.ticked.time_s[0] + book.ticked.time_s[1]
    return book.ticked.time_s[0] > before_s


@inlined
def _take_in(book, waiting, ranked, many, now):
    """Make the new jobs members, each with its rank."""
    ticked = book.ticked
    for i in range(many):
        job = ranked.queue[i]
        ticked.member[ticked.number[MEMBERS] + i] = job
        waiting.position[job] = NOWHERE
    ticked.number[MEMBERS] += many
    _rank(book, waiting, ranked.queue, many, now, ranked.rank)


@inner
def _rank(book, waiting, who, many, now, room):
    rank_jobs(book.priorities, who, many, now, room)
    for i in range(many):
        waiting.rank[who[i]] = room[i]


@inner
def _drop_started(book, waiting):
    """Keep only waiting jobs as members, each once; new jobs have no position yet."""
    ticked = book.ticked
    many = 0
    for i in range(ticked.number[MEMBERS]):
        job = ticked.member[i]
        position = waiting.position[job]
        if position == NOWHERE or (position >= 0 and waiting.here[position] and waiting.at[position] == job):
            waiting.position[job] = KEPT
            ticked.member[many] = job
            many += 1
    ticked.number[MEMBERS] = many


@inner
def _sort_all(book, waiting, jobs):
    """Put all members into the first run."""
    ticked, many = book.ticked, book.ticked.number[MEMBERS]
    row = _in_order(ticked, waiting, ticked.member, many)
    used = -(-waiting.span[2] // FAN)
    for position in range(max(many, used * FAN)):
        waiting.here[position] = position < many
    for position in range(many):
        job = ticked.job[row, position]
        waiting.at[position] = job
        waiting.position[job] = position
    end = -(-many // FAN) * FAN
    waiting.span[1] = waiting.span[2] = end
    ticked.number[MOVED] = 0
    _settle_from(waiting, jobs, 0, max(used, end // FAN))


@inlined
def _insert(ticked, waiting, queue, many, jobs):
    """Insert the new jobs into the second run, from its end on; the jobs behind them move up."""
    row = _in_order(ticked, waiting, queue, many)
    begin = waiting.span[1]
    old, new = waiting.span[2] - 1, many - 1
    at = waiting.span[2] + many - 1
    waiting.span[2] += many
    while new >= 0:
        job = ticked.job[row, new]
        # merge from the back: the later of the two goes last
        if old >= begin and _before(waiting, job, waiting.at[old]):
            waiting.at[at] = waiting.at[old]
            waiting.here[at] = waiting.here[old]
            if waiting.here[at]:
                waiting.position[waiting.at[at]] = at
            old -= 1
        else:
            waiting.at[at] = job
            waiting.here[at] = True
            waiting.position[job] = at
            new -= 1
        at -= 1
    ticked.number[MOVED] += waiting.span[2] - 1 - at
    _settle_from(waiting, jobs, (at + 1) // FAN, -(-waiting.span[2] // FAN))


@inner
def _in_order(ticked, waiting, who, many):
    """Sort the first `many` of `who` by rank, equal ranks by number. Returns their row in `ticked.job`."""
    ordered = True
    for i in range(1, many):
        ordered &= who[i - 1] < who[i]
    if not ordered:  # some were held back, so the list is not by number
        high = np.int64(0)
        for i in range(many):
            ticked.key[0, i] = ticked.job[0, i] = who[i]
            high = max(high, np.int64(who[i]))
        row = _sort(ticked, many, np.int64(0), high)
        for i in range(many):
            who[i] = ticked.job[row, i]
    low, high = np.int64(2**62), np.int64(0)
    for i in range(many):
        key = np.int64(waiting.rank[who[i]] + MOST)
        ticked.key[0, i] = key
        ticked.job[0, i] = who[i]
        low, high = min(low, key), max(high, key)
    return _sort(ticked, many, low, high)


@inner
def _sort(ticked, many, low, high):
    """Sort the first `many` of row 0 by key, from `low` to `high`; equal keys keep their order. Returns their row."""
    if many <= SHORT_LIST:
        _sort_few(ticked, many)
        return 0
    begins = ticked.begins
    last = begins.shape[0] - 1
    row, shift = 0, 0
    while (high - low) >> shift > 0:
        for digit in range(begins.shape[0]):
            begins[digit] = 0
        for i in range(many):
            begins[((ticked.key[row, i] - low) >> shift) & last] += 1
        total = np.int64(0)
        for digit in range(begins.shape[0]):
            count = begins[digit]
            begins[digit] = total
            total += count
        for i in range(many):
            digit = ((ticked.key[row, i] - low) >> shift) & last
            ticked.key[1 - row, begins[digit]] = ticked.key[row, i]
            ticked.job[1 - row, begins[digit]] = ticked.job[row, i]
            begins[digit] += 1
        row, shift = 1 - row, shift + DIGIT
    return row


@inlined
def _sort_few(ticked, many):
    for i in range(1, many):
        key, job = ticked.key[0, i], ticked.job[0, i]
        at = i
        while at > 0 and ticked.key[0, at - 1] > key:
            ticked.key[0, at] = ticked.key[0, at - 1]
            ticked.job[0, at] = ticked.job[0, at - 1]
            at -= 1
        ticked.key[0, at] = key
        ticked.job[0, at] = job


@inlined
def _before(waiting, job, other):
    return waiting.rank[job] < waiting.rank[other] or (waiting.rank[job] == waiting.rank[other] and job < other)


@inner
def _settle_from(waiting, jobs, first, end):
    """Compute the least demands of the lowest blocks from `first` to `end`, and of the blocks above them."""
    for node in range(first, end):
        update_block(waiting, jobs, node)
    for node in range(first // FAN, -(-end // FAN)):
        update_node(waiting.low, waiting.mid, node)
    for node in range(first // (FAN * FAN), -(-end // (FAN * FAN))):
        update_node(waiting.mid, waiting.top, node)
