"""What hosts will have free in the plan of one conservative decision, compiled, and where a job fits first.

Only hosts that the plan touches get an outlook of their own: a list of steps (time, free). What the others have free
only grows as their running tasks end, so one list of all expected ends, swept in order, serves them all, and a demand
goes on sweeping where the last job with this demand stopped: in one decision what is free later only shrinks.
"""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,untyped-decorator"

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.heap_kernel import drop_first, push
from loadmaster.kernels import inner
from loadmaster.sim.queue.ends_kernel import next_end
from loadmaster.sim.queue.plan_pass_kernel import keep
from loadmaster.sim.queue.starts_kernel import KEPT, STAMP, fits, tasks_in


class PlanArrays(NamedTuple):
    """The plan of one decision; M steps of room, S = `SLOTS`.

    Attributes:
        step_s, step_free, step_next: float64[M], float64[M, R], int32[M], steps of the hosts' outlooks, chained.
        first_step: int32[H], the first step of a host that has an outlook.
        sweep_s, sweep_host, sweep_free: float64[M], int32[M], float64[M, R], expected ends in order, and what the host
            has free from then on.
        swept, swept_at: int64[K] twice, where the sweep for a demand goes on, and the stamp of the decision.
        bound_at, bound_tasks, bound_long_s, bound_s: int64[K], int32[K], float64[K] twice: in the decision of that
            stamp no job of the demand with so many tasks, so long, can start before `bound_s`.
        dead_at, dead_long_s: int64[K], float64[K]: in the decision of that stamp no host can hold a task of the demand
            from now on for so long.
        slot, slot_at: int32[K], int64[K], the row of `soonest_s` for the demand in the decision of that stamp, or -1.
        soonest_s, soonest_long_s: float64[S, H], float64[S], a task of the row's demand that is at least so long cannot
            start earlier on the host.
        window: float64[H, R], the least that a host has free in a stretch of time.
        seen: int64[H], the question in which a host was found last.
        cursor: int32[H], the step of a host that covers the moment being looked at.
        turn_s, turn_host: float64[H], int32[H], heap of the hosts by their next step.
        begun: int32[J], the jobs started since the plan was begun.
        size: int64[7], see the constants below.
    """

    step_s: NDArray[np.float64]
    step_free: NDArray[np.float64]
    step_next: NDArray[np.int32]
    first_step: NDArray[np.int32]
    sweep_s: NDArray[np.float64]
    sweep_host: NDArray[np.int32]
    sweep_free: NDArray[np.float64]
    swept: NDArray[np.int64]
    swept_at: NDArray[np.int64]
    bound_at: NDArray[np.int64]
    bound_tasks: NDArray[np.int32]
    bound_long_s: NDArray[np.float64]
    bound_s: NDArray[np.float64]
    dead_at: NDArray[np.int64]
    dead_long_s: NDArray[np.float64]
    slot: NDArray[np.int32]
    slot_at: NDArray[np.int64]
    soonest_s: NDArray[np.float64]
    soonest_long_s: NDArray[np.float64]
    window: NDArray[np.float64]
    seen: NDArray[np.int64]
    cursor: NDArray[np.int32]
    turn_s: NDArray[np.float64]
    turn_host: NDArray[np.int32]
    begun: NDArray[np.int32]
    size: NDArray[np.int64]


SLOTS = 64
"""Demands of a decision for which bounds are kept by host."""
STEPS, SWEEP, MAIN_AT, LATE_AT, QUESTION, BEGUN, SLOT = range(7)


@inner
def until(start_s, expected_s):
    """When a job that starts at `start_s` is expected to have ended: never at once."""
    return max(start_s + expected_s, np.nextafter(start_s, np.inf))


