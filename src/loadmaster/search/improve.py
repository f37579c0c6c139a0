"""A schedule made better by ruin and recreate, for as long as there is time (rule D11)."""

from collections.abc import Callable

import numpy as np

from loadmaster.model.arrays import Floats, Longs
from loadmaster.search.greedy import Planned
from loadmaster.search.rigid import Rigid
from loadmaster.search.ruin_kernel import FIXED, Moved, Out, ruin_and_recreate, set_out
from loadmaster.search.timetable_kernel import Timetable

_MOST = 40
"""At most so many neighbours are moved with a job."""
_MOVES = 64
"""So many moves between two looks at the clock."""
_TOGETHER = 8
"""About so many jobs of a host are in one list."""
_SEEKS = 4
"""Moments a task by which steps are found."""


def improved(queue: Rigid, planned: Planned, area: Floats, over: Callable[[], bool], seed: int = 0) -> Planned:
    """Moves jobs of one task until `over` says so; no move makes the sum of starts larger.

    Args:
        queue: the jobs.
        planned: where to begin.
        area: float64[J], those with less are put back first, as a rule.
        over: asked every so many moves.
        seed: of the moves.
    """
    first = np.concatenate(([0], np.cumsum(queue.tasks)))
    jobs, table = _moved(queue, planned, first), _empty(queue)
    width = float(planned.end_s.max()) / table.seek.shape[1]
    set_out(jobs, table, width, planned.host.astype(np.int64), first)
    rng = np.random.default_rng(seed)
    out = Out(*(np.empty(_MOST + 1, kind) for kind in (np.int64, float, float, np.int64)))
    while not over():
        ruin_and_recreate(jobs, table, width, area, rng.random((_MOVES, 4 + FIXED + _MOST + 1)), out)
    return _planned(queue, planned, jobs, first)


def _moved(queue: Rigid, planned: Planned, first: Longs) -> Moved:
    none, hosts = np.full(queue.jobs, -1), len(queue.class_of)
    lists = max(1, queue.jobs // (hosts * _TOGETHER))
    longest_s = np.where(np.isinf(queue.lasts_s), 0.0, queue.lasts_s).max(axis=0)
    return Moved(
        queue.ready_s, queue.lasts_s, queue.demand, queue.class_of, queue.tasks == 1, planned.start_s.copy(),
        planned.host[first[:-1]].astype(np.int64), np.full((hosts, lists), -1), none, none.copy(),
        float(planned.end_s.max()) / lists, longest_s,
    )  # fmt: skip


def _empty(queue: Rigid) -> Timetable:
    """Room for every start and every end, and for those of a move beside them."""
    hosts, tasks = len(queue.class_of), int(queue.tasks.sum())
    steps = hosts + 2 * tasks + 2 * _MOST + 8
    free, at = np.zeros((steps, queue.demand.shape[1])), np.zeros(steps)
    free[:hosts], at[:hosts] = queue.capacity[queue.class_of], -np.inf
    unused = np.zeros(steps + 1, np.int64)
    unused[: steps - hosts], unused[steps] = np.arange(steps - 1, hosts - 1, -1), steps - hosts
    none = np.full(steps, -1)
    seek = np.repeat(np.arange(hosts)[:, None], max(1, _SEEKS * tasks // hosts), axis=1)
    return Timetable(at, free, none, none.copy(), np.zeros(steps, np.int64), unused, seek)


def _planned(queue: Rigid, planned: Planned, jobs: Moved, first: Longs) -> Planned:
    host, end_s = planned.host.copy(), planned.end_s.copy()
    moved = np.flatnonzero(jobs.free_to_move)
    host[first[moved]] = jobs.host[moved]
    end_s[moved] = jobs.start[moved] + queue.lasts_s[moved, queue.class_of[jobs.host[moved]]]
    return Planned(jobs.start, end_s, host)
