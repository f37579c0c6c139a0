"""Improves a schedule by ruin and recreate, with a temperature that falls as the time runs out (rule D11)."""

from collections.abc import Callable

import numpy as np

from loadmaster.model.arrays import Floats, Longs
from loadmaster.search.greedy import PlannedSchedule
from loadmaster.search.rigid import Rigid
from loadmaster.search.ruin_kernel import FIXED, RuinScratch, RuinState, ruin_and_recreate, set_out
from loadmaster.search.timetable_kernel import Timetable

_MOST = 40
"""At most so many neighbours are moved with a job."""
_MOVES = 64
"""So many moves between two looks at the clock."""
_TOGETHER = 8
"""About so many jobs of a host are in one list."""
_SEEKS = 4
"""Moments a task by which steps are found."""
_HOTTEST, _COOLED, _MOVES_FOR_ONE = 6.0, 1 / 600, 4.0
"""Heat in mean runtimes at first; the part of it that is left at last; moves of a job that are worth one more."""


def improved(
    queue: Rigid, planned: PlannedSchedule, area: Floats, used: Callable[[], float], seed: int = 0
) -> PlannedSchedule:
    """Moves jobs of one task while `used` is less than 1; the best that was met, never worse than `planned`.

    Args:
        queue: the jobs.
        planned: where to begin.
        area: float64[J], those with less are put back first, as a rule.
        used: the part of the time that is over, asked every so many moves.
        seed: of the moves.
    """
    first = np.concatenate(([0], np.cumsum(queue.tasks)))
    jobs, table = _moved(queue, planned, first), _empty(queue)
    width = float(planned.end_s.max()) / table.seek.shape[1]
    set_out(jobs, table, width, planned.host.astype(np.int64), first)
    rng, mean_s, moves = np.random.default_rng(seed), float(queue.lasts_s.min(axis=1).mean()), 0
    out = RuinScratch(*(np.empty(_MOST + 1, kind) for kind in (np.int64, float, float, np.int64)))
    best_s, start_s, host = planned.sum_s, jobs.start.copy(), jobs.host.copy()
    while (part := used()) < 1.0:
        heat_s = mean_s * heat(moves / queue.jobs, part)
        ruin_and_recreate(jobs, table, width, area, rng.random((_MOVES, 4 + FIXED + _MOST + 1)), heat_s, out)
        moves += _MOVES
        if (now_s := float(jobs.start.sum())) < best_s:
            best_s, start_s, host = now_s, jobs.start.copy(), jobs.host.copy()
    return _with_moves(queue, planned, start_s, host, first)


def heat(moves_a_job: float, part: float) -> float:
    """How much worse a move may well be, in mean runtimes: less where there is time for few moves, and later on."""
    return min(_HOTTEST, moves_a_job / part / _MOVES_FOR_ONE) * _COOLED**part if part > 0.0 else 0.0


def _moved(queue: Rigid, planned: PlannedSchedule, first: Longs) -> RuinState:
    none, hosts = np.full(queue.jobs, -1), len(queue.class_of)
    lists = max(1, queue.jobs // (hosts * _TOGETHER))
    longest_s = np.where(np.isinf(queue.lasts_s), 0.0, queue.lasts_s).max(axis=0)
    return RuinState(
        queue.ready_s,
        queue.lasts_s,
        queue.demand,
        queue.class_of,
        queue.tasks == 1,
        planned.start_s.copy(),
        planned.host[first[:-1]].astype(np.int64),
        np.full((hosts, lists), -1),
        none,
        none.copy(),
        float(planned.end_s.max()) / lists,
        longest_s,
    )


def _empty(queue: Rigid) -> Timetable:
    """Room for every start and every end, and for those of a move beside them.

    A task makes two steps at most. A move takes its jobs out before it puts them back, and the end that is taken out is
    the same sum of start and runtime as was put in, so that the step which begins there is found and joined.
    """
    hosts, tasks = len(queue.class_of), int(queue.tasks.sum())
    steps = hosts + 2 * tasks + 2 * _MOST + 8
    free, at = np.zeros((steps, queue.demand.shape[1])), np.zeros(steps)
    free[:hosts], at[:hosts] = queue.capacity[queue.class_of], -np.inf
    unused = np.zeros(steps + 1, np.int64)
    unused[: steps - hosts], unused[steps] = np.arange(steps - 1, hosts - 1, -1), steps - hosts
    none = np.full(steps, -1)
    seek = np.repeat(np.arange(hosts)[:, None], max(1, _SEEKS * tasks // hosts), axis=1)
    return Timetable(at, free, none, none.copy(), np.zeros(steps, np.int64), unused, seek)


def _with_moves(queue: Rigid, planned: PlannedSchedule, start_s: Floats, on: Longs, first: Longs) -> PlannedSchedule:
    host, end_s = planned.host.copy(), planned.end_s.copy()
    moved = np.flatnonzero(queue.tasks == 1)
    host[first[moved]] = on[moved]
    end_s[moved] = start_s[moved] + queue.lasts_s[moved, queue.class_of[on[moved]]]
    return PlannedSchedule(start_s, end_s, host)