@inner
def first_for_one(jobs, state, ends, plan, log, job, from_s, now):
    """The first moment for a job of one task, and the number of hosts, now in `touched`, that can hold it then."""
    count = state.tally
    kind = jobs.kind[job]
    at = plan.swept[kind] if plan.swept_at[kind] == count[STAMP] else np.int64(0)
    while _swept_to(jobs, state, ends, plan, log, at, now):
        if state.kept[plan.sweep_host[at]] != count[STAMP] and fits(plan.sweep_free, at, jobs.demand, kind):
            break
        at += 1
    plan.swept[kind] = at
    plan.swept_at[kind] = count[STAMP]
    sweep_s = plan.sweep_s[at] if at < plan.size[SWEEP] else np.inf
    best_s = sweep_s
    able = 0
    slot = _slot(state, plan, kind, state.expected_s[job])
    learns = slot >= 0 and state.expected_s[job] == plan.soonest_long_s[slot]
    for i in range(count[KEPT]):
        host = state.hosts[i]
        if slot >= 0 and plan.soonest_s[slot, host] > best_s:
            continue
        start_s = _first_on(plan, jobs, kind, host, state.expected_s[job], from_s, best_s)
        if learns:
            plan.soonest_s[slot, host] = start_s
        if start_s < best_s:
            best_s = start_s
            able = 0
        if start_s == best_s and start_s < np.inf:
            state.touched[able] = host
            able += 1
    for i in range(able):
        host = state.touched[i]
        least(plan, host, _covering(plan, host, best_s), until(best_s, state.expected_s[job]))
    plan.size[QUESTION] += 1
    while sweep_s == best_s and _swept_to(jobs, state, ends, plan, log, at, now) and plan.sweep_s[at] == best_s:
        host = plan.sweep_host[at]
        if state.kept[host] != count[STAMP] and fits(plan.sweep_free, at, jobs.demand, kind):
            for r in range(state.free.shape[1]):
                plan.window[host, r] = plan.sweep_free[at, r]
            if plan.seen[host] != plan.size[QUESTION]:
                plan.seen[host] = plan.size[QUESTION]
                state.touched[able] = host
                able += 1
        at += 1
    return best_s, able


@inner
def first_for_many(jobs, capacity, state, ends, plan, log, job, from_s, now):
    """The first moment for all tasks of a job; `window` then holds what every host can give. Returns (moment, H)."""
    count = state.tally
    kind, tasks = jobs.kind[job], jobs.tasks[job]
    turns = 0
    most = np.int64(0)
    for host in range(capacity.shape[0]):
        for r in range(capacity.shape[1]):
            plan.window[host, r] = state.free[host, r]
        state.held[host] = tasks_in(state.free, host, jobs.demand, kind, tasks)
        most += state.held[host]
        if state.kept[host] == count[STAMP]:
            plan.cursor[host] = plan.first_step[host]
            following = plan.step_next[plan.cursor[host]]
            if following >= 0:
                turns = push(plan.turn_s, plan.turn_host, turns, plan.step_s[following], host)
    at = np.int64(0)
    while True:
        start_s = plan.turn_s[0] if turns > 0 else np.inf
        if _swept_to(jobs, state, ends, plan, log, at, now):
            start_s = min(start_s, plan.sweep_s[at])
        if start_s == np.inf:
            return np.inf, 0
        while turns > 0 and plan.turn_s[0] == start_s:
            host = plan.turn_host[0]
            turns = drop_first(plan.turn_s, plan.turn_host, turns)
            plan.cursor[host] = plan.step_next[plan.cursor[host]]
            held = tasks_in(plan.step_free, plan.cursor[host], jobs.demand, kind, tasks)
            most += held - state.held[host]
            state.held[host] = held
            following = plan.step_next[plan.cursor[host]]
            if following >= 0:
                turns = push(plan.turn_s, plan.turn_host, turns, plan.step_s[following], host)
        while _swept_to(jobs, state, ends, plan, log, at, now) and plan.sweep_s[at] == start_s:
            host = plan.sweep_host[at]
            if state.kept[host] != count[STAMP]:
                for r in range(capacity.shape[1]):
                    plan.window[host, r] = plan.sweep_free[at, r]
                held = tasks_in(plan.window, host, jobs.demand, kind, tasks)
                most += held - state.held[host]
                state.held[host] = held
            at += 1
        if most >= tasks and start_s >= from_s and _enough(jobs, state, plan, job, start_s, most):
            return start_s, capacity.shape[0]


@inner
def _enough(jobs, state, plan, job, start_s, most):
    kind, tasks = jobs.kind[job], jobs.tasks[job]
    end_s = until(start_s, state.expected_s[job])
    for i in range(state.tally[KEPT]):
        host = state.hosts[i]
        least(plan, host, plan.cursor[host], end_s)
        if state.held[host] > 0:
            most += tasks_in(plan.window, host, jobs.demand, kind, tasks) - state.held[host]
    return most >= tasks


@inner
def _swept_to(jobs, state, ends, plan, log, at, now):
    """Whether there is an entry number `at` of the sweep; sweeps on until there is."""
    soonest = np.nextafter(now, np.inf)
    while plan.size[SWEEP] <= at:
        end_s, job, plan.size[MAIN_AT], plan.size[LATE_AT] = next_end(ends, plan.size[MAIN_AT], plan.size[LATE_AT])
        if job < 0:
            return False
        for task in range(jobs.first_task[job], jobs.first_task[job + 1]):
            host = log.host[task]
            if state.kept[host] == state.tally[STAMP]:
                continue
            entry = plan.size[SWEEP]
            plan.sweep_s[entry] = max(end_s, soonest)
            plan.sweep_host[entry] = host
            known = state.then_at[host] == state.tally[STAMP]
            state.then_at[host] = state.tally[STAMP]
            for r in range(state.free.shape[1]):
                free = state.then[host, r] if known else state.free[host, r]
                state.then[host, r] = free + jobs.demand[jobs.kind[job], r]
                plan.sweep_free[entry, r] = state.then[host, r]
            plan.size[SWEEP] += 1
    return True


