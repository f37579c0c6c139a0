"""All that moves one after another can reach within a budget, for states so small that each mapping can be visited."""

from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np

from loadmaster.jit.first_compilation import FIRST_TIME
from loadmaster.move.change import GAIN, State, TaskTransfer, within
from loadmaster.packing.instance import TOLERANCE
from loadmaster.packing.level import level_of

MOST_STATES = 10_000
"""Mappings up to which all are visited, in a second or so."""

Mapping = tuple[int, ...]


class BestReachable(NamedTuple):
    """The best that can be reached: its moves, what they cost, its level; NaN if no complete mapping can be."""

    moves: tuple[TaskTransfer, ...]
    spent: float
    level: float


def small_enough(state: State) -> bool:
    """Whether there are few enough mappings to visit them all."""
    hosts, new = state.instance.hosts, int((state.host < 0).sum())
    return bool(hosts ** (state.instance.tasks - new) * (hosts + 1) ** new <= MOST_STATES)


def best_reachable(state: State, budget: float, time_limit_s: float = 60.0) -> BestReachable | None:
    """The highest level that any order of moves reaches, the cheapest of equals; None if the time was not enough.

    Dijkstra's search over mappings: a step moves one task to a host that has room for it while it still holds its
    place, any number of times, or starts a new one, which then stays.
    """
    ends = FIRST_TIME.clock_s() + time_limit_s
    start: Mapping = tuple(state.host.tolist())
    cheapest, before = {start: (0.0, 0)}, dict[Mapping, tuple[Mapping, TaskTransfer]]()
    queue, done = [(0.0, 0, start)], set[Mapping]()
    best, goal = BestReachable((), 0.0, float("nan")), start
    cost = state.cost.tolist()
    while queue:
        if FIRST_TIME.clock_s() > ends:
            return None
        spent, steps, mapping = heappop(queue)
        if mapping in done:
            continue
        done.add(mapping)
        if min(mapping) >= 0:
            level = level_of(state.instance, np.array(mapping, np.int32))
            if not np.isnan(level) and not level <= best.level + GAIN:
                best, goal = BestReachable((), spent, level), mapping
        for move in _steps(state, mapping):
            after = (*mapping[: move.task], move.target, *mapping[move.task + 1 :])
            total = spent + (cost[move.task] if move.source >= 0 else 0.0)
            if within(total, budget) and (total, steps + 1) < cheapest.get(after, (np.inf, 0)):
                cheapest[after], before[after] = (total, steps + 1), (mapping, move)
                heappush(queue, (total, steps + 1, after))
    return best._replace(moves=_way(before, goal))


def _steps(state: State, mapping: Mapping) -> list[TaskTransfer]:
    hard = state.instance.scaled.hard
    free = state.instance.scaled.hard_room + TOLERANCE
    for task, host in enumerate(mapping):
        if host >= 0:
            free[host] -= hard[task]
    steps = []
    for task, source in enumerate(mapping):
        if source >= 0 and state.host[task] < 0:
            continue
        for host in np.flatnonzero((free >= hard[task]).all(axis=1)).tolist():
            if host != source:
                steps.append(TaskTransfer(task, source, host))
    return steps


def _way(before: dict[Mapping, tuple[Mapping, TaskTransfer]], goal: Mapping) -> tuple[TaskTransfer, ...]:
    moves = list[TaskTransfer]()
    while goal in before:
        goal, move = before[goal]
        moves.append(move)
    return tuple(reversed(moves))
