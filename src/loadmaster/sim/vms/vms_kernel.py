# mypy: disable-error-code="no-untyped-def,no-untyped-call"
"""Jobs on virtual machines, compiled; the plain engine in reference.py is the specification."""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import typeof, types

from loadmaster.jit.by_reference import by_reference
from loadmaster.jit.kernels import LEAN, cached_njit, inner
from loadmaster.model import InputError
from loadmaster.model.arrays import Floats, Longs
from loadmaster.sharing.equilibrium import PATIENCE
from loadmaster.sharing.equilibrium_kernel import (
    DIRTY,
    IDLE,
    allocate_vms,
    equilibrium,
    least_reached,
    occupy,
    set_speed,
    settle_changed,
    vacate,
)
from loadmaster.sharing.vm_choice_kernel import CHOICES, choose, speed_at_first
from loadmaster.sim.timeshared.problem import Progress
from loadmaster.sim.vms.problem import VmProblem, VmRun

BUSY_S, WORK_S, FULL_S, FULL_WORK_S, NOW = 0, 1, 2, 3, 4
HEAD, TAIL, ENDED, ARRIVED, ROUNDS, EMPTY, UNSETTLED, SLOTS, ENDLESS = range(9)
NEVER_S = 1e300
"""The moment of what never happens."""


class VmJobs(NamedTuple):
    """J jobs and what became of them."""

    submit_s: Floats  # [J]
    work_s: Floats  # [J], CPU seconds of each task
    expected_work_s: Floats  # [J], as far as reservations know
    expected_s: Floats  # [J], for a job that shares with no other
    asks: Floats  # [J], cores that each task can use
    tasks: Longs  # [J]
    left: Floats  # [J], of work_s
    start_s: Floats  # [J]
    end_s: Floats  # [J]
    next_waiting: Longs  # [J], the queue


class VmQueue(NamedTuple):
    """Which job is in which slot, sums, and room for decisions.

    V slots suffice: a running job has a VM of its own at least, and a job that starts finds as many idle VMs as it has
    tasks. `chosen` holds one job's VMs, which are different ones.
    """

    job: Longs  # [V], the job in each slot, -1 if free
    real: Floats  # BUSY_S, WORK_S, FULL_S, FULL_WORK_S, NOW
    whole: Longs  # HEAD, TAIL of the queue; ENDED, ARRIVED, ROUNDS; EMPTY machines; UNSETTLED speeds; SLOTS ever used;
    # ENDLESS, 1 where jobs are left and nothing happens before `NEVER_S`
    chosen: Longs  # [V]
    value: Floats  # [V]
    end: Floats  # [V], expected ends of slots, for the reservation


class VmRules(NamedTuple):
    """How to choose and to settle."""

    choice: int
    static: bool
    backfill: bool
    redistribute: bool
    by_rate: bool
    tolerance: float
    most: int
    patience: int


CHUNK = 500
"""Events between two calls of a progress function."""