@inner
def _slot(state, plan, kind, expected_s):
    """The row in which bounds for the demand are kept in this decision, -1 if all are in use.

    They hold for longer tasks too; one that is shorter than all before it begins the row anew.
    """
    if plan.slot_at[kind] != state.tally[STAMP]:
        plan.slot_at[kind] = state.tally[STAMP]
        plan.slot[kind] = plan.size[SLOT] if plan.size[SLOT] < plan.soonest_s.shape[0] else -1
        plan.size[SLOT] += 1
        if plan.slot[kind] >= 0:
            plan.soonest_long_s[plan.slot[kind]] = np.inf
    slot = plan.slot[kind]
    if slot >= 0 and expected_s < plan.soonest_long_s[slot]:
        plan.soonest_long_s[slot] = expected_s
        for host in range(plan.soonest_s.shape[1]):
            plan.soonest_s[slot, host] = -np.inf
    return slot


@inner
def _first_on(plan, jobs, kind, host, expected_s, from_s, latest_s):
    """The first moment from `from_s` on at which `host`, which has an outlook, can hold a task.

    If it is after `latest_s`, some moment after `latest_s` that is no later than the first one.
    """
    at = _covering(plan, host, from_s)
    start_s = np.inf
    end_s = np.inf
    while at >= 0:
        if start_s < np.inf and plan.step_s[at] >= end_s:
            break
        if not fits(plan.step_free, at, jobs.demand, kind):
            start_s = np.inf
        elif start_s == np.inf:
            start_s = plan.step_s[at]
            if start_s > latest_s:
                return start_s
            end_s = until(start_s, expected_s)
        at = plan.step_next[at]
    return start_s


@inner
def unfold(jobs, state, plan, log, host, now):
    """Give `host` an outlook of its own, unless it has one, and keep it from jobs that do not look at it."""
    if state.kept[host] == state.tally[STAMP]:
        return
    keep(state, host)
    state.open[host] = False
    soonest = np.nextafter(now, np.inf)
    at = plan.size[STEPS]
    plan.first_step[host] = at
    plan.step_s[at] = now
    plan.step_next[at] = -1
    for r in range(state.free.shape[1]):
        plan.step_free[at, r] = state.free[host, r]
    plan.size[STEPS] += 1
    task = state.host_task[host]
    while task >= 0:
        job = state.task_job[task]
        end_s = max(log.start_s[job] + state.expected_s[job], soonest)
        if plan.step_s[at] < end_s:
            at = _split(plan, at, end_s)
        for r in range(state.free.shape[1]):
            plan.step_free[at, r] += jobs.demand[jobs.kind[job], r]
        task = state.next_task[task]


@inner
def least(plan, host, at, end_s):
    """Put the least that `host` has free from step `at` until `end_s` into `window`."""
    for r in range(plan.window.shape[1]):
        plan.window[host, r] = plan.step_free[at, r]
    at = plan.step_next[at]
    while at >= 0 and plan.step_s[at] < end_s:
        for r in range(plan.window.shape[1]):
            plan.window[host, r] = min(plan.window[host, r], plan.step_free[at, r])
        at = plan.step_next[at]


@inner
def hold(plan, jobs, kind, host, start_s, end_s):
    """Take a task of demand number `kind` from the outlook of `host` from `start_s` until `end_s`."""
    at = _covering(plan, host, start_s)
    if plan.step_s[at] < start_s:
        at = _split(plan, at, start_s)
    while True:
        following = plan.step_next[at]
        if following < 0 or plan.step_s[following] > end_s:
            following = _split(plan, at, end_s)
        for r in range(plan.step_free.shape[1]):
            plan.step_free[at, r] -= jobs.demand[kind, r]
        if plan.step_s[following] == end_s:
            return
        at = following


@inner
def _covering(plan, host, time_s):
    """The last step of `host` that begins at or before `time_s`."""
    at = np.int64(plan.first_step[host])
    following = plan.step_next[at]
    while following >= 0 and plan.step_s[following] <= time_s:
        at = np.int64(following)
        following = plan.step_next[at]
    return at


@inner
def _split(plan, at, time_s):
    """Begin a new step at `time_s` within step `at`; returns it."""
    new = plan.size[STEPS]
    plan.size[STEPS] += 1
    plan.step_s[new] = time_s
    plan.step_next[new] = plan.step_next[at]
    plan.step_next[at] = new
    for r in range(plan.step_free.shape[1]):
        plan.step_free[new, r] = plan.step_free[at, r]
    return new
