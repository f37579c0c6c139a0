"""What would happen if nobody came any more: a queue is worked off on the compiled board, event by event.

The same as `onward_reference`. A pass is one of the board's own; what runs, who waits and what is free is kept up to
date between passes.
"""
# mypy: disable-error-code="no-untyped-def"

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.backfilling import easy_kernel
from loadmaster.backfilling.board_arrays import (
    DONE,
    STARTED,
    STATUS,
    BoardArrays,
    CalendarArrays,
    EndArrays,
    Hosts,
    Moments,
    Now,
    OutlookArrays,
    RowArrays,
)
from loadmaster.backfilling.line_kernel import sort_line
from loadmaster.backfilling.running_kernel import add_tasks, drop_tasks
from loadmaster.heap_kernel import drop_first, push
from loadmaster.kernels import inlined, inner
from loadmaster.lent import lend
from loadmaster.place.room_arrays import RoomArrays
from loadmaster.scores_kernel import Scores, changed

NO_RANK = 64
"""What `run_onward` returns beside what `board.tally[STATUS]` may be: a rank is no finite number."""


class OnwardLine(NamedTuple):
    """Rows that wait, in their order, which stands in `BoardArrays.order`.

    Attributes:
        tier, key: int32[E], float64[E]: the lower tier goes first, then the lower key, then the lower number.
        spare: int32[E], scratch.
    """

    tier: NDArray[np.int32]
    key: NDArray[np.float64]
    spare: NDArray[np.int32]


class OnwardRuns(NamedTuple):
    """M jobs that run, or come to run, on hosts that stand side by side.

    Attributes:
        job: int64[M], its number in the log.
        first: int64[M + 1], where its tasks begin in `host` int32[T] and `kind` int32[T], of demand.
        expected_end_s: float64[M].
        end_s, ending: float64[M], int32[M], heap of those that run by their end.
        number: int64[2]: how many there are; how many of them run.
    """

    job: NDArray[np.int64]
    first: NDArray[np.int64]
    host: NDArray[np.int32]
    kind: NDArray[np.int32]
    expected_end_s: NDArray[np.float64]
    end_s: NDArray[np.float64]
    ending: NDArray[np.int32]
    number: NDArray[np.int64]


KNOWN, RUNNING = range(2)


class Stage(NamedTuple):
    """E rows of J jobs, and all that a pass looks at.

    Attributes:
        rows, hosts, ends, calendar, room, board, moments, outlook, scores, now: as the board takes them.
        numbers: int64[3], the parameters of the backfilling.
        line, runs: who waits, and who runs; owner: int32[N], beside `ends`, the number of each task's job.
        lasts_s: float64[E], how long a row's job really runs at speed 1.
        rank: float64[E], scratch.
        start_s: float64[J], when each job starts; NaN before. Jobs are numbered as in `rows`.
        moves: ranks change as time goes on.
    """

    rows: RowArrays
    hosts: Hosts
    ends: EndArrays
    calendar: CalendarArrays
    room: RoomArrays
    board: BoardArrays
    moments: Moments
    outlook: OutlookArrays
    scores: Scores
    now: Now
    numbers: NDArray[np.int64]
    line: OnwardLine
    runs: OnwardRuns
    owner: NDArray[np.int32]
    number: NDArray[np.int64]
    lasts_s: NDArray[np.float64]
    rank: NDArray[np.float64]
    start_s: NDArray[np.float64]
    moves: bool


_easy = inner(easy_kernel.serve_easy)


@inner
def run_onward(stage, columns, rank, scan, rate, serve):
    """Go on until nobody waits, or nothing happens any more; what is wrong, `DONE` if nothing.

    `serve` is a door of this file, `rank` a ranker over `columns` of the rows.
    """
    order, many, now_s = stage.board.order, np.int64(stage.board.order.shape[0]), stage.now.now_s
    while many > 0 and now_s < np.inf:
        if stage.moves:
            if rank(columns, order, many, now_s, stage.rank):
                return NO_RANK
            for i in range(many):
                stage.line.key[order[i]] = stage.rank[i]
        sort_line(stage.line, order, many)
        stage.board.group[0].first, stage.board.group[0].end = 0, many
        planned = _close(stage.calendar, now_s)
        serve(stage, now_s, planned, scan, rate)
        if stage.board.tally[STATUS] != DONE:
            return stage.board.tally[STATUS]
        many = _start(stage, many, now_s)
        now_s = _next_s(stage, now_s)
        _end(stage, now_s)
    return DONE