def run_vms(problem: VmProblem, progress: Progress | None = None) -> VmRun:
    """Simulate a problem of virtual machines, compiled."""
    workload, vms = problem.workload, problem.vms
    jobs, v = workload.jobs, vms.count
    stream = VmJobs(
        workload.submit_s.copy(),
        problem.work_s,
        problem.expected_work_s,
        problem.expected_s,
        problem.asks.copy(),
        workload.task_count.astype(np.int64),
        problem.work_s,
        np.full(jobs, np.nan),
        np.full(jobs, np.nan),
        np.full(jobs, -1, np.int64),
    )
    board = VmQueue(
        np.full(v, -1, np.int64),
        np.zeros(5),
        np.array([-1, -1, 0, 0, 0, vms.machines, 0, 0, 0]),
        np.zeros(v, np.int64),
        np.zeros(v),
        np.zeros(v),
    )
    board.real[NOW] = stream.submit_s[0] if jobs else 0.0
    rule = VmRules(
        CHOICES.index(problem.choice),
        problem.ranking == "static",
        problem.backfill,
        problem.redistribute,
        problem.estimate == "rate",
        problem.tolerance,
        problem.most_rounds,
        PATIENCE,
    )
    state = allocate_vms(vms)
    engine = _engine(tuple(typeof(value) for value in (state, stream, board, rule)))
    while engine(state, stream, board, rule, CHUNK):
        if progress is not None:
            progress(int(board.whole[ENDED]), jobs)
    if board.whole[ENDLESS]:
        fix = "check runtime_s, and the speeds and shares of the machines"
        raise InputError(float(workload.runtime_s.max()), f"no job ends within {NEVER_S:g} s", fix=fix)
    busy, work, full, full_work, _ = (float(value) for value in board.real)
    rounds, unsettled = int(board.whole[ROUNDS]), int(board.whole[UNSETTLED])
    return VmRun(stream.start_s, stream.end_s, busy, work, full, full_work, 2 * jobs, rounds, unsettled)


@cache
def _engine(layout: tuple[Any, ...]) -> Callable[..., bool]:
    def entry(state, stream, board, rule, most):
        return _run(by_reference(state), by_reference(stream), by_reference(board), by_reference(rule), most)

    engine: Callable[..., bool] = cached_njit(types.boolean(*layout, types.int64), **LEAN)(entry)
    return engine


@inner
def _run(state, stream, board, rule, most):
    """Handle up to `most` events; returns whether any are left."""
    jobs = stream.submit_s.shape[0]
    for _ in range(most):
        if board.whole[ENDED] == jobs:
            return False
        slot, end = _next_end(state, stream, board)
        arrived = board.whole[ARRIVED]
        arrival = stream.submit_s[arrived] if arrived < jobs else NEVER_S
        if not min(end, arrival) < NEVER_S:  # there is no slot to empty
            board.whole[ENDLESS] = 1
            return False
        _pass_time(state, stream, board, min(end, arrival))
        if end <= arrival:
            _end(state, stream, board, slot)
            _settle(state, board, rule)
        else:
            _enqueue(stream, board, arrived)
        _schedule(state, stream, board, rule)
    return board.whole[ENDED] < jobs


@inner
def _next_end(state, stream, board):
    """The slot whose job ends next at the present speeds, the lower job among equals, and when."""
    best, soonest = -1, NEVER_S
    for slot in range(board.whole[SLOTS]):
        job = board.job[slot]
        if job >= 0:
            end = board.real[NOW] + max(stream.left[job], 0.0) / state.speed[slot]
            if end < soonest or (end == soonest and job < board.job[best]):
                best, soonest = slot, end
    return best, soonest


@inner
def _pass_time(state, stream, board, then):
    seconds, used = then - board.real[NOW], 0.0
    for slot in range(board.whole[SLOTS]):
        job = board.job[slot]
        if job >= 0:
            stream.left[job] -= state.speed[slot] * seconds
            used += state.speed[slot] * stream.tasks[job]
    board.real[BUSY_S] += seconds
    board.real[WORK_S] += used * seconds
    if board.whole[EMPTY] == 0:
        board.real[FULL_S] += seconds
        board.real[FULL_WORK_S] += used * seconds
    board.real[NOW] = then


@inner
def _end(state, stream, board, slot):
    stream.end_s[board.job[slot]] = board.real[NOW]
    board.job[slot] = -1
    board.whole[ENDED] += 1
    vacate(state, slot)
    _count_empty(state, board)


@inner
def _count_empty(state, board):
    empty = 0
    for machine in range(state.active.shape[0]):
        empty += state.active[machine] == 0
    board.whole[EMPTY] = empty


@inner
def _enqueue(stream, board, job):
    if board.whole[HEAD] < 0:
        board.whole[HEAD] = job
    else:
        stream.next_waiting[board.whole[TAIL]] = job
    board.whole[TAIL] = job
    board.whole[ARRIVED] += 1


