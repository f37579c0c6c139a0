"""Drives the compiled engine for fractional scheduling: answers its questions by the policy's own decisions."""
# mypy: disable-error-code="no-untyped-call"

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numba import typeof, types

from loadmaster.jit.by_reference import by_reference
from loadmaster.jit.kernels import LEAN, cached_njit
from loadmaster.model.arrays import Ints, Longs
from loadmaster.scheduling.fractional import FractionalJob, FractionalView
from loadmaster.sim.fractional.fractional_kernel import advance
from loadmaster.sim.fractional.problem import FractionalProblem, FractionalRun
from loadmaster.sim.fractional.state import (
    ASKING,
    DONE,
    ENDED,
    EVENTS,
    IMPROVE,
    LEAST_YIELD,
    MAKE_ROOM,
    MOVING,
    NOW,
    REFUSED,
    RUNNING,
    allocate,
    rules_of,
)
from loadmaster.sim.timeshared.problem import Progress

CHUNK = 20_000
"""Moments between two calls of a progress function."""


def run_fractional(problem: FractionalProblem, progress: Progress | None = None) -> FractionalRun:
    """Simulate a fractional problem in the compiled engine; Python acts where a kernel requests a packer or mover."""
    world, rules, shell = allocate(problem), rules_of(problem), _Shell(problem)
    engine = _engine(tuple(typeof(value) for value in (world, rules)))
    status, calls = -1, 0
    while status != DONE:
        status = engine(world, rules, CHUNK)
        if status == MAKE_ROOM:
            shell.make_room(world)
        elif status == IMPROVE:
            shell.improve(world)
        calls += 1
        if progress is not None and (status not in (MAKE_ROOM, IMPROVE) or calls % 100 == 0):
            progress(int(world.whole[ENDED]), problem.workload.jobs)
    jobs, moved = world.jobs, [*shell.moved_in.values(), 0.0]
    return FractionalRun(
        jobs["start_s"].copy(),
        jobs["end_s"].copy(),
        world.tasks["last_host"].astype(np.int32),
        jobs["moves"].copy(),
        sum(moved),
        max(moved),
        float(world.real[LEAST_YIELD]),
        int(world.whole[EVENTS]),
    )


class _Shell:
    """Turns the kernel's state into views for the policy, and its decisions into moves."""

    def __init__(self, problem: FractionalProblem) -> None:
        self.policy, self.seen, self.kind = problem.policy, problem.seen, problem.kind
        self.first, self.count = problem.workload.first_task, problem.workload.task_count
        self.moved_in: dict[int, float] = {}

    def make_room(self, world: Any) -> None:
        job = int(world.whole[ASKING])
        tasks, view = self._view(world)
        found = self.policy.room_for(
            view, FractionalJob(int(self.count[job]), float(self.seen[job, 0]), self.seen[job, 1:])
        )
        world.whole[REFUSED] = found is None
        if found is not None:
            world.chosen[: len(found[1])] = found[1]
            self._move(world, tasks, view, found[0])

    def improve(self, world: Any) -> None:
        tasks, view = self._view(world)
        self._move(world, tasks, view, self.policy.improved(view))

    def _view(self, world: Any) -> tuple[Longs, FractionalView]:
        now = world.real[NOW]
        jobs = np.sort(world.heap[: world.whole[RUNNING]])
        count = self.count[jobs]
        owner = np.repeat(jobs, count)
        tasks = np.arange(len(owner)) + np.repeat(self.first[jobs] - np.cumsum(count) + count, count)
        demand = self.seen[owner]
        memory = demand[:, 1] if demand.shape[1] > 1 else np.zeros(len(owner))
        cost = np.where(world.jobs["start_s"][owner] < now, memory, 0.0)
        left = self.policy.budget - self.moved_in.get(self._interval(now), 0.0)
        return tasks, FractionalView(
            world.tasks["host"][tasks].astype(np.int32),
            demand[:, 0],
            demand[:, 1:],
            cost,
            world.hosts["load"].copy(),
            world.used,
            world.cores,
            world.capacity,
            world.hosts["speed"],
            self.kind,
            left,
        )

    def _move(self, world: Any, tasks: Longs, view: FractionalView, after: Ints) -> None:
        moving = np.flatnonzero(after != view.host)
        interval = self._interval(world.real[NOW])
        self.moved_in[interval] = self.moved_in.get(interval, 0.0) + float(view.cost[moving].sum())
        world.moving[: len(moving)], world.target[: len(moving)] = tasks[moving], after[moving]
        world.whole[MOVING] = len(moving)

    def _interval(self, now: float) -> int:
        return math.floor(now / self.policy.budget_interval_s)


@cache
def _engine(layout: tuple[Any, ...]) -> Callable[..., int]:
    def entry(world, rules, most):  # type: ignore[no-untyped-def]
        return advance(by_reference(world), by_reference(rules), most)

    signature = types.int64(*layout, types.int64)
    engine: Callable[..., int] = cached_njit(signature, **LEAN)(entry)
    return engine