def pass_by_moments(stage, now_s, planned, scan, rate):
    """EASY with one head, which is promised a moment where that is exact."""
    now = lend(_now(stage, now_s, planned))
    _easy(stage, None, stage.moments, stage.outlook, scan, rate, now, _heads(stage))


def pass_on_hosts(stage, now_s, planned, scan, rate):
    """EASY with any number of heads, which are promised hosts, and stepwise."""
    now = lend(_now(stage, now_s, planned))
    _easy(stage, None, None, stage.outlook, scan, rate, now, _heads(stage))


@inner
def _heads(stage):
    return stage.numbers[0], stage.numbers[1] != 0, stage.numbers[2] != 0


@inner
def _now(stage, now_s, planned):
    now = stage.now
    return Now(
        now_s, now.seed, now.varies, now.several_speeds, now.limits_stop, now.as_pool and not planned, planned,
        now.scores_from, now.first_fit,
    )  # fmt: skip


@inlined
def _close(calendar, now_s):
    """Forget closures that are over; whether any is left."""
    left = False
    for c in range(calendar.time.shape[0]):
        if calendar.time[c].to_s <= now_s:
            calendar.time[c].from_s = calendar.time[c].to_s = np.inf
        left |= calendar.time[c].to_s < np.inf or calendar.time[c].from_s < np.inf
    return left


@inlined
def _start(stage, many, now_s):
    """What was decided happens; returns how many rows wait still."""
    board, runs, rows = stage.board, stage.runs, stage.rows
    for i in range(board.tally[STARTED]):
        row, first = board.place[i].row, board.place[i].first
        tasks, slowest = board.place[i + 1].first - first, np.inf
        at = runs.number[KNOWN]
        to = runs.first[at]
        for k in range(tasks):
            runs.host[to + k], runs.kind[to + k] = board.started_host[first + k], rows.of[row].kind
            slowest = min(slowest, stage.hosts.speed[runs.host[to + k]])
        runs.first[at + 1] = to + tasks
        runs.number[KNOWN] += 1
        runs.job[at] = stage.number[row]
        runs.expected_end_s[at] = now_s + rows.of[row].expected_s / slowest
        end_s = max(now_s + stage.lasts_s[row] / slowest, np.nextafter(now_s, np.inf))
        runs.number[RUNNING] = push(runs.end_s, runs.ending, runs.number[RUNNING], end_s, at)
        hosts = runs.host[to : to + tasks]
        add_tasks(stage.ends, stage.owner, hosts, runs.expected_end_s[at], now_s, rows.of[row].kind, runs.job[at])
        stage.start_s[rows.of[row].job] = now_s
    left = np.int64(0)
    for i in range(many):
        row = board.order[i]
        if np.isnan(stage.start_s[rows.of[row].job]):
            board.order[left] = row
            left += 1
    return left


@inlined
def _next_s(stage, now_s):
    """When something happens next: a job ends, or hosts close or open; infinite if never."""
    runs, calendar = stage.runs, stage.calendar
    next_s = runs.end_s[0] if runs.number[RUNNING] > 0 else np.inf
    for c in range(calendar.time.shape[0]):
        for moment_s in (calendar.time[c].from_s, calendar.time[c].to_s):
            if moment_s > now_s:
                next_s = min(next_s, moment_s)
    return next_s


@inlined
def _end(stage, now_s):
    """Jobs give their hosts back that end up to now."""
    runs, free = stage.runs, stage.room.free
    while runs.number[RUNNING] > 0 and runs.end_s[0] <= now_s < np.inf:
        at = np.int64(runs.ending[0])
        runs.number[RUNNING] = drop_first(runs.end_s, runs.ending, runs.number[RUNNING])
        for task in range(runs.first[at], runs.first[at + 1]):
            host = np.int64(runs.host[task])
            for r in range(free.shape[1]):
                free[host, r] += stage.rows.demand[runs.kind[task], r]
            changed(stage.scores, host)
        drop_tasks(stage.ends, stage.owner, runs.expected_end_s[at], runs.job[at])