@inner
def _settle(state, board, rule):
    if rule.redistribute:
        board.whole[ROUNDS] += settle_changed(state, rule.tolerance, rule.most, rule.patience)
        board.whole[UNSETTLED] += state.counts[DIRTY] > 0
        return
    for vm in range(state.slot.shape[0]):
        state.reached[vm] = equilibrium(state, vm, state.most[vm]) if state.slot[vm] >= 0 else 0.0
    for slot in range(state.slot.shape[0]):
        if state.first_vm[slot] >= 0:
            set_speed(state, slot, least_reached(state, slot))
    for d in range(state.counts[DIRTY]):
        state.is_dirty[state.dirty[d]] = 0
    state.counts[DIRTY] = 0


@inner
def _start(state, stream, board, rule, job):
    tasks = stream.tasks[job]
    wants = stream.asks[job]
    choose(state, board.chosen, board.value, rule.choice, tasks, wants, rule.static)
    slot = 0
    while board.job[slot] >= 0:
        slot += 1
    board.job[slot] = job
    board.whole[SLOTS] = max(board.whole[SLOTS], slot + 1)
    occupy(state, slot, board.chosen, tasks, wants)
    if not rule.redistribute:
        set_speed(state, slot, 1e-12)  # active at once
    stream.start_s[job] = board.real[NOW]
    _count_empty(state, board)
    _settle(state, board, rule)


@inner
def _schedule(state, stream, board, rule):
    whole = board.whole
    while whole[HEAD] >= 0 and stream.tasks[whole[HEAD]] <= state.counts[IDLE]:
        job = whole[HEAD]
        whole[HEAD] = stream.next_waiting[job]
        _start(state, stream, board, rule, job)
    if whole[HEAD] < 0 or not rule.backfill or state.counts[IDLE] == 0:
        return
    shadow, extra = _reservation(state, stream, board, stream.tasks[whole[HEAD]])
    before = whole[HEAD]
    job = stream.next_waiting[before]
    while job >= 0 and state.counts[IDLE] > 0:
        after = stream.next_waiting[job]
        tasks = stream.tasks[job]
        runtime = stream.expected_s[job]
        if rule.by_rate and extra < tasks <= state.counts[IDLE]:
            wants = stream.asks[job]
            choose(state, board.chosen, board.value, rule.choice, tasks, wants, rule.static)
            runtime = stream.expected_work_s[job] / speed_at_first(state, board.chosen, tasks, wants)
        ends_before = board.real[NOW] + runtime <= shadow
        if tasks <= state.counts[IDLE] and (ends_before or tasks <= extra):
            stream.next_waiting[before] = after
            if whole[TAIL] == job:
                whole[TAIL] = before
            _start(state, stream, board, rule, job)
            if not ends_before:
                extra -= tasks
        else:
            before = job
        job = after


@inner
def _reservation(state, stream, board, tasks):
    """When so many VMs will be idle at the present speeds, and how many more than needed are then."""
    slots = board.whole[SLOTS]
    for slot in range(slots):
        job = board.job[slot]
        board.end[slot] = 1e300
        if job >= 0:
            done = stream.work_s[job] - stream.left[job]
            board.end[slot] = board.real[NOW] + max(stream.expected_work_s[job] - done, 0.0) / state.speed[slot]
    free = state.counts[IDLE]
    while True:
        best = -1
        for slot in range(slots):
            if board.job[slot] < 0 or board.end[slot] >= 1e300:
                continue
            sooner = best < 0 or board.end[slot] < board.end[best]
            if sooner or (board.end[slot] == board.end[best] and board.job[slot] < board.job[best]):
                best = slot
        if best < 0:
            return 1e300, 0
        free += stream.tasks[board.job[best]]
        if free >= tasks:
            return board.end[best], free - tasks
        board.end[best] = 1e300
